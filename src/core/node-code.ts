/** Crockford's base32: no letter that looks like a digit or like another letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const GROUP = /.{4}(?=.)/g

/** Random bytes of a code. */
export const NODE_SECRET_BYTES = 10
/** Bytes of the SHA-256 of a certificate that a code holds. */
export const FINGERPRINT_BYTES = 16
const CODE_CHARS = Math.ceil(((NODE_SECRET_BYTES + FINGERPRINT_BYTES) * 8) / 5)
/** Longer than any code with a dash or a space behind each character. */
const TEXT_CHARS_MAX = 4 * CODE_CHARS

/** What a node's invitation says: a secret that it takes once, and which certificate it shows. */
export interface NodeCode {
  secret: Uint8Array
  /** The beginning of the SHA-256 of the certificate in DER. */
  fingerprint: Uint8Array
}

/** Writes a code in groups of four. */
export const createNodeCode = (secret: Uint8Array, fingerprint: Uint8Array): string =>
  toBase32(Buffer.concat([secret, fingerprint])).replace(GROUP, '$&-')

/** Reads a code as people type it: with small letters, spaces, other dashes or none, and letters in place of digits. */
export function parseNodeCode(text: string): NodeCode | undefined {
  if (text.length > TEXT_CHARS_MAX) return undefined
  const bytes = fromBase32(text)
  if (bytes?.length !== NODE_SECRET_BYTES + FINGERPRINT_BYTES) return undefined
  return { secret: bytes.subarray(0, NODE_SECRET_BYTES), fingerprint: bytes.subarray(NODE_SECRET_BYTES) }
}

export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

/** @returns undefined for a text that {@link toBase32} never writes, apart from what people do to it. */
export function fromBase32(text: string): Uint8Array | undefined {
  const letters = text
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replace(/[IL]/g, '1')
    .replace(/O/g, '0')
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter)
    if (value < 0) return undefined
    held = (held << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >>> bits) & 255)
    held &= (1 << bits) - 1
  }
  // What is left over is shorter than a letter, and zero.
  return bits < 5 && held === 0 ? Uint8Array.from(bytes) : undefined
}
