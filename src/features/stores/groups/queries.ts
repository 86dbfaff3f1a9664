import type { Permission } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface GroupRow {
  id: string
  name: string
  permissions: Permission[]
  members: number
  /** Unix ms. */
  createdAt: number
}

export interface NewGroup {
  id: string
  storeId: string
  name: string
  /** The name without case and accents; unique in the store. */
  nameKey: string
  permissions: readonly Permission[]
  createdAt: number
}

type StoredGroup = Omit<GroupRow, 'permissions'> & { permissions: string }

export type GroupQueries = ReturnType<typeof groupQueries>

const GROUPS = `SELECT id, name, permission_names AS permissions, created_at AS createdAt,
    (SELECT count(*) FROM user_group_members WHERE group_id = user_groups.id) AS members
  FROM user_groups`

/** All SQL about groups of members. */
export function groupQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], StoredGroup>(`${GROUPS} WHERE store_id = ? ORDER BY name, id`)
  const byId = db.prepare<[storeId: string, id: string], StoredGroup>(
    `${GROUPS} WHERE store_id = ? AND id = ?`,
  )
  const byName = db.prepare<[storeId: string, nameKey: string], { id: string }>(
    'SELECT id FROM user_groups WHERE store_id = ? AND name_key = ?',
  )
  const count = db.prepare<[storeId: string], { groups: number }>(
    'SELECT count(*) AS groups FROM user_groups WHERE store_id = ?',
  )
  const insert = db.prepare(`
    INSERT INTO user_groups (id, store_id, name, name_key, permission_names, created_at)
    VALUES (@id, @storeId, @name, @nameKey, @permissions, @createdAt)`)
  const update = db.prepare(`
    UPDATE user_groups SET name = @name, name_key = @nameKey, permission_names = @permissions
    WHERE store_id = @storeId AND id = @id`)
  const remove = db.prepare('DELETE FROM user_groups WHERE store_id = ? AND id = ?')
  const members = db.prepare<[storeId: string], { userId: string; id: string; name: string }>(`
    SELECT user_id AS userId, user_groups.id, user_groups.name
    FROM user_groups JOIN user_group_members ON group_id = user_groups.id
    WHERE store_id = ? ORDER BY user_groups.name, user_groups.id`)
  const ofMember = db.prepare<[storeId: string, userId: string], { id: string; name: string }>(`
    SELECT user_groups.id, user_groups.name
    FROM user_groups JOIN user_group_members ON group_id = user_groups.id
    WHERE store_id = ? AND user_id = ? ORDER BY user_groups.name, user_groups.id`)
  const addMember = db.prepare('INSERT INTO user_group_members (group_id, user_id) VALUES (?, ?)')
  const removeMember = db.prepare(`
    DELETE FROM user_group_members
    WHERE user_id = ? AND group_id IN (SELECT id FROM user_groups WHERE store_id = ?)`)

  return {
    /** Lists the groups of a store, sorted by name. */
    list: (storeId: string): GroupRow[] => byStore.all(storeId).map(parse),
    find(storeId: string, id: string): GroupRow | undefined {
      const row = byId.get(storeId, id)
      return row && parse(row)
    },
    findIdByName: (storeId: string, nameKey: string): string | undefined => byName.get(storeId, nameKey)?.id,
    count: (storeId: string): number => count.get(storeId)?.groups ?? 0,
    add: (group: NewGroup): void =>
      void insert.run({ ...group, permissions: JSON.stringify(group.permissions) }),
    update: (group: Omit<NewGroup, 'createdAt'>): void =>
      void update.run({ ...group, permissions: JSON.stringify(group.permissions) }),
    remove: (storeId: string, id: string): void => void remove.run(storeId, id),
    /** Lists who is in which group of a store. */
    listMembers: (storeId: string) => members.all(storeId),
    listOfMember: (storeId: string, userId: string) => ofMember.all(storeId, userId),
    addMember: (groupId: string, userId: string): void => void addMember.run(groupId, userId),
    /** Takes a person out of every group of a store. */
    removeMember: (storeId: string, userId: string): void => void removeMember.run(userId, storeId),
  }
}

const parse = ({ permissions, ...row }: StoredGroup): GroupRow => ({
  ...row,
  permissions: JSON.parse(permissions),
})
