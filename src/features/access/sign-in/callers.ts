import {
  type Caller,
  deriveKeyRights,
  deriveMemberRights,
  EVERYTHING,
  type Permission,
  type Role,
  type Trace,
} from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import type { StoreChoice } from '../../../http/auth.ts'
import type { Claims } from '../../../http/tokens.ts'
import type { KeptSessions } from '../sessions/kept-sessions.ts'
import type { AuthQueries, PersonRow, SessionRow } from './queries.ts'
import type { TokenHolders } from './token-holders.ts'

export interface CallerDeps {
  queries: AuthQueries
  sessions: KeptSessions
  holders: TokenHolders
  apiKeys: {
    find(
      key: string,
      now: number,
    ): { id: string; storeId: string; scopes: Permission[]; state: 'valid' | 'expired' } | undefined
    touch(id: string, address: string, now: number): void
  }
  clock: Clock
  /** @throws ApiError `ip_not_allowed`. */
  admitAddress(storeId: string, address: string): void
  /** Writes what may be lost in a power cut. */
  unsynced<Result>(write: () => Result): Result
  log: { warn(fields: { err: unknown }, message: string): void }
}

/** "Last used" is written at most this often. */
const TOUCH_MS = 60_000

export type CallerService = ReturnType<typeof callerService>

/** Finds who calls, and for which store (spec §5.3, §5.6). */
export function callerService(deps: CallerDeps) {
  const { queries, sessions, holders, apiKeys, clock, admitAddress } = deps
  let touchPausedUntil = -Infinity

  /** @throws ApiError `not_a_member` for a credential of one store that is shown to another. */
  function belongsTo(storeSlug: string | undefined, { slug }: StoreChoice): void {
    if (slug !== undefined && slug !== storeSlug) throw notAMember()
  }

  function machine(claims: Claims, choice: StoreChoice, trace: Trace): Caller {
    const store = holders.storeOf(claims)
    if (!store) throw signInFirst()
    belongsTo(store.slug, choice)
    admitAddress(store.id, trace.address)
    return {
      ...{ kind: 'machine', userId: null, keyId: null, storeId: store.id, role: null, isSuperAdmin: false },
      ...EVERYTHING,
      token: { jti: claims.jti, exp: claims.exp, sessionId: null, amr: [] },
      trace,
    }
  }

  function person(claims: Claims, choice: StoreChoice, trace: Trace): Caller {
    const holder = holders.personOf(claims)
    if (!holder) throw signInFirst()
    const { person, session } = holder
    const active = activeStore(person, choice)
    // What concerns a person alone is not a store's to close: a thief's sign-ins can be ended from anywhere.
    if (active && (choice.rule === 'always' || choice.slug !== undefined)) {
      admitAddress(active.storeId, trace.address)
    }
    touch(session, active, trace)
    const rights = rightsIn(person, active)
    return {
      kind: 'person',
      userId: person.id,
      keyId: null,
      storeId: active?.storeId ?? null,
      role: active?.role ?? null,
      isSuperAdmin: person.isSuperAdmin,
      ...rights,
      token: { jti: claims.jti, exp: claims.exp, sessionId: session.id, amr: session.amr },
      trace,
    }
  }

  function rightsIn({ id, isSuperAdmin }: PersonRow, active: ActiveStore | undefined) {
    if (active && isSuperAdmin) return EVERYTHING
    if (!active?.role) return deriveKeyRights([])
    return deriveMemberRights(active.role, queries.groupsOf(id, active.storeId))
  }

  /**
   * The table of spec §5.3. A super-admin may act for any store by its name; the header is not asked of him while he
   * belongs to any, of which the oldest is meant.
   *
   * @returns undefined where the route can do without.
   */
  function activeStore({ id, isSuperAdmin }: PersonRow, choice: StoreChoice): ActiveStore | undefined {
    const memberships = queries.membershipsOf(id)
    if (choice.slug !== undefined) {
      const membership = memberships.find(({ slug }) => slug === choice.slug)
      if (membership) return membership
      const store = isSuperAdmin ? queries.storeBySlug(choice.slug) : undefined
      if (!store) throw isSuperAdmin ? noSuchStore() : notAMember()
      return { storeId: store.id, role: null, lastUsedAt: null }
    }
    const [only] = memberships
    if (memberships.length === 1) return only
    if (choice.rule === 'never') return undefined
    if (isSuperAdmin && only) return memberships.reduce((a, b) => (b.joinedAt < a.joinedAt ? b : a), only)
    if (choice.rule === 'several' && (isSuperAdmin || memberships.length === 0)) return undefined
    if (memberships.length === 0 && !isSuperAdmin) {
      throw new ApiError('not_a_member', 'You belong to no store: ask for an invitation')
    }
    throw new ApiError('active_tenant_required', 'Name the store in the header X-Service-Active-Tenant', {
      details: { header: 'X-Service-Active-Tenant' },
    })
  }

  function touch(session: SessionRow, active: ActiveStore | undefined, trace: Trace): void {
    const now = clock.now()
    const isSessionDue = now - session.lastUsedAt >= TOUCH_MS
    const isStoreDue = active?.role && now - (active.lastUsedAt ?? 0) >= TOUCH_MS
    if ((!isSessionDue && !isStoreDue) || clock.monotonic() < touchPausedUntil) return
    try {
      deps.unsynced(() => {
        if (isSessionDue) sessions.touchSession(session.id, trace.address, now)
        if (isStoreDue) queries.touchMembership(session.userId, active.storeId, now)
      })
    } catch (err) {
      // On a full disk reading goes on.
      touchPausedUntil = clock.monotonic() + TOUCH_MS
      deps.log.warn({ err }, 'the use of a login could not be noted')
    }
  }

  return {
    /** @throws ApiError `unauthorized`, `active_tenant_required`, `not_a_member`, `ip_not_allowed`. */
    callerOfToken: (claims: Claims, choice: StoreChoice, trace: Trace): Caller =>
      claims.user_type === 'client' ? machine(claims, choice, trace) : person(claims, choice, trace),

    /** @throws ApiError `unauthorized`, `api_key_expired`, `not_a_member`, `ip_not_allowed`. */
    callerOfKey(text: string, choice: StoreChoice, trace: Trace): Caller {
      const key = apiKeys.find(text, clock.now())
      if (!key) throw signInFirst()
      if (key.state === 'expired') throw new ApiError('api_key_expired', 'The API key has expired')
      belongsTo(queries.credential(key.storeId)?.slug, choice)
      admitAddress(key.storeId, trace.address)
      apiKeys.touch(key.id, trace.address, clock.now())
      return {
        ...{
          kind: 'key',
          userId: null,
          keyId: key.id,
          storeId: key.storeId,
          role: null,
          isSuperAdmin: false,
        },
        ...deriveKeyRights(key.scopes),
        token: null,
        trace,
      }
    },
  }
}

interface ActiveStore {
  storeId: string
  /** null for a super-admin who is no member. */
  role: Role | null
  lastUsedAt: number | null
}

const noSuchStore = () => new ApiError('not_a_member', 'There is no store of that name')

const notAMember = () => new ApiError('not_a_member', 'This credential does not belong to that store')
