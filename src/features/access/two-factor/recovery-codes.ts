import type { Ids } from '../../../core/ids.ts'

/** Recovery codes in a set. */
export const RECOVERY_CODES = 10

/** 32 characters, 5 bits each, that are easy to tell apart on paper. */
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz'
const CODE_CHARS = 10

/** Creates a code of 50 random bits, in the form `xxxxx-xxxxx`. */
export function createRecoveryCode(ids: Pick<Ids, 'secret'>): string {
  const random = Buffer.from(ids.secret(CODE_CHARS), 'base64url').subarray(-CODE_CHARS)
  const code = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return `${code.slice(0, CODE_CHARS / 2)}-${code.slice(CODE_CHARS / 2)}`
}

/** Normalises a typed code: it may contain capitals, other dashes, spaces, or no dash. */
export const normaliseRecoveryCode = (text: string): string => text.toLowerCase().replace(/[\s\p{Pd}]/gu, '')
