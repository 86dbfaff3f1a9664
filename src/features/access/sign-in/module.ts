import { Elysia } from 'elysia'
import type { Caller } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { type AddressThrottle, createAddressThrottle } from '../../../core/throttle.ts'
import { createTokens } from '../../../http/access-tokens.ts'
import { type AddressBudgets, createAddressBudget } from '../../../http/budgets/address-budget.ts'
import type { Guards } from '../../../http/guards.ts'
import { createPortalDoor } from '../../../http/portal-door.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import { createWriteBehind } from '../../../platform/db/write-behind.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { SessionsModule } from '../sessions/module.ts'
import type { FactorCheck } from '../two-factor/factor-check.ts'
import { type CallerDeps, callerService } from './callers.ts'
import { createLockout } from './lockout.ts'
import { createMachineGrant, type MachineGrantDeps } from './machine-grant.ts'
import { operatorTokenService } from './operator-tokens.ts'
import { createPasswordCheck, type PasswordCheckDeps } from './password-check.ts'
import { portalRoutes } from './portal-routes.ts'
import { portalService } from './portal-service.ts'
import { signInQueries } from './queries.ts'
import { refreshService } from './refresh.ts'
import { discoveryRoutes, tokenRoutes } from './routes.ts'
import { type SignInDeps, signInService } from './service.ts'
import { createSessionStart } from './session-start.ts'
import { signInAddressQueries } from './sign-in-address-queries.ts'
import { createTokenHolders } from './token-holders.ts'
import { createTokenIssuer } from './token-issuer.ts'

export interface SignInNeeds
  extends Pick<SignInDeps, 'inTurn'>,
    Pick<PasswordCheckDeps, 'passwords' | 'findPendingPassword'>,
    Pick<CallerDeps, 'apiKeys' | 'admitAddress'>,
    Pick<MachineGrantDeps, 'noteSecretUse'> {
  storeRows: StoreQueries
  people: PeopleQueries
  reads: Reads
  sessions: SessionsModule['service']
  twoFactor: FactorCheck
  /** Signs the access tokens. */
  tokenSecret: string
  tokenLifetimeSeconds: number
  /** Finds the client's network address, also behind trusted proxies. */
  findAddress(request: Request): string
}

const PATH_CHARS_MAX = 200

/** Wires the tokens of commands. */
export const buildOperatorTokens = (base: Base, needs: { storeRows: StoreQueries }) =>
  operatorTokenService({
    ...base,
    ...needs,
    createTokens: (secret) => createTokens(secret, base.clock),
  })

/**
 * Wires signing in. Passwords and client secrets give access tokens; `callers.ts` turns a token or an API key into a caller
 * with every request. The caller carries its store and plan: never look them up again.
 *
 * A token names a person and a sign-in, or a store. Memberships, groups and roles are read again as soon as any row of the
 * database has changed, in this process or in another, so a withdrawn right ends with the next request. A request keeps no
 * right of its first byte either: `http/standing.ts` finds the caller again after the body, and work that waits once more
 * calls `demandStill` in the transaction of its effect.
 *
 * The `jti` of a sign-in is its one valid token. Refreshing replaces it in one UPDATE, so exactly one of several refreshes
 * wins. A sign-in of the portal has a cookie instead (`portal-service.ts`), and each of its tokens is valid until it ends. A
 * machine's token carries the generation of its client secret.
 *
 * A failed sign-in does the same work for a known address as for an unknown one, and no write there waits for the disk:
 * either would tell them apart.
 */
