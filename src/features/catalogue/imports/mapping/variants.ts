import type { Cells } from '../formats/record.ts'
import { createFinder, isFilled } from './cells.ts'
import { isColourName, mergeColours, readPairs, splitColours } from './colours.ts'
import type { Losses } from './losses.ts'
import type { Plan } from './mapping.ts'
import { addOffer, type FindCell, type Offer, type OfferRange, paidAt, readOffer } from './offers.ts'
import { readText } from './texts.ts'
import { splitAddresses, splitList } from './values.ts'
import { readAvailability, readBackorders, readYesNo } from './words.ts'

/** Context of reading a file besides its rows. */
export interface Reading {
  losses: Losses
  /** Unix ms: a sale counts within its dates. */
  now: number
}

/** The variant that a result shows when its picture fits best. */
export interface Variant {
  sku?: string
  name?: string
  color?: string
  /** The price that is paid now. */
  price?: number
  in_stock?: boolean
  image_url?: string
}

/** The combined values of the variants of one product. */
export interface Members {
  range: OfferRange
  inStock: boolean | undefined
  colours: string[]
  variants: Variant[]
  pictures: string[]
}

const VARIANTS_MAX = 100

/** The longest address of a picture that is repeated for a variant. */
const ADDRESS_CHARS_MAX = 2_000
const NAME_CHARS_MAX = 200

/** The longest list of colours that is read of one row. */
const LIST_CHARS_MAX = 2_048

export const startMembers = (): Members => ({
  ...{ range: {}, inStock: undefined },
  ...{ colours: [], variants: [], pictures: [] },
})

export interface VariantRow {
  offer: Offer
  inStock: boolean | undefined
  colours: string[]
  variant: Variant
}

export function addMember(
  members: Members,
  { offer, inStock, colours, variant }: VariantRow,
  now: number,
): void {
  addOffer(members.range, offer, now)
  if (inStock !== undefined) members.inStock = members.inStock === true || inStock
  members.colours = mergeColours([...members.colours, ...colours])
  if (members.variants.length < VARIANTS_MAX) members.variants.push(variant)
  if (variant.image_url !== undefined && members.pictures.length < VARIANTS_MAX) {
    members.pictures.push(variant.image_url)
  }
}

/**
 * Reads a row as a variant.
 *
 * @param head the row that names the options, if another one does.
 */
export function readVariant(plan: Plan, cells: Cells, head: Cells, { losses, now }: Reading): VariantRow {
  const find = createFinder(plan, [cells])
  const offer = readOffer(find, plan.platform, losses)
  const inStock = readInStock(plan, find)
  const options = listOptions(plan, cells, head)
  const colour = options.find(({ name }) => isColourName(name))?.value
  const name = options.map(({ value }) => value).join(' / ')
  const image = find('variant_image')
  const address = image === undefined ? undefined : splitAddresses(image)[0]
  const price = paidAt(offer, now)
  const sku = find('sku')
  const cut = (text: string) => readText(text.slice(0, NAME_CHARS_MAX))
  return {
    ...{ offer, inStock },
    colours: colour === undefined ? [] : splitColours(colour),
    variant: {
      ...(sku !== undefined && { sku: sku.slice(0, NAME_CHARS_MAX) }),
      ...(name !== '' && { name: cut(name) }),
      ...(colour !== undefined && { color: cut(colour) }),
      ...(price !== undefined && { price }),
      ...(inStock !== undefined && { in_stock: inStock }),
      ...(address !== undefined && isShort(address) && { image_url: address }),
    },
  }
}

const isShort = (address: string): boolean => address.length <= ADDRESS_CHARS_MAX && !/^data:/i.test(address)

/** Takes a row of a product in, if it is a variant. @param head the first row of the product. */
export function addRow(members: Members, plan: Plan, cells: Cells, head: Cells, reading: Reading): void {
  if (isVariantRow(plan, cells)) addMember(members, readVariant(plan, cells, head, reading), reading.now)
}

/** Whether a row is a variant: of several rows of one product some carry nothing but a further picture. */
function isVariantRow(plan: Plan, cells: Cells): boolean {
  const find = createFinder(plan, [cells])
  const hasOption = plan.options.some(({ value }) => cells.get(value)?.some(isFilled))
  return hasOption || find('price') !== undefined || find('sku') !== undefined
}

/**
 * Whether a row can be bought: its pieces are not counted, or it sells without any, or there are some. What cannot be
 * ordered at all is not in stock.
 */
export function readInStock({ platform, roles }: Plan, find: FindCell): boolean | undefined {
  if (readYesNo(find('orderable') ?? '') === false) return false
  if (roles.tracker) {
    const tracker = find('tracker')
    if (tracker === undefined ? platform === 'shopify' : readYesNo(tracker) === false) return true
  }
  if (readBackorders(find('backorders') ?? '')) return true
  const cell = find('in_stock')
  return cell === undefined ? undefined : readAvailability(cell)
}

interface OptionValue {
  name: string
  value: string
}

/** The options of a row. Shopify names them in the first row of a product alone, and calls a lack of options "Title". */
function listOptions(plan: Plan, cells: Cells, head: Cells): OptionValue[] {
  const pairs = plan.options.flatMap((option): OptionValue[] => {
    const name = (
      cells.get(option.name)?.find(isFilled) ??
      head.get(option.name)?.find(isFilled) ??
      ''
    ).trim()
    const value = (cells.get(option.value)?.find(isFilled) ?? '').trim()
    return name === '' || value === '' || value === 'Default Title' ? [] : [{ name, value }]
  })
  const attributes = createFinder(plan, [cells])('attributes')
  if (attributes === undefined) return pairs
  return [...pairs, ...readPairs(attributes).map(([name, value]) => ({ name, value }))]
}

/** The colours that options and attributes of the rows name, in the order of the file, one by one as they are asked for. */
export function* listOptionColours(plan: Plan, rows: readonly Cells[]): Generator<string> {
  const [head] = rows
  if (!head) return
  for (const cells of rows) {
    for (const { name, value } of listOptions(plan, cells, head)) {
      if (!isColourName(name)) continue
      for (const colour of splitList(value.slice(0, LIST_CHARS_MAX))) yield* splitColours(colour)
    }
  }
}
