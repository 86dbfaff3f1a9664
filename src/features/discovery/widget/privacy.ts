import { listPrivateNames } from '../../../core/private-keys.ts'

type Metadata = Record<string, unknown>

/** The private metadata of a store, and the searches that would reveal it. */
export interface Privacy {
  /** A copy without the private keys; the same object where there are none. */
  strip(metadata: Metadata): Metadata
  /** Whether a key of the metadata, or something in it, is private. */
  hides(key: string): boolean
  /** Whether a field, as facets and filters name it, is one of the metadata and tells of nothing private. */
  shows(field: string): boolean
  /** Whether one of the fields is private whose words searches compare with the query. */
  hidesWords: boolean
}

/** Keys that are compared and counted together: those that decide the price that is paid, and those of categories. */
const TOGETHER = [
  ['price', 'sale_price', 'sale_price_from', 'sale_price_until'],
  ['category', 'category_path'],
]

/** Fields of a product that are not of its metadata. */
const OWN = ['product_id', 'is_demo', 'created_at', 'indexed_at', 'updated_at']

/** The fields of a product whose words count in a search. */
const WORDS = ['name', 'brand', 'category', 'color_name', 'tags', 'sku', 'gtin', 'description']

/**
 * Reads a list of private keys.
 *
 * @param keys of the metadata, with or without `metadata.` before them and with dots into objects, as in filters.
 */
export function createPrivacy(keys: readonly string[]): Privacy {
  const names = listPrivateNames(keys)
  const hides = (key: string) => names.some((name) => name === key || name.startsWith(`${key}.`))
  return {
    strip: (metadata) => names.reduce((left, name) => without(left, name), metadata),
    hides,
    shows(field) {
      const key = field.replace(/^metadata\./, '')
      const isOwn = key === field && OWN.includes(field)
      if (TOGETHER.some((keys) => keys.includes(key) && keys.some(hides))) return false
      // What lies in a private object is private, too.
      return !isOwn && !hides(key) && !names.some((name) => key.startsWith(`${name}.`))
    },
    hidesWords: WORDS.some(hides),
  }
}

/** A copy of an object without a key, which may lead into objects and lists; the same object where it is not there. */
function without(metadata: Metadata, path: string): Metadata {
  let isFound = false
  const entries = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    // The names of objects may contain dots, too, so every reading of the path counts.
    if (name === path) {
      isFound = true
      return []
    }
    const left = path.startsWith(`${name}.`) ? withoutInner(value, path.slice(name.length + 1)) : value
    isFound ||= left !== value
    return [[name, left]]
  })
  return isFound ? Object.fromEntries(entries) : metadata
}

function withoutInner(value: unknown, path: string): unknown {
  if (!Array.isArray(value)) return isObject(value) ? without(value, path) : value
  const left = value.map((item) => withoutInner(item, path))
  return left.some((item, n) => item !== value[n]) ? left : value
}

const isObject = (value: unknown): value is Metadata => typeof value === 'object' && value !== null
