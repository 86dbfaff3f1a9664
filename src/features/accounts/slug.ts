import { words } from '../../core/text.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])$/

/** First segments of paths that the service itself answers (spec §9). */
const RESERVED_SLUGS = new Set(
  'admin docs errors health metrics oauth openapi pictures portal register setup v1 verify version widget'.split(
    ' ',
  ),
)

/** Whether a slug has the right form and does not hide a path of our own. */
export const isUsableSlug = (slug: string): boolean => SLUG.test(slug) && !RESERVED_SLUGS.has(slug)

/** Numbers tried before chance takes over: a name that everybody takes must not cost a look-up for each of them. */
const NUMBERS_MAX = 20

const RANDOM_CHARS = 6

/**
 * A slug made of the store's name, with a number behind it while it is taken.
 *
 * @param unique gives a text that ends with random hexadecimal digits.
 */
export function freeSlug(name: string, isFree: (slug: string) => boolean, unique: () => string): string {
  const base = words(name)
    .join('-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '')
  const start = base.length < 2 || RESERVED_SLUGS.has(base) ? `store${base && `-${base}`}` : base
  for (let n = 1; n <= NUMBERS_MAX; n++) {
    const slug = n === 1 ? start : `${start}-${n}`
    if (isFree(slug)) return slug
  }
  return `${start}-${unique().slice(-RANDOM_CHARS)}`
}
