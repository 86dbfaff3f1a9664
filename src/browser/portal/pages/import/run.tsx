import { useState } from 'preact/hooks'
import type { ImportPreview } from '#generated/api.ts'
import { toCallError } from '../../api/errors.ts'
import { formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { addressOf, go } from '../../shell/routes.ts'
import { start } from './calls.ts'
import type { FindingsProps } from './findings.tsx'
import { t } from './texts/texts.ts'
import { TroubleNote } from './trouble-note.tsx'
import { judgeFailure, type Trouble } from './use-import.ts'

/** More of a store than this is not deleted without being asked once more. */
const BRAKE = 0.2
/** Shopify's column by which each variant becomes a product of its own. */
const VARIANT_COLUMN = 'Variant SKU'
const HANDLE_COLUMN = 'Handle'

/** The last choices and the one button. */
export function Run({
  store,
  can,
  known,
  file,
  chosen,
  preview,
}: FindingsProps & { preview: ImportPreview }) {
  const [missing, setMissing] = useState<'keep' | 'delete'>('keep')
  const [isForced, setForced] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const { diff, valid } = preview
  const inStore = diff.changed + diff.unchanged + diff.gone
  const deletes = missing === 'delete' && diff.gone > 0
  const isBraked = deletes && (diff.gone > BRAKE * inStore || isRefused)
  const hasVariants =
    preview.platform === 'shopify' &&
    [VARIANT_COLUMN, HANDLE_COLUMN].every((column) => known.columns.includes(column))

  async function run() {
    setBusy(true)
    setTrouble(null)
    try {
      const wishes = deletes ? { delete_missing: true, ...(isBraked && { force_delete: true }) } : {}
      const { own } = file
      const job = await start({ file: chosen, uploadId: known.uploadId, own }, wishes, {})
      go(`${addressOf(store, 'jobs')}/${job}`)
    } catch (thrown) {
      const error = toCallError(thrown)
      setRefused(error.status === 409 && deletes)
      const found = judgeFailure(error)
      // The page above offers the file again, with everything that was chosen.
      if (found.kind === 'expired') file.setTrouble(found)
      else setTrouble(found)
      setBusy(false)
    }
  }

  return (
    <section class="narrow" aria-label={t.choices}>
      {(hasVariants || (diff.gone > 0 && can('products:delete'))) && (
        <div class="filters">
          {hasVariants && (
            <Choice
              label={t.variants}
              value={preview.mapping['product_id']?.[0] === VARIANT_COLUMN ? VARIANT_COLUMN : HANDLE_COLUMN}
              onValue={(column) => file.choose('product_id', column)}
              choices={[
                [HANDLE_COLUMN, t.variantsTogether],
                [VARIANT_COLUMN, t.variantsApart],
              ]}
            />
          )}
          {diff.gone > 0 && can('products:delete') && (
            <Choice
              label={t.missing}
              value={missing}
              onValue={(value) => setMissing(value === 'delete' ? 'delete' : 'keep')}
              choices={[
                ['keep', t.missingKeep],
                ['delete', t.missingDelete],
              ]}
            />
          )}
        </div>
      )}
      {deletes && <p class="note">{t.willDelete(formatNumber(diff.gone))}</p>}
      {isBraked && (
        <label class="check">
          <input
            type="checkbox"
            checked={isForced}
            onChange={({ currentTarget }) => setForced(currentTarget.checked)}
          />
          <span>{t.brake(formatNumber(diff.gone), formatNumber(inStore))}</span>
        </label>
      )}
      {trouble && <TroubleNote trouble={trouble} name={chosen.name} onAgain={run} />}
      <p class="run-bar">
        <button
          type="button"
          class="primary"
          disabled={isBusy || file.busy !== null || valid === 0 || (isBraked && !isForced)}
          onClick={run}
        >
          {isBusy ? t.starting : t.run(formatNumber(valid))}
        </button>
        <span class="muted">
          {valid === 0 ? t.nothingToRun : t.summary(formatNumber(diff.new), formatNumber(diff.changed))}
        </span>
      </p>
    </section>
  )
}
