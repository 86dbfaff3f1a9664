import {
  asCallerStore,
  type CallerStore,
  type ClientInfo,
  deriveKeyRights,
  deriveMemberRights,
  EVERYTHING,
  type Identity,
  isBoundByGroups,
  MACHINE_RIGHTS,
} from '../../../core/actor.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { storeNotHere } from '../../../core/move-errors.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { createTouch, type Use } from '../../../core/touch.ts'
import type { Claims } from '../../../http/access-tokens.ts'
import type { StoreChoice } from '../../../http/auth.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { MovedStore } from '../../stores/stores/move-queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { KeyCheck } from '../api-keys/key-check.ts'
import type { IpAllowlistService } from '../ip-allowlist/service.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import { type ActiveStore, findActiveStore, notAMember } from './active-store.ts'
import type { SignInQueries } from './queries.ts'
import type { PersonHolder, TokenHolders } from './token-holders.ts'

export interface CallerDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync'>, Reads {
  queries: Pick<SignInQueries, 'listGroups'>
  storeRows: Pick<
    StoreQueries,
    'findStoreBySlug' | 'findMoved' | 'findMovedBySlug' | 'findMovedByKey' | 'listMovedOfPerson'
  >
  people: Pick<PeopleQueries, 'touchMembership'>
  sessions: BufferedSessions
  holders: TokenHolders
  apiKeys: KeyCheck
  admitAddress: IpAllowlistService['admit']
}

/** Identifies the caller and the store to act for (contract 4.7, 4.8). */
export function callerService(deps: CallerDeps) {
  const { queries, storeRows, holders, apiKeys, clock, admitAddress } = deps
  const { together, recall, remember } = deps
  const touch = createTouch({ ...deps, name: 'a sign-in' })

  /** @throws ApiError `not_a_member` for a credential of one store that names another store. */
  function demandOwnStore(store: CallerStore, { slug }: StoreChoice): void {
    if (slug !== undefined && slug !== store.slug) throw notAMember()
  }

  function identifyMachine(claims: Claims, choice: StoreChoice, clientInfo: ClientInfo): Identity {
    const store = recall(() => {
      const found = holders.findStore(claims)
      if (!found) throw elsewhere(storeRows.findMoved(claims.sub))
      demandOwnStore(found, choice)
      admitAddress(found.id, clientInfo.address)
      return found
    })
    return {
      ...{ kind: 'machine', userId: null, keyId: null, ...actingFor(store), role: null, isSuperAdmin: false },
      ...MACHINE_RIGHTS,
      token: { jti: claims.jti, exp: claims.exp, sessionId: null, isPortal: false, amr: [] },
      clientInfo,
    }
  }

  /** @param claims of the token; a sign-in without one is not used by that. */
  function identifyPerson(
    findHolder: () => PersonHolder | undefined,
    choice: StoreChoice,
    clientInfo: ClientInfo,
    claims?: Claims,
  ): Identity {
    const { person, session, active, rights } = together(() => {
      const holder = findHolder()
      if (!holder) throw signInFirst()
      const active = findActiveStore(storeRows, holder, choice)
      // A store's IP list does not guard a person's own account: the person can end a thief's sign-ins from anywhere.
      if (active && (choice.rule === 'required' || choice.slug !== undefined)) {
        admitAddress(active.store.id, clientInfo.address)
      }
      return { ...holder, active, rights: deriveRights(holder.person, active) }
    })
    if (claims) touch(...listUses(deps, session, active, clientInfo))
    return {
      kind: 'person',
      userId: person.id,
      keyId: null,
      ...actingFor(active?.store),
      role: active?.role ?? null,
      isSuperAdmin: person.isSuperAdmin,
      ...rights,
      token: claims
        ? {
            jti: claims.jti,
            exp: claims.exp,
            sessionId: session.id,
            isPortal: session.jti === null,
            amr: session.amr,
          }
        : null,
      clientInfo,
    }
  }

  function deriveRights({ id, isSuperAdmin }: PersonRow, active: ActiveStore | undefined) {
    if (active && isSuperAdmin) return EVERYTHING
    if (!active?.role) return deriveKeyRights([])
    if (!isBoundByGroups(active.role)) return deriveMemberRights(active.role, [])
    const { id: storeId } = active.store
    const groups = remember(`groups ${id} ${storeId}`, () => queries.listGroups(id, storeId))
    return deriveMemberRights(active.role, groups)
  }

  return {
    /** @throws ApiError `unauthorized`, `active_tenant_required`, `not_a_member`, `store_not_here`, `ip_not_allowed`. */
    findCallerByToken: (claims: Claims, choice: StoreChoice, clientInfo: ClientInfo): Identity =>
      claims.user_type === 'client'
        ? identifyMachine(claims, choice, clientInfo)
        : identifyPerson(() => holders.findPerson(claims), choice, clientInfo, claims),

    refuseForeignToken: (clientId: string): ApiError => elsewhere(storeRows.findMoved(clientId)),

    /**
     * Finds the person of a sign-in, in a store, without a token: for what ends with the sign-in.
     *
     * @throws ApiError `unauthorized`, `not_a_member`, `store_not_here`, `ip_not_allowed`.
     */
    findCallerOfSession: ({ sessionId, userId, slug }: NamedSession, clientInfo: ClientInfo): Identity =>
      identifyPerson(
        () => holders.findPersonOfSession(sessionId, userId),
        { slug, rule: 'required' },
        clientInfo,
      ),

    /** @throws ApiError `unauthorized`, `api_key_expired`, `not_a_member`, `store_not_here`, `ip_not_allowed`. */
    findCallerByKey(text: string, choice: StoreChoice, clientInfo: ClientInfo): Identity {
      const key = recall(() => {
        const found = apiKeys.find(text, clock.now())
        if (!found) throw elsewhere(storeRows.findMovedByKey('api_key', hashSecret(text)))
        if (found.state === 'expired') throw new ApiError('api_key_expired', 'The API key has expired')
        demandOwnStore(found.store, choice)
        admitAddress(found.store.id, clientInfo.address)
        return found
      })
      apiKeys.touch(key, clientInfo.address)
      return {
        ...{
          kind: 'key',
          userId: null,
          keyId: key.id,
          ...actingFor(key.store),
          role: null,
          isSuperAdmin: false,
        },
        ...deriveKeyRights(key.scopes),
        token: null,
        clientInfo,
      }
    },
  }
}

interface NamedSession {
  sessionId: string
  userId: string
  slug: string
}

function listUses(
  { sessions, people }: Pick<CallerDeps, 'sessions' | 'people'>,
  session: SessionRow,
  active: ActiveStore | undefined,
  { address }: ClientInfo,
): Use[] {
  const { id, userId, lastUsedAt } = session
  const uses: Use[] = [{ lastAt: lastUsedAt, write: (now) => sessions.touchSession(id, address, now) }]
  // A super-admin may act for a store without being a member.
  if (active?.role) {
    const { store, lastUsedAt: lastAt } = active
    uses.push({ lastAt, write: (now) => people.touchMembership(userId, store.id, now) })
  }
  return uses
}

/** Refuses a credential that belongs to no store here. */
const elsewhere = (moved: MovedStore | undefined): ApiError =>
  moved ? storeNotHere(moved.slug, moved.url) : signInFirst()

const actingFor = (store: CallerStore | undefined): Pick<Identity, 'storeId' | 'store'> =>
  store ? { storeId: store.id, store: asCallerStore(store) } : { storeId: null, store: null }
