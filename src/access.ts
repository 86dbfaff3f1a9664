import { Elysia } from 'elysia'
import type { Administration, AdministrationPorts } from './administration.ts'
import type { Config } from './config.ts'
import type { Caller } from './core/actor.ts'
import type { Clock } from './core/clock.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { LIMITS } from './core/limits.ts'
import { isInside, parseCidrs } from './core/networks.ts'
import { PLANS } from './core/plans.ts'
import { createRateWindow } from './core/rate-window.ts'
import { networkKey, throttleKey } from './core/throttle-keys.ts'
import { wrongCodesMail } from './features/access/accounts/mails.ts'
import { passwordResetQueries } from './features/access/accounts/password-reset-queries.ts'
import { accountRoutes } from './features/access/accounts/routes.ts'
import { apiKeyRoutes } from './features/access/api-keys/routes.ts'
import { auditRoutes } from './features/access/audit/routes.ts'
import { clientSecretRoutes } from './features/access/client-secret/routes.ts'
import { clientSecretService } from './features/access/client-secret/service.ts'
import { ipListRoutes } from './features/access/ip-list/routes.ts'
import { meRoutes } from './features/access/me/routes.ts'
import { meService } from './features/access/me/service.ts'
import { overviewQueries } from './features/access/overview/queries.ts'
import { overviewRoutes } from './features/access/overview/routes.ts'
import { overviewService } from './features/access/overview/service.ts'
import { callerService } from './features/access/sign-in/callers.ts'
import { createLockout } from './features/access/sign-in/lockout.ts'
import { loginService } from './features/access/sign-in/login.ts'
import { machineGrant } from './features/access/sign-in/machine-grant.ts'
import { signInQueries } from './features/access/sign-in/queries.ts'
import { refreshService } from './features/access/sign-in/refresh.ts'
import { signInRoutes } from './features/access/sign-in/routes.ts'
import { signInAddressQueries } from './features/access/sign-in/sign-in-address-queries.ts'
import { tokenHolders } from './features/access/sign-in/token-holders.ts'
import { tokenIssuer } from './features/access/sign-in/token-issuer.ts'
import { twoFactorRoutes } from './features/access/two-factor/routes.ts'
import { widgetKeyRoutes } from './features/access/widget-keys/routes.ts'
import { createAddressBudget } from './http/address-budget.ts'
import { type AuthDeps, authPlugin, callerPlugin, type Purpose, type Spending } from './http/auth.ts'
import { createClientAddress } from './http/client-address.ts'
import { createTokens } from './http/tokens.ts'
import { createTraceOf, tracePlugin } from './http/trace.ts'
import { createAddressThrottle, type KeptAddressThrottle } from './platform/db/address-throttle.ts'
import { unsynced } from './platform/db/open.ts'
import { createThrottle } from './platform/db/throttle.ts'

export interface AccessDeps {
  ports: AdministrationPorts
  administration: Administration
  config: Pick<Config, 'TOKEN_LIFETIME_S' | 'TRUSTED_PROXIES'>
  /** Signs the access tokens. */
  tokenSecret: string
  /** Learns whose request it is, before its body is read. */
  nameOwner: NonNullable<AuthDeps['nameOwner']>
  /** The address at the other end of a request's connection. */
  peerOf(request: Request): string | undefined
}

