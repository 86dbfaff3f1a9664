import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Atomically, RecordEvent } from './core/audit.ts'
import type { Clock } from './core/clock.ts'
import type { Ids } from './core/ids.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { LIMITS } from './core/limits.ts'
import type { PlanName } from './core/plans.ts'
import { operatorService } from './features/access/accounts/operator.ts'
import { ownerNotices } from './features/access/accounts/owner-notices.ts'
import { passwordResetService } from './features/access/accounts/password-reset.ts'
import { passwordResetQueries } from './features/access/accounts/password-reset-queries.ts'
import { type RegistrationMode, registrationService } from './features/access/accounts/registration.ts'
import { registrationQueries } from './features/access/accounts/registration-queries.ts'
import { accountService } from './features/access/accounts/service.ts'
import { createTakeOver } from './features/access/accounts/take-over.ts'
import { verificationService } from './features/access/accounts/verification.ts'
import { keyOperator as createKeyOperator } from './features/access/api-keys/operator.ts'
import { apiKeyQueries } from './features/access/api-keys/queries.ts'
import { apiKeyService } from './features/access/api-keys/service.ts'
import { auditQueries } from './features/access/audit/queries.ts'
import { auditService } from './features/access/audit/service.ts'
import { ipListQueries } from './features/access/ip-list/queries.ts'
import { ipListService } from './features/access/ip-list/service.ts'
import { keptSessions } from './features/access/sign-in/kept-sessions.ts'
import { sessionQueries } from './features/access/sign-in/session-queries.ts'
import { twoFactorQueries } from './features/access/two-factor/queries.ts'
import { twoFactorService } from './features/access/two-factor/service.ts'
import { widgetKeyQueries } from './features/access/widget-keys/queries.ts'
import { widgetKeyService } from './features/access/widget-keys/service.ts'
import { outboxQueries } from './features/delivery/mail/queries.ts'
import { outboxService } from './features/delivery/mail/service.ts'
import { buildPeople } from './features/stores/people/module.ts'
import { buildStores } from './features/stores/stores/module.ts'
import { type Db, unsynced } from './platform/db/open.ts'
import { createThrottle } from './platform/db/throttle.ts'
import type { Mailer } from './platform/mail/mailer.ts'
import { createPasswordHasher, type PasswordCost } from './platform/passwords.ts'
import { createSecretBox } from './platform/secret-box.ts'

/** What stores, people and keys need of the world. */
export interface AdministrationPorts {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  mailer: Mailer
  /** Encrypts what must be readable again; kept outside the database. */
  dataSecret: string
  /** The public address, which may be known only once the service listens. */
  baseUrl(): string
  config: Pick<Config, 'TOKEN_LIFETIME_S' | 'REGISTRATION' | 'DEFAULT_PLAN'>
  /** Calls back once, later. */
  schedule(callback: () => void, delayMs: number): void
  /** What hashing a password costs; the strong default outside tests. */
  passwordCost?: PasswordCost | undefined
}

export type Administration = ReturnType<typeof createAdministration>

