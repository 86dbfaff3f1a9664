import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import type { Base } from '../../module.ts'
import type { GroupName } from '../groups/schema.ts'
import type { GroupService } from '../groups/service.ts'
import type { MemberRow, PeopleQueries } from '../people/queries.ts'
import type { InviteQueries } from './queries.ts'
import type { Rights } from './rights.ts'
import type { Member, MemberList, MemberPatch, MemberRemoved, User } from './schema.ts'

export interface MemberDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  queries: Pick<InviteQueries, 'cancelOfInviter'>
  people: Pick<PeopleQueries, 'findMember' | 'listMembers' | 'countOwners' | 'setRole' | 'removeMembership'>
  groups: Pick<GroupService, 'listByMember' | 'listOfMember' | 'assign'>
  rights: Rights
}

export type MemberService = ReturnType<typeof memberService>

/** The members of a store (contract 5.10). */
export function memberService(deps: MemberDeps) {
  const { queries, people, groups, rights, clock, atomically, record } = deps

  /** @throws ApiError `not_found`, also for a person of another store. */
  function findOwned(storeId: string, id: string): MemberRow {
    const row = people.findMember(storeId, id)
    if (!row) throw notFound('member')
    return row
  }

  const viewNow = (storeId: string, id: string): Member =>
    viewMember(findOwned(storeId, id), groups.listOfMember(storeId, id))

  function listRows(storeId: string): { row: MemberRow; groups: GroupName[] }[] {
    const byMember = groups.listByMember(storeId)
    return people.listMembers(storeId).map((row) => ({ row, groups: byMember.get(row.id) ?? [] }))
  }

  /** A store without an owner could never have one again. @throws ApiError `conflict`. */
  function demandAnotherOwner(storeId: string, { role }: MemberRow): void {
    if (role === 'owner' && people.countOwners(storeId) <= 1) {
      throw new ApiError('conflict', 'A store needs an owner: make another member an owner first')
    }
  }

  function setRole(actor: Actor, before: MemberRow, role: Member['role']): void {
    if (role === before.role) return
    const { storeId } = actor
    if (role !== 'owner') demandAnotherOwner(storeId, before)
    // Before the role changes, because only a pending invitation is found; nobody may return by their own invitation.
    queries.cancelOfInviter(storeId, before.id, clock.now())
    people.setRole(before.id, storeId, role)
  }

  return {
    /** Lists the members of a store, the oldest first. */
    list(storeId: string): MemberList {
      const members = listRows(storeId).map(({ row, groups: own }) => viewMember(row, own))
      return { members, count: members.length }
    },

    /** The same as an array of users. */
    listUsers: (storeId: string): User[] =>
      listRows(storeId).map(({ row, groups: own }) => viewUser(row, own)),

    /** @throws ApiError `not_found`. */
    read: viewNow,

    /**
     * Changes the role, or puts the member into exactly these groups. It holds from the member's next request.
     *
     * @throws ApiError `not_found`, `permission_denied` when an admin touches an owner or makes one, `conflict` for the last
     * owner and for another version, `validation_error` for a group that the store does not have.
     */
    change: (
      actor: Actor,
      id: string,
      { role, group_ids }: MemberPatch,
      ifMatch: string | null = null,
    ): Member =>
      atomically(() => {
        const { storeId } = actor
        const before = findOwned(storeId, id)
        rights.demandRankOver(actor, [before.role, role ?? before.role])
        demandVersion(ifMatch, tagOf(viewNow(storeId, id)))
        if (role === undefined && group_ids === undefined) return viewNow(storeId, id)
        if (role !== undefined) setRole(actor, before, role)
        if (group_ids !== undefined) groups.assign(storeId, id, group_ids)
        const after = viewNow(storeId, id)
        record(
          describeAct(actor, 'member.changed', {
            ...{ id, email: before.email, role_before: before.role, role: after.role },
            ...(group_ids && { group_ids: after.groups.map((group) => group.id) }),
          }),
        )
        return after
      }),

    /**
     * Ends a membership at once: the person's sign-ins lose the store, the API keys that the person made lose every
     * permission, and the person's open invitations are cancelled. The account stays.
     *
     * @throws ApiError `not_found`, `permission_denied` when an admin removes an owner, `conflict` for the last owner.
     */
    remove: (actor: Actor, id: string): MemberRemoved =>
      atomically(() => {
        const { storeId } = actor
        const row = findOwned(storeId, id)
        rights.demandRankOver(actor, [row.role])
        demandAnotherOwner(storeId, row)
        queries.cancelOfInviter(storeId, id, clock.now())
        people.removeMembership(id, storeId)
        record(describeAct(actor, 'member.removed', { id, email: row.email, role: row.role }))
        return { status: 'removed', id }
      }),
  }
}

/** The version of what a form about a member shows. */
export const tagOf = ({ role, groups }: Member): string => versionTag([role, groups.map(({ id }) => id)])

export const viewUser = (row: MemberRow, groups: GroupName[]): User => ({
  ...{ id: row.id, email: row.email, full_name: row.name, role: row.role, groups },
  two_factor_enabled: row.hasTwoFactor,
  last_login_at: row.lastSignInAt === null ? null : isoTime(row.lastSignInAt),
  created_at: isoTime(row.createdAt),
})

const viewMember = (row: MemberRow, groups: GroupName[]): Member => ({
  ...viewUser(row, groups),
  joined_at: isoTime(row.joinedAt),
})
