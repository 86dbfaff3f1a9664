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

/** Who is acting, and for which store. A machine grant may do everything (spec §5.6). */
export interface Actor {
  storeId: string
  /** The person behind the call; null for a machine grant. */
  userId: string | null
  permissions: ReadonlySet<Permission> | 'all'
}

/** Whether the actor holds the permission. */
export const may = (actor: Actor, permission: Permission): boolean =>
  actor.permissions === 'all' || actor.permissions.has(permission)
