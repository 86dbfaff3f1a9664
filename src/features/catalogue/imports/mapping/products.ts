import { LIMITS } from '../../../../core/limits.ts'
import type { Cells } from '../formats/record.ts'
import { readCategories } from './categories.ts'
import { createFinder, createLister, isFilled } from './cells.ts'
import { mergeColours, splitColours } from './colours.ts'
import type { Field, Plan } from './mapping.ts'
import { paidAt, readOffer } from './offers.ts'
import { readDescription, readText } from './texts.ts'
import { readNumber, splitAddresses, splitList } from './values.ts'
import { listOptionColours, type Members, type Reading, readInStock, type Variant } from './variants.ts'

/** A product as the API takes it, made of cells; nothing of it is checked. */
export interface MappedProduct {
  product_id?: string
  image_url?: string
  additional_image_urls?: string[]
  metadata: Record<string, unknown>
}

/** Values for a product from rows elsewhere in the file. */
export interface Family {
  /** The id of the product that holds the group together. */
  group?: string | undefined
  /** From the rows of its variations. */
  members?: Members | undefined
  /** From its own rows, where they are variants. */
  ownMembers?: Members | undefined
  /** They are not products of their own, so their pictures belong to this one. */
  isWhole?: boolean
}

/** The most further pictures that are taken; a shop may have more. */
const ADDITIONAL_MAX = 10

/**
 * Makes a product of the rows that belong to it.
 *
 * @param rows at least one. Pictures come from all of them, price and stock from all variants; of everything else the first
 *   value counts. Of a variant, the rows are its own and that of its product, and one picture counts: its own or the
 *   product's first.
 */
export function mapProduct(
  plan: Plan,
  rows: readonly Cells[],
  reading: Reading,
  { group, members: kept, ownMembers, isWhole = false }: Family = {},
): MappedProduct {
  const { mapping, groupBy, perVariant } = plan
  const find = createFinder(plan, rows)
  const list = createLister(plan, rows)
  const read = <Value>(target: Field, reader: (cell: string) => Value | undefined): Value | undefined => {
    const cell = find(target)
    return cell === undefined ? undefined : reader(cell)
  }
  const members = kept ?? ownMembers
  const own = members?.range.best ? undefined : readOwnOffer(plan, rows, reading)
  const { price, sale, from, until, currency } = members?.range.best ?? own ?? {}
  const highest = members?.range.max
  const paid = paidAt({ price, sale, from, until }, reading.now)
  const categories = readFirstCategories(plan, rows)
  if (categories?.isCut) reading.losses.deepCategories++
  const colours = mergeColours([
    ...splitColours(find('color_name') ?? ''),
    ...mergeColours(listOptionColours(plan, perVariant ? rows.slice(0, 1) : rows)),
    ...(members?.colours ?? []),
  ])
  const tags = [...new Set(list('tags').flatMap(splitList).map(readText))]
  const metadata: Record<string, unknown> = {
    name: read('name', readText),
    description: read('description', readDescription),
    category: categories?.leaf,
    category_path: categories && categories.paths.length > 1 ? categories.paths : undefined,
    brand: read('brand', readText),
    ...{ price, sale_price: sale, sale_price_from: from, sale_price_until: until },
    price_max: highest !== undefined && paid !== undefined && highest > paid ? highest : undefined,
    currency: find('currency') ?? currency,
    color_name: colours[0],
    colors: colours.length > 1 ? colours : undefined,
    tags: tags.length > 0 ? tags : undefined,
    in_stock: joinStock(
      readInStock(plan, createFinder(plan, perVariant ? rows.slice(0, 1) : rows)),
      members,
      { isWhole, isApart: kept !== undefined },
    ),
    variant_group: group ?? find('variant_group') ?? (groupBy && rows[0]?.get(groupBy)?.[0]?.trim()),
    sku: find('sku'),
    gtin: find('gtin'),
    url: find('url'),
    rating: read('rating', readNumber),
  }
  for (const target of Object.keys(mapping)) {
    if (!target.startsWith('metadata.')) continue
    const cell = find(target as `metadata.${string}`)
    if (cell !== undefined) metadata[target.slice('metadata.'.length)] = cell
  }
  const further = list('additional_image_urls')
  const pictures = perVariant
    ? [...further, ...list('image_url')].slice(0, 1).flatMap(splitAddresses)
    : [...list('image_url'), ...further].flatMap(splitAddresses)
  const [image_url, ...others] = new Set([...pictures, ...(isWhole && members ? members.pictures : [])])
  const product_id = find('product_id')
  const filled = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined))
  const isDivided = kept === undefined || isWhole
  return {
    ...(product_id !== undefined && { product_id }),
    ...(image_url !== undefined && { image_url }),
    ...(others.length > 0 && { additional_image_urls: others.slice(0, ADDITIONAL_MAX) }),
    metadata: isDivided ? addVariants(filled, members?.variants ?? []) : filled,
  }
}

/**
 * Whether a product can be bought: any of its variants can. The row of a product whose variations are rows of their own says
 * it, too, where they wait for pieces; where they are a part of it, it may be switched off as a whole.
 */
function joinStock(
  own: boolean | undefined,
  members: Members | undefined,
  { isWhole, isApart }: { isWhole: boolean; isApart: boolean },
): boolean | undefined {
  if (members?.inStock === undefined) return own
  if (!isApart) return members.inStock
  return isWhole ? own !== false && members.inStock : own === true || members.inStock
}

/** Reads the price of a row by itself; a variant may inherit a missing one from its product. */
function readOwnOffer(plan: Plan, rows: readonly Cells[], { losses }: Reading) {
  const [own, ...others] = rows
  const offer = readOffer(createFinder(plan, own ? [own] : []), plan.platform, losses)
  return offer.price === undefined && others.length > 0
    ? readOffer(createFinder(plan, rows), plan.platform, losses)
    : offer
}

/** The categories of the first column that names some. */
function readFirstCategories(plan: Plan, rows: readonly Cells[]) {
  for (const column of plan.mapping.category ?? []) {
    const cells = rows.map((row) => (row.get(column) ?? []).filter(isFilled)).find((row) => row.length > 0)
    const found = cells && readCategories(cells, plan.categories)
    if (found) return found
  }
  return undefined
}

/**
 * Adds the variants where they say more than the product. Where the metadata cannot take all of them, those with a
 * picture that none before has go first.
 */
function addVariants(
  metadata: Record<string, unknown>,
  variants: readonly Variant[],
): Record<string, unknown> {
  if (variants.length < 2) return metadata
  let bytes = LIMITS.metadataBytesMax - KEPT_FREE.bytes - sizeOf(metadata)
  let keys = LIMITS.metadataKeysMax - KEPT_FREE.keys - Object.keys(metadata).length
  const kept = new Set<Variant>()
  for (const variant of orderByPicture(variants)) {
    bytes -= sizeOf(variant) + 1
    keys -= Object.keys(variant).length
    if (bytes < 0 || keys < 0) break
    kept.add(variant)
  }
  return kept.size === 0 ? metadata : { ...metadata, variants: variants.filter((each) => kept.has(each)) }
}

function orderByPicture(variants: readonly Variant[]): Variant[] {
  const pictures = new Set<string | undefined>([undefined])
  const isNew = new Set(
    variants.filter(({ image_url }) => !pictures.has(image_url) && pictures.add(image_url)),
  )
  return [...isNew, ...variants.filter((variant) => !isNew.has(variant))]
}

/** For the key itself, and for what a store may add of its own. */
const KEPT_FREE = { bytes: 256, keys: 20 }

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))
