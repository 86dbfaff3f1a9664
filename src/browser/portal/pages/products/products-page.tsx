import { useEffect, useRef, useState } from 'preact/hooks'
import type { StoreFields } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { List } from '../../parts/list.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { ProductLine } from '../../parts/product-line.tsx'
import { ProductTile, readShown } from '../../parts/product-tile.tsx'
import { useDrawn } from '../../parts/use-drawn.ts'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { type Asked, type Listed, readAsked, readPage } from './asked.ts'
import { BulkBar } from './bulk-bar.tsx'
import { PlannedDeletion } from './deletion.tsx'
import { Filters } from './filters.tsx'
import { ProductDrawer } from './product-drawer.tsx'
import { RunningJob } from './running-job.tsx'
import { Choosable, createSelection, NONE } from './selection.tsx'
import { t } from './texts/texts.ts'

const UNFILTERED = { q: '', category: '', brand: '', problem: '' } as const

export function Page({ can, store }: PageProps) {
  const query = new URLSearchParams(useSignal(address).split('?')[1])
  const asked = readAsked(query)
  const [total, setTotal] = useState<number | null>(null)
  const [round, setRound] = useState(0)
  const [fields] = useLoad<StoreFields>(() => call('GET /v1/store/fields'), [round])
  const [selection] = useState(createSelection)
  const [planned, setPlanned] = useState<readonly string[] | null>(null)
  const shown = useRef<string[]>([])
  const lastFields = useRef<StoreFields | null>(null)
  if (fields.state === 'there') lastFields.current = fields.value
  // While they are read again, the filters stay.
  const knownFields = lastFields.current
  const loadAnew = () => setRound((n) => n + 1)

  // Nobody deletes what the list no longer shows.
  const question = JSON.stringify(asked)
  useEffect(() => selection.chosen.set(NONE), [question])

  function change(changes: Partial<Record<keyof Asked | 'product' | 'view', string>>) {
    const next = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    setQuery(next)
  }

  const hrefOf = (id: string) => {
    const next = new URLSearchParams(location.search)
    next.set('product', id)
    return `?${next}`
  }

  const layout = query.get('view') === 'table' ? 'lines' : 'grid'
  const Product = layout === 'lines' ? ProductLine : ProductTile
  const isFiltered = Object.keys(UNFILTERED).some((name) => asked[name as keyof typeof UNFILTERED] !== '')
  const opened = query.get('product')
  return (
    <>
      <div class="heading">
        <h1>{t.heading}</h1>
        {total !== null && <p class="muted">{t.total(formatNumber(total))}</p>}
        {total !== null && total > 0 && !isFiltered && can('products:delete') && (
          <RemoveDrawn key={round} onRemove={loadAnew} />
        )}
      </div>
      <Panel>
        <RunningJob onEnd={loadAnew} />
      </Panel>
      {(total !== 0 || isFiltered) && (
        <Filters {...{ asked, layout, fields: knownFields, onChange: change }} />
      )}
      <Panel>
        <List<Listed>
          label={t.heading}
          question={question}
          version={round}
          layout={layout}
          load={async (cursor, signal) => {
            const { items, next, total } = await readPage(asked, cursor, signal)
            const ids = items.map(({ product_id }) => product_id)
            shown.current = cursor === null ? ids : [...shown.current, ...ids]
            setTotal(total)
            return { items, next }
          }}
          keyOf={({ product_id }) => product_id}
          draw={({ product_id, thumbnail_url, metadata, failure }) =>
            failure === undefined ? (
              <Choosable id={product_id} name={readShown(product_id, metadata).name} selection={selection}>
                <Product {...{ id: product_id, src: thumbnail_url, metadata, href: hrefOf(product_id) }} />
              </Choosable>
            ) : (
              <Product {...{ id: product_id, src: thumbnail_url, metadata, href: addressOf(store, 'jobs') }}>
                <span class="state problem" lang={failure.isOfApi ? 'en' : undefined}>
                  {failure.text}
                </span>
              </Product>
            )
          }
          empty={
            isFiltered ? (
              <div class="empty">
                <p>{asked.problem === '' ? t.noneFits : t.noProblem}</p>
                <button type="button" onClick={() => change(UNFILTERED)}>
                  {t.clear}
                </button>
              </div>
            ) : (
              <Nothing store={store} canLoad={can('products:write')} onLoaded={loadAnew} />
            )
          }
        />
      </Panel>
      <Panel class="bulk-place">
        {planned ? (
          <PlannedDeletion
            ids={planned}
            selection={selection}
            onEnd={(isDeleted) => {
              setPlanned(null)
              selection.chosen.set(NONE)
              if (isDeleted) loadAnew()
            }}
          />
        ) : (
          <BulkBar
            {...{ selection, can }}
            fields={knownFields}
            listShown={() => shown.current}
            onDelete={setPlanned}
            onChanged={loadAnew}
          />
        )}
      </Panel>
      {opened !== null && (
        <ProductDrawer
          key={opened}
          {...{ id: opened, store, can, hrefOf, fields: knownFields }}
          onClose={() => change({ product: '' })}
          onChanged={loadAnew}
          onDeleted={() => {
            change({ product: '' })
            loadAnew()
          }}
        />
      )}
    </>
  )
}

/** A store without products: the next step is one button. */
function Nothing({ store, canLoad, onLoaded }: { store: string; canLoad: boolean; onLoaded(): void }) {
  const { isBusy, error, load } = useDrawn({ onLoad: onLoaded, onRemove: onLoaded })
  return (
    <div class="empty">
      <Drawn which={4} />
      <h2>{t.empty}</h2>
      <p>{t.emptyHint}</p>
      {error && <Failure error={error} />}
      {canLoad && (
        <button type="button" class="primary" disabled={isBusy} onClick={load}>
          {isBusy ? t.loadingDemo : t.loadDemo}
        </button>
      )}
      <p>
        <a href={addressOf(store, 'import')}>{t.importFile}</a>
      </p>
    </div>
  )
}

/** Takes the drawn products away again, where they are. */
function RemoveDrawn({ onRemove }: { onRemove(): void }) {
  const { isThere, isBusy, error, remove } = useDrawn({ onLoad: onRemove, onRemove })
  if (!isThere) return null
  return (
    <div class="remove-drawn">
      {error && <Failure error={error} />}
      <button type="button" class="link" disabled={isBusy} onClick={remove}>
        {t.removeDrawn}
      </button>
    </div>
  )
}
