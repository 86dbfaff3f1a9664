import { useState } from 'preact/hooks'
import type { StoreFields } from '#generated/api.ts'
import { call, callRaw } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Download } from '../../parts/download.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSignal } from '../../signal.ts'
import { CategoryDialog } from './category-dialog.tsx'
import { changeEach, type Outcome } from './each.ts'
import { NONE, type Selection } from './selection.tsx'
import { t } from './texts/texts.ts'

/** The ids of an export stand in its address, and servers take 16 KiB of headers. */
const ADDRESS_CHARS_MAX = 6_000

/** The filter that names products. */
export const byIds = (ids: readonly string[]) => [
  { field: 'product_id', operator: 'in' as const, value: ids },
]

interface BulkProps {
  selection: Selection
  /** The products that the list has loaded. */
  listShown(): readonly string[]
  fields: StoreFields | null
  can(permission: string): boolean
  onDelete(ids: readonly string[]): void
  onChanged(): void
}

/** What can be done with the chosen products. It stays in sight while the list scrolls. */
export function BulkBar({ selection, listShown, fields, can, onDelete, onChanged }: BulkProps) {
  const chosen = useSignal(selection.chosen)
  const [isSorting, setSorting] = useState(false)
  const [done, setDone] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const ids = [...chosen]
  const filters = JSON.stringify(byIds(ids))
  const isBusy = done !== null

  async function change(body: { refresh: true } | { metadata: { category: string | null } }) {
    setDone(0)
    const result = await changeEach(
      ids,
      (id) => call('PATCH /v1/products/{product_id}', { path: { product_id: id }, body }),
      setDone,
    )
    setDone(null)
    setOutcome(result)
    // What failed stays chosen, for another try.
    selection.chosen.set(new Set(result.failed))
    onChanged()
  }

  if (chosen.size === 0) return <Told outcome={outcome} />
  return (
    <section class="bulk" aria-label={t.chosen}>
      <p>
        <strong role="status">
          {isBusy
            ? t.changing(formatNumber(done), formatNumber(ids.length))
            : t.countChosen(formatNumber(ids.length))}
        </strong>
      </p>
      <p class="actions">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => selection.chosen.set(new Set([...ids, ...listShown()]))}
        >
          {t.chooseShown}
        </button>
        {can('products:write') && (
          <>
            <button type="button" disabled={isBusy} onClick={() => setSorting(true)}>
              {t.setCategory}
            </button>
            <button type="button" disabled={isBusy} onClick={() => change({ refresh: true })}>
              {t.refetch}
            </button>
          </>
        )}
        {encodeURIComponent(filters).length <= ADDRESS_CHARS_MAX ? (
          <Download
            label={t.export}
            name="products.csv"
            load={() => callRaw('GET /v1/products/export', { query: { format: 'csv', filters } }, 'text/csv')}
          />
        ) : (
          <button type="button" disabled title={t.exportTooMany}>
            {t.export}
          </button>
        )}
        {can('products:delete') && (
          <button type="button" class="danger" disabled={isBusy} onClick={() => onDelete(ids)}>
            {t.deleteMany(formatNumber(ids.length))}
          </button>
        )}
        <button type="button" class="link" disabled={isBusy} onClick={() => selection.chosen.set(NONE)}>
          {t.chooseNone}
        </button>
      </p>
      <Told outcome={outcome} />
      {isSorting && (
        <CategoryDialog
          fields={fields}
          count={ids.length}
          onChoose={(category) => {
            setSorting(false)
            change({ metadata: { category } })
          }}
          onClose={() => setSorting(false)}
        />
      )}
    </section>
  )
}

/** What failed of the last change. */
function Told({ outcome }: { outcome: Outcome | null }) {
  if (!outcome?.error) return null
  return (
    <div class="bulk-told">
      <p>{t.failedChanges(formatNumber(outcome.failed.length))}</p>
      <Failure error={outcome.error} />
    </div>
  )
}
