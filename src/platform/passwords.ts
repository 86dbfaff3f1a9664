import { type Algorithm, hash, verify } from '@node-rs/argon2'
import limitConcurrency from 'p-limit'
import { ApiError } from '../core/errors.ts'

/** The library's `Algorithm.Argon2id`, a const enum that does not exist at run time. */
const ARGON2ID: Algorithm = 2

/** Cost of a hash: KiB of memory, and passes over it. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
}

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. */
const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** A hash occupies a core for about 25 ms, which searches then lack. */
const AT_ONCE_MAX = 2
const WAITING_MAX = 60
/** Places in the queue that one network may take, so that some are left for others. */
const WAITING_PER_NETWORK_MAX = WAITING_MAX / 2

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/**
 * Hashes passwords with argon2id, a few at once. Passwords are normalised to NFKC, so that one password typed on two
 * keyboards stays the same (NIST SP 800-63B §5.1.1.2).
 *
 * Both functions throw ApiError `overloaded` when the queue is full, or when one network fills half of it. Calls
 * without a network count towards the whole queue only.
 */
export function createPasswordHasher(cost: PasswordCost = PASSWORD_COST) {
  const limit = limitConcurrency(AT_ONCE_MAX)
  const parameters = { algorithm: ARGON2ID, parallelism: 1, ...cost }
  const phc = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`
  /** Matches no password, and takes as long to verify as a real hash. */
  const dummyHash = `${phc}${base64(new Uint8Array(16))}$${base64(new Uint8Array(32))}`

  /** Number of tasks waiting or running, by network. */
  const pendingByNetwork = new Map<string, number>()

  async function inTurn<Result>(work: () => Promise<Result>, network: string | undefined): Promise<Result> {
    const own = network === undefined ? 0 : (pendingByNetwork.get(network) ?? 0)
    if (limit.pendingCount >= WAITING_MAX || own >= WAITING_PER_NETWORK_MAX) {
      throw new ApiError('overloaded', 'Too many sign-ins at once', { retryAfterSeconds: 2 })
    }
    if (network === undefined) return limit(work)
    pendingByNetwork.set(network, own + 1)
    try {
      return await limit(work)
    } finally {
      const left = (pendingByNetwork.get(network) ?? 1) - 1
      if (left > 0) pendingByNetwork.set(network, left)
      else pendingByNetwork.delete(network)
    }
  }

  return {
    /** Hashes a password with a salt of its own. @returns the hash in PHC format. */
    hash: async (password: string, network?: string): Promise<string> =>
      inTurn(() => hash(password.normalize('NFKC'), parameters), network),

    /**
     * Whether the password matches the hash.
     *
     * @param passwordHash undefined for an unknown user: the check does the same work and gives false.
     */
    verify: async (passwordHash: string | undefined, password: string, network?: string): Promise<boolean> =>
      inTurn(async () => {
        try {
          return await verify(passwordHash ?? dummyHash, password.normalize('NFKC'))
        } catch {
          return false
        }
      }, network),

    /** Whether a hash was made with parameters other than the current ones. */
    isOutdated: (passwordHash: string): boolean => !passwordHash.startsWith(phc),
  }
}

/** Base64 without padding, as in PHC strings. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')
