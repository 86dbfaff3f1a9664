import type { Cells } from '../formats/record.ts'
import type { Field, Plan, Target } from './mapping.ts'
import {
  plainText,
  readCategory,
  readNumber,
  readPrice,
  readStock,
  splitAddresses,
  splitList,
} from './values.ts'

/** A product as the API takes it, made of cells; nothing of it is checked. */
export interface MappedProduct {
  product_id?: string
  image_url?: string
  additional_image_urls?: string[]
  metadata: Record<string, unknown>
}

/** The most further pictures that are taken; a shop may have more. */
const ADDITIONAL_MAX = 10

/** What options of variants call their colour. */
const COLOUR_NAMES = /^(colou?r|farbe|couleur|colore|kleur|cor|kolor|väri|färg|farge|farve|renk)$/i

/**
 * Makes a product of the rows that belong to it.
 *
 * @param rows at least one. Pictures come from all of them; of everything else the first value counts. Of a variant, the
 *   rows are its own and that of its product, and one picture counts: its own or the product's first.
 */
export function mapProduct({ mapping, groupBy, perVariant }: Plan, rows: readonly Cells[]): MappedProduct {
  const list = (target: Target): string[] =>
    rows.flatMap((cells) =>
      (mapping[target] ?? []).flatMap((column) => cells.get(column) ?? []).filter(isFilled),
    )
  const first = (target: Field): string | undefined => {
    for (const column of mapping[target] ?? []) {
      for (const cells of rows) {
        const cell = cells.get(column)?.find(isFilled)
        if (cell !== undefined) return cell.trim()
      }
    }
    return undefined
  }
  const read = <Value>(target: Field, reader: (cell: string) => Value | undefined): Value | undefined => {
    const cell = first(target)
    return cell === undefined ? undefined : reader(cell)
  }

  const further = list('additional_image_urls')
  const pictures = perVariant
    ? [...further, ...list('image_url')].slice(0, 1).flatMap(splitAddresses)
    : [...new Set([...list('image_url'), ...further].flatMap(splitAddresses))]
  const price = read('price', readPrice)
  const sale = read('sale_price', readPrice)
  const category = findFirst(mapping.category ?? [], (column) => {
    const cell = findFirst(rows, (cells) => cells.get(column)?.find(isFilled))
    return cell === undefined ? undefined : readCategory(cell)
  })
  const tags = [...new Set(list('tags').flatMap(splitList))]
  const group = first('variant_group')
  const metadata: Record<string, unknown> = {
    name: read('name', plainText),
    category,
    brand: read('brand', plainText),
    price: price?.amount,
    sale_price: sale?.amount,
    currency: first('currency') ?? price?.currency ?? sale?.currency,
    color_name: first('color_name') ?? findColour(rows),
    tags: tags.length > 0 ? tags : undefined,
    in_stock: read('in_stock', readStock),
    // WooCommerce names a parent by `id:12` or by its SKU.
    variant_group: group ?? (groupBy && rows[0]?.get(groupBy)?.[0]?.trim()),
    sku: first('sku'),
    gtin: first('gtin'),
    url: first('url'),
    rating: read('rating', readNumber),
  }
  for (const [target, columns = []] of Object.entries(mapping)) {
    if (!target.startsWith('metadata.')) continue
    const cell = findFirst(columns, (column) => findFirst(rows, (cells) => cells.get(column)?.find(isFilled)))
    if (cell !== undefined) metadata[target.slice('metadata.'.length)] = cell.trim()
  }
  const [image_url, ...others] = pictures
  const product_id = first('product_id')
  return {
    ...(product_id !== undefined && { product_id }),
    ...(image_url !== undefined && { image_url }),
    ...(others.length > 0 && { additional_image_urls: others.slice(0, ADDITIONAL_MAX) }),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
  }
}

/** The first colour among options of variants (Shopify) and attributes (WooCommerce): two columns, a name and a value. */
function findColour(rows: readonly Cells[]): string | undefined {
  return findFirst(rows, (cells) => {
    for (const [column, values] of cells) {
      const pair = /^(option ?\d|attribute \d+) name$/i.exec(column)
      if (!pair || !COLOUR_NAMES.test(values[0]?.trim() ?? '')) continue
      const stem = (pair[1] as string).toLowerCase()
      for (const [other, cell] of cells) {
        const isValue = [`${stem} value`, `${stem} value(s)`].includes(other.toLowerCase())
        const colour = isValue ? splitList(cell[0] ?? '')[0] : undefined
        if (colour !== undefined) return colour
      }
    }
    return undefined
  })
}

const isFilled = (cell: string): boolean => cell.trim() !== ''

function findFirst<Item, Value>(
  items: Iterable<Item>,
  find: (item: Item) => Value | undefined,
): Value | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
