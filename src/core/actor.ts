import { ApiError } from './errors.ts'
import type { PlanName } from './plans.ts'

/** Permission names of contract 4.8. */
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

/** Powers over the store itself. Only a role grants them; groups and API keys never do. */
export const STORE_POWERS = [
  'security:read',
  'security:manage',
  'keys:manage',
  'team:invite',
  'team:manage',
  'billing:read',
  'billing:manage',
  'people:export',
  'store:delete',
] as const

export type StorePower = (typeof STORE_POWERS)[number]

/** Powers that only a person has: somebody must answer for who belongs to a store, what it spends and whom it tells about people. */
const POWERS_OF_PEOPLE: ReadonlySet<StorePower> = new Set<StorePower>([
  'team:invite',
  'team:manage',
  'billing:manage',
  'people:export',
  'store:delete',
])

/** Whether only a person can hold a right. */
export const needsPerson = (right: Permission | StorePower): boolean =>
  POWERS_OF_PEOPLE.has(right as StorePower)

/** Roles of a member (contract 4.8), most powerful first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const

export type Role = (typeof ROLES)[number]

const every: ReadonlySet<Permission> = new Set(PERMISSIONS)

/** Permissions that a role grants a member who is in no group. */
const PERMISSIONS_OF_ROLE: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: every,
  admin: every,
  developer: new Set(PERMISSIONS.filter((permission) => permission !== 'products:delete')),
  viewer: new Set(['products:read', 'search:execute', 'search:read']),
}

const everyPower: ReadonlySet<StorePower> = new Set(STORE_POWERS)

const POWERS_OF_ROLE: Readonly<Record<Role, ReadonlySet<StorePower>>> = {
  owner: everyPower,
  admin: everyPower.difference(new Set<StorePower>(['team:invite', 'people:export', 'store:delete'])),
  developer: new Set(['security:read', 'keys:manage', 'billing:read']),
  viewer: new Set(['billing:read']),
}

/** Origin of a request, for the audit log and the throttles. */
export interface ClientInfo {
  /** Client address without a port, taken from a trusted proxy's header where there is one. */
  address: string
  requestId: string
  /** At most 200 characters. */
  userAgent: string | null
}

/** The access token that a caller sent. */
export interface ShownToken {
  jti: string
  /** Unix seconds. */
  exp: number
  /** The sign-in it belongs to; null for a machine grant. */
  sessionId: string | null
  /** Whether that sign-in is one of the portal. */
  isPortal: boolean
  /** How the person signed in (RFC 8176): `pwd`, `otp`. */
  amr: readonly string[]
}

/** The store that a caller acts for, as it was when the credential was judged. */
export interface CallerStore {
  id: string
  slug: string
  name: string
  plan: PlanName
  /** Unix ms; null while the store works. */
  suspendedAt: number | null
}

/** The columns of a store's row that a caller carries. */
export const asCallerStore = ({ id, slug, name, plan, suspendedAt }: CallerStore): CallerStore => ({
  id,
  slug,
  name,
  plan,
  suspendedAt,
})

/** Whom a credential names, with what it lets them do at this moment; the call may concern no particular store. */
export interface Identity {
  kind: 'machine' | 'person' | 'key'
  /** The person behind the call; null for a machine grant and an API key. */
  userId: string | null
  /** The API key that the caller sent; null for other callers. */
  keyId: string | null
  storeId: string | null
  store: CallerStore | null
  /** A person's role in the store; null for other callers and for a super-admin who is not a member. */
  role: Role | null
  isSuperAdmin: boolean
  permissions: ReadonlySet<Permission>
  powers: ReadonlySet<StorePower>
  token: ShownToken | null
  clientInfo: ClientInfo
}

/** A check of what a caller may do. @throws ApiError for a caller who may not. */
export type RightCheck = (identity: Identity) => void

/**
 * Holds a caller to its rights for as long as its request lasts: a right may be withdrawn while a body arrives, a picture is
 * downloaded or a password is hashed.
 */
export interface Standing {
  /** Runs a check now, and again with every `demandStill`. */
  demand(check: RightCheck): void
  /**
   * Judges the caller once more if anything has changed since the last check. Call it after each wait, in the transaction
   * of the effect.
   *
   * @throws ApiError if the credential, or a check that was demanded, is refused now.
   */
  demandStill(): void
}

/** Whether a caller still has its right. @throws any error but an ApiError. */
export function isAllowedStill(standing: Standing): boolean {
  try {
    standing.demandStill()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

export interface Caller extends Identity, Standing {}

/** A caller that acts for a store (contract 4.7). */
export interface Actor extends Caller {
  storeId: string
  store: CallerStore
}

/** Whether the caller holds a permission or a power over the store. */
export const may = ({ permissions, powers }: Rights, right: Permission | StorePower): boolean =>
  permissions.has(right as Permission) || powers.has(right as StorePower)

type Rights = Pick<Identity, 'permissions' | 'powers'>

/** Rights of a super-admin in every store (contract 4.8). */
export const EVERYTHING: Rights = { permissions: every, powers: everyPower }

/** Rights of a machine grant in its store (contract 4.8). */
export const MACHINE_RIGHTS: Rights = {
  permissions: every,
  powers: everyPower.difference(POWERS_OF_PEOPLE),
}

/** Whether groups can narrow what a role may do. */
export const isBoundByGroups = (role: Role): boolean => role !== 'owner' && role !== 'admin'

/**
 * Rights of a member (contract 4.8). Owners and admins hold every permission. Anyone else holds the permissions of all
 * their groups together, or those of their role when they are in no group.
 *
 * @param groups the permissions of each group in this store that the member belongs to.
 */
export function deriveMemberRights(role: Role, groups: readonly (readonly Permission[])[]): Rights {
  const powers = POWERS_OF_ROLE[role]
  const isBound = isBoundByGroups(role) && groups.length > 0
  return { permissions: isBound ? new Set(groups.flat()) : PERMISSIONS_OF_ROLE[role], powers }
}

/** Rights of an API key: its scopes, and no power over the store itself. */
export const deriveKeyRights = (scopes: readonly Permission[]): Rights => ({
  permissions: new Set(scopes),
  powers: new Set(),
})
