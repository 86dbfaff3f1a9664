import type { Caller } from '../../../core/actor.ts'
import {
  type AuditAction,
  type AuditEvent,
  describeAct,
  describeOperationOn,
  type Operator,
} from '../../../core/audit.ts'
import { isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { drawQrCode } from '../../../core/qr.ts'
import { withoutSpaces } from '../../../core/second-factor.ts'
import { findStep, newTotpSecret, otpauthUrl } from '../../../core/totp.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { TwoFactorQueries } from './queries.ts'
import type { RecoveryCodeSet } from './recovery-codes.ts'
import type {
  RecoveryCodes,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from './schema.ts'
import type { OpenSecret } from './secrets.ts'

export interface TwoFactorDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: TwoFactorQueries
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail'>
  box: Pick<SecretBox, 'seal'>
  openSecret: OpenSecret
  recoveryCodes: Pick<RecoveryCodeSet, 'renew'>
  /** Ends a person's sign-ins except one; null ends all. @returns how many ended. */
  endOtherSessions(userId: string, keptSessionId: string | null): number
  /** Notes that a sign-in has shown a second factor. */
  recordSecondFactor(sessionId: string): void
}

const ISSUER = 'Lookalike'

/** The longest wait for the first code of a setup (contract 5.2). */
const PENDING_MS = 15 * MINUTE_MS

export type TwoFactorService = ReturnType<typeof twoFactorService>

/** Two-factor authentication of a person: TOTP and recovery codes (contract 5.2). */
export function twoFactorService(deps: TwoFactorDeps) {
  const { queries, people, box, openSecret, recoveryCodes, clock, ids, atomically, record } = deps
  const { endOtherSessions, recordSecondFactor } = deps

  /** Records an act that concerns the person, whichever store the request names. */
  const recordOwn = (caller: Caller, action: AuditAction, details: AuditEvent['details'] = {}) =>
    record({ ...describeAct(caller, action, details), storeId: null })

  return {
    /**
     * Starts the setup. A second call replaces the secret of the first.
     *
     * @throws ApiError `conflict` if it is already enabled.
     */
    setup(caller: Caller): TwoFactorSetup {
      const userId = requirePerson(caller)
      const account = people.findPerson(userId)?.email
      if (account === undefined) throw new Error('A caller without an account')
      const secret = newTotpSecret(ids)
      if (!queries.putPending(userId, box.seal(secret, userId), clock.now())) throw alreadyEnabled()
      const otpauth_url = otpauthUrl({ secret, issuer: ISSUER, account })
      return { secret, qr_code_url: drawQrCode(otpauth_url), otpauth_url, issuer: ISSUER, account }
    },

    /**
     * Completes the setup with a first code, which it uses up. The person's other sign-ins end, because they showed no
     * code of this authenticator; the caller's own counts from now on as one that did.
     *
     * @throws ApiError `invalid_2fa`; `conflict` if it is already enabled or no setup is in progress.
     */
    enable(caller: Caller, { totp_code }: TwoFactorProof): TwoFactorEnabled {
      const userId = requirePerson(caller)
      const now = clock.now()
      const pending = queries.find(userId)
      if (typeof pending?.enabledAt === 'number') throw alreadyEnabled()
      const secret = pending && now < pending.createdAt + PENDING_MS ? openSecret(userId, pending) : undefined
      if (!pending || secret === undefined) throw nothingPending()
      const step = findStep(secret, withoutSpaces(totp_code), now)
      if (step === undefined) throw new ApiError('invalid_2fa', 'The code is wrong')
      return atomically(() => {
        if (!queries.enable(userId, pending.sealedSecret, step, now)) throw alreadyEnabled()
        const sessionId = caller.token?.sessionId ?? null
        const sessions_ended = endOtherSessions(userId, sessionId)
        if (sessionId !== null) recordSecondFactor(sessionId)
        recordOwn(caller, 'two_factor.enabled', { sessions_ended })
        return { enabled: true, recovery_codes: recoveryCodes.renew(userId), sessions_ended }
      })
    },

    /**
     * Turns it off, or abandons a setup. Does nothing if there is neither.
     *
     * @throws ApiError `permission_denied` if the caller signed in without a second factor.
     */
    disable(caller: Caller): TwoFactorDisabled {
      const userId = requirePerson(caller)
      return atomically(() => {
        const wasEnabled = queries.isEnabled(userId)
        if (wasEnabled) demandSecondFactor(caller)
        queries.remove(userId)
        if (wasEnabled) recordOwn(caller, 'two_factor.disabled')
        return { enabled: false }
      })
    },

    status(caller: Caller): TwoFactorStatus {
      const userId = requirePerson(caller)
      const enabledAt = queries.find(userId)?.enabledAt ?? null
      return {
        enabled: enabledAt !== null,
        enabled_at: enabledAt === null ? null : isoTime(enabledAt),
        recovery_codes_left: queries.countCodesLeft(userId),
      }
    },

    /**
     * Creates ten new recovery codes. The old ones end.
     *
     * @throws ApiError `conflict` if it is not enabled, `permission_denied` if the caller signed in without a second
     * factor.
     */
    renewRecoveryCodes(caller: Caller): RecoveryCodes {
      const userId = requirePerson(caller)
      return atomically(() => {
        if (!queries.isEnabled(userId)) {
          throw new ApiError('conflict', 'Two-factor authentication is not enabled')
        }
        demandSecondFactor(caller)
        recordOwn(caller, 'two_factor.recovery_codes_renewed')
        return { recovery_codes: recoveryCodes.renew(userId) }
      })
    },

    /** Whether this person needs a second factor to sign in (contract 5.2). */
    isEnabled: queries.isEnabled,

    /**
     * Removes the second factor of a person who lost it (the `user reset-2fa` command). The person's sign-ins end, because
     * the finder of the authenticator may hold one of them.
     *
     * @param email normalised. @param by who does it. @returns whether there was a second factor; undefined for an unknown person.
     */
    reset(email: string, by: Operator = null): boolean | undefined {
      const userId = people.findPersonByEmail(email)?.id
      if (userId === undefined) return undefined
      return atomically(() => {
        const wasThere = queries.remove(userId)
        if (wasThere) {
          const sessions_ended = endOtherSessions(userId, null)
          record(describeOperationOn(by, userId, 'two_factor.reset', { sessions_ended }))
        }
        return wasThere
      })
    },

    /** Removes the second factor of a person. Call it in a transaction. */
    remove: (userId: string): void => void queries.remove(userId),

    /** Counts the members of a store, and those with a second factor. */
    countMembers: queries.countMembers,
  }
}

/** The routes let only people in. */
function requirePerson({ userId }: Caller): string {
  if (userId === null) throw new Error('Only a person has a second factor')
  return userId
}

function demandSecondFactor({ token }: Caller): void {
  if (token?.amr.includes('otp')) return
  throw new ApiError(
    'permission_denied',
    'Missing required permission: sign in again with a code of your authenticator, then repeat',
    { details: { required: 'two_factor' } },
  )
}

const alreadyEnabled = () => new ApiError('conflict', 'Two-factor authentication is already enabled')

const nothingPending = () =>
  new ApiError('conflict', 'No setup is in progress, or it is older than 15 minutes: start again')
