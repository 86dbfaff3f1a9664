import { listBareFields } from './mapping/advice.ts'
import type { Plan } from './mapping/mapping.ts'
import type { Finding } from './schema.ts'
import type { ImportSource } from './source.ts'

/** The sentences of what was found. */
export const listTexts = (findings: readonly Finding[]): string[] => findings.map(({ text }) => text)

/** Describes the fields that the products will lack, because no column fills them. */
export function describeBare({ table }: ImportSource, plan: Plan, count: number): Finding[] {
  const fields = table.format === 'ndjson' ? [] : listBareFields(plan)
  if (fields.length === 0 || count === 0) return []
  const list = fields.join(', no ')
  const lacks = count === 1 ? `1 product has no ${list}` : `${count} products have no ${list}`
  const text = `No column fills ${fields.join(', ')}: ${lacks}. Name the column in mapping`
  return [{ code: 'fields_without_column', text, data: { fields, products: count } }]
}

export function describeHidden(count: number): Finding[] {
  if (count === 0) return []
  const products =
    count === 1 ? '1 product is a draft or not published' : `${count} products are drafts or not published`
  return [{ code: 'products_hidden', text: `${products}: left out`, data: { products: count } }]
}

export function describeStale(count: number): Finding[] {
  if (count === 0) return []
  const text = `Vectors of another model came with ${count} products: they are not used, and the pictures are read`
  return [{ code: 'vectors_of_another_model', text, data: { products: count } }]
}

export function describeEncoding({ table: { encoding } }: ImportSource): Finding[] {
  if (encoding !== 'windows-1252') return []
  const text = 'The file is not UTF-8; it was read as windows-1252'
  return [{ code: 'encoding_guessed', text, data: { encoding } }]
}

export const describeUnknown = (column: string): Finding => ({
  ...{ code: 'column_unknown', text: `The file has no column ${column}` },
  data: { column },
})
