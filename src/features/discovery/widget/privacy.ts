type Metadata = Record<string, unknown>

/** The metadata that a store keeps to itself, and what a widget must not do so that nobody can find it out by asking. */
export interface Privacy {
  /** A copy without the private keys; the same object where there are none. */
  strip(metadata: Metadata): Metadata
  /** Whether a key of the metadata, or something in it, is private. */
  hides(key: string): boolean
  /** Whether one of the fields is private whose words searches compare with the query. */
  hidesWords: boolean
}

/** The fields of a product whose words count in a search. */
const WORDS = ['name', 'brand', 'category', 'tags', 'sku', 'gtin']

/**
 * Reads a list of private keys.
 *
 * @param keys of the metadata, with or without `metadata.` before them and with dots into objects, as in filters.
 */
export function createPrivacy(keys: readonly string[]): Privacy {
  // A key may contain a dot itself, so that each is looked for as it stands, too.
  const names = [...new Set(keys.flatMap((key) => [key, key.replace(/^metadata\./, '')]))]
  const hides = (key: string) => names.some((name) => name === key || name.startsWith(`${key}.`))
  return {
    strip: (metadata) => names.reduce((left, name) => without(left, name), metadata),
    hides,
    hidesWords: WORDS.some(hides),
  }
}

/** A copy without a key, which may lead into objects; the same object where it is not there. */
function without(metadata: Metadata, path: string): Metadata {
  if (Object.hasOwn(metadata, path)) {
    const { [path]: _, ...rest } = metadata
    return rest
  }
  // The names of objects may contain dots, too.
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    const inner = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    if (typeof inner !== 'object' || inner === null) continue
    const rest = path.slice(dot + 1)
    const left = Array.isArray(inner)
      ? inner.map((item) => (isObject(item) ? without(item, rest) : item))
      : without(inner as Metadata, rest)
    return { ...metadata, [name]: left }
  }
  return metadata
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
