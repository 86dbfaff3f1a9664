import type { Role } from '../../../core/actor.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface PersonRow {
  id: string
  email: string
  name: string
  passwordHash: string
  isSuperAdmin: boolean
}

export interface NewPerson extends PersonRow {
  /** Unix ms at which mailbox and password were proved to belong to one person; null if they were not. */
  provenAt: number | null
  createdAt: number
}

/** One store of a person. */
export interface MembershipRow {
  storeId: string
  slug: string
  name: string
  role: Role
  plan: PlanName
  /** Unix ms; null while the store works. */
  suspendedAt: number | null
  /** Unix ms. */
  joinedAt: number
  lastUsedAt: number | null
}

/** A member of a store. Times are Unix ms. */
export interface MemberRow {
  id: string
  email: string
  name: string
  role: Role
  hasTwoFactor: boolean
  /** null if the person never signed in. */
  lastSignInAt: number | null
  createdAt: number
  joinedAt: number
}

/** A store whose owner a person is. */
export interface OwnedStore {
  id: string
  slug: string
  name: string
}

/** A person for the operator's list. */
export interface ListedPerson {
  id: string
  email: string
  name: string
  isSuperAdmin: boolean
  hasTwoFactor: boolean
  /** Unix ms. */
  createdAt: number
  /** Unix ms; null if the person never signed in. */
  lastSignInAt: number | null
  stores: { slug: string; role: Role }[]
}

export type PeopleQueries = ReturnType<typeof peopleQueries>

type StoredPerson = Omit<PersonRow, 'isSuperAdmin'> & { isSuperAdmin: 0 | 1 }

/** A person with one of their stores. For a person without a store, the store's columns are null. */
type StoredPersonAndMembership = StoredPerson &
  (PrefixedMembership | { [Key in keyof PrefixedMembership]: null })

type StoredMember = Omit<MemberRow, 'hasTwoFactor'> & { hasTwoFactor: 0 | 1 }

type PrefixedMembership = Omit<MembershipRow, 'name'> & { storeName: string }

const PERSON = `users.id, users.email, users.name, users.password_hash AS passwordHash,
  users.is_super_admin AS isSuperAdmin`

const MEMBERSHIP = `stores.id AS storeId, stores.slug, role, stores.plan, stores.suspended_at AS suspendedAt,
  memberships.created_at AS joinedAt, memberships.last_used_at AS lastUsedAt`

const MEMBERS = `SELECT users.id, users.email, users.name, role, two_factor.enabled_at IS NOT NULL AS hasTwoFactor,
    last_login_at AS lastSignInAt, users.created_at AS createdAt, memberships.created_at AS joinedAt
  FROM memberships JOIN users ON users.id = memberships.user_id
    LEFT JOIN two_factor ON two_factor.user_id = users.id`

