import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import type { Ids } from './core/ids.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import type { PlanName } from './core/plans.ts'
import { buildApiKeys } from './features/access/api-keys/module.ts'
import { buildAudit } from './features/access/audit/module.ts'
import { buildEmailChange, createEmailChangeRows } from './features/access/email-change/module.ts'
import { buildIpAllowlist } from './features/access/ip-allowlist/module.ts'
import { buildOperator } from './features/access/operator/module.ts'
import { buildPasswordReset } from './features/access/password-reset/module.ts'
import { buildReauthentication } from './features/access/reauthentication/module.ts'
import { buildRegistration } from './features/access/registration/module.ts'
import type { RegistrationMode } from './features/access/registration/service.ts'
import { buildSessions } from './features/access/sessions/module.ts'
import { buildOperatorTokens } from './features/access/sign-in/module.ts'
import { buildTwoFactor } from './features/access/two-factor/module.ts'
import { buildWidgetKeys } from './features/access/widget-keys/module.ts'
import { buildPayments } from './features/billing/payments/module.ts'
import { checkFilters } from './features/catalogue/filters/module.ts'
import { buildChangeLog } from './features/delivery/change-log/module.ts'
import { buildWebhooks } from './features/delivery/webhooks/module.ts'
import { buildMail } from './features/mail/outbox/module.ts'
import type { Base } from './features/module.ts'
import { buildSetup } from './features/stores/opening/module.ts'
import { buildPeople } from './features/stores/people/module.ts'
import { buildSettings } from './features/stores/settings/module.ts'
import { buildStores } from './features/stores/stores/module.ts'
import { type Db, withoutFsync } from './platform/db/open.ts'
import { createReads } from './platform/db/reads.ts'
import { createThrottles } from './platform/db/throttles.ts'
import type { Mailer } from './platform/mail/mailer.ts'
import type { Poster } from './platform/outbound/poster.ts'
import { createPasswordHasher, type PasswordCost } from './platform/passwords.ts'
import type { PaymentGateway } from './platform/payments/gateway.ts'
import { createSecretBox } from './platform/secret-box.ts'

/** The parts of the world that stores, people and keys need. */
export interface InstallPorts {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  mailer: Mailer
  /** Sends webhooks. */
  poster: Poster
  /** Takes the money for plans; without one the operator does. */
  paymentGateway?: PaymentGateway | undefined
  /** Encrypts what must be readable again; kept outside the database. */
  dataSecret: string
  defer: Base['defer']
  /** What hashing a password costs; the strong default outside tests. */
  passwordCost?: PasswordCost | undefined
}

export type Install = ReturnType<typeof createInstall>

/**
 * Builds stores, people and their keys: what the command line needs of an install, whether a service runs or not.
 *
 * @param baseUrl the public address, which may be known only once the service listens.
 * @param noteFault learns of errors that no answer tells of.
 */