/** Who may come in, and how: every credential of spec §5 with the routes about it. */
export function createAccess(accessDeps: AccessDeps) {
  const { ports, administration, config, tokenSecret, nameOwner, peerOf } = accessDeps
  const { db, clock, ids } = ports
  const { atomically, record, passwords, failures, codeFailures, sessions, twoFactor } = administration
  const { apiKeys, widgetKeys, ipList, audit, stores, people } = administration
  const keysOf = (address: string) => ({ own: throttleKey(address), network: networkKey(address) })
  const minute = (bucket: string, limit: number) =>
    createAddressThrottle(db, { bucket, limit, windowMs: 60_000 }, keysOf)
  const logins = minute('login.address', LIMITS.loginsPerMinute)
  const refreshes = minute('refresh.address', LIMITS.refreshesPerMinute)
  // Registering and forgetting a password both send a mail to any address, so they share a budget.
  const mails = minute('mail.address', LIMITS.mailRequestsPerMinute)
  const quarter = (bucket: string, limit: number) =>
    createThrottle(db, { bucket, limit, windowMs: LIMITS.failuresWindowMs })
  const clientFailures = quarter('token.client', LIMITS.failuresPerClientMax)
  const unknownFailures = quarter('token.unknown', LIMITS.failuresPerClientMax)
  const passwordFailures = quarter('password.person', LIMITS.failuresPerEmailMax)
  const knownTries = quarter('login.known', LIMITS.lockedTriesMax)
  const otherTries = quarter('login.other', LIMITS.lockedTriesMax)
  const signInAddresses = signInAddressQueries(db)
  const locked = createKeyedLock()
  const postponed = createPostponed(ports)
  const admitAddress = ipList.admit

  const tokens = createTokens(tokenSecret, clock)
  const queries = signInQueries(db)
  const holders = tokenHolders(queries, people, sessions)
  const issuer = tokenIssuer({ tokens, clock, ids, lifetimeSeconds: config.TOKEN_LIFETIME_S })
  const { grant } = machineGrant({
    stores,
    issuer,
    clock,
    failures: clientFailures,
    unknownFailures,
    admitAddress,
    later: postponed.later,
    record,
    log: ports.log,
  })
  const { login } = loginService({
    people,
    sessions,
    issuer,
    clock,
    ids,
    passwords,
    twoFactor,
    pendingPassword: administration.registration.pendingPassword,
    lockout: createLockout({
      addresses: signInAddresses,
      failures,
      codeFailures,
      knownTries,
      otherTries,
      wrongCodes: twoFactor.wrongCodes,
      clock,
    }),
    warnOfGuesses: (email, count) => mailOfGuesses(ports, administration.outbox, email, count),
    locked,
    atomically,
    later: postponed.later,
    record,
    log: ports.log,
  })
  const { refresh, revoke, prune } = refreshService({
    queries,
    sessions,
    holders,
    tokens,
    issuer,
    clock,
    admitAddress,
    atomically,
    record,
  })
  const { callerOfToken, callerOfKey } = callerService({
    queries,
    stores,
    people,
    sessions,
    holders,
    apiKeys,
    clock,
    admitAddress,
    unsynced: (write) => unsynced(db, write),
    log: ports.log,
  })
  const me = meService({
    people,
    sessions,
    clock,
    passwords,
    isTwoFactorEnabled: twoFactor.isEnabled,
    failures: passwordFailures,
    forgetResetLinks: passwordResetQueries(db).forget,
    locked,
    atomically,
    record,
  })

  const clientSecret = clientSecretService({
    stores,
    clock,
    ids,
    failures: clientFailures,
    atomically,
    record,
    tellOwners: administration.tellOwners,
  })

  const security = overviewService({
    queries: overviewQueries(db),
    clock,
    twoFactor: { isEnabled: twoFactor.isEnabled, members: twoFactor.membersEnabled },
    apiKeys,
    widgetKeys,
    ipList,
  })

  const trusted = parseCidrs(config.TRUSTED_PROXIES)
  const addressOf = createClientAddress({ isTrusted: (address) => isInside(address, trusted), peerOf })
  const traceOf = createTraceOf(addressOf)
  const budget = (throttle: KeptAddressThrottle, what: string) =>
    createAddressBudget({ throttle, addressOf, clock, message: `Too many ${what} from this address` })
  // A password is tried with the link of a registration as well, so both count together.
  const spendLogin = budget(logins, 'sign-ins')
  const requests = requestBudget(clock)
  const deps: AuthDeps = {
    tokens,
    clock,
    traceOf,
    callerOfToken,
    callerOfKey,
    spendRequest: requests.spend,
    nameOwner,
  }
  const traced = tracePlugin(traceOf)
  const signedIn = authPlugin(deps)
  const guarding = authPlugin(deps, 'guard')
  const ownAccount = callerPlugin(deps, 'never')
  const person = callerPlugin(deps, 'several')

  const routes = new Elysia({ name: 'access' })
    .use(
      signInRoutes(
        traced,
        { login: spendLogin, refresh: budget(refreshes, 'refreshes') },
        { grant, login, refresh, revoke },
      ),
    )
    .use(accountRoutes(traced, { mail: budget(mails, 'requests'), password: spendLogin }, administration))
    .use(meRoutes(ownAccount, me))
    .use(twoFactorRoutes(person, twoFactor))
    .use(apiKeyRoutes(guarding, apiKeys))
    .use(widgetKeyRoutes(guarding, widgetKeys))
    .use(clientSecretRoutes(guarding, clientSecret))
    .use(ipListRoutes(guarding, ipList))
    .use(auditRoutes(guarding, audit))
    .use(overviewRoutes(guarding, security))

  /** Drops everything that memory holds about a store. */
  function forgetStore(storeId: string): void {
    ipList.forgetStore(storeId)
    requests.forgetStore(storeId)
  }

  /** What has to be done from time to time: old tokens, counts whose window is over. */
  function tidy(): void {
    prune()
    audit.prune()
    administration.tidyAccounts()
    administration.pruneNotices()
    const now = clock.now()
    atomically(() => signInAddresses.prune(now - LIMITS.knownAddressMs, now))
    for (const throttle of [logins, refreshes, mails, failures, codeFailures, knownTries, otherTries]) {
      throttle.prune(now)
    }
    for (const throttle of [clientFailures, unknownFailures, passwordFailures]) throttle.prune(now)
  }

  return { routes, signedIn, forgetStore, signToken: tokens.sign, tidy, flush: postponed.flush }
}

