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
const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** A hash takes a core for some 25 ms, which the searches are short of meanwhile. */
const AT_ONCE_MAX = 2
const WAITING_MAX = 60
/** Places in the line that one network may take, so that the others find some. */
const WAITING_PER_NETWORK_MAX = WAITING_MAX / 2

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/**
 * Hashes passwords with argon2id, a few at once. Passwords are folded to NFKC, so that one password typed on two
 * keyboards is the same (NIST SP 800-63B §5.1.1.2).
 *
 * Both functions throw ApiError `overloaded` when too many are waiting, of all or of one network: whoever names it has no
 * more than half of the places.
 */
export function createPasswordHasher(cost: PasswordCost = PASSWORD_COST) {
  const limit = limitConcurrency(AT_ONCE_MAX)
  const parameters = { algorithm: ARGON2ID, parallelism: 1, ...cost }
  const phc = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`
  /** Fits no password, and takes as long to check as a real one. */
  const nobodys = `${phc}${base64(new Uint8Array(16))}$${base64(new Uint8Array(32))}`

  /** Work that is waiting or under way, by network. */
  const ofNetwork = new Map<string, number>()

  async function inTurn<Result>(work: () => Promise<Result>, network: string | undefined): Promise<Result> {
    const own = network === undefined ? 0 : (ofNetwork.get(network) ?? 0)
    if (limit.pendingCount >= WAITING_MAX || own >= WAITING_PER_NETWORK_MAX) {
      throw new ApiError('overloaded', 'Too many sign-ins at once', { retryAfterSeconds: 2 })
    }
    if (network === undefined) return limit(work)
    ofNetwork.set(network, own + 1)
    try {
      return await limit(work)
    } finally {
      const left = (ofNetwork.get(network) ?? 1) - 1
      if (left > 0) ofNetwork.set(network, left)
      else ofNetwork.delete(network)
    }
  }

  return {
    /** A hash in PHC form, with its own salt. */
    hash: async (password: string, network?: string): Promise<string> =>
      inTurn(() => hash(password.normalize('NFKC'), parameters), network),

    /**
     * Whether the password belongs to the hash.
     *
     * @param passwordHash undefined when nobody has that name: the same work is done, and the answer is no.
     */
    verify: async (passwordHash: string | undefined, password: string, network?: string): Promise<boolean> =>
      inTurn(async () => {
        try {
          return await verify(passwordHash ?? nobodys, password.normalize('NFKC'))
        } catch {
          return false
        }
      }, network),

    /** Whether a hash was made with other parameters than today's. */
    isOutdated: (passwordHash: string): boolean => !passwordHash.startsWith(phc),
  }
}

/** Base64 without padding, as PHC strings have it. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')
