import type { Actor, Role } from '../../../core/actor.ts'
import { ApiError, missingPermission, rateLimitExceeded } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { InviteQueries } from './queries.ts'

export interface RightsDeps {
  people: Pick<PeopleQueries, 'findMember' | 'countMembers'>
  queries: Pick<InviteQueries, 'countPending' | 'findPendingId'>
  limits: InviteLimits
}

/** How many people a store may bring in. */
export interface InviteLimits {
  /** Invitations by one store. */
  byStore: Throttle
  /** Invitations by one store to one address. */
  byStoreAndEmail: Throttle
  /** Invitations to one address by all stores. */
  byEmail: Throttle
}

export type Rights = ReturnType<typeof createRights>

/**
 * The rules about who may change a team, which hold inside the transaction of the change: while a body was read or a
 * password hashed, the actor may have lost the role.
 */
export function createRights({ people, queries, limits }: RightsDeps) {
  /** The role of the actor now; a super-admin acts as an owner. */
  const readRole = ({ isSuperAdmin, storeId, userId }: Actor): Role | undefined =>
    isSuperAdmin ? 'owner' : people.findMember(storeId, userId ?? '')?.role

  return {
    /** @throws ApiError `permission_denied`. */
    demandOwner(actor: Actor): void {
      actor.demandStill()
      if (readRole(actor) !== 'owner') throw missingPermission('team:invite')
    },

    /**
     * An admin cannot touch an owner, and cannot make one.
     *
     * @param roles the roles before and after the change. @throws ApiError `permission_denied`.
     */
    demandRankOver(actor: Actor, roles: readonly Role[]): void {
      actor.demandStill()
      const role = readRole(actor)
      if (role === 'owner') return
      if (role !== 'admin') throw missingPermission('team:manage')
      if (roles.includes('owner')) throw ownerNeeded()
    },

    /** @throws ApiError `conflict` when members and open invitations fill the store, `invite_exists`. */
    demandCapacityFor(storeId: string, email: string, now: number): void {
      const inviteId = queries.findPendingId(storeId, email, now)
      if (inviteId !== undefined) throw inviteExists(inviteId)
      const seats = people.countMembers(storeId) + queries.countPending(storeId, now)
      if (seats >= LIMITS.membersPerStoreMax) throw storeIsFull()
    },

    /** Counts a new person of a store. @throws ApiError `rate_limit_exceeded`. */
    count(storeId: string, email: string, now: number): void {
      for (const verdict of [
        limits.byStore.take(storeId, now),
        limits.byStoreAndEmail.take(`${storeId} ${email}`, now),
        limits.byEmail.take(email, now),
      ]) {
        if (!verdict.isAllowed) throw rateLimitExceeded('Too many invitations and new members', verdict)
      }
    },
  }
}

const ownerNeeded = () =>
  new ApiError(
    'permission_denied',
    'Missing required permission: only an owner may make, change or remove an owner',
    {
      details: { required: 'owner' },
    },
  )

const inviteExists = (invite_id: string) =>
  new ApiError('invite_exists', 'That person has already been invited', { details: { invite_id } })

const storeIsFull = () =>
  new ApiError(
    'conflict',
    `A store may have ${LIMITS.membersPerStoreMax} members, open invitations included`,
    { details: { limit: LIMITS.membersPerStoreMax } },
  )
