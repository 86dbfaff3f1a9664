import { Copied } from '../../parts/copy.tsx'
import { readSecret } from '../../shell/first-secret.ts'
import { me } from '../../shell/me.ts'
import { useSignal } from '../../signal.ts'
import { t } from './texts/texts.ts'

const exportLines = (id: string, secret: string) => `export CLIENT_ID=${id}\nexport CLIENT_SECRET=${secret}`

const curlLines = (
  origin: string,
) => `TOKEN=$(curl -sS ${origin}/oauth/token -d grant_type=client_credentials \\
  -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
curl -sS ${origin}/v1/products -H "Authorization: Bearer $TOKEN" \\
  -F product_id=sku-1 -F image=@photo.jpg -F metadata='{"name":"My first product"}'`

/** The way of developers: what a program signs in with, once, and a first call. */
export function ApiCard({ store }: { store: string }) {
  const id = useSignal(me)?.active_store?.client_id ?? ''
  const secret = readSecret(store)
  return (
    <>
      <h2>{t.api}</h2>
      <p>{t.apiHint}</p>
      <details class="fold">
        <summary>{t.apiShow}</summary>
        <p>{secret ? t.secretOnce : t.secretGone}</p>
        <Copied text={exportLines(id, secret?.client_secret ?? '…')} />
        <p>{t.firstCall}</p>
        <Copied text={curlLines(location.origin)} />
        <p class="actions">
          <a href="/docs" target="_blank" rel="noopener">
            {t.apiPage}
          </a>
          {!secret && <a href={`/${store}/portal/keys`}>{t.newSecret}</a>}
        </p>
      </details>
    </>
  )
}
