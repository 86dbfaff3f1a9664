import { useId, useState } from 'preact/hooks'
import type { StoreFields } from '#generated/api.ts'
import { formatNumber } from '../../language.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { t as shell } from '../../texts/texts.ts'
import { listValues } from './filters.tsx'
import { t } from './texts/texts.ts'

/** Asks for the category of the chosen products. */
export function CategoryDialog({
  fields,
  count,
  onChoose,
  onClose,
}: {
  fields: StoreFields | null
  count: number
  onChoose(category: string | null): void
  onClose(): void
}) {
  const [category, setCategory] = useState('')
  const id = useId()
  return (
    <Dialog class="asked" label={t.setCategory} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onChoose(category.trim() || null)
        }}
      >
        <h2>{t.setCategory}</h2>
        <Field
          label={t.category}
          value={category}
          onValue={setCategory}
          hint={t.categoryHint}
          list={id}
          maxLength={200}
          takesFocus
        />
        <datalist id={id}>
          {listValues(fields, 'category').map(([value]) => (
            <option key={value} value={value} />
          ))}
        </datalist>
        <p class="actions">
          <button type="submit" class="primary">
            {t.setFor(formatNumber(count))}
          </button>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
