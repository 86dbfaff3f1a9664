import type { PlanName } from './plans.ts'

/** Permission names of spec §2.9. */
export const PERMISSIONS = [
  'products:read',
  'products:write',
  'products:delete',
  'products:bulk',
  'search:execute',
  'search:read',
  'search:write',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** Powers over the store itself. They come with a role, never with a group or an API key. */
export const STORE_POWERS = ['security:read', 'security:manage', 'keys:manage'] as const

export type StorePower = (typeof STORE_POWERS)[number]

/** Roles of a member (spec §5.6), the mightiest first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const

export type Role = (typeof ROLES)[number]

const every: ReadonlySet<Permission> = new Set(PERMISSIONS)

/** What a role may do with products and search when its bearer is in no group. */
const PERMISSIONS_OF_ROLE: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: every,
  admin: every,
  developer: new Set(PERMISSIONS.filter((permission) => permission !== 'products:delete')),
  viewer: new Set(['products:read', 'search:execute', 'search:read']),
}

const everyPower: ReadonlySet<StorePower> = new Set(STORE_POWERS)

const POWERS_OF_ROLE: Readonly<Record<Role, ReadonlySet<StorePower>>> = {
  owner: everyPower,
  admin: everyPower,
  developer: new Set(['security:read', 'keys:manage']),
  viewer: new Set(),
}

/** Where a request came from: what the audit log and the throttles know about it. */
export interface Trace {
  /** Address of the client, without a port; a trusted proxy's word is believed. */
  address: string
  requestId: string
  /** At most 200 characters. */
  userAgent: string | null
}

/** The access token a caller showed. */
export interface ShownToken {
  jti: string
  /** Unix seconds. */
  exp: number
  /** The sign-in it belongs to; null for a machine grant. */
  sessionId: string | null
  /** How the person signed in (RFC 8176): `pwd`, `otp`. */
  amr: readonly string[]
}

/** The store that a caller acts for, as it was when the credential was judged. */
export interface CallerStore {
  id: string
  slug: string
  name: string
  plan: PlanName
}

/** The four columns of a store's row that a caller carries. */
export const asCallerStore = ({ id, slug, name, plan }: CallerStore): CallerStore => ({
  id,
  slug,
  name,
  plan,
})

/** Who is calling, perhaps for no store in particular. */
export interface Caller {
  kind: 'machine' | 'person' | 'key'
  /** The person behind the call; null for a machine grant and an API key. */
  userId: string | null
  /** The API key that was shown. */
  keyId: string | null
  storeId: string | null
  store: CallerStore | null
  /** A person's role in the store; null for anything else, and for a super-admin who is no member. */
  role: Role | null
  isSuperAdmin: boolean
  permissions: ReadonlySet<Permission>
  powers: ReadonlySet<StorePower>
  token: ShownToken | null
  trace: Trace
}

/** Who is acting, and for which store (spec §5.3). */
export interface Actor extends Caller {
  storeId: string
  store: CallerStore
}

/** Whether the caller holds a permission, or a power over the store. */
export const may = ({ permissions, powers }: Caller, what: Permission | StorePower): boolean =>
  permissions.has(what as Permission) || powers.has(what as StorePower)

type Rights = Pick<Caller, 'permissions' | 'powers'>

/** A machine grant may do everything in its store (spec §5.6), and so may a super-admin in every store. */
export const EVERYTHING: Rights = { permissions: every, powers: everyPower }

/** Whether groups can narrow what a role may do. */
export const isBoundByGroups = (role: Role): boolean => role !== 'owner' && role !== 'admin'

/**
 * What a member may do (spec §5.6): an owner or an admin everything; others what their groups grant together, or what
 * their role grants when they are in no group.
 *
 * @param groups the permissions of each group of the store that the member is in.
 */
export function rightsOfMember(role: Role, groups: readonly (readonly Permission[])[]): Rights {
  const powers = POWERS_OF_ROLE[role]
  const isBound = isBoundByGroups(role) && groups.length > 0
  return { permissions: isBound ? new Set(groups.flat()) : PERMISSIONS_OF_ROLE[role], powers }
}

/** What an API key may do: its scopes, and nothing about the store itself. */
export const rightsOfKey = (scopes: readonly Permission[]): Rights => ({
  permissions: new Set(scopes),
  powers: new Set(),
})
