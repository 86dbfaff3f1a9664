import { useEffect, useState } from 'preact/hooks'
import type { CatalogueReport } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoad } from '../../parts/use-load.ts'
import { addressOf, type PageProps } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

type Finding = CatalogueReport['findings'][number]
type Product = Finding['products'][number]

/** Asked again this often while a report is being made, and never otherwise. */
const EVERY_MS = 3_000

/** Products of a finding that are shown before somebody asks for all. */
const SHOWN = 6

/** What may be wrong in the catalogue, each with the pictures that it is about. */
export function Page({ store, can }: PageProps) {
  const [loaded, reload] = useLoad((signal) => call('GET /v1/catalogue/report', { signal }), [store])
  // What was there stays while it is read again.
  const [report, setReport] = useState<CatalogueReport | null>(null)
  const asking = useAction(async () => {
    await call('POST /v1/catalogue/report')
    reload()
  })
  useEffect(() => {
    if (loaded.state !== 'there') return
    setReport(loaded.value)
    if (loaded.value.state !== 'waiting') return
    const timer = setTimeout(reload, EVERY_MS)
    return () => clearTimeout(timer)
  }, [loaded])
  const isWaiting = report?.state === 'waiting'
  const ask = can('products:write') && (
    <button
      type="button"
      class={report?.state === 'none' ? 'primary' : undefined}
      disabled={asking.isBusy || isWaiting}
      onClick={asking.run}
    >
      {t.make}
    </button>
  )
  return (
    <div class="catalogue-report">
      <div class="page-head">
        <h1>{t.heading}</h1>
        {report && report.state !== 'none' && ask}
      </div>
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={reload} />}
      {asking.error && <Failure error={asking.error} />}
      {!report && loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {report && (
        <>
          <p class="muted" role="status">
            {report.made_at !== null && (
              <>
                {t.lookedAt(report.products)} <Moment at={report.made_at} />.{' '}
              </>
            )}
            {isWaiting && t.waiting}
          </p>
          {report.state === 'none' && (
            <div class="empty">
              <Drawn which={4} />
              <h2>{t.none}</h2>
              <p>{t.noneHint}</p>
              {ask}
            </div>
          )}
          {report.made_at !== null && report.findings.length === 0 && (
            <div class="empty">
              <Drawn which={1} />
              <h2>{t.fine}</h2>
              <p>{t.fineHint}</p>
            </div>
          )}
          {report.findings.map((finding) => (
            <Panel key={finding.kind}>
              <Found {...{ finding, store }} />
            </Panel>
          ))}
        </>
      )}
    </div>
  )
}

/** All products of one kind of finding. */
function Found({ finding: { kind, count, products }, store }: { finding: Finding; store: string }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? products : products.slice(0, SHOWN)
  const rest = count - shown.length
  return (
    <>
      <h2>
        {t.kinds[kind]} <span class="muted">{formatNumber(count)}</span>
      </h2>
      <p class="muted">{t.hints[kind]}</p>
      <ul class="reported" aria-label={t.kinds[kind]}>
        {shown.map((product) => (
          <Row key={product.product_id} {...{ kind, product, store }} />
        ))}
      </ul>
      {shown.length < products.length && (
        <button type="button" onClick={() => setWhole(true)}>
          {shell.more}
        </button>
      )}
      {isWhole && rest > 0 && <p class="muted">{t.andMore(rest)}</p>}
    </>
  )
}

function Row({ kind, product, store }: { kind: Finding['kind']; product: Product; store: string }) {
  const { product_id, name, thumbnail_url, data } = product
  const other = data.other_product_id
  const hrefOf = (id: string) => `${addressOf(store, 'products')}?product=${encodeURIComponent(id)}`
  return (
    <li>
      <Picture src={thumbnail_url} name={name ?? product_id} />
      <div>
        <p>
          <strong dir="auto">
            {/* What could not be loaded may never have become a product. */}
            {name === null && kind === 'dead_link' ? (
              product_id
            ) : (
              <a href={hrefOf(product_id)}>{name ?? product_id}</a>
            )}
          </strong>
        </p>
        <p>
          <Reason {...{ kind, product }} />
          {other !== undefined && <a href={hrefOf(other)}>{other}</a>}
        </p>
      </div>
    </li>
  )
}

/** Why a product is named, in the language of the page where that can be said. */
function Reason({ kind, product: { reason, data } }: { kind: Finding['kind']; product: Product }) {
  const { category = '', seems = '', color_name = '', products = 0, width = 0, height = 0 } = data
  if (kind === 'category_mismatch') return <>{t.category(category, seems)}</>
  if (kind === 'color_mismatch') return <>{t.colour(color_name)}</>
  if (kind === 'shared_picture') return <>{t.shared(products)}</>
  if (kind === 'tiny_picture') return <>{t.pixels(width, height)}</>
  if (kind === 'near_duplicate') return <>{t.twin} </>
  if (kind === 'no_words') return <>{t.mute}</>
  return <span lang="en">{reason}</span>
}
