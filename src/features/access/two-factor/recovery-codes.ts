import type { Ids } from '../../../core/ids.ts'

/** Codes that a person gets at once. */
export const RECOVERY_CODES = 10

/** 32 characters, 5 bits each, that nobody mistakes for one another on paper. */
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz'
const CODE_CHARS = 10

/** A code of 50 random bits, as it is shown: `xxxxx-xxxxx`. */
export function newRecoveryCode(ids: Pick<Ids, 'secret'>): string {
  const random = Buffer.from(ids.secret(CODE_CHARS), 'base64url').subarray(-CODE_CHARS)
  const code = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return `${code.slice(0, CODE_CHARS / 2)}-${code.slice(CODE_CHARS / 2)}`
}

/** The code that somebody means: in capitals, with other dashes or spaces or without any. */
export const typedRecoveryCode = (text: string): string => text.toLowerCase().replace(/[\s\p{Pd}]/gu, '')
