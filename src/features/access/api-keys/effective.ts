import { deriveMemberRights, EVERYTHING, type Permission } from '../../../core/actor.ts'
import type { MadeApiKeyRow } from './queries.ts'
import type { MakerState } from './schema.ts'

/** Who made a key, and whether that person may still act for the store. */
export function makerOf({ isByMachine, maker: { isSuperAdmin, role } }: MadeApiKeyRow): MakerState {
  if (isByMachine) return 'machine'
  return isSuperAdmin || role !== null ? 'person' : 'former_member'
}

/**
 * What a key may do now: those of its scopes that its maker holds in the store at this moment. A machine grant holds
 * everything, and so does a super-admin; somebody who has left the store holds nothing.
 */
export function effectiveScopes(row: MadeApiKeyRow): Permission[] {
  const held = permissionsOfMaker(row)
  return row.scopes.filter((scope) => held.has(scope))
}

function permissionsOfMaker({ isByMachine, maker }: MadeApiKeyRow): ReadonlySet<Permission> {
  if (isByMachine || maker.isSuperAdmin) return EVERYTHING.permissions
  return maker.role === null ? new Set() : deriveMemberRights(maker.role, maker.groups).permissions
}
