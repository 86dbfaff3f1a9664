import { type Actor, PERMISSIONS, type Permission } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fold } from '../../../core/text.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { GroupQueries, GroupRow } from './queries.ts'
import {
  type Group,
  type GroupBody,
  type GroupDeleted,
  type GroupName,
  type GroupPatch,
  PERMISSION_MEANINGS,
  type PermissionList,
} from './schema.ts'

export interface GroupDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: GroupQueries
}

export type GroupService = ReturnType<typeof groupService>

/** Groups of a store's members, and what they permit (contract 5.11). */
export function groupService({ queries, clock, ids, atomically, record }: GroupDeps) {
  /** @throws ApiError `not_found`, also for a group of another store. */
  function findOwned(storeId: string, id: string): GroupRow {
    const row = queries.find(storeId, id)
    if (!row) throw notFound('group')
    return row
  }

  /** @param ownId the group that may have the name already. @throws ApiError `conflict`. */
  function demandFreeName(storeId: string, nameKey: string, ownId?: string): void {
    const holder = queries.findIdByName(storeId, nameKey)
    if (holder !== undefined && holder !== ownId) {
      throw new ApiError('conflict', 'The store already has a group with this name', {
        details: { id: holder },
      })
    }
  }

  return {
    /** @throws ApiError `conflict` for a name that is taken, or when the store has the maximum number of groups. */
    create(actor: Actor, { name: typed, permission_names }: GroupBody): Group {
      const { storeId } = actor
      const group = {
        ...{ id: ids.uuid(), storeId, ...readName(typed) },
        permissions: inOrder(permission_names),
        createdAt: clock.now(),
      }
      return atomically(() => {
        if (queries.count(storeId) >= LIMITS.groupsPerStoreMax) throw tooManyGroups()
        demandFreeName(storeId, group.nameKey)
        queries.add(group)
        const { id, name, permissions } = group
        record(describeAct(actor, 'group.created', { id, name, permission_names: permissions }))
        return view({ ...group, members: 0 })
      })
    },

    /** Lists the groups of a store, sorted by name. */
    list: (storeId: string): Group[] => queries.list(storeId).map(view),

    /** @throws ApiError `not_found`. */
    read: (storeId: string, id: string): Group => view(findOwned(storeId, id)),

    /**
     * Changes the fields in the patch. New permissions hold from the next request of each member.
     *
     * @throws ApiError `not_found`, `conflict` for a name that is taken and for another version.
     */
    update: (
      actor: Actor,
      id: string,
      { name, permission_names }: GroupPatch,
      ifMatch: string | null = null,
    ): Group =>
      atomically(() => {
        const { storeId } = actor
        const before = findOwned(storeId, id)
        demandVersion(ifMatch, tagOf(view(before)))
        const after = {
          ...{ ...before, ...readName(name ?? before.name) },
          permissions: permission_names ? inOrder(permission_names) : before.permissions,
        }
        demandFreeName(storeId, after.nameKey, id)
        if (name === undefined && permission_names === undefined) return view(before)
        queries.update({ ...after, storeId })
        record(
          describeAct(actor, 'group.updated', {
            ...{ id, name: after.name },
            ...{ permission_names: after.permissions, before: before.permissions },
          }),
        )
        return view(after)
      }),

    /**
     * Deletes a group that nobody is in. Members would otherwise fall back to the rights of their role.
     *
     * @throws ApiError `not_found`, `conflict`.
     */
    remove: (actor: Actor, id: string): GroupDeleted =>
      atomically(() => {
        const { name, members } = findOwned(actor.storeId, id)
        if (members > 0) throw inUse(members)
        queries.remove(actor.storeId, id)
        record(describeAct(actor, 'group.deleted', { id, name }))
        return { status: 'deleted', id }
      }),

    /** Lists every permission that a group can grant. */
    listPermissions: (): PermissionList =>
      PERMISSIONS.map((name) => ({ name, description: PERMISSION_MEANINGS[name] })),

    /** Lists the groups of every member of a store, by the member's id. */
    listByMember(storeId: string): Map<string, GroupName[]> {
      const byMember = new Map<string, GroupName[]>()
      for (const { userId, ...group } of queries.listMembers(storeId)) {
        const groups = byMember.get(userId)
        if (groups) groups.push(group)
        else byMember.set(userId, [group])
      }
      return byMember
    },

    listOfMember: (storeId: string, userId: string): GroupName[] => queries.listOfMember(storeId, userId),

    /**
     * Puts a member into exactly these groups. Call it in a transaction.
     *
     * @throws ApiError `validation_error` for a group that the store does not have.
     */
    assign(storeId: string, userId: string, groupIds: readonly string[]): void {
      const unknown = groupIds.flatMap((id, n) => (queries.find(storeId, id) ? [] : [n]))
      if (unknown.length > 0) throw validationError(unknown.map(unknownGroup))
      queries.removeMember(storeId, userId)
      for (const id of new Set(groupIds)) queries.addMember(id, userId)
    },
  }
}

function readName(typed: string): { name: string; nameKey: string } {
  const name = typed.trim()
  return { name, nameKey: fold(name) }
}

/** Without repetitions, in the order of the contract. */
const inOrder = (permissions: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter((permission) => permissions.includes(permission))

const unknownGroup = (n: number) =>
  ({
    in: 'body',
    pointer: `/group_ids/${n}`,
    code: 'unknown',
    message: 'must be the id of a group of this store',
  }) as const

const tooManyGroups = () =>
  new ApiError('conflict', `A store may have ${LIMITS.groupsPerStoreMax} groups`, {
    details: { limit: LIMITS.groupsPerStoreMax },
  })

const inUse = (members: number) =>
  new ApiError(
    'conflict',
    'The group has members; take them out of it first, because without a group they have the rights of their role',
    { details: { member_count: members } },
  )

/** The version of what a form about a group shows. */
export const tagOf = ({ name, permission_names }: Group): string => versionTag([name, permission_names])

const view = ({ id, name, permissions, members, createdAt }: GroupRow): Group => ({
  id,
  name,
  permission_names: permissions,
  member_count: members,
  created_at: isoTime(createdAt),
})