/** How long work is postponed: long enough to have nothing to do with the request it comes from. */
const POSTPONED_MS = 500

/**
 * Writes that must not be felt in the time of an answer, nor of the one after it: they are made in groups a moment later.
 */
function createPostponed({ db, log, schedule }: AdministrationPorts) {
  let waiting: (() => void)[] = []

  /** Does what is waiting. */
  function flush(): void {
    const works = waiting
    waiting = []
    if (works.length === 0) return
    try {
      // Nobody waits for it, so it does not wait for the disk.
      unsynced(db, () => db.transaction(() => works.forEach((work) => void work()))())
    } catch (err) {
      log.error({ err, lost: works.length }, 'audit events could not be written')
    }
  }

  return {
    flush,
    later(work: () => void): void {
      if (waiting.length === 0) schedule(flush, POSTPONED_MS)
      waiting.push(work)
    },
  }
}

/** Writes the mail about guessed codes as part of a transaction, and sends it after that. */
function mailOfGuesses(
  { clock, baseUrl, schedule, log }: AdministrationPorts,
  outbox: Administration['outbox'],
  email: string,
  count: number,
): void {
  const id = outbox.write(wrongCodesMail(email, baseUrl(), count, clock.now()))
  const deliver = () => outbox.deliver(id).catch((err) => log.error({ err }, 'a mail was not sent'))
  schedule(() => void deliver(), 0)
}

/** How many requests a minute a caller has, out of whose budget. A limit counts in any 60 seconds. */
function requestBudget(clock: Clock) {
  const requests = createRateWindow(60_000)
  const take = (policy: Spending['policy'], owner: string, limit: number): Spending | undefined =>
    Number.isFinite(limit)
      ? { policy, verdict: requests.take(`${policy} ${owner}`, limit, clock.monotonic()) }
      : undefined

  function spend({ kind, store, token }: Caller, purpose: Purpose): Spending | undefined {
    if (purpose === 'guard' && token?.sessionId) {
      // Of each login its own, or whoever stole one could keep the person from ending it by another.
      return take('person', token.sessionId, LIMITS.personRequestsPerMinute)
    }
    // Only a person calls for no store.
    if (store === null) return undefined
    const { requestsPerMinute } = PLANS[store.plan]
    // A store that may call without end is never told to wait.
    if (purpose === 'guard' && kind === 'machine' && Number.isFinite(requestsPerMinute)) {
      return take('security', store.id, LIMITS.machineSecurityRequestsPerMinute)
    }
    return take('plan', store.id, requestsPerMinute)
  }

  return {
    spend,
    forgetStore(storeId: string): void {
      for (const policy of ['plan', 'security']) requests.forget(`${policy} ${storeId}`)
    },
  }
}