/** All SQL that writes people and their memberships. */
export function peopleQueries(db: Db) {
  const byId = db.prepare<[id: string], StoredPerson>(`SELECT ${PERSON} FROM users WHERE id = ?`)
  const byEmail = db.prepare<[email: string], StoredPerson>(`SELECT ${PERSON} FROM users WHERE email = ?`)
  const withMemberships = db.prepare<[id: string], StoredPersonAndMembership>(`
    SELECT ${PERSON}, ${MEMBERSHIP}, stores.name AS storeName
    FROM users LEFT JOIN memberships ON user_id = users.id LEFT JOIN stores ON stores.id = store_id
    WHERE users.id = ? ORDER BY stores.name, stores.slug`)
  const memberships = db.prepare<[userId: string], MembershipRow>(`
    SELECT ${MEMBERSHIP}, stores.name FROM memberships JOIN stores ON stores.id = store_id
    WHERE user_id = ? ORDER BY stores.name, stores.slug`)
  const owners = db.prepare<[storeId: string, limit: bigint], StoredPerson>(`
    SELECT ${PERSON} FROM memberships JOIN users ON users.id = user_id
    WHERE store_id = ? AND role = 'owner' ORDER BY memberships.created_at, email LIMIT ?`)
  const soleStores = db.prepare<[userId: string], { id: string }>(`
    SELECT store_id AS id FROM memberships AS own WHERE user_id = ? AND role = 'owner'
      AND NOT EXISTS (SELECT 1 FROM memberships WHERE store_id = own.store_id AND user_id <> own.user_id)`)
  const members = db.prepare<[storeId: string], StoredMember>(
    `${MEMBERS} WHERE store_id = ? ORDER BY memberships.created_at, email`,
  )
  const member = db.prepare<[storeId: string, userId: string], StoredMember>(
    `${MEMBERS} WHERE store_id = ? AND memberships.user_id = ?`,
  )
  const memberCounts = db.prepare<[storeId: string], { members: number; owners: number }>(`
    SELECT count(*) AS members, count(*) FILTER (WHERE role = 'owner') AS owners
    FROM memberships WHERE store_id = ?`)
  const provenAt = db.prepare<[userId: string], { provenAt: number | null }>(
    'SELECT proven_at AS provenAt FROM users WHERE id = ?',
  )
  const onlyOwned = db.prepare<[userId: string], OwnedStore>(`
    SELECT stores.id, slug, name FROM memberships AS own JOIN stores ON stores.id = own.store_id
    WHERE own.user_id = ? AND own.role = 'owner' AND NOT EXISTS (
      SELECT 1 FROM memberships WHERE store_id = own.store_id AND role = 'owner' AND user_id <> own.user_id)
    ORDER BY name, slug`)
  const ownedCount = db.prepare<[userId: string], { stores: number }>(`
    SELECT count(*) AS stores FROM memberships JOIN stores ON stores.id = store_id
    WHERE user_id = ? AND role = 'owner' AND erasing_at IS NULL`)
  const superAdmins = db.prepare<[], { count: number }>(
    'SELECT count(*) AS count FROM users WHERE is_super_admin = 1',
  )
  const allSuperAdmins = db.prepare<[limit: bigint], StoredPerson>(`
    SELECT ${PERSON} FROM users WHERE is_super_admin = 1 ORDER BY created_at, email LIMIT ?`)
  const everyone = db.prepare<[], StoredListing>(`
    SELECT users.id, email, users.name, is_super_admin AS isSuperAdmin, users.created_at AS createdAt,
      last_login_at AS lastSignInAt, two_factor.enabled_at IS NOT NULL AS hasTwoFactor, slug, role
    FROM users LEFT JOIN two_factor ON two_factor.user_id = users.id
      LEFT JOIN memberships ON memberships.user_id = users.id LEFT JOIN stores ON stores.id = store_id
    ORDER BY email, slug`)
  const insert = db.prepare(`
    INSERT INTO users (id, email, name, password_hash, is_super_admin, verified_at, proven_at, created_at)
    VALUES (@id, @email, @name, @passwordHash, @superAdmin, @createdAt, @provenAt, @createdAt)`)
  const insertMembership = db.prepare(
    'INSERT INTO memberships (user_id, store_id, role, created_at) VALUES (?, ?, ?, ?)',
  )
  const setRole = db.prepare('UPDATE memberships SET role = ? WHERE user_id = ? AND store_id = ?')
  const removeMembership = db.prepare('DELETE FROM memberships WHERE user_id = ? AND store_id = ?')
  const removePerson = db.prepare('DELETE FROM users WHERE id = ?')
  const setName = db.prepare('UPDATE users SET name = ? WHERE id = ?')
  const setEmail = db.prepare('UPDATE users SET email = ? WHERE id = ?')
  const prove = db.prepare('UPDATE users SET proven_at = @now WHERE id = @userId AND proven_at IS NULL')
  const setPassword = db.prepare('UPDATE users SET password_hash = ?, password_changed_at = ? WHERE id = ?')
  const rehash = db.prepare('UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?')
  const setSuperAdmin = db.prepare('UPDATE users SET is_super_admin = ? WHERE id = ?')
  const setLastSignIn = db.prepare('UPDATE users SET last_login_at = ? WHERE id = ?')
  const touch = db.prepare('UPDATE memberships SET last_used_at = ? WHERE user_id = ? AND store_id = ?')

  return {
    findPerson: (id: string): PersonRow | undefined => parseOptional(byId.get(id)),
    findPersonByEmail: (email: string): PersonRow | undefined => parseOptional(byEmail.get(email)),
    /** Finds a person with their stores, sorted by name. */
    findPersonWithMemberships(id: string): { person: PersonRow; memberships: MembershipRow[] } | undefined {
      const rows = withMemberships.all(id)
      const [first] = rows
      return first && { person: parsePerson(first), memberships: rows.flatMap(parseMembership) }
    },
    /** Lists the stores of a person, sorted by name. */
    listMemberships: (userId: string): MembershipRow[] => memberships.all(userId),
    /** Lists the owners of a store, the oldest members first. */
    listOwners: (storeId: string, limit: number): PersonRow[] =>
      owners.all(storeId, BigInt(limit)).map(parsePerson),
    /** Lists the ids of the stores that a person owns and that have no other member. */
    listSoleStoreIds: (userId: string): string[] => soleStores.all(userId).map(({ id }) => id),
    /** Lists every person of this install with their stores, sorted by address. */
    listPeople: (): ListedPerson[] => joinListings(everyone.all()),
    /** Lists the members of a store, the oldest first. */
    listMembers: (storeId: string): MemberRow[] => members.all(storeId).map(parseMember),
    findMember(storeId: string, userId: string): MemberRow | undefined {
      const row = member.get(storeId, userId)
      return row && parseMember(row)
    },
    countMembers: (storeId: string): number => memberCounts.get(storeId)?.members ?? 0,
    countOwners: (storeId: string): number => memberCounts.get(storeId)?.owners ?? 0,
    /** Whether mailbox and password are known to belong to one person. */
    isProven: (userId: string): boolean => (provenAt.get(userId)?.provenAt ?? null) !== null,
    /** Lists the super-admins of this install, the oldest accounts first. */
    listSuperAdmins: (limit: number): PersonRow[] => allSuperAdmins.all(BigInt(limit)).map(parsePerson),
    hasSuperAdmin: (): boolean => (superAdmins.get()?.count ?? 0) > 0,
    countSuperAdmins: (): number => superAdmins.get()?.count ?? 0,
    /** The number of stores that a person owns, alone or with others. */
    countOwnedStores: (userId: string): number => ownedCount.get(userId)?.stores ?? 0,
    /** Lists the stores that have no other owner than this person, sorted by name. */
    listOnlyOwnedStores: (userId: string): OwnedStore[] => onlyOwned.all(userId),

    addPerson: ({ isSuperAdmin, ...person }: NewPerson): void =>
      void insert.run({ ...person, superAdmin: isSuperAdmin ? 1 : 0 }),
    addMembership: (userId: string, storeId: string, role: Role, now: number): void =>
      void insertMembership.run(userId, storeId, role, now),
    setRole: (userId: string, storeId: string, role: Role): void => void setRole.run(role, userId, storeId),
    /** Ends a membership, and with it the person's groups in the store. @returns false if there was none. */
    removeMembership: (userId: string, storeId: string): boolean =>
      removeMembership.run(userId, storeId).changes > 0,
    /** Deletes a person with everything that is only about them. */
    removePerson: (userId: string): void => void removePerson.run(userId),
    setName: (userId: string, name: string): void => void setName.run(name, userId),
    /** @param email normalised. @throws SQLITE_CONSTRAINT_UNIQUE if somebody has it. */
    setEmail: (userId: string, email: string): void => void setEmail.run(email, userId),
    /** Notes that mailbox and password belong to one person. @returns false if that was already known. */
    provePerson: (userId: string, now: number): boolean => prove.run({ userId, now }).changes > 0,
    setSuperAdmin: (userId: string, isSuperAdmin: boolean): void =>
      void setSuperAdmin.run(isSuperAdmin ? 1 : 0, userId),
    setPassword: (userId: string, passwordHash: string, now: number): void =>
      void setPassword.run(passwordHash, BigInt(now), userId),
    /** Replaces the hash of the same password, unless the password has changed in the meantime. */
    replacePasswordHash: (userId: string, before: string, after: string): void =>
      void rehash.run(after, userId, before),
    setLastSignIn: (userId: string, now: number): void => void setLastSignIn.run(BigInt(now), userId),
    /** Notes when a person last acted for a store. */
    touchMembership: (userId: string, storeId: string, now: number): void =>
      void touch.run(BigInt(now), userId, storeId),
  }
}

