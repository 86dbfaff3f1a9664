import type { Ids } from '../../../core/ids.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { TwoFactorQueries } from './queries.ts'

const CODES_PER_SET = 10

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

export interface RecoveryCodeDeps extends Pick<Base, 'ids'> {
  queries: Pick<TwoFactorQueries, 'replaceCodes' | 'useCode'>
  box: Pick<SecretBox, 'digest'>
}

export type RecoveryCodeSet = ReturnType<typeof createRecoveryCodeSet>

/** The recovery codes of each person. Only their digests are stored. */
export function createRecoveryCodeSet({ queries, box, ids }: RecoveryCodeDeps) {
  const hash = (userId: string, code: string) => box.digest(normaliseRecoveryCode(code), userId)

  return {
    /** Replaces all codes with ten new ones. Call it in a transaction. @returns the codes in their shown form. */
    renew(userId: string): string[] {
      const codes = Array.from({ length: CODES_PER_SET }, () => createRecoveryCode(ids))
      queries.replaceCodes(
        userId,
        codes.map((code) => hash(userId, code)),
      )
      return codes
    },

    /** Uses up a code. @returns false for a wrong or used one. */
    use: (userId: string, code: string, now: number): boolean =>
      queries.useCode(userId, hash(userId, code), now),
  }
}
