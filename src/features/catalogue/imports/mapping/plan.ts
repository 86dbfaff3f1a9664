import type { Finding } from '../schema.ts'
import { type Headers, indexHeaders, type Translation, translateHeaders } from './headers.ts'
import { isNeverWanted } from './known-columns.ts'
import type { Field, Mapping, Option, Plan, Role, Target } from './mapping.ts'
import { planOwnExport } from './own-export.ts'
import { PLAIN_MAPPING } from './plain-names.ts'
import { PRESETS, type Preset } from './platforms.ts'
import {
  findPictureColumns,
  holdsPages,
  isSidePicture,
  listValues,
  NO_SAMPLE,
  type Sample,
  tellColumn,
} from './sample.ts'

type Columns = Partial<Record<Target, readonly string[]>>

/** Fields that an ordinary name of a column may fill in a platform's file, too: plug-ins add columns of their own. */
const ADDED_FIELDS: readonly Field[] = [
  ...(['product_id', 'image_url', 'name', 'description', 'category', 'brand', 'price', 'currency'] as const),
  ...(['color_name', 'tags', 'gtin', 'url', 'rating'] as const),
]

/**
 * Finds out how to read a table by the names of its columns and by its first rows.
 *
 * @param columns as the file spells them.
 * @param own what the client says; it wins, field by field, and an empty list leaves a field out.
 */
export function planImport(columns: readonly string[], own: Mapping = {}, sample: Sample = NO_SAMPLE): Plan {
  const exported = planOwnExport(columns, own)
  if (exported) return exported
  const given = indexHeaders(columns)
  const { preset, headers, toEnglish } = choosePreset(columns, given)
  const find = (names: readonly string[] = [], among: Headers = headers) => [
    ...new Set(names.flatMap((name) => among.find(name))),
  ]
  const roles: Partial<Record<Role, readonly string[]>> = {}
  for (const [role, names] of Object.entries(preset.roles)) {
    const found = find(names)
    if (found.length > 0) roles[role as Role] = found
  }
  const mapping: Columns = {}
  for (const [target, names] of Object.entries(preset.mapping)) {
    const found = find(names)
    if (found.length > 0 && !(target in own)) mapping[target as Target] = found
  }
  for (const [target, names] of Object.entries(own)) {
    const found = find(names, given)
    if (found.length > 0) mapping[target as Target] = found
  }
  const options = pairOptions(columns, toEnglish)
  const groupBy = find(preset.groupBy)[0]
  const read = () =>
    new Set([
      '',
      ...Object.values({ ...mapping, ...roles }).flat(),
      ...options.flatMap(({ name, value }) => [name, value]),
      ...(groupBy === undefined ? [] : [groupBy]),
    ])
  for (const field of ADDED_FIELDS) {
    if (mapping[field] || field in own) continue
    const known = read()
    const found = find(PLAIN_MAPPING[field], given).filter((column) => !known.has(column))
    if (found.length > 0) mapping[field] = found
  }
  const before = read()
  const free = columns.filter((column) => !before.has(column))
  const pages = findPictures(mapping, { own, sample, isPlain: preset.platform === 'plain' }, free)
  const known = read()
  const unmapped = [...new Set(columns)].filter((column) => !known.has(column))
  const isWanted = (column: string) =>
    !isNeverWanted(preset.platform, toEnglish.get(column) ?? column) && listValues(sample, column).length > 0
  return {
    platform: preset.platform,
    ...{ mapping, roles, options, groupBy, pages, unmapped },
    categories: preset.categories,
    hasFamilies: preset.hasFamilies === true && (roles.parent ?? roles.variations) !== undefined,
    perVariant: groupBy !== undefined && mapping.product_id?.[0] !== groupBy,
    mayWant: unmapped.filter(isWanted),
    findings: warnOfTax(mapping.price),
  }
}

