/** A word as people compare it: no accents, no case, no outer spaces, single inner ones. */
export const fold = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim().replace(/\s+/g, ' ')

/** The words of a text, folded. */
export const words = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a text has more than `max` characters (code points). */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max)

/** A size for people: `10 MiB`, `16 KiB`, `1000 bytes`. */
export function sizeInWords(bytes: number): string {
  if (bytes >= MIB && bytes % MIB === 0) return `${bytes / MIB} MiB`
  return bytes >= KIB && bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`
}

/** A size for people in decimal units, as disks are sold: `500 MB`, `10 GB`. */
export const decimalSize = (bytes: number): string =>
  bytes >= GB ? `${tenth(bytes / GB)} GB` : `${tenth(bytes / MB)} MB`

const tenth = (size: number): number => Math.round(size * 10) / 10
const MB = 1_000_000
const GB = 1_000 * MB
const KIB = 1024
const MIB = 1024 * KIB
