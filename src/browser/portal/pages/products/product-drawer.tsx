import { useState } from 'preact/hooks'
import type { Product, StoreFields } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatMoment, formatScore } from '../../language.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { ProductTile, readShown } from '../../parts/product-tile.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { developersChoice, showsDevelopers } from '../../shell/developers.ts'
import { me } from '../../shell/me.ts'
import { addressOf } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t as shell } from '../../texts/texts.ts'
import { EditForm } from './edit-form.tsx'
import { Seen } from './seen.tsx'
import { t } from './texts/texts.ts'

export interface DrawerProps {
  id: string
  store: string
  can(permission: string): boolean
  hrefOf(id: string): string
  fields: StoreFields | null
  onClose(): void
  onChanged(): void
  onDeleted(): void
}

/** One product over the list: its picture, what looks like it, its fields. */
export function ProductDrawer(props: DrawerProps) {
  const { id, onClose } = props
  const [loaded, retry] = useLoad(
    (signal) => readVersion('GET /v1/products/{product_id}', { path: { product_id: id }, signal }),
    [id],
  )
  return (
    <Dialog class="drawer" label={id} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      {loaded.state === 'failed' &&
        (loaded.error.status === 404 ? <p>{t.gone}</p> : <Failure error={loaded.error} onRetry={retry} />)}
      {loaded.state === 'there' && <Opened {...props} product={loaded.value} onReload={retry} />}
    </Dialog>
  )
}

/** Addresses of shops open in a tab of their own; anything else than http(s) is shown, not linked. */
const asLink = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null

interface OpenedProps extends DrawerProps {
  product: Versioned<Product>
  onReload(): void
}

/** The product to be read or changed; for developers also as the API gives it. */
function Opened(props: OpenedProps) {
  const { product, fields, can, onReload, onChanged } = props
  const [view, setView] = useState<'product' | 'edit' | 'json'>('product')
  const person = useSignal(me)
  const choice = useSignal(developersChoice)
  if (view === 'edit')
    return (
      <EditForm
        {...{ product, fields }}
        onSaved={() => {
          onReload()
          onChanged()
        }}
        onClose={() => setView('product')}
      />
    )
  const isForDevelopers = person !== null && showsDevelopers(choice, person)
  return (
    <>
      <Head {...props} product={product.value} />
      <p class="actions">
        {can('products:write') && (
          <button type="button" onClick={() => setView('edit')}>
            {t.edit}
          </button>
        )}
        {isForDevelopers && (
          <>
            <button
              type="button"
              aria-pressed={view === 'json'}
              onClick={() => setView(view === 'json' ? 'product' : 'json')}
            >
              JSON
            </button>
            <Copy text={product.value.product_id} label={t.copyId} />
          </>
        )}
      </p>
      {view === 'json' ? <Json product={product.value} /> : <Details {...props} product={product.value} />}
    </>
  )
}

function Json({ product }: { product: Product }) {
  const text = JSON.stringify(product, null, 2)
  return (
    <>
      <pre class="product-json" dir="ltr">
        {text}
      </pre>
      <p>
        <Copy text={text} />
      </p>
    </>
  )
}

type PartProps = DrawerProps & { product: Product }

/** Its picture, its name and its price. */
function Head({ product, store, can }: PartProps) {
  const { product_id, metadata, thumbnail_url, updated_at } = product
  const { name, category, price, before, isSoldOut } = readShown(product_id, metadata)
  const url = asLink(metadata.url)
  return (
    <div class="product-head">
      <Picture src={thumbnail_url} name={name} kind={category} />
      <div>
        <h2 dir="auto">{name}</h2>
        <p class="price">
          {price} {before !== null && <s>{before}</s>}
        </p>
        {isSoldOut && <p class="state">{shell.soldOut}</p>}
        <p class="muted" title={formatMoment(updated_at)}>
          {t.changed(formatAgo(updated_at))}
        </p>
        {can('search:execute') && (
          <p>
            <a href={`${addressOf(store, 'playground')}?product=${encodeURIComponent(product_id)}`}>
              {t.tryIt}
            </a>
          </p>
        )}
        {url && (
          <p>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {t.open}
            </a>
          </p>
        )}
      </div>
    </div>
  )
}

function Details({ product, can, hrefOf, onDeleted }: PartProps) {
  const { product_id, metadata } = product
  return (
    <>
      {can('search:execute') && (
        <Panel>
          <h3>{t.similar}</h3>
          <Similar id={product_id} hrefOf={hrefOf} />
        </Panel>
      )}
      <div class="product-beside">
        <Panel>
          <Seen product={product} canSearch={can('search:execute')} />
        </Panel>
        <Panel>
          <h3>{t.says}</h3>
          <dl class="facts">
            <dt>{t.id}</dt>
            <dd>
              <code>{product_id}</code>
            </dd>
            {Object.entries(metadata).map(([field, value]) => (
              <Fact key={field} field={field} value={value} />
            ))}
          </dl>
        </Panel>
      </div>
      {can('products:delete') && <Deletion id={product_id} onDeleted={onDeleted} />}
    </>
  )
}

const Fact = ({ field, value }: { field: string; value: unknown }) => (
  <>
    <dt>
      <code>{field}</code>
    </dt>
    <dd dir="auto">{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
  </>
)

function Similar({ id, hrefOf }: Pick<DrawerProps, 'id' | 'hrefOf'>) {
  const [loaded, retry] = useLoad(
    (signal) =>
      call('GET /v1/products/{product_id}/similar', {
        path: { product_id: id },
        query: { limit: 6, analytics: 'false' },
        signal,
      }),
    [id],
  )
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  const hits = loaded.state === 'there' ? loaded.value.results : []
  if (loaded.state === 'there' && hits.length === 0) return <p class="muted">{t.noneSimilar}</p>
  return (
    <ul class="grid small" aria-busy={loaded.state === 'loading'}>
      {hits.map(({ product_id, thumbnail_url, metadata, similarity_score }) => (
        <li key={product_id}>
          <ProductTile {...{ id: product_id, src: thumbnail_url, metadata, href: hrefOf(product_id) }}>
            <span class="muted"> {formatScore(similarity_score)}</span>
          </ProductTile>
        </li>
      ))}
    </ul>
  )
}

/** Deleting asks once, and says what will be gone. */
function Deletion({ id, onDeleted }: { id: string; onDeleted(): void }) {
  const [state, setState] = useState<'idle' | 'asking' | 'busy' | CallError>('idle')

  async function remove() {
    setState('busy')
    try {
      await call('DELETE /v1/products/{product_id}', { path: { product_id: id } })
      onDeleted()
    } catch (thrown) {
      const error = toCallError(thrown)
      // Somebody else was faster: it is gone, as was asked.
      if (error.status === 404) onDeleted()
      else setState(error)
    }
  }

  if (state === 'idle')
    return (
      <p>
        <button type="button" class="link danger" onClick={() => setState('asking')}>
          {t.delete}
        </button>
      </p>
    )
  return (
    <div class="confirm">
      <p>{t.deleteSure}</p>
      {state instanceof Error && <Failure error={state} />}
      <p class="actions">
        <button type="button" class="danger" disabled={state === 'busy'} onClick={remove}>
          {t.deleteNow}
        </button>
        <button type="button" onClick={() => setState('idle')}>
          {t.keep}
        </button>
      </p>
    </div>
  )
}
