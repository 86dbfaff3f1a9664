/** Columns by the field that they fill, as the API takes and answers it. */
export type Mapping = Readonly<Record<string, readonly string[]>>

/** Without these two there is no product. */
export const NEEDED = ['image_url', 'product_id'] as const

/** The fields in the order in which a merchant looks for them. */
export const FIELDS = [
  ...NEEDED,
  'name',
  'price',
  'sale_price',
  'category',
  'brand',
  'color_name',
  'in_stock',
  'url',
  'additional_image_urls',
  'description',
  'currency',
  'tags',
  'variant_group',
  'sku',
  'gtin',
  'rating',
  'sale_price_from',
  'sale_price_until',
] as const
export type Field = (typeof FIELDS)[number]

const METADATA = 'metadata.'
/** Characters of a key of the metadata that the API takes. */
const KEY_MAX = 64

/** The fields that a file fills, in their order; what it keeps as metadata comes last. */
export function listFilled(mapping: Mapping): string[] {
  const isFilled = (field: string) => (mapping[field]?.length ?? 0) > 0
  return [
    ...FIELDS.filter(isFilled),
    ...Object.keys(mapping).filter((field) => field.startsWith(METADATA) && isFilled(field)),
  ]
}

/** The fields that nothing fills, and for which a column may be named. */
export const listOpen = (mapping: Mapping): Field[] =>
  FIELDS.filter((field) => !isNeeded(field) && (mapping[field]?.length ?? 0) === 0)

export const isNeeded = (field: string): boolean => (NEEDED as readonly string[]).includes(field)

/** The key under which the metadata keep a column; undefined for a field with a name of ours. */
export const keyOf = (field: string): string | undefined =>
  field.startsWith(METADATA) ? field.slice(METADATA.length) : undefined

/** Names the column of a field. @param column empty to leave the field out. */
export const choose = (own: Mapping, field: string, column: string): Mapping => ({
  ...own,
  [field]: column === '' ? [] : [column],
})

/** Keeps a column that nothing reads as metadata, under a key made of its name. */
export function keep(own: Mapping, taken: Mapping, column: string): Mapping {
  const name = column
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, KEY_MAX - 4)
  const stem = name === '' ? 'field' : name
  const isTaken = (key: string) =>
    (FIELDS as readonly string[]).includes(key) || [own, taken].some((one) => `${METADATA}${key}` in one)
  let key = stem
  for (let n = 2; isTaken(key); n++) key = `${stem}_${n}`
  return { ...own, [METADATA + key]: [column] }
}

/** The mapping as a body of a request. */
export const toBody = (own: Mapping): Record<string, string[]> =>
  Object.fromEntries(Object.entries(own).map(([field, columns]) => [field, [...columns]]))
