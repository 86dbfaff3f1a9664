// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII, too.
const ASCII = /^[\u0000-\u007f]*$/

/**
 * Folds a text for comparison: removes accents, case and outer spaces, and collapses inner spaces. Half of a surrogate
 * pair becomes U+FFFD, as in the database, so that a folded text comes back from there as it was.
 */
export function fold(text: string): string {
  // Most words are ASCII, which takes a tenth of the time.
  const plain = ASCII.test(text) ? text : text.toWellFormed().normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.toLowerCase().trim().replace(/\s+/g, ' ')
}

/** A text that a form may send empty, or as null; undefined for either. */
export const givenText = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined || text.trim() === '' ? undefined : text

/** Splits a text into its words, folded. */
export const splitWords = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** A word of a text, folded, and where it stands in the text. */
export interface PlacedWord {
  word: string
  from: number
  to: number
}

/** The words of {@link splitWords}, with their places in the text as it is. */
export function placeWords(text: string): PlacedWord[] {
  if (ASCII.test(text))
    return Array.from(text.toLowerCase().matchAll(/[a-z0-9]+/g), ({ 0: word, index }) => ({
      word,
      from: index,
      to: index + word.length,
    }))
  let folded = ''
  /** By unit of the folded text, where its character begins and ends. */
  const froms: number[] = []
  const tos: number[] = []
  let place = 0
  for (const character of text.toWellFormed()) {
    const letters = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    folded += letters
    const end = place + character.length
    // A mark belongs to the letter before it.
    if (letters === '' && tos.length > 0) tos[tos.length - 1] = end
    for (let n = 0; n < letters.length; n++) {
      froms.push(place)
      tos.push(end)
    }
    place = end
  }
  const words = splitWords(text)
  return Array.from(folded.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: letters, index }, n) => ({
    word: words[n] ?? letters,
    from: froms[index] as number,
    to: tos[index + letters.length - 1] as number,
  }))
}

/** Whether a text has more than `max` characters (code points). */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max)

/** Formats a size in binary units: `10 MiB`, `16 KiB`, `1000 bytes`. */
export function sizeInWords(bytes: number): string {
  if (bytes >= MIB && bytes % MIB === 0) return `${bytes / MIB} MiB`
  return bytes >= KIB && bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`
}

/** Formats a size in decimal units, like the sizes of disks: `500 MB`, `10 GB`. */
export const decimalSize = (bytes: number): string =>
  bytes >= GB ? `${roundToTenth(bytes / GB)} GB` : `${roundToTenth(bytes / MB)} MB`

/** Formats a whole number as in `50,000`. */
export const groupThousands = (count: number): string => count.toLocaleString('en-US')

/** Counts things: `1 product`, `2,000 products`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${groupThousands(count)} ${count === 1 ? one : several}`

const roundToTenth = (size: number): number => Math.round(size * 10) / 10
const MB = 1_000_000
const GB = 1_000 * MB
const KIB = 1024
const MIB = 1024 * KIB
