import type { Product } from '#generated/api.ts'
import type { Shown } from '../../parts/conflict.tsx'
import { t } from './texts/texts.ts'

type Metadata = Product['metadata']

/** The fields that the form offers, in its order. Everything else of the product stays as it is. */
const TEXT_FIELDS = ['name', 'category', 'brand', 'color_name', 'url', 'currency'] as const
const NUMBER_FIELDS = ['price', 'sale_price'] as const

type TextField = (typeof TEXT_FIELDS)[number]
type NumberField = (typeof NUMBER_FIELDS)[number]
export type EditedField = TextField | NumberField | 'in_stock'

/** A product as the form holds it: what was typed, also where it is no number yet. */
export type Draft = Readonly<Record<EditedField, string>>

const FIELDS: readonly EditedField[] = [...TEXT_FIELDS, ...NUMBER_FIELDS, 'in_stock']

export const toDraft = (metadata: Metadata): Draft =>
  Object.fromEntries(FIELDS.map((field) => [field, String(metadata[field] ?? '')])) as Draft

function read(field: EditedField, text: string): string | number | boolean | null {
  const typed = text.trim()
  if (typed === '') return null
  if (field === 'in_stock') return typed === 'true'
  return NUMBER_FIELDS.some((name) => name === field) ? Number(typed) : typed
}

/** Says only what the person has changed: what somebody else changed meanwhile stays. An emptied field is removed. */
export function toPatch(before: Metadata, draft: Draft): Record<string, string | number | boolean | null> {
  const shown = toDraft(before)
  return Object.fromEntries(
    FIELDS.filter((field) => shown[field] !== draft[field]).map((field) => [
      field,
      read(field, draft[field]),
    ]),
  )
}

/** The fields as texts by their labels, to tell what somebody else has changed. */
export function show(metadata: Metadata): Shown {
  const draft = toDraft(metadata)
  return Object.fromEntries(
    FIELDS.map((field) => [
      t.fields[field],
      field === 'in_stock' ? (t.stock.find(([value]) => value === draft.in_stock)?.[1] ?? '') : draft[field],
    ]),
  )
}
