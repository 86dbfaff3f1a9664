import type { Clock } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { throttleKey } from '../../../core/throttle-keys.ts'
import type { PersonRow } from '../../stores/people/queries.ts'
import type { SignInAddressQueries } from './sign-in-address-queries.ts'

export interface LockoutDeps {
  addresses: Pick<SignInAddressQueries, 'isKnown' | 'note'>
  /** Failed sign-ins by e-mail (contract 5.6), and wrong second factors by e-mail in a window twice as long. */
  failures: Throttle
  codeFailures: Throttle
  /** Tries of locked e-mails by person and known address, and by e-mail and any other address. */
  knownTries: Throttle
  otherTries: Throttle
  /** Wrong second factors of a person since the last success; 0 for nobody. */
  wrongCodes(userId: string): number
  clock: Clock
}

export type Lockout = ReturnType<typeof createLockout>

/** Stands for the id of nobody, so that the same is looked up for an e-mail without an account. */
const NOBODY = ''

/**
 * Who may try to sign in. After five failures an e-mail is locked (contract 5.6): everybody can cause that, so from an address
 * that signed the person in lately a right password still gets in.
 *
 * Of an e-mail without an account, and of an address that is not known, the same is looked up and counted.
 */
export function createLockout(deps: LockoutDeps) {
  const { addresses, failures, codeFailures, clock } = deps

  const knownTry = (person: PersonRow, address: string): string => `${person.id} ${throttleKey(address)}`

  return {
    /**
     * Whether an e-mail may be tried from anywhere. After ten wrong second factors the newest ones count for twice as long.
     */
    look(email: string, person: PersonRow | undefined): RateVerdict {
      const now = clock.now()
      const byEmail = failures.look(email, now)
      const byCode = codeFailures.look(email, now)
      const isGuessedAt = deps.wrongCodes(person?.id ?? NOBODY) >= LIMITS.wrongCodesToldAt
      if (!isGuessedAt || byCode.isAllowed) return byEmail
      return !byEmail.isAllowed && byEmail.resetSeconds > byCode.resetSeconds ? byEmail : byCode
    },

    /** Counts a failure. @returns whether the e-mail is locked now. */
    fail(email: string, person: PersonRow | undefined, reason: 'password' | 'two_factor'): boolean {
      failures.add(email, clock.now())
      if (reason === 'two_factor') codeFailures.add(email, clock.now())
      return !this.look(email, person).isAllowed
    },

    /**
     * Takes one of the few tries that an address has of a locked e-mail.
     *
     * @returns false when there is none left; otherwise whose password may be right: nobody's from an address that is not
     * known, but the work must be the same.
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

    /** Forgives after a success. */
    succeed(email: string, person: PersonRow, address: string): void {
      failures.reset(email)
      codeFailures.reset(email)
      deps.knownTries.reset(knownTry(person, address))
    },

    /** Notes the address of a sign-in; to be called in its transaction. */
    noteAddress(person: PersonRow, address: string): void {
      const key = throttleKey(address)
      addresses.note(person.id, key, clock.now(), LIMITS.knownAddressesPerPersonMax)
    },
  }
}
