import { Elysia } from 'elysia'
import type { Administration, AdministrationPorts } from './administration.ts'
import type { Config } from './config.ts'
import type { Caller } from './core/actor.ts'
import type { Clock } from './core/clock.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { LIMITS } from './core/limits.ts'
import { PLANS, type PlanName } from './core/plans.ts'
import { createRateWindow, type RateVerdict } from './core/rate-window.ts'
import { normaliseEmail } from './features/accounts/email.ts'
import { passwordResetQueries } from './features/accounts/password-reset-queries.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { apiKeyRoutes } from './features/api-keys/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { callerService } from './features/auth/callers.ts'
import { loginService, membershipView } from './features/auth/login.ts'
import { machineGrant } from './features/auth/machine-grant.ts'
import { authQueries } from './features/auth/queries.ts'
import { refreshService } from './features/auth/refresh.ts'
import { authRoutes } from './features/auth/routes.ts'
import { sessionQueries } from './features/auth/session-queries.ts'
import { tokenHolders } from './features/auth/token-holders.ts'
import { tokenIssuer } from './features/auth/token-issuer.ts'
import { clientSecretQueries } from './features/client-secret/queries.ts'
import { clientSecretRoutes } from './features/client-secret/routes.ts'
import { clientSecretService } from './features/client-secret/service.ts'
import { ipWhitelistRoutes } from './features/ip-whitelist/routes.ts'
import { meRoutes } from './features/me/routes.ts'
import { meService } from './features/me/service.ts'
import { publicKeyRoutes } from './features/public-keys/routes.ts'
import { securityQueries } from './features/security/queries.ts'
import { securityRoutes } from './features/security/routes.ts'
import { securityService } from './features/security/service.ts'
import { twoFactorRoutes } from './features/two-factor/routes.ts'
import { type AuthDeps, authPlugin, callerPlugin } from './http/auth.ts'
import { createClientAddress, throttleKey } from './http/client-address.ts'
import { createTokens } from './http/tokens.ts'
import { createTraceOf, tracePlugin } from './http/trace.ts'
import { unsynced } from './platform/db/open.ts'
import { createThrottle } from './platform/db/throttle.ts'
import { isInside, parseCidrs } from './platform/network/addresses.ts'
import { hashSecret, isSecret } from './platform/secrets.ts'

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
  const { atomically, record, passwords, failures, twoFactor, apiKeys, publicKeys, ipWhitelist, audit } =
    administration
  const minute = (bucket: string, limit: number) => createThrottle(db, { bucket, limit, windowMs: 60_000 })
  const logins = minute('login.address', LIMITS.loginsPerMinute)
  const refreshes = minute('refresh.address', LIMITS.refreshesPerMinute)
  const quarter = (bucket: string, limit: number) =>
    createThrottle(db, { bucket, limit, windowMs: LIMITS.failuresWindowMs })
  const clientFailures = quarter('token.client', LIMITS.failuresPerClientMax)
  const unknownFailures = quarter('token.unknown', LIMITS.failuresPerClientMax)
  const passwordFailures = quarter('password.person', LIMITS.failuresPerEmailMax)
  const locked = createKeyedLock()
  const postponed = createPostponed(ports)
  const admitAddress = ipWhitelist.admit

  const tokens = createTokens(tokenSecret, clock)
  const queries = authQueries(db)
  const sessions = sessionQueries(db)
  const holders = tokenHolders(queries, sessions)
  const issuer = tokenIssuer({ tokens, clock, ids, lifetimeSeconds: config.TOKEN_LIFETIME_S })
  const { grant } = machineGrant({
    queries,
    issuer,
    clock,
    failures: clientFailures,
    unknownFailures,
    isSecret,
    admitAddress,
    later: postponed.later,
    record,
    log: ports.log,
  })
  const { login } = loginService({
    queries,
    sessions,
    issuer,
    clock,
    ids,
    passwords,
    twoFactor,
    foldEmail: normaliseEmail,
    pendingPassword: administration.registration.pendingPassword,
    requests: logins,
    failures,
    throttleKey,
    locked,
    atomically,
    later: postponed.later,
    record,
  })
  const { refresh, revoke, prune } = refreshService({
    queries,
    sessions,
    holders,
    tokens,
    issuer,
    clock,
    requests: refreshes,
    throttleKey,
    admitAddress,
    atomically,
    record,
  })
  const { callerOfToken, callerOfKey } = callerService({
    queries,
    sessions,
    holders,
    apiKeys,
    clock,
    admitAddress,
    unsynced: (write) => unsynced(db, write),
    log: ports.log,
  })
  const me = meService({
    queries,
    sessions,
    membershipView,
    clock,
    passwords,
    passwordProblem: (password, pointer, email) =>
      administration.passwordRule.problemOf(password, { email }, pointer),
    isTwoFactorEnabled: twoFactor.isEnabled,
    failures: passwordFailures,
    forgetResetLinks: passwordResetQueries(db).forget,
    locked,
    atomically,
    record,
  })

  const clientSecret = clientSecretService({
    queries: clientSecretQueries(db),
    clock,
    ids,
    hashSecret,
    atomically,
    record,
  })

  const security = securityService({
    queries: securityQueries(db),
    clock,
    twoFactor: { isEnabled: twoFactor.isEnabled, members: twoFactor.membersEnabled },
    apiKeys,
    publicKeys,
    ipWhitelist,
  })

  const planOf = (storeId: string): PlanName => queries.credential(storeId)?.plan ?? 'free'
  const trusted = parseCidrs(config.TRUSTED_PROXIES)
  const traceOf = createTraceOf(
    createClientAddress({ isTrusted: (address) => isInside(address, trusted), peerOf }),
  )
  const deps: AuthDeps = {
    tokens,
    clock,
    traceOf,
    callerOfToken,
    callerOfKey,
    spendRequest: requestBudget(planOf, clock),
    nameOwner,
  }
  const traced = tracePlugin(traceOf)
  const signedIn = authPlugin(deps)
  const himself = callerPlugin(deps, 'never')
  const person = callerPlugin(deps, 'several')

  const routes = new Elysia({ name: 'access' })
    .use(authRoutes(traced, { grant, login, refresh, revoke }))
    .use(accountRoutes(traced, administration.registration, administration.passwordReset))
    .use(meRoutes(himself, me))
    .use(twoFactorRoutes(person, twoFactor))
    .use(apiKeyRoutes(signedIn, apiKeys))
    .use(publicKeyRoutes(signedIn, publicKeys))
    .use(clientSecretRoutes(signedIn, clientSecret))
    .use(ipWhitelistRoutes(signedIn, ipWhitelist))
    .use(auditRoutes(signedIn, audit))
    .use(securityRoutes(signedIn, security))

  /** What has to be done from time to time: old tokens, counts whose window is over. */
  function tidy(): void {
    prune()
    audit.prune()
    administration.tidyAccounts()
    for (const throttle of [failures, logins, refreshes, clientFailures, unknownFailures, passwordFailures]) {
      throttle.prune(clock.now())
    }
  }

  return { routes, signedIn, planOf, signToken: tokens.sign, tidy, flush: postponed.flush }
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

/** The plan's requests a minute of a store (spec §8), and a budget of his own for a person who acts for none. */
function requestBudget(planOf: (storeId: string) => PlanName, clock: Clock) {
  const requests = createRateWindow(60_000)
  return ({ storeId, userId }: Caller): RateVerdict | undefined => {
    const limit = storeId === null ? LIMITS.personRequestsPerMinute : PLANS[planOf(storeId)].requestsPerMinute
    return Number.isFinite(limit)
      ? requests.take(storeId ?? `person ${userId}`, limit, clock.now())
      : undefined
  }
}
