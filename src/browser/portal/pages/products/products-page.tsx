import { useEffect, useState } from 'preact/hooks'
import type { Product, StoreFields } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatNumber } from '../../language.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { List } from '../../parts/list.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { ProductTile } from '../../parts/product-tile.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { Filters } from './filters.tsx'
import { ProductDrawer } from './product-drawer.tsx'
import { RunningJob } from './running-job.tsx'
import { t } from './texts/texts.ts'

const PAGE_SIZE = 48

export const SORTS = ['newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc'] as const
export type Sort = (typeof SORTS)[number]

/** What the address asks for. */
export interface Asked {
  q: string
  category: string
  brand: string
  sort: Sort
}

function readAsked(query: URLSearchParams): Asked {
  const read = (name: string) => query.get(name) ?? ''
  return {
    q: read('q'),
    category: read('category'),
    brand: read('brand'),
    sort: SORTS.find((sort) => sort === query.get('sort')) ?? 'newest',
  }
}

export function Page({ can, store }: PageProps) {
  const query = new URLSearchParams(useSignal(address).split('?')[1])
  const asked = readAsked(query)
  const [total, setTotal] = useState<number | null>(null)
  const [round, setRound] = useState(0)
  const [fields] = useLoad<StoreFields>(() => call('GET /v1/store/fields'), [round])

  function change(changes: Partial<Record<keyof Asked | 'product', string>>) {
    const next = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    setQuery(next)
  }

  const hrefOf = (id: string) => {
    const next = new URLSearchParams(query)
    next.set('product', id)
    return `?${next}`
  }

  const isFiltered = asked.q !== '' || asked.category !== '' || asked.brand !== ''
  const opened = query.get('product')
  return (
    <>
      <div class="heading">
        <h1>{t.heading}</h1>
        {total !== null && <p class="muted">{t.total(formatNumber(total))}</p>}
      </div>
      <Panel>
        <RunningJob onEnd={() => setRound((n) => n + 1)} />
      </Panel>
      {(total !== 0 || isFiltered) && (
        <Filters asked={asked} fields={fields.state === 'there' ? fields.value : null} onChange={change} />
      )}
      <Panel>
        <List<Product>
          label={t.heading}
          question={`${JSON.stringify(asked)} ${round}`}
          load={async (cursor, signal) => {
            const { products, next_cursor, total } = await call('GET /v1/products', {
              query: { ...asked, limit: PAGE_SIZE, ...(cursor !== null && { cursor }) },
              signal,
            })
            setTotal(total)
            return { items: products, next: next_cursor }
          }}
          keyOf={({ product_id }) => product_id}
          draw={({ product_id, thumbnail_url, metadata }) => (
            <ProductTile {...{ id: product_id, src: thumbnail_url, metadata, href: hrefOf(product_id) }} />
          )}
          empty={
            isFiltered ? (
              <div class="empty">
                <p>{t.noneFits}</p>
                <button type="button" onClick={() => change({ q: '', category: '', brand: '' })}>
                  {t.clear}
                </button>
              </div>
            ) : (
              <Nothing
                store={store}
                canLoad={can('products:write')}
                onLoaded={() => setRound((n) => n + 1)}
              />
            )
          }
        />
      </Panel>
      {opened !== null && (
        <ProductDrawer
          key={opened}
          {...{ id: opened, store, can, hrefOf }}
          onClose={() => change({ product: '' })}
          onDeleted={() => {
            change({ product: '' })
            setRound((n) => n + 1)
          }}
        />
      )}
    </>
  )
}

/** A store without products: the next step is one button. */
function Nothing({ store, canLoad, onLoaded }: { store: string; canLoad: boolean; onLoaded(): void }) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  useEffect(() => {
    if (state !== 'busy') return
    call('POST /v1/products/demo').then(onLoaded, (thrown) => setState(toCallError(thrown)))
  }, [state])
  return (
    <div class="empty">
      <Drawn which={4} />
      <h2>{t.empty}</h2>
      <p>{t.emptyHint}</p>
      {state instanceof Error && <Failure error={state} />}
      {canLoad && (
        <button type="button" class="primary" disabled={state === 'busy'} onClick={() => setState('busy')}>
          {state === 'busy' ? t.loadingDemo : t.loadDemo}
        </button>
      )}
      <p>
        <a href={addressOf(store, 'import')}>{t.importFile}</a>
      </p>
    </div>
  )
}
