import { deriveMemberRights, EVERYTHING, type Permission } from '../../../core/actor.ts'
import type { ApiKeyWithMaker } from './queries.ts'
import type { MakerState } from './schema.ts'

/** Derives who created a key, and whether that person may still act for the store. */
export function deriveMakerState({
  isByMachine,
  maker: { isSuperAdmin, role },
}: ApiKeyWithMaker): MakerState {
  if (isByMachine) return 'machine'
  return isSuperAdmin || role !== null ? 'person' : 'former_member'
}

/**
 * Derives what a key may do now: the part of its scopes that its maker holds in the store at this moment. A machine grant
 * and a super-admin hold everything; a former member holds nothing.
 */
export function deriveEffectiveScopes(row: ApiKeyWithMaker): Permission[] {
  const held = deriveMakerPermissions(row)
  return row.scopes.filter((scope) => held.has(scope))
}

function deriveMakerPermissions({ isByMachine, maker }: ApiKeyWithMaker): ReadonlySet<Permission> {
  if (isByMachine || maker.isSuperAdmin) return EVERYTHING.permissions
  return maker.role === null ? new Set() : deriveMemberRights(maker.role, maker.groups).permissions
}
