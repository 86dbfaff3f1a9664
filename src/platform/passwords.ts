import { type Algorithm, hash, verify } from '@node-rs/argon2'
import limitConcurrency from 'p-limit'
import { ApiError } from '../core/errors.ts'

/** The library's `Algorithm.Argon2id`, a const enum that is not there at run time. */
const ARGON2ID: Algorithm = 2

/** What a hash costs: KiB of memory, and passes over it. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
}

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** A hash takes a core for some 25 ms, which the searches are short of meanwhile. */
const AT_ONCE_MAX = 2
const WAITING_MAX = 60

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/**
 * Hashes passwords with argon2id, a few at once. Passwords are folded to NFKC, so that one password typed on two
 * keyboards is the same (NIST SP 800-63B §5.1.1.2).
 *
 * Both functions throw ApiError `overloaded` when too many are waiting.
 */
export function createPasswordHasher(cost: PasswordCost = PASSWORD_COST) {
  const limit = limitConcurrency(AT_ONCE_MAX)
  const parameters = { algorithm: ARGON2ID, parallelism: 1, ...cost }
  const phc = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`
  /** Fits no password, and takes as long to check as a real one. */
  const nobodys = `${phc}${base64(new Uint8Array(16))}$${base64(new Uint8Array(32))}`

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (limit.pendingCount < WAITING_MAX) return limit(work)
    throw new ApiError('overloaded', 'Too many sign-ins at once', { retryAfterSeconds: 2 })
  }

  return {
    /** A hash in PHC form, with its own salt. */
    hash: async (password: string): Promise<string> =>
      inTurn(() => hash(password.normalize('NFKC'), parameters)),

    /**
     * Whether the password belongs to the hash.
     *
     * @param passwordHash undefined when nobody has that name: the same work is done, and the answer is no.
     */
    verify: async (passwordHash: string | undefined, password: string): Promise<boolean> =>
      inTurn(async () => {
        try {
          return await verify(passwordHash ?? nobodys, password.normalize('NFKC'))
        } catch {
          return false
        }
      }),

    /** Whether a hash was made with other parameters than today's. */
    isOutdated: (passwordHash: string): boolean => !passwordHash.startsWith(phc),
  }
}

/** Base64 without padding, as PHC strings have it. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')
