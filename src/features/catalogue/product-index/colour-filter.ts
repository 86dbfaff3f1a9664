import { isNamed, type NamedColours, parseColour } from '../../../core/colours/colours.ts'
import { deltaE2000 } from '../../../core/colours/lab.ts'
import type { PaletteColumn, PaletteMatch } from './palettes.ts'

/** How much of a colour a picture must show to stand in for a colour name. */
const IN_PICTURE: PaletteMatch = { share: 0.15, deltaE: 20 }

/** The columns that the colour of a product is read from, by slot. */
export interface ColourColumns {
  product: Float64Array
  /** 1 for the slot of a product's first picture. */
  first: Uint8Array
  /** The number of the product's colour name; 0 for none. */
  name: Uint32Array
  palettes: PaletteColumn
}

/**
 * Clears the mask of the products that have not the wanted colour (contract 3.2).
 *
 * A word is compared with the colour name, in any language; where a product has none, with its first picture. A hex is
 * compared with the first picture of every product, and with names that are a hex themselves. All pictures of a product
 * pass or fail together.
 *
 * @param bytes one for each slot, 1 where it passes so far.
 * @param names what each colour name says, by its number.
 * @param literal the number of the name that is the wanted text itself; undefined when no product has it.
 */
export function keepColour(
  bytes: Uint8Array,
  columns: ColourColumns,
  wanted: string,
  names: readonly NamedColours[],
  literal: number | undefined,
): void {
  const { product, first, name, palettes } = columns
  const used = Math.min(bytes.length, name.length)
  const query = parseColour(wanted)
  const accepted = Uint8Array.from(names, (colours, number) => {
    if (number === literal) return 1
    if (query === undefined || number === 0) return 0
    if (query.kind === 'name') return isNamed(colours, query) ? 1 : 0
    return colours.lab && deltaE2000(query.lab, colours.lab) <= IN_PICTURE.deltaE ? 1 : 0
  })
  const shows = query && palettes.matcher(query, IN_PICTURE)
  /** Whether the picture decides about a product, because its name does not. */
  const isAsked = (slot: number): boolean =>
    shows !== undefined && accepted[name[slot] as number] === 0 && (query?.kind === 'hex' || name[slot] === 0)

  let hasFurther = false
  for (let slot = 0; slot < used; slot++) {
    if (bytes[slot] === 0) continue
    if (!isAsked(slot)) bytes[slot] = accepted[name[slot] as number] as number
    else if (first[slot] === 0) hasFurther = true
    else if (!shows?.(slot)) bytes[slot] = 0
  }
  if (!hasFurther) return
  /** The products that pass with their first picture. */
  const shown = new Set<number>()
  for (let slot = 0; slot < used; slot++) {
    if (first[slot] === 1 && bytes[slot] === 1) shown.add(product[slot] as number)
  }
  for (let slot = 0; slot < used; slot++) {
    const isFurther = bytes[slot] === 1 && first[slot] === 0 && isAsked(slot)
    if (isFurther && !shown.has(product[slot] as number)) bytes[slot] = 0
  }
}
