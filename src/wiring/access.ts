import type { Config } from '../config.ts'
import { createKeyedLock } from '../core/keyed-lock.ts'
import { buildApiKeys } from '../features/access/api-keys/module.ts'
import { buildClientSecret, createClientSecretUses } from '../features/access/client-secret/module.ts'
import { buildEmailChange, createEmailChangeRows } from '../features/access/email-change/module.ts'
import { buildIpAllowlist } from '../features/access/ip-allowlist/module.ts'
import { buildMe } from '../features/access/me/module.ts'
import { buildOperator } from '../features/access/operator/module.ts'
import { buildOverview } from '../features/access/overview/module.ts'
import { buildDeletion, buildOwnData } from '../features/access/own-data/module.ts'
import { buildPasswordReset } from '../features/access/password-reset/module.ts'
import { buildReauthentication } from '../features/access/reauthentication/module.ts'
import { buildRegistration } from '../features/access/registration/module.ts'
import type { RegistrationMode } from '../features/access/registration/service.ts'
import { buildRequests } from '../features/access/requests/module.ts'
import { buildSessions } from '../features/access/sessions/module.ts'
import { buildSignIn, type SignInNeeds } from '../features/access/sign-in/module.ts'
import { buildTwoFactor } from '../features/access/two-factor/module.ts'
import { buildWidgetKeys } from '../features/access/widget-keys/module.ts'
import { buildWidgetPreview } from '../features/access/widget-preview/module.ts'
import { checkFilters } from '../features/catalogue/filters/module.ts'
import type { OutboxService } from '../features/mail/outbox/service.ts'
import type { Install } from '../install.ts'
import type { Ports } from '../ports.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { Foundation } from './foundation.ts'
import type { StoresWing } from './stores.ts'

export type KeysWing = ReturnType<typeof wireKeys>

/** Builds the keys of stores, and the lists of addresses that may use a store. */
export function wireKeys({ base, reads, writes }: Foundation, { storeRows, tellOwners }: StoresWing) {
  const widgetKeys = buildWidgetKeys(base, {
    checkFilters,
    enqueueWrite: writes.enqueue,
    findMovedByKey: storeRows.findMovedByKey,
  })
  const apiKeys = buildApiKeys(base, { storeRows, tellOwners, widgetKeys: widgetKeys.rows, reads })
  const ipAllowlist = buildIpAllowlist(base, { tellOwners, reads })
  return { widgetKeys, apiKeys, ipAllowlist }
}

