import { LIMITS } from '../../../core/limits.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { throttleKey } from '../../../core/throttle-keys.ts'
import type { Base } from '../../module.ts'
import type { PersonRow } from '../../stores/people/queries.ts'
import type { SignInAddressQueries } from './sign-in-address-queries.ts'

export interface LockoutDeps extends Pick<Base, 'clock'> {
  addresses: Pick<SignInAddressQueries, 'isKnown' | 'remember'>
  /** Failed sign-ins by e-mail address (contract 5.6). Wrong second factors also count in a window twice as long. */
  failures: Throttle
  codeFailures: Throttle
  /** Tries while locked: by person and known network address, and by e-mail address and other network address. */
  knownTries: Throttle
  otherTries: Throttle
  /** Reads the number of a person's wrong second factors since the last success; 0 for an unknown person. */
  readWrongCodes(userId: string): number
}

export type Lockout = ReturnType<typeof createLockout>

/** Stands in for the id of a person, so that an e-mail address without an account costs the same look-ups. */
const NOBODY = ''

/**
 * Decides who may try to sign in. Five failures lock an e-mail address (contract 5.6). Anyone can cause that, so a right
 * password still works from a network address that recently signed the person in.
 *
 * E-mail addresses without an account and unknown network addresses cost the same look-ups and counts.
 */
export function createLockout(deps: LockoutDeps) {
  const { addresses, failures, codeFailures, clock } = deps

  const knownTry = (person: PersonRow, address: string): string => `${person.id} ${throttleKey(address)}`

  return {
    /**
     * Checks whether an e-mail address may be tried from anywhere. After ten wrong second factors, the newest ones count
     * for twice as long.
     */
    peek(email: string, person: PersonRow | undefined): RateVerdict {
      const now = clock.now()
      const byEmail = failures.peek(email, now)
      const byCode = codeFailures.peek(email, now)
      const isGuessedAt = deps.readWrongCodes(person?.id ?? NOBODY) >= LIMITS.wrongCodesToldAt
      if (!isGuessedAt || byCode.isAllowed) return byEmail
      return !byEmail.isAllowed && byEmail.resetSeconds > byCode.resetSeconds ? byEmail : byCode
    },

    /** Counts a failure. @returns whether the e-mail address is now locked. */
    fail(email: string, person: PersonRow | undefined, reason: 'password' | 'two_factor'): boolean {
      failures.add(email, clock.now())
      if (reason === 'two_factor') codeFailures.add(email, clock.now())
      return !this.peek(email, person).isAllowed
    },

    /**
     * Takes one of the few tries that a network address has at a locked e-mail address.
     *
     * @returns false if no try is left; otherwise the owner whose password may be right. An unknown network address has no
     * owner, but must cost the same work.
     */
    tryLocked(email: string, person: PersonRow | undefined, address: string) {
      const now = clock.now()
      const key = throttleKey(address)
      const isKnown = addresses.isKnown(person?.id ?? NOBODY, key, now - LIMITS.knownAddressMs)
      const owner = isKnown ? person : undefined
      const { isAllowed } = owner
        ? deps.knownTries.take(knownTry(owner, address), now)
        : deps.otherTries.take(`${email} ${key}`, now)
      return isAllowed && { owner }
    },

    /** Resets the counts after a success. */
    succeed(email: string, person: PersonRow, address: string): void {
      failures.reset(email)
      codeFailures.reset(email)
      deps.knownTries.reset(knownTry(person, address))
    },

    /** Remembers the network address of a sign-in. Call it in the transaction of the sign-in. */
    rememberAddress(person: PersonRow, address: string): void {
      const key = throttleKey(address)
      addresses.remember(person.id, key, clock.now(), LIMITS.knownAddressesPerPersonMax)
    },
  }
}
