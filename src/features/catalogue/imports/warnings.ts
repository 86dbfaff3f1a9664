import { listBareFields } from './mapping/advice.ts'
import type { Plan } from './mapping/mapping.ts'
import type { ImportSource } from './source.ts'

/** Describes the fields that the products will lack, because no column fills them. */
export function describeBare({ table }: ImportSource, plan: Plan, count: number): string[] {
  const fields = table.format === 'ndjson' ? [] : listBareFields(plan)
  if (fields.length === 0 || count === 0) return []
  const list = fields.join(', no ')
  const lacks = count === 1 ? `1 product has no ${list}` : `${count} products have no ${list}`
  return [`No column fills ${fields.join(', ')}: ${lacks}. Name the column in mapping`]
}

export function describeHidden(count: number): string[] {
  if (count === 0) return []
  const products =
    count === 1 ? '1 product is a draft or not published' : `${count} products are drafts or not published`
  return [`${products}: left out`]
}

export const describeStale = (count: number): string[] =>
  count === 0
    ? []
    : [`Vectors of another model came with ${count} products: they are not used, and the pictures are read`]

export const describeEncoding = ({ table: { encoding } }: ImportSource): string[] =>
  encoding === 'windows-1252' ? ['The file is not UTF-8; it was read as windows-1252'] : []
