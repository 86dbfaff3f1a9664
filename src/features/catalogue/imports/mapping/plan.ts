import type { Field, Mapping, Plan, Target } from './mapping.ts'
import { PRESETS } from './platforms.ts'

/** Columns that the code reads by their names beside the mapping: options and attributes of variants, publication. */
const READ_BY_NAME =
  /^(option ?\d (name|value)|attribute \d+ (name|value\(s\))|published.*|status|type|title)$/i

/**
 * Finds out how to read a table by the names of its columns.
 *
 * @param columns as the file spells them.
 * @param own what the client says; it wins, field by field, and an empty list leaves a field out.
 */
export function planImport(columns: readonly string[], own: Mapping = {}): Plan {
  const spelling = new Map<string, string>()
  for (const column of columns) if (!spelling.has(key(column))) spelling.set(key(column), column)
  const isThere = (column: string) => spelling.has(key(column))
  const preset =
    PRESETS.find(({ signs }) => signs.some((sign) => sign.every(isThere))) ?? PRESETS[PRESETS.length - 1]
  if (!preset) throw new Error('the presets end with one for plain tables')
  const mapping: Partial<Record<Target, readonly string[]>> = {}
  for (const [target, wanted] of Object.entries({ ...preset.mapping, ...own })) {
    if (!wanted) continue
    const found = wanted.flatMap((column) => spelling.get(key(column)) ?? [])
    if (found.length > 0) mapping[target as Target] = [...new Set(found)]
  }
  const groupBy = preset.groupBy?.flatMap((column) => spelling.get(key(column)) ?? [])[0]
  const read = new Set([...Object.values(mapping).flat(), groupBy])
  const isRead = (column: string) =>
    column === '' || read.has(column) || (preset.platform !== 'plain' && READ_BY_NAME.test(column))
  return {
    platform: preset.platform,
    mapping,
    groupBy,
    perVariant: groupBy !== undefined && mapping.product_id?.[0] !== groupBy,
    unmapped: columns.filter((column) => !isRead(column)),
  }
}

/** What a mapping that a client gave names although the file has it not. */
export function listUnknownColumns(columns: readonly string[], own: Mapping): string[] {
  const known = new Set(columns.map(key))
  return Object.values(own).flatMap((wanted = []) => wanted.filter((column) => !known.has(key(column))))
}

/** The fields without which no row can become a product. */
export const listMissingFields = ({ mapping }: Plan): Field[] =>
  (['product_id', 'image_url'] as const).filter((field) => mapping[field] === undefined)

const key = (column: string): string => column.trim().toLowerCase()
