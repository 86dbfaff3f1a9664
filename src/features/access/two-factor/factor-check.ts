import type { ClientInfo } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { SecondFactor } from '../../../core/second-factor.ts'
import { findStep, timeStep } from '../../../core/totp.ts'
import type { Base } from '../../module.ts'
import { createAcceptedSteps } from './accepted-steps.ts'
import type { WarnOfGuesses } from './guess-warning.ts'
import type { TwoFactorQueries } from './queries.ts'
import type { RecoveryCodeSet } from './recovery-codes.ts'
import type { OpenSecret } from './secrets.ts'

export interface FactorCheckDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  queries: Pick<
    TwoFactorQueries,
    | 'find'
    | 'isEnabled'
    | 'acceptStep'
    | 'countCodesLeft'
    | 'countWrongCode'
    | 'readWrongCodes'
    | 'resetWrongCodes'
  >
  openSecret: OpenSecret
  recoveryCodes: Pick<RecoveryCodeSet, 'use'>
  warnOfGuesses: WarnOfGuesses
}

/** Whether the second factor was right. */
export interface Passed {
  ok: boolean
  /** Set if a recovery code was used up. */
  recoveryCodesLeft?: number
}

export type FactorCheck = ReturnType<typeof createFactorCheck>

/** Checks the second factor of somebody whose password was right, and counts the wrong ones. */
export function createFactorCheck(deps: FactorCheckDeps) {
  const { queries, openSecret, recoveryCodes, warnOfGuesses, clock, atomically, record } = deps
  const steps = createAcceptedSteps(queries)

  /** Uses up the step of a code with one of the two methods of {@link steps}. */
  function isStepAccepted(userId: string, code: string, accept: typeof steps.accept): boolean {
    const row = queries.find(userId)
    const secret = row?.enabledAt == null ? undefined : openSecret(userId, row)
    const now = clock.now()
    const step = secret && findStep(secret, code, now)
    return typeof step === 'number' && accept(userId, step, timeStep(now))
  }

  function judge(userId: string, { totp_code, recovery_code }: SecondFactor, clientInfo: ClientInfo): Passed {
    if (totp_code !== undefined) return { ok: isStepAccepted(userId, totp_code, steps.accept) }
    return recovery_code === undefined ? { ok: false } : useRecoveryCode(userId, recovery_code, clientInfo)
  }

  const useRecoveryCode = (userId: string, code: string, clientInfo: ClientInfo): Passed =>
    atomically(() => {
      if (!recoveryCodes.use(userId, code, clock.now())) return { ok: false }
      const recoveryCodesLeft = queries.countCodesLeft(userId)
      record({
        action: 'two_factor.recovery_code_used',
        actorKind: 'person',
        storeId: null,
        userId,
        keyId: null,
        details: { recovery_codes_left: recoveryCodesLeft },
        clientInfo,
      })
      return { ok: true, recoveryCodesLeft }
    })

  return {
    /** Whether this person needs a second factor to sign in (contract 5.2). */
    isEnabled: queries.isEnabled,

    /**
     * Checks the second factor of a sign-in and uses it up; the password must have been right. Of several calls with one
     * code, exactly one passes. If both codes are given, only `totp_code` counts. A person who has not enabled it never
     * passes.
     */
    pass(userId: string, factor: SecondFactor, clientInfo: ClientInfo): Passed {
      const passed = judge(userId, factor, clientInfo)
      if (passed.ok) queries.resetWrongCodes(userId)
      return passed
    },

    /**
     * The same while the database cannot be written: codes of the authenticator are used up in memory. A restart forgets
     * used codes, but these have expired by then. A recovery code does not expire.
     *
     * @returns undefined for a recovery code, because its use has to be written.
     */
    passUnwritten: (userId: string, { totp_code }: SecondFactor): boolean | undefined =>
      totp_code === undefined ? undefined : isStepAccepted(userId, totp_code, steps.acceptInMemory),

    /**
     * Counts a wrong second factor after a right password, and mails the person about the tenth since the last success.
     * Call it in a transaction.
     */
    countWrongCode({ id, email }: { id: string; email: string }): void {
      const count = queries.countWrongCode(id)
      if (count === LIMITS.wrongCodesToldAt) warnOfGuesses(email, count)
    },

    /** Reads the number of wrong second factors since the last success. */
    readWrongCodes: queries.readWrongCodes,
  }
}