/** Builds accounts: how people get one, prove that it is theirs, and change or lose what opens it. */
export function wireAccounts(
  { REGISTRATION, DEFAULT_PLAN }: Pick<Config, 'REGISTRATION' | 'DEFAULT_PLAN'>,
  { base, audit, passwords, secretBox }: Foundation,
  outbox: OutboxService,
  { storeRows, stores, people, invitations, awaited }: StoresWing,
  { apiKeys, widgetKeys, ipAllowlist }: KeysWing,
) {
  const sessions = buildSessions(base)
  const twoFactor = buildTwoFactor(base, {
    people,
    outbox,
    secretBox,
    endOtherSessions: sessions.service.sessions.endSessions,
    recordSecondFactor: sessions.service.sessions.recordSecondFactor,
  })
  const inTurn = createKeyedLock()
  const reauthentication = buildReauthentication(base, {
    people,
    sessions: sessions.service.sessions,
    twoFactor: twoFactor.check,
    passwords,
    inTurn,
  })
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
  const readRegistrationMode = (): RegistrationMode =>
    REGISTRATION || (storeRows.hasStore() ? 'invite' : 'open')
  const registration = buildRegistration(base, {
    storeRows,
    stores,
    people,
    outbox,
    passwords,
    createPasswordLink: passwordReset.service.createLink,
    readMode: readRegistrationMode,
    plan: DEFAULT_PLAN,
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
  const deletion = buildDeletion(base, {
    people,
    reauthenticate: reauthentication.service.reauthenticate,
    outbox,
    endSessions,
    forgetAddress(email) {
      registration.service.forgetAddress(email)
      forgiveFailures(email)
      invitations.queries.forgetEmail(email)
      awaited.rows.forgetEmail(email)
    },
    forgetEmailInLog: audit.service.forgetEmail,
  })
  const operator = buildOperator(base, {
    people,
    deletion,
    reauthenticate: reauthentication.service.reauthenticate,
    registration: registration.service,
    passwordReset: passwordReset.service,
    outbox,
    forgiveFailures,
    endSessions,
  })
  return {
    sessions,
    twoFactor,
    reauthentication,
    passwordReset,
    registration,
    emailChange,
    operator: operator.service,
    deletion,
    /** Runs what one person asks with a password in order; the key is the e-mail address. */
    inTurn,
    readRegistrationMode,
  }
}

export type SignInWing = ReturnType<typeof wireSignIn>

/** Builds sign-ins and tokens, and what callers learn and change about their own credentials. */
export function wireSignIn(
  { foundation: { base, reads, passwords, writes }, stores, accounts, keys, delivery }: Install,
  {
    tokenSecret,
    tokenLifetimeSeconds,
    findAddress,
  }: Pick<SignInNeeds, 'tokenSecret' | 'tokenLifetimeSeconds' | 'findAddress'>,
) {
  const { storeRows, people, tellOwners } = stores
  const { sessions, twoFactor, reauthentication, registration, passwordReset, emailChange } = accounts
  const uses = createClientSecretUses(base, {
    enqueueWrite: writes.enqueue,
    write: storeRows.touchClientSecret,
  })
  const signIn = buildSignIn(base, {
    storeRows,
    people,
    reads,
    sessions: sessions.service,
    twoFactor: twoFactor.check,
    apiKeys: keys.apiKeys.check,
    admitAddress: keys.ipAllowlist.service.admit,
    findPendingPassword: registration.service.findPendingPassword,
    passwords,
    inTurn: accounts.inTurn,
    noteSecretUse: uses.note,
    tokenSecret,
    tokenLifetimeSeconds,
    findAddress,
  })
  const me = buildMe(base, {
    people,
    storeRows,
    sessions: sessions.service.sessions,
    passwords,
    reauthenticateByPassword: reauthentication.service.reauthenticateByPassword,
    isTwoFactorEnabled: twoFactor.service.isEnabled,
    forgetLinks(userId) {
      passwordReset.service.forgetLinks(userId)
      emailChange.service.forget(userId)
    },
  })
  const clientSecret = buildClientSecret(base, {
    storeRows,
    stores: stores.stores,
    clientFailures: signIn.service.clientFailures,
    tellOwners,
    uses,
  })
  const overview = buildOverview(base, {
    twoFactor: twoFactor.service,
    apiKeys: keys.apiKeys.service,
    widgetKeys: keys.widgetKeys.service,
    ipAllowlist: keys.ipAllowlist.service,
    webhooks: delivery.webhooks.service,
  })
  const widgetPreview = buildWidgetPreview(base, {
    keys: keys.widgetKeys.rows,
    findCallerOfSession: signIn.service.findCallerOfSession,
    portalDoor: signIn.service.portalDoor,
  })
  const recentRequests = buildRequests(base, {
    hasCredential: (storeId, id) =>
      id === storeId ||
      keys.apiKeys.rows.findById(storeId, id) !== undefined ||
      keys.widgetKeys.rows.findById(storeId, id) !== undefined,
  })
  return { signIn, me, clientSecret, overview, widgetPreview, recentRequests }
}

/** Builds what people do about all that is kept of them: leave a store, export it, delete their account. */
export const wireOwnData = (
  { foundation: { base }, stores: { people }, accounts: { deletion } }: Install,
  { stop }: Pick<Ports, 'stop'>,
  { search }: DiscoveryWing,
) => buildOwnData(base, { people, deletion, flush: search.service.history.flush, stop })
