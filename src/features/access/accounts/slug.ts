import { splitWords } from '../../../core/text.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])$/

/** First segments of paths that the service itself answers (contract 5.3). */
const RESERVED_SLUGS = new Set(
  'admin docs errors health invite login metrics oauth openapi pictures portal register setup v1 verify version widget'.split(
    ' ',
  ),
)

/** What is wrong with a slug: its form, or that it would hide a path of our own; undefined for a good one. */
export function faultOfSlug(slug: string): string | undefined {
  if (!SLUG.test(slug)) return `"${slug}" is no usable slug: use 2 to 40 letters a-z, digits and dashes`
  return RESERVED_SLUGS.has(slug) ? `The slug "${slug}" is reserved; choose another` : undefined
}

/** Numbers tried before chance takes over: a name that everybody takes must not cost a look-up for each of them. */
const NUMBERS_MAX = 20

const RANDOM_CHARS = 6

/**
 * A slug made of the store's name, with a number behind it while it is taken.
 *
 * @param unique gives a text that ends with random hexadecimal digits.
 */
export function freeSlug(name: string, isFree: (slug: string) => boolean, unique: () => string): string {
  const base = splitWords(name)
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
