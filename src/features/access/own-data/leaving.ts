import type { Caller } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { ApiError, notFound, signInFirst } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { Left } from './schema.ts'

export interface LeavingDeps extends Pick<Base, 'atomically' | 'record'> {
  people: Pick<PeopleQueries, 'listMemberships' | 'countOwners' | 'removeMembership'>
}

/** Lets people leave their stores. */
export const createLeaving = ({ people, atomically, record }: LeavingDeps) => ({
  /**
   * Takes the caller out of a store and its groups. API keys that the caller made there stay, without any right.
   *
   * @param store id or slug.
   * @throws ApiError `not_found` for a store that the caller is no member of, `conflict` for its last owner.
   */
  leave: (caller: Caller, store: string): Left =>
    atomically(() => {
      const { userId } = caller
      if (userId === null) throw signInFirst()
      const own = people.listMemberships(userId)
      // A slug may look like the id of another store.
      const found = own.find(({ storeId }) => storeId === store) ?? own.find(({ slug }) => slug === store)
      if (!found) throw notFound('membership')
      const { storeId, slug, name, role } = found
      const left = { id: storeId, slug, name }
      if (role === 'owner' && people.countOwners(storeId) === 1) throw lastOwner(left)
      people.removeMembership(userId, storeId)
      record({ ...describeAct(caller, 'membership.left', { role }), storeId })
      return { status: 'left', store: left }
    }),
})

const lastOwner = (store: Left['store']): ApiError =>
  new ApiError(
    'conflict',
    `You are the only owner of ${store.slug}: make another member an owner first, or ask the operator to delete the store`,
    { details: { reason: 'last_owner', stores: [store] } },
  )
