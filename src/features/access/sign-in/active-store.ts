import { asCallerStore, type CallerStore, type Role } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { storeNotHere } from '../../../core/move-errors.ts'
import type { StoreChoice } from '../../../http/auth.ts'
import type { MembershipRow } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { PersonHolder } from './token-holders.ts'

/** The store that a person acts for. */
export interface ActiveStore {
  store: CallerStore
  /** null for a super-admin who is no member. */
  role: Role | null
  lastUsedAt: number | null
}

/**
 * Follows the table of contract 4.7. A super-admin may name any store. A super-admin who belongs to stores needs no
 * header: without it, the oldest membership counts. A person whose every store is elsewhere learns where the first one is.
 *
 * @returns undefined if the route does not need a store.
 */
export function findActiveStore(
  storeRows: Pick<StoreQueries, 'findStoreBySlug' | 'findMovedBySlug' | 'listMovedOfPerson'>,
  { person: { id, isSuperAdmin }, memberships }: PersonHolder,
  choice: StoreChoice,
): ActiveStore | undefined {
  if (choice.slug !== undefined) {
    const membership = memberships.find(({ slug }) => slug === choice.slug)
    if (membership) return asMember(membership)
    const store = isSuperAdmin ? storeRows.findStoreBySlug(choice.slug) : undefined
    const moved = store ? undefined : storeRows.findMovedBySlug(choice.slug)
    if (moved) throw storeNotHere(moved.slug, moved.url)
    if (!store) throw isSuperAdmin ? noSuchStore() : notAMember()
    return { store, role: null, lastUsedAt: null }
  }
  const [only] = memberships
  if (memberships.length === 1 && only) return asMember(only)
  if (choice.rule === 'optional') return undefined
  if (isSuperAdmin && only) {
    return asMember(memberships.reduce((a, b) => (b.joinedAt < a.joinedAt ? b : a), only))
  }
  const [moved] = memberships.length === 0 ? storeRows.listMovedOfPerson(id) : []
  if (moved && choice.rule === 'required') throw storeNotHere(moved.slug, moved.url)
  if (choice.rule === 'if-ambiguous' && (isSuperAdmin || memberships.length === 0)) return undefined
  if (memberships.length === 0 && !isSuperAdmin) {
    throw new ApiError('not_a_member', 'You do not belong to a store: ask for an invitation')
  }
  throw new ApiError('active_tenant_required', 'Name the store in the header X-Service-Active-Tenant', {
    details: { header: 'X-Service-Active-Tenant' },
  })
}

function asMember({ storeId: id, role, lastUsedAt, ...store }: MembershipRow): ActiveStore {
  return { store: asCallerStore({ id, ...store }), role, lastUsedAt }
}

const noSuchStore = () => new ApiError('not_a_member', 'There is no store with that name')

export const notAMember = () => new ApiError('not_a_member', 'This credential does not belong to that store')
