import type { Ids } from './ids.ts'

/** Crockford's base32: no letter that looks like a digit or like another letter. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CODE_CHARS = 16
const GROUP = /.{4}(?=.)/g

/** Creates a code of 80 random bits, as in `3f7k-q2mx-9tbw-x4hd`. */
export function createSetupCode(ids: Pick<Ids, 'secret'>): string {
  // 32 divides 256, so no character is likelier than another.
  const random = Buffer.from(ids.secret(CODE_CHARS), 'base64url').subarray(-CODE_CHARS)
  const code = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return code.replace(GROUP, '$&-')
}

/** Normalises a typed code: it may contain capitals, spaces, other dashes or none, and letters in place of digits. */
export const normaliseSetupCode = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replace(/[il]/g, '1')
    .replace(/o/g, '0')
