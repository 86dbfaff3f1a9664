import type { Actor, Caller } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { missingPermission, notFound } from '../../../core/errors.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import type { ReauthenticationService } from '../../access/reauthentication/service.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { StoreService } from '../stores/service.ts'
import type { DeletedStore, OwnStore, OwnStoreDeletion, OwnStorePatch } from './schema.ts'

export interface OwnStoreDeps {
  storeRows: Pick<StoreQueries, 'findStore'>
  stores: Pick<StoreService, 'rename' | 'planOwnDeletion'>
  people: Pick<PeopleQueries, 'findMember'>
  /** Asks a signed-in person for password and code. */
  reauthenticate: ReauthenticationService['reauthenticate']
}

export type OwnStoreService = ReturnType<typeof ownStoreService>

/** A store as those see it who manage it (contract 4.14). */
export function ownStoreService(deps: OwnStoreDeps) {
  const { storeRows, stores, people } = deps

  function show(storeId: string): OwnStore {
    const store = storeRows.findStore(storeId)
    if (!store) throw notFound('store')
    const { id, slug, name, plan } = store
    return { id, slug, name, plan }
  }

  /** While the password was hashed, the caller may have lost the role. @throws ApiError `permission_denied`. */
  function demandOwner({ storeId, userId, isSuperAdmin }: Actor): void {
    if (isSuperAdmin || people.findMember(storeId, userId ?? '')?.role === 'owner') return
    throw missingPermission('store:delete')
  }

  return {
    /** GET /v1/store. */
    show: ({ storeId }: Caller & { storeId: string }): OwnStore => show(storeId),

    /** PATCH /v1/store: another name; the slug stays, because addresses hold it. @throws ApiError `conflict`. */
    change(actor: Actor, { name }: OwnStorePatch, ifMatch: string | null = null): OwnStore {
      demandVersion(ifMatch, tagOf(show(actor.storeId)))
      if (name !== undefined)
        stores.rename(actor.storeId, name.trim(), (_, action, details) => describeAct(actor, action, details))
      return show(actor.storeId)
    },

    /**
     * DELETE /v1/store: suspends the store, and deletes it for good after 7 days.
     *
     * @throws ApiError `validation_error` for another slug or a wrong password, `conflict` if the deletion is planned
     * already, `requires_2fa`, `invalid_2fa`, `too_many_requests`.
     */
    delete: (actor: Actor, { confirm, ...shown }: OwnStoreDeletion): Promise<DeletedStore> =>
      deps.reauthenticate(actor, shown, () => {
        demandOwner(actor)
        const { id, slug, name, plan, suspendedAt, deleteAt } = stores.planOwnDeletion(actor, confirm)
        return {
          ...{ id, slug, name, plan, status: 'deletion_planned' },
          suspended_at: isoTimeOrNull(suspendedAt),
          delete_at: isoTime(deleteAt ?? 0),
        }
      }),
  }
}

/** The version of what a form about a store shows. */
export const tagOf = ({ name }: OwnStore): string => versionTag(name)
