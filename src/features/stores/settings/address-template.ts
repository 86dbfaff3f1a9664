/** A template of the addresses of a store's products, such as `/products/{handle}`. */
export interface AddressTemplate {
  /** The names between its braces, each once. */
  keys: readonly string[]
  /** Whether it is a path below the address of the shop. */
  isPath: boolean
  /** Writes the address of a product; undefined if the product lacks one of the keys. */
  fill(productId: string, metadata: Readonly<Record<string, unknown>>): string | undefined
}

interface Fault {
  code: string
  message: string
}

const PLACEHOLDER = /\{([^{}]*)\}/g
const PLACEHOLDERS_MAX = 10
const KEY_CHARS_MAX = 64
/** A longer value of a product is no part of an address, and no browser needs a longer address. */
const VALUE_CHARS_MAX = 500
const ADDRESS_CHARS_MAX = 4_000

/** Reads a template. @returns what is wrong with it, in words that follow the name of the setting. */
export function parseTemplate(text: string): AddressTemplate | Fault {
  const fault = findFault(text)
  if (fault) return fault
  const parts = text.split(PLACEHOLDER).map((part, n) => (n % 2 === 0 ? part : toKey(part)))
  return {
    keys: [...new Set(parts.filter((_, n) => n % 2 === 1))],
    isPath: text.startsWith('/'),
    fill(productId, metadata) {
      let address = ''
      for (const [n, part] of parts.entries()) {
        const filled = n % 2 === 0 ? part : encodeValue(part, productId, metadata)
        if (filled === undefined) return undefined
        address += filled
      }
      return address.length > ADDRESS_CHARS_MAX ? undefined : address
    },
  }
}

export const isTemplate = (parsed: AddressTemplate | Fault): parsed is AddressTemplate => 'fill' in parsed

/** The key that a placeholder names, as filters name it or as it stands. */
const toKey = (placeholder: string): string => placeholder.replace(/^metadata\./, '')

function encodeValue(
  key: string,
  productId: string,
  metadata: Readonly<Record<string, unknown>>,
): string | undefined {
  if (key === 'product_id') return encode(productId)
  const value = readKey(metadata, key)
  if (typeof value === 'number') return encode(String(value))
  return typeof value === 'string' && value.length <= VALUE_CHARS_MAX ? encode(value) : undefined
}

/** Reads a key as it stands, or with dots into objects. */
function readKey(metadata: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(metadata, key)) return metadata[key]
  let at: unknown = metadata
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part]
  }
  return at
}

/** Encodes a value; undefined for one that would lead to another place of the shop: nothing, `.` and `..`. */
const encode = (value: string): string | undefined =>
  /^\.{0,2}$/.test(value) ? undefined : encodeURIComponent(value.toWellFormed())

function findFault(text: string): Fault | undefined {
  // Browsers pass over further slashes: the next part would be the server.
  if (!/^(https?:\/\/(?!\/)|\/(?!\/))/i.test(text)) {
    return {
      code: 'scheme',
      message: 'must begin with https://, with http:// or, below shop_url, with one /',
    }
  }
  if (/[\s\\\p{Cc}]/u.test(text)) {
    return {
      code: 'format',
      message: 'must have no spaces, line ends and backslashes; write %20 for a space',
    }
  }
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => toKey(name))
  if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) {
    return {
      code: 'format',
      message: 'must have one { and one } around each placeholder, as in {product_id}',
    }
  }
  if (names.length === 0) {
    const message =
      'must have a placeholder such as {product_id} or {sku}, or every product would lead to one page'
    return { code: 'placeholder', message }
  }
  if (names.length > PLACEHOLDERS_MAX || names.some((name) => name === '' || name.length > KEY_CHARS_MAX)) {
    const message = `must have at most ${PLACEHOLDERS_MAX} placeholders, each with a name of 1 to ${KEY_CHARS_MAX} characters`
    return { code: 'placeholder', message }
  }
  return findAddressFault(text)
}

/** Finds what is wrong with an address itself: products must not choose the server that a result leads to. */
function findAddressFault(text: string): Fault | undefined {
  const [host = ''] = /^https?:\/\/[^/?#]*/i.exec(text) ?? []
  if (host.includes('{')) {
    return { code: 'format', message: 'must have its placeholders behind the name of the server' }
  }
  const sample = text.replace(PLACEHOLDER, 'x')
  const url = URL.canParse(sample, 'https://shop.example')
    ? new URL(sample, 'https://shop.example')
    : undefined
  if (url?.username !== '' || url.password !== '') {
    return {
      code: 'format',
      message: 'must be an address without a user name, such as https://shop.example/p/{sku}',
    }
  }
  return undefined
}