export function createInstall(
  { REGISTRATION, DEFAULT_PLAN, plans }: Pick<Config, 'REGISTRATION' | 'DEFAULT_PLAN' | 'plans'>,
  baseUrl: () => string,
  { db, clock, ids, log, defer, mailer, poster, dataSecret, passwordCost, paymentGateway }: InstallPorts,
  noteFault: Base['noteFault'],
) {
  const secretBox = createSecretBox(dataSecret, ids)
  const passwords = createPasswordHasher(passwordCost)

  const audit = buildAudit({ db, clock, ids })
  const { record } = audit.service
  const atomically: Base['atomically'] = (work) => db.transaction(work).immediate()
  const throttles = createThrottles(db)
  const base: Base = {
    db,
    clock,
    ids,
    log,
    atomically,
    withoutFsync: (write) => withoutFsync(db, write),
    record,
    defer,
    noteFault,
    throttle: throttles.create,
    plans,
    baseUrl,
  }
  const reads = createReads(db)
  const mail = buildMail(base, { mailer, secretBox })
  const outbox = mail.service
  const { rows: people, service: owners } = buildPeople(base, { outbox })
  const { mailOwners, tellOwners } = owners
  const { rows: storeRows, service: stores } = buildStores(base, { people, mailOwners })
  const { service: setup } = buildSetup(base, {
    storeRows,
    stores,
    people,
    hashPassword: passwords.hash,
    verifyPassword: passwords.verify,
  })
  const sessions = buildSessions(base)
  const readRegistrationMode = () =>
    (REGISTRATION || (storeRows.hasStore() ? 'invite' : 'open')) as RegistrationMode
  const twoFactor = buildTwoFactor(base, {
    people,
    outbox,
    secretBox,
    endOtherSessions: sessions.service.sessions.endSessions,
    noteSecondFactor: sessions.service.sessions.noteSecondFactor,
  })
  const inTurn = createKeyedLock()
  const reauthentication = buildReauthentication(base, {
    people,
    sessions: sessions.service.sessions,
    twoFactor: twoFactor.check,
    passwords,
    inTurn,
  })
  const widgetKeys = buildWidgetKeys(base, { checkFilters })
  const apiKeys = buildApiKeys(base, { storeRows, tellOwners, widgetKeys: widgetKeys.rows, reads })
  const ipAllowlist = buildIpAllowlist(base, { tellOwners, reads })
  const endSessions = (userId: string) => sessions.service.sessions.endSessions(userId, null)
  const { forgiveFailures } = sessions.service
  const emailChangeRows = createEmailChangeRows(base)
  const passwordReset = buildPasswordReset(base, {
    people,
    stores,
    outbox,
    forgiveFailures,
    hashPassword: passwords.hash,
    endSessions,
    forgetEmailChange: emailChangeRows.forget,
    credentials: {
      removeTwoFactor: twoFactor.service.remove,
      removeApiKeys: apiKeys.service.removeByStore,
      removeWidgetKeys: widgetKeys.service.removeByStore,
      removeIpAllowlist: ipAllowlist.service.removeByStore,
    },
  })
  const registration = buildRegistration(base, {
    storeRows,
    stores,
    people,
    outbox,
    passwords,
    createPasswordLink: passwordReset.service.createLink,
    readMode: readRegistrationMode,
    plan: DEFAULT_PLAN as PlanName,
  })
  const emailChange = buildEmailChange(base, {
    queries: emailChangeRows,
    people,
    outbox,
    reauthenticate: reauthentication.service.reauthenticate,
    verifyPassword: passwords.verify,
    endOtherSessions: sessions.service.sessions.endSessions,
    forgetResetLinks: passwordReset.service.forgetLinks,
    forgetRegistrations(before, after) {
      registration.service.forgetAddress(before)
      registration.service.forgetOpen(after)
    },
    forgetEmailInLog: audit.service.forgetEmail,
  })
  const { service: operator } = buildOperator(base, {
    people,
    registration: registration.service,
    passwordReset: passwordReset.service,
    outbox,
    forgiveFailures,
    endSessions,
  })
  const settings = buildSettings(base)
  const webhooks = buildWebhooks(base, {
    stores: storeRows,
    mailOwners,
    secretBox,
    poster,
    isSwitchedOn: (storeId, origin) => settings.service.read(storeId).event_switches[origin],
  })
  const changes = buildChangeLog(base, { readers: [webhooks.service.readChange] })

  const payments = buildPayments(base, {
    storeRows,
    stores,
    people,
    mailOwners,
    secretBox,
    outbox,
    gateway: paymentGateway,
  })

  return {
    base,
    /** Deletes the counted events whose window is over. */
    pruneThrottles: () => throttles.prune(clock.now()),
    reads,
    passwords,
    secretBox,
    /** Runs what one person asks with a password in order; the key is the e-mail address. */
    inTurn,
    readRegistrationMode,
    mailOwners,
    tellOwners,
    modules: {
      audit,
      mail,
      sessions,
      registration,
      passwordReset,
      emailChange,
      reauthentication,
      twoFactor,
      widgetKeys,
      apiKeys,
      ipAllowlist,
      settings,
      changes,
      webhooks,
      payments,
    },
    /** The verbs that commands use. */
    services: {
      /** The rows of stores, to be read. */
      storeRows,
      stores,
      setup,
      people,
      operator,
      outbox,
      twoFactor: twoFactor.service,
      apiKeys: apiKeys.service,
      widgetKeys: widgetKeys.service,
      keyOperator: apiKeys.operator,
      operatorTokens: buildOperatorTokens(base, { storeRows }),
      ipAllowlist: ipAllowlist.service,
      webhooks: webhooks.service,
      billing: payments.service.desk,
      endSubscriptions: payments.service.endSubscriptions,
    },
  }
}