const parsePerson = ({ id, email, name, passwordHash, isSuperAdmin }: StoredPerson): PersonRow => ({
  id,
  email,
  name,
  passwordHash,
  isSuperAdmin: isSuperAdmin === 1,
})

const parseMember = ({ hasTwoFactor, ...row }: StoredMember): MemberRow => ({
  ...row,
  hasTwoFactor: hasTwoFactor === 1,
})

type StoredListing = Omit<ListedPerson, 'isSuperAdmin' | 'hasTwoFactor' | 'stores'> &
  Record<'isSuperAdmin' | 'hasTwoFactor', 0 | 1> &
  ({ slug: string; role: Role } | { slug: null; role: null })

/** Joins the rows of one person, which stand together. */
function joinListings(rows: readonly StoredListing[]): ListedPerson[] {
  const people: ListedPerson[] = []
  for (const { slug, role, isSuperAdmin, hasTwoFactor, ...person } of rows) {
    let last = people.at(-1)
    if (last?.id !== person.id) {
      last = { ...person, isSuperAdmin: isSuperAdmin === 1, hasTwoFactor: hasTwoFactor === 1, stores: [] }
      people.push(last)
    }
    if (slug !== null) last.stores.push({ slug, role })
  }
  return people
}

const parseOptional = (row: StoredPerson | undefined) => row && parsePerson(row)

function parseMembership(row: StoredPersonAndMembership): MembershipRow[] {
  if (row.storeId === null) return []
  const { storeId, slug, storeName: name, role, plan, suspendedAt, joinedAt, lastUsedAt } = row
  return [{ storeId, slug, name, role, plan, suspendedAt, joinedAt, lastUsedAt }]
}
