import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { Base, Module } from '../../module.ts'
import { registrationQueries } from './queries.ts'
import { registrationRoutes } from './routes.ts'
import { type RegistrationDeps, registrationService } from './service.ts'
import { type VerificationDeps, verificationService } from './verification.ts'

export interface RegistrationNeeds
  extends Pick<VerificationDeps, 'storeRows' | 'stores' | 'people' | 'plan' | 'createPasswordLink'>,
    Pick<RegistrationDeps, 'readMode'> {
  outbox: RegistrationDeps['outbox'] & VerificationDeps['outbox']
  passwords: Pick<PasswordHasher, 'hash' | 'verify'>
}

/**
 * Wires registration. No answer tells whether an address has an account: known and unknown addresses get the same
 * answer after the same work. Anyone can register anyone's address, so a link proves the mailbox alone; an account is
 * proven when link and password come together (`verification.ts`).
 */
export function buildRegistration(base: Base, needs: RegistrationNeeds) {
  const { passwords } = needs
  const queries = registrationQueries(base.db)
  const registration = registrationService({
    ...base,
    ...needs,
    queries,
    hashPassword: passwords.hash,
    tries: base.throttle('register.email_address', LIMITS.registrationsPerHour, HOUR_MS),
    mails: base.throttle('register.email', LIMITS.registrationsPerEmailPerHour, HOUR_MS),
  })
  const verification = verificationService({
    ...base,
    ...needs,
    queries,
    verifyPassword: passwords.verify,
    inTurn: createKeyedLock(),
  })

  return {
    service: {
      findPendingPassword: registration.findPendingPassword,
      verifyByOperator: verification.verifyByOperator,
      addInvite: queries.addInvite,
      /** Deletes every registration and invitation of an address. @param email normalised. */
      forgetAddress: queries.forgetAddress,
      /** Deletes the registrations of an address that wait for their link. @param email normalised. */
      forgetOpen: queries.forgetOpen,
    },
    routes: (guards: Guards) => registrationRoutes(guards, { registration, verification }),
    chores: [{ name: 'deleting old registrations', everyMs: HOUR_MS, run: registration.prune }],
  } satisfies Module<object>
}
