import { fold } from '../../../../core/text.ts'
import { headerKey } from './headers.ts'
import { decodeCell } from './texts.ts'

/** Names of options and attributes that mean colour, as `headerKey` writes them. */
const NAMES: ReadonlySet<string> = new Set(
  'color|colour|colors|colours|pa color|main color|farbe|farben|couleur|couleurs|colore|colori|kleur|kleuren|cor|cores|kolor|kolory|цвет|цвета|колір|väri|färg|farge|farve|renk|barva|farba|szín|culoare|χρώμα|צבע|اللون|لون|カラー|色|颜色|顏色|색상|warna|boja|màu|màu sắc|สี'
    .split('|')
    .map(headerKey),
)

export const isColourName = (name: string): boolean => NAMES.has(headerKey(name))

/** The most colours of one product, and the longest cell that is read for them. */
const COLOURS_MAX = 30
const CELL_CHARS_MAX = 2_048

/** The most colours that are looked at for one product: one for each of its rows. */
const COMPARED_MAX = 4_000

/** Reads `Navy`, `Red, Blue`, `Black/White` and `red; blue`. */
export const splitColours = (cell: string): string[] =>
  decodeCell(cell.slice(0, CELL_CHARS_MAX))
    .split(/[,;|/]/, COLOURS_MAX)
    .map((colour) => colour.trim())
    .filter((colour) => colour !== '')

/** Each colour once, as it was spelt first. */
export function mergeColours(colours: Iterable<string>): string[] {
  const known = new Map<string, string>()
  let compared = 0
  for (const colour of colours) {
    if (known.size === COLOURS_MAX || ++compared > COMPARED_MAX) break
    const key = fold(colour)
    if (!known.has(key)) known.set(key, colour)
  }
  return [...known.values()]
}

const PAIRS_CHARS_MAX = 16 * 1024

/** Reads `color=Red,size=M`, as Magento writes attributes. */
export function readPairs(text: string): [string, string][] {
  return text
    .slice(0, PAIRS_CHARS_MAX)
    .split(',')
    .flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
      return at > 0 && value !== '' ? [[name, value]] : []
    })
}
