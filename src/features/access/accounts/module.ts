import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Doors } from '../../../http/doors.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import type { SessionsModule } from '../sessions/module.ts'
import { emailChangeQueries } from './email-change/email-change-queries.ts'
import { emailChangeRoutes, emailLinkRoutes } from './email-change/routes.ts'
import { type EmailChangeDeps, emailChangeService } from './email-change/service.ts'
import { operatorService } from './operator.ts'
import { passwordResetService } from './password-reset.ts'
import { passwordResetQueries } from './password-reset-queries.ts'
import { type RegistrationMode, registrationService } from './registration.ts'
import { registrationQueries } from './registration-queries.ts'
import { accountRoutes } from './routes.ts'
import { createTakeOver, type TakeOverDeps } from './take-over.ts'
import { verificationService } from './verification.ts'

export interface AccountNeeds {
  rows: StoreQueries
  stores: Pick<StoreService, 'create' | 'chooseSlug' | 'replaceSecret'>
  people: PeopleQueries
  /** Ends the ways into an account except the password. */
  waysIn: TakeOverDeps['waysIn']
  outbox: OutboxService
  sessions: SessionsModule['service']
  passwords: PasswordHasher
  /** Asks a signed-in person for password and code. */
  prove: EmailChangeDeps['prove']
  /** Puts a person's id in the place of an address in the audit log. */
  forgetEmailInLog: EmailChangeDeps['forgetEmailInLog']
  /** Who may register, at present. */
  readRegistrationMode(): RegistrationMode
  /** The plan of a store that registers. */
  plan: PlanName
}

/** Wires registration and password resets, with their mails. */
export function buildAccounts(base: Base, needs: AccountNeeds) {
  const { db } = base
  const { rows, stores, people, outbox, passwords } = needs
  const limitPerHour = (bucket: string, limit: number) => base.throttle(bucket, limit, HOUR_MS)
  const registrationTries = limitPerHour('register.email_address', LIMITS.registrationsPerHour)
  const registrationMails = limitPerHour('register.email', LIMITS.registrationsPerEmailPerHour)
  const resetMails = limitPerHour('forgot.email', LIMITS.resetMailsPerHour)
  const emailChanges = limitPerHour('email-change.person', LIMITS.emailChangesPerHour)
  const emailChangeMails = limitPerHour('email-change.email', LIMITS.emailChangesPerHour)
  const resetLinks = passwordResetQueries(db)
  const changeRows = emailChangeQueries(db)
  const invites = registrationQueries(db)
  const common = {
    ...base,
    rows,
    stores,
    people,
    outbox,
    failures: { reset: needs.sessions.forgiveFailures },
    hashPassword: passwords.hash,
    verifyPassword: passwords.verify,
    endSessions: (userId: string) => needs.sessions.sessions.endSessions(userId, null),
  }

  const registration = registrationService({
    ...common,
    queries: invites,
    tries: registrationTries,
    mails: registrationMails,
    readMode: needs.readRegistrationMode,
  })
  const passwordReset = passwordResetService({
    ...common,
    queries: resetLinks,
    mails: resetMails,
    takeOver: createTakeOver({ ...common, waysIn: needs.waysIn }),
    forgetEmailChange: (userId) => void changeRows.forget(userId),
  })
  const verification = verificationService({
    ...common,
    queries: invites,
    plan: needs.plan,
    createPasswordLink: passwordReset.createLink,
    locked: createKeyedLock(),
  })
  const emailChange = emailChangeService({
    ...common,
    queries: changeRows,
    prove: needs.prove,
    tries: emailChanges,
    mails: emailChangeMails,
    endOtherSessions: needs.sessions.sessions.endSessions,
    forgetResetLinks: resetLinks.forget,
    forgetRegistrations(before, after) {
      invites.forgetAddress(before)
      invites.forgetOpen(after)
    },
    forgetEmailInLog: needs.forgetEmailInLog,
    locked: createKeyedLock(),
  })
  const service = {
    registration,
    verification,
    passwordReset,
    emailChange,
    operator: operatorService({ ...common, invites, verification, passwordReset }),
    /** Ends the links that were mailed to a person: for a new password, and for another address. */
    forgetLinks(userId: string): void {
      resetLinks.forget(userId)
      changeRows.forget(userId)
    },
    /** Deletes what is kept about an address that has no account any more. @param email normalised. */
    forgetAddress(email: string): void {
      invites.forgetAddress(email)
      needs.sessions.forgiveFailures(email)
    },
  }

  function prune(): void {
    registration.prune()
    passwordReset.prune()
    emailChange.prune()
  }

  return {
    service,
    routes: (doors: Doors) =>
      new Elysia({ name: 'accounts' })
        .use(accountRoutes(doors, service))
        .use(emailLinkRoutes(doors, emailChange))
        .use(emailChangeRoutes(doors, emailChange)),
    chores: [{ name: 'deleting old links', everyMs: HOUR_MS, run: prune }],
  } satisfies Module<unknown>
}
