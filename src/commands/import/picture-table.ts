import { LIMITS } from '../../core/limits.ts'
import { RESERVED_PRODUCT_IDS } from '../../features/catalogue/products/schema.ts'
import type { ZipEntry } from '../../platform/archives/zip.ts'

const PICTURE = /\.(jpe?g|png|webp|avif|gif)$/i

export const isPicture = (path: string): boolean => PICTURE.test(path)

/** The name that a table made of pictures has. */
export const PICTURE_TABLE = 'products.ndjson'

/**
 * Makes a table of pictures alone: each is a product named by its file, in the category that its folder names.
 *
 * @param paths in an order that is always the same, because it decides between equal names.
 */
export function makePictureTable(paths: readonly string[]): ZipEntry {
  const pictures = paths.filter(isPicture)
  const ids = nameProducts(pictures)
  const toLine = (path: string, n: number): Buffer => {
    const parts = path.split('/')
    const category = parts.length > 1 ? toWords(parts.at(-2) ?? '') : ''
    const name = toWords(stem(parts.at(-1) ?? ''))
    const metadata = { ...(name && { name }), ...(category && { category }) }
    // With the dot in front, a colon in a name makes no address of it.
    return Buffer.from(`${JSON.stringify({ product_id: ids[n], image_url: `./${path}`, metadata })}\n`)
  }
  return {
    path: PICTURE_TABLE,
    bytes: pictures.reduce((sum, path, n) => sum + toLine(path, n).length, 0),
    async *open() {
      for (const [n, path] of pictures.entries()) yield toLine(path, n)
    },
  }
}

/** An id for each picture: the name of its file, with that of its folders where files have the same. */
function nameProducts(paths: readonly string[]): string[] {
  const count = new Map<string, number>()
  const short = paths.map((path) => toId(stem(path.slice(path.lastIndexOf('/') + 1))))
  for (const id of short) count.set(id, (count.get(id) ?? 0) + 1)
  const taken = new Set<string>()
  /** The number that the next file of a name tries. */
  const next = new Map<string, number>()
  return paths.map((path, n) => {
    const wanted = count.get(short[n] ?? '') === 1 ? (short[n] ?? '') : toId(stem(path))
    let id = wanted
    while (taken.has(id)) {
      const more = next.get(wanted) ?? 2
      next.set(wanted, more + 1)
      id = `${wanted}-${more}`
    }
    taken.add(id)
    return id
  })
}

const stem = (name: string): string => name.replace(PICTURE, '')

/** Folds a name to characters that an id may have, and that need no care in addresses and shells. */
function toId(name: string): string {
  const folded = [...name.normalize('NFC').replace(/[^\p{L}\p{N}\p{M}._]+/gu, '-')]
    .slice(0, LIMITS.productIdCharsMax - 8)
    .join('')
    .replace(/^[-.]+|(?<!-)-+$/g, '')
  const isReserved = (RESERVED_PRODUCT_IDS as readonly string[]).includes(folded)
  return isReserved || folded === '' ? `picture-${folded}`.replace(/-$/, '') : folded
}

const toWords = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[_\-\s\p{Cc}]+/gu, ' ')
    .trim()