/** Stores, people and their credentials: all that the command line needs of an install, stopped or running. */
export function createAdministration(ports: AdministrationPorts) {
  const { db, clock, ids, log } = ports
  const atomically: Atomically = (work) => db.transaction(work).immediate()
  const { service: stores } = buildStores(ports)
  const { service: people } = buildPeople(ports)
  const audit = auditService({ queries: auditQueries(db), clock, ids })
  const record: RecordEvent = audit.record
  const box = createSecretBox(ports.dataSecret, ids)
  const passwords = createPasswordHasher(ports.passwordCost)
  const failuresOf = (bucket: string, windowMs: number) =>
    createThrottle(db, { bucket, limit: LIMITS.failuresPerEmailMax, windowMs })
  const failures = failuresOf('login.email', LIMITS.failuresWindowMs)
  const codeFailures = failuresOf('login.code', 2 * LIMITS.failuresWindowMs)
  const sessions = keptSessions({ stored: sessionQueries(db), schedule: ports.schedule, log })

  const outbox = outboxService({
    queries: outboxQueries(db),
    mailer: ports.mailer,
    secretBox: box,
    clock,
    ids,
    log,
  })
  const notices = createThrottle(db, {
    bucket: 'notice.store',
    limit: LIMITS.ownerNoticesPerHour,
    windowMs: 3_600_000,
  })
  const tellOwners = ownerNotices({ ...ports, people, outbox, notices })
  const forgiven = {
    reset(email: string) {
      failures.reset(email)
      codeFailures.reset(email)
    },
  }
  const twoFactor = twoFactorService({
    queries: twoFactorQueries(db),
    people,
    box,
    clock,
    ids,
    atomically,
    record,
    endOtherSessions: sessions.endSessions,
    log,
  })
  const apiKeys = apiKeyService({
    queries: apiKeyQueries(db),
    clock,
    ids,
    atomically,
    record,
    tellOwners,
    unsynced: (write) => unsynced(db, write),
    log,
  })
  const widgetKeys = widgetKeyService({
    queries: widgetKeyQueries(db),
    clock,
    ids,
    atomically,
    record,
  })

  const keyOperator = createKeyOperator({
    stores,
    apiKeys: apiKeyQueries(db),
    widgetKeys: widgetKeyQueries(db),
    clock,
    atomically,
    record,
  })

  const ipList = ipListService({
    queries: ipListQueries(db),
    clock,
    ids,
    atomically,
    record,
    tellOwners,
  })

  const accountParts = accountsOf(ports, {
    ...{ atomically, record, passwords, outbox, sessions, stores, people },
    failures: forgiven,
    takeOver: createTakeOver({
      ...{ people, stores, ids },
      removeTwoFactor: twoFactor.remove,
      removeApiKeys: apiKeys.removeAllOf,
      removeWidgetKeys: widgetKeys.removeAllOf,
      removeIpList: ipList.removeAllOf,
    }),
  })

  return {
    stores,
    people,
    atomically,
    record,
    passwords,
    failures,
    codeFailures,
    sessions,
    outbox,
    tellOwners,
    pruneNotices: () => notices.prune(clock.now()),
    ...accountParts,
    twoFactor,
    apiKeys,
    widgetKeys,
    keyOperator,
    ipList,
    audit,
  }
}

type AccountParts = Pick<
  Administration,
  'atomically' | 'record' | 'passwords' | 'sessions' | 'outbox' | 'stores' | 'people'
> & {
  takeOver(userId: string): void
  failures: Pick<Administration['failures'], 'reset'>
}

/** People and their stores: setup, registration, lost passwords, and what the operator does for them. */
function accountsOf(ports: AdministrationPorts, parts: AccountParts) {
  const { db, clock, ids, config } = ports
  const { passwords } = parts
  const hour = (bucket: string, limit: number) => createThrottle(db, { bucket, limit, windowMs: 3_600_000 })
  const registrationTries = hour('register.email_address', LIMITS.registrationsPerHour)
  const registrationMails = hour('register.email', LIMITS.registrationsPerEmailPerHour)
  const resetMails = hour('forgot.email', LIMITS.resetMailsPerHour)
  const invites = registrationQueries(db)
  const common = {
    ...parts,
    clock,
    ids,
    hashPassword: passwords.hash,
    baseUrl: ports.baseUrl,
  }

  const accounts = accountService({ ...common, verifyPassword: passwords.verify })
  const registration = registrationService({
    ...common,
    queries: invites,
    tries: registrationTries,
    mails: registrationMails,
    mode: config.REGISTRATION as RegistrationMode,
  })
  const passwordReset = passwordResetService({
    ...common,
    queries: passwordResetQueries(db),
    mails: resetMails,
    endSessions: (userId) => parts.sessions.endSessions(userId, null),
    schedule: ports.schedule,
    log: ports.log,
  })
  const verification = verificationService({
    ...common,
    queries: invites,
    plan: config.DEFAULT_PLAN as PlanName,
    verifyPassword: passwords.verify,
    newPasswordLink: passwordReset.linkFor,
    locked: createKeyedLock(),
    schedule: ports.schedule,
    unsynced: (write) => unsynced(db, write),
    log: ports.log,
  })
  const operator = operatorService({ ...common, invites, verification, passwordReset })

  /** What has to be done from time to time: old links, mails and counts. */
  function tidyAccounts(): void {
    registration.prune()
    passwordReset.prune()
    parts.outbox.prune()
    for (const throttle of [registrationTries, registrationMails, resetMails]) {
      throttle.prune(clock.now())
    }
  }

  return { accounts, registration, verification, passwordReset, operator, tidyAccounts }
}
