import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PERMISSIONS, type Permission } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'

const name = text({
  minLength: 1,
  maxLength: LIMITS.groupNameCharsMax,
  pattern: NAME,
  description: 'Unique in the store, whatever the case: one line, not only spaces.',
})

const permission_names = t.Array(oneOf(PERMISSIONS), {
  maxItems: 50,
  description: 'What the members of the group may do. An empty list permits nothing.',
})

/** Contract 5.11. */
export const GroupBody = named('UserGroupRequest', t.Object({ name, permission_names }), {
  name: 'Editors',
  permission_names: ['products:read', 'products:write'],
})
export type GroupBody = typeof GroupBody.static

export const GroupPatch = named(
  'UserGroupPatch',
  t.Object({
    name: t.Optional(name),
    permission_names: t.Optional(permission_names),
  }),
  { permission_names: ['products:read'] },
)
export type GroupPatch = typeof GroupPatch.static

export const GroupParams = t.Object({ id: t.String() })

export const Group = named(
  'UserGroup',
  t.Object({
    id: t.String(),
    name: t.String(),
    permission_names: t.Array(oneOf(PERMISSIONS)),
    member_count: Type.Integer(),
    created_at: Moment,
  }),
)
export type Group = typeof Group.static

export const GroupList = t.Array(Group)

export const GroupDeleted = named(
  'UserGroupDeleted',
  t.Object({ status: t.Literal('deleted'), id: t.String() }),
)
export type GroupDeleted = typeof GroupDeleted.static

/** A group as its members show it. */
export const GroupName = named('UserGroupName', t.Object({ id: t.String(), name: t.String() }))
export type GroupName = typeof GroupName.static

export const PermissionList = t.Array(t.Object({ name: oneOf(PERMISSIONS), description: t.String() }))
export type PermissionList = typeof PermissionList.static

/** The meaning of each permission (contract 4.8). */
export const PERMISSION_MEANINGS: Readonly<Record<Permission, string>> = {
  'products:read': 'Read products, jobs, feeds, exports and the feed of changes.',
  'products:write': 'Create and change products, and install the demo catalogue.',
  'products:delete': 'Delete products, one by one or by a filter.',
  'products:bulk': 'Index many products at once, import files, and manage feeds and jobs.',
  'search:execute': 'Search, by picture and by text.',
  'search:read': 'Read analytics, popular products, suggestions and webhooks.',
  'search:write': 'Send feedback, and manage webhooks.',
}