export function buildSignIn(base: Base, needs: SignInNeeds) {
  const { db, clock, ids, atomically } = base
  const { storeRows, people, reads } = needs
  const { sessions, failures, codeFailures } = needs.sessions
  const limitPerMinute = (bucket: string, limit: number) =>
    createAddressThrottle(base.throttle, bucket, limit, MINUTE_MS)
  const signIns = limitPerMinute('login.address', LIMITS.signInsPerMinute)
  const refreshes = limitPerMinute('refresh.address', LIMITS.refreshesPerMinute)
  // Registrations and password resets both send a mail to any address, so they share a budget.
  const mails = limitPerMinute('mail.address', LIMITS.mailRequestsPerMinute)
  const limitFailures = (bucket: string, limit: number) =>
    base.throttle(bucket, limit, LIMITS.failuresWindowMs)
  const clientFailures = limitFailures('token.client', LIMITS.failuresPerClientMax)
  const unknownFailures = limitFailures('token.unknown', LIMITS.failuresPerClientMax)
  const knownTries = limitFailures('login.known', LIMITS.lockedTriesMax)
  const otherTries = limitFailures('login.other', LIMITS.lockedTriesMax)

  // A write that waits for the disk would tell known addresses from unknown ones.
  const events = createWriteBehind({ ...base, name: 'audit events' })
  const queries = signInQueries(db)
  const addresses = signInAddressQueries(db)
  const tokens = createTokens(needs.tokenSecret, clock)
  const common = {
    ...base,
    storeRows,
    people,
    queries,
    sessions,
    tokens,
    holders: createTokenHolders(queries, people, sessions, reads.remember, clock),
    issuer: createTokenIssuer({
      tokens,
      plans: base.plans,
      clock,
      ids,
      lifetimeSeconds: needs.tokenLifetimeSeconds,
    }),
    admitAddress: needs.admitAddress,
    enqueueWrite: events.enqueue,
  }
  const { passwords, findPendingPassword, twoFactor } = needs
  const { readWrongCodes } = twoFactor
  const tries = { failures, codeFailures, knownTries, otherTries }
  const lockout = createLockout({ ...tries, addresses, readWrongCodes, clock })
  const { signIn, signInFirst } = signInService({
    ...common,
    passwords: createPasswordCheck({ ...common, passwords, findPendingPassword }),
    sessionStart: createSessionStart({ ...common, twoFactor, lockout }),
    twoFactor,
    lockout,
    inTurn: needs.inTurn,
  })
  const portal = portalService({ ...common, signIn, signInFirst })
  const portalDoor = createPortalDoor(base.baseUrl)
  const { grant } = createMachineGrant({
    ...common,
    noteSecretUse: needs.noteSecretUse,
    clientFailures,
    unknownFailures,
  })
  const { refresh, revoke, prune } = refreshService(common)
  const callers = callerService({
    ...common,
    apiKeys: needs.apiKeys,
    ...reads,
  })

  const limitAddress = (throttle: AddressThrottle, what: string) =>
    createAddressBudget({
      throttle,
      findAddress: needs.findAddress,
      clock,
      message: `Too many ${what} from this address`,
    })
  const budgets: AddressBudgets = {
    // The links of registrations take passwords too, so they share this budget.
    signIn: limitAddress(signIns, 'sign-ins'),
    refresh: limitAddress(refreshes, 'refreshes'),
    mail: limitAddress(mails, 'requests'),
  }

  const service = {
    tokens,
    signIn,
    portal,
    portalDoor,
    ...callers,
    /** The state of all data that rights are read from. */
    seenMoment: () => reads.seenMoment() + sessions.countChanges(),
    readMoment: () => reads.readMoment() + sessions.countChanges(),
    clientFailures,
    /** Queues the record of a change that a super-admin makes in a store without being a member. */
    recordForeignAct: (caller: Caller, method: string, path: string): void =>
      events.enqueue(() =>
        base.record(
          describeAct(caller, 'super_admin.acted', { method, path: path.slice(0, PATH_CHARS_MAX) }),
        ),
      ),
    budgets,
    flush: events.flush,
  }

  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'sign-in' })
        .use(tokenRoutes(guards, { grant, signIn, refresh, revoke }))
        .use(portalRoutes(guards, portal, portalDoor))
        .use(discoveryRoutes(base.baseUrl)),
    chores: [
      { name: 'deleting ended tokens', everyMs: HOUR_MS, run: prune },
      {
        name: 'deleting old sign-in addresses',
        everyMs: HOUR_MS,
        run() {
          const now = clock.now()
          atomically(() => addresses.prune(now - LIMITS.knownAddressMs, now))
        },
      },
    ],
  } satisfies Module<unknown>
}
