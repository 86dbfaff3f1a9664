import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Product, StoreFields } from '#generated/api.ts'
import { call, type Versioned } from '../../api/client.ts'
import { Choice } from '../../parts/choice.tsx'
import { NotSaved } from '../../parts/conflict.tsx'
import { Field } from '../../parts/field.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t as shell } from '../../texts/texts.ts'
import { type Draft, type EditedField, show, toDraft, toPatch } from './draft.ts'
import { listValues } from './filters.tsx'
import { t } from './texts/texts.ts'

interface EditProps {
  product: Versioned<Product>
  fields: StoreFields | null
  onSaved(): void
  onClose(): void
}

/** The fields of a product that people change by hand. */
export function EditForm({ product: { value: product, version }, fields, onSaved, onClose }: EditProps) {
  const { product_id, metadata } = product
  const [draft, setDraft] = useState<Draft>(() => toDraft(metadata))
  const { isBusy, error, run } = useSending()
  const path = { product_id }
  const patch = toPatch(metadata, draft)

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    await call('PATCH /v1/products/{product_id}', { path, body: { metadata: patch }, ifMatch })
    onSaved()
  }

  const change = (field: EditedField) => (value: string) => setDraft({ ...draft, [field]: value })
  const text = (field: Exclude<EditedField, 'in_stock'>, more: Partial<Parameters<typeof Field>[0]> = {}) => (
    <Field label={t.fields[field]} value={draft[field]} onValue={change(field)} dir="auto" {...more} />
  )
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      <h3>{t.edit}</h3>
      {text('name', { takesFocus: true })}
      <Known field="category" fields={fields}>
        {(list) => text('category', { list })}
      </Known>
      <Known field="brand" fields={fields}>
        {(list) => text('brand', { list })}
      </Known>
      <div class="two-columns">
        {text('price', AMOUNT)}
        {text('sale_price', AMOUNT)}
        {text('currency', { maxLength: 3, hint: t.currencyHint })}
        {text('color_name')}
      </div>
      {text('url', { type: 'url', dir: 'ltr' })}
      <Choice
        label={t.fields.in_stock}
        value={draft.in_stock}
        onValue={change('in_stock')}
        choices={t.stock}
      />
      <NotSaved
        {...{ error, isBusy }}
        before={show(metadata)}
        load={async (signal) =>
          show((await call('GET /v1/products/{product_id}', { path, signal })).metadata)
        }
        onSave={(present) => run(() => save(present))}
      />
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || Object.keys(patch).length === 0}>
          {t.save}
        </button>
        <button type="button" disabled={isBusy} onClick={onClose}>
          {shell.cancel}
        </button>
      </p>
    </form>
  )
}

const AMOUNT = { type: 'number', step: 'any', min: '0', inputMode: 'decimal' } as const

/** Offers the values that other products have, so that a category is not written in two ways. */
function Known({
  field,
  fields,
  children,
}: {
  field: 'category' | 'brand'
  fields: StoreFields | null
  children(list: string): ComponentChildren
}) {
  const id = useId()
  return (
    <>
      {children(id)}
      <datalist id={id}>
        {listValues(fields, field).map(([value]) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}