/** The kind of shop whose columns these are, in whatever language its titles are. */
function choosePreset(columns: readonly string[], given: Headers): { preset: Preset } & Translation {
  const isThere = (headers: Headers) => (sign: readonly string[]) => sign.every(headers.has)
  const foreign = PRESETS.find(({ translatedSigns }) => translatedSigns)
  const known = PRESETS.find(({ signs, platform }) => platform !== 'plain' && signs.some(isThere(given)))
  if (known && known !== foreign) return { preset: known, headers: given, toEnglish: new Map() }
  const translation = translateHeaders(columns)
  if (known) return { preset: known, ...translation }
  if (foreign?.translatedSigns?.some(isThere(translation.headers))) return { preset: foreign, ...translation }
  const plain = PRESETS.find(({ platform }) => platform === 'plain')
  if (!plain) throw new Error('the presets end with one for plain tables')
  return { preset: plain, headers: given, toEnglish: new Map() }
}

const OPTION = /^(option ?\d{1,3}|attribute \d{1,3}) (name|value(?:\(s\)| s)?)$/i

/** Pairs the columns of options and attributes: one holds the name, the other one the value. */
function pairOptions(columns: readonly string[], toEnglish: ReadonlyMap<string, string>): Option[] {
  const pairs = new Map<string, Partial<Option>>()
  for (const column of columns) {
    const [, stem, part] = OPTION.exec((toEnglish.get(column) ?? column).trim().slice(0, 200)) ?? []
    if (stem === undefined || part === undefined) continue
    const key = stem.toLowerCase()
    const pair = pairs.get(key) ?? {}
    pairs.set(key, pair)
    const side = part.toLowerCase() === 'name' ? 'name' : 'value'
    pair[side] ??= column
  }
  return [...pairs.values()].filter(
    (pair): pair is Option => pair.name !== undefined && pair.value !== undefined,
  )
}

/**
 * Looks for the pictures among the values. A column that is known by its name stays, unless it holds pages.
 *
 * @param mapping is completed.
 * @param free the columns that nothing reads yet.
 * @returns the column for pictures that holds pages, where no other one holds pictures.
 */
function findPictures(
  mapping: Columns,
  { own, sample, isPlain }: { own: Mapping; sample: Sample; isPlain: boolean },
  free: readonly string[],
): Plan['pages'] {
  const named = mapping.image_url ?? []
  const [first] = named
  const kinds = named.map((column) => tellColumn(sample, column)).filter(({ filled }) => filled > 0)
  const isPages = kinds.length > 0 && kinds.every(holdsPages)
  const found = own.image_url === undefined ? findPictureColumns(sample, free) : []
  const [best, ...others] = found
  if (best !== undefined && (isPages || kinds.length === 0)) {
    if (isPages && !mapping.url && !('url' in own)) mapping.url = named
    mapping.image_url = isPages ? [best] : [...named, best]
    addPictures(mapping, own, others)
  } else if (isPages && first !== undefined) {
    return { column: first, example: kinds[0]?.example ?? '' }
  } else if (isPlain) addPictures(mapping, own, found)
  return undefined
}

/** Further columns of pictures become further pictures; thumbnails are the same ones again. */
function addPictures(mapping: Columns, own: Mapping, found: readonly string[]): void {
  const more = found.filter((column) => !isSidePicture(column))
  if (more.length === 0 || 'additional_image_urls' in own) return
  mapping.additional_image_urls = [...(mapping.additional_image_urls ?? []), ...more]
}

function warnOfTax(price: readonly string[] = []): Finding[] {
  const [column] = price
  if (column === undefined || !/tax excl|hors taxe|\bht\b|netto/i.test(column) || /incl/i.test(column))
    return []
  const text = `The prices of the column ${column} are without tax, and the shop may show them with it`
  return [{ code: 'price_without_tax', text, data: { column } }]
}

/** Lists the columns that the client's mapping names and the file does not have. */
export function listUnknownColumns(columns: readonly string[], own: Mapping): string[] {
  const known = indexHeaders(columns)
  return Object.values(own).flatMap((wanted = []) => wanted.filter((column) => !known.has(column)))
}
