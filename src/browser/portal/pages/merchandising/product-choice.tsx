import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { readShown } from '../../parts/product-tile.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { type Known, readProducts } from './products.ts'
import { t } from './texts/texts.ts'

const PAUSE_MS = 300
const OFFERED = 6

/** A product with its picture and its name. */
function ProductName({ product }: { product: Known }) {
  const { name, category } = readShown(product.product_id, product.metadata)
  return (
    <>
      <Picture src={product.thumbnail_url} name={name} kind={category} />
      <span>
        <strong dir="auto">{name}</strong> <span class="muted">{product.product_id}</span>
      </span>
    </>
  )
}

/** Chooses one product by a search in the names and ids of the store. */
export function ProductChoice({ id, onChoose }: { id: string; onChoose(id: string): void }) {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const [chosen] = useLoad(
    async (signal) => (id === '' ? null : ((await readProducts([id], signal))[id] ?? null)),
    [id],
  )
  const [found, retry] = useLoad<readonly Known[]>(
    async (signal) =>
      asked === ''
        ? []
        : (await call('GET /v1/products', { query: { q: asked, limit: OFFERED }, signal })).products,
    [asked],
  )
  if (id !== '')
    return (
      <div class="chosen">
        {chosen.state === 'there' && chosen.value ? (
          <ProductName product={chosen.value} />
        ) : (
          <span>
            {id}
            {chosen.state === 'there' && <span class="state problem"> {t.isMissing}</span>}
          </span>
        )}
        <button type="button" class="link" onClick={() => onChoose('')}>
          {t.another}
        </button>
      </div>
    )
  return (
    <div class="choice-of-product">
      <Field label={t.product} hint={t.productHint} type="search" value={typed} onValue={setTyped} />
      <p class="unseen" role="status">
        {asked !== '' && found.state === 'there' && found.value.length === 0 && t.noProduct}
      </p>
      {found.state === 'failed' && <Failure error={found.error} onRetry={retry} />}
      {asked !== '' && found.state === 'there' && (
        <ul class="offered">
          {found.value.length === 0 && <li class="muted">{t.noProduct}</li>}
          {found.value.map((product) => (
            <li key={product.product_id}>
              <button type="button" class="chosen" onClick={() => onChoose(product.product_id)}>
                <ProductName product={product} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
