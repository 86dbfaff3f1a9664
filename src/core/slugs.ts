import { splitWords } from './text.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])$/

/**
 * First segments of paths that no store may have as its slug (contract 5.3): those that the service answers, and those that
 * it keeps for what comes. A store that has one already keeps it.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  [
    'docs errors health invite licences licences.txt oauth openapi.json openapi pictures register v1 verify version widget widget.js widget.json',
    'setup login logout forgot portal admin session api app assets static thumbs thumbnails samples me stores models metrics',
    'unsubscribe map billing status sitemap.xml robots.txt favicon.ico .well-known',
  ].flatMap((line) => line.split(' ')),
)

/** Checks the form of a slug, and that it hides no path of the service. @returns undefined for a good one. */
export function findSlugProblem(slug: string): string | undefined {
  if (!SLUG.test(slug)) return `"${slug}" is not a valid slug: use 2 to 40 letters a-z, digits and dashes`
  return RESERVED_SLUGS.has(slug) ? `The slug "${slug}" is reserved; choose another` : undefined
}

/** Numbers to try before random characters: a popular name must not cost one look-up for each store that has it. */
const NUMBERS_MAX = 20

const RANDOM_CHARS = 6

/** Derives the slug that a store's name asks for, whether it is free or not. */
export function deriveSlug(name: string): string {
  const base = splitWords(name)
    .join('-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 32)
    .replace(/^-+|(?<!-)-+$/g, '')
  return base.length < 2 || RESERVED_SLUGS.has(base) ? `store${base && `-${base}`}` : base
}

/**
 * Derives a free slug from the store's name, and appends a number if the plain slug is taken.
 *
 * @param unique returns a text that ends with random hexadecimal digits.
 */
export function findFreeSlug(name: string, isFree: (slug: string) => boolean, unique: () => string): string {
  const start = deriveSlug(name)
  for (let n = 1; n <= NUMBERS_MAX; n++) {
    const slug = n === 1 ? start : `${start}-${n}`
    if (isFree(slug)) return slug
  }
  return `${start}-${unique().slice(-RANDOM_CHARS)}`
}
