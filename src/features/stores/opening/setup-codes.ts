import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, rateLimitExceeded } from '../../../core/errors.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'
import { createSetupCode, normaliseSetupCode } from '../../../core/setup-code.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { throttleKey } from '../../../core/throttle-keys.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { SetupCodeQueries } from './setup-code-queries.ts'

export interface SetupCodeDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: SetupCodeQueries
  people: Pick<PeopleQueries, 'hasSuperAdmin'>
  /** Wrong codes by network address. */
  failures: Throttle
}

export type SetupCodes = ReturnType<typeof createSetupCodes>

/** How long a code is good for. */
const LIFETIME_MS = 30 * MINUTE_MS

/** The one-time code of the link that makes the first super-admin (contract 5.18). */
export function createSetupCodes({ queries, people, failures, clock, ids }: SetupCodeDeps) {
  function isRight(text: string): boolean {
    const row = queries.find()
    // `lookalike setup` makes the owner without the code.
    const isOpen = row !== undefined && row.expiresAt > clock.now() && !people.hasSuperAdmin()
    return isSecret(normaliseSetupCode(text), isOpen ? row.codeHash : undefined)
  }

  return {
    /**
     * Creates a code, which ends the one before.
     *
     * @returns the code, which is not stored, and Unix ms until which it is good; undefined once there is a super-admin.
     */
    issue(): { code: string; expiresAt: number } | undefined {
      if (people.hasSuperAdmin()) return undefined
      const code = createSetupCode(ids)
      const expiresAt = clock.now() + LIFETIME_MS
      queries.put({ codeHash: hashSecret(normaliseSetupCode(code)), expiresAt })
      return { code, expiresAt }
    },

    /**
     * Checks a code without using it up. Wrong ones count against the address that sent them, and never against the code:
     * nobody guesses 80 bits, and no stranger may keep the operator out.
     *
     * @throws ApiError `unauthorized`, `rate_limit_exceeded`.
     */
    demand(text: string, address: string): void {
      const key = throttleKey(address)
      const verdict = failures.peek(key, clock.now())
      if (!verdict.isAllowed)
        throw rateLimitExceeded('Too many wrong set-up codes from this address', verdict)
      if (isRight(text)) return
      failures.add(key, clock.now())
      throw wrongCode()
    },

    /** Uses a code up. Call it in the transaction of the set-up. @throws ApiError `unauthorized`. */
    use(text: string): void {
      if (!isRight(text)) throw wrongCode()
      queries.remove()
    },
  }
}

/** The same answer for a wrong, a used and an old code. */
const wrongCode = () =>
  new ApiError(
    'unauthorized',
    'This set-up code was used, is older than 30 minutes, or is wrong. Run `lookalike setup-link` for a new one',
  )
