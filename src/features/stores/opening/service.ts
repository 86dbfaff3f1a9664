import type { Actor, Caller, CallerStore } from '../../../core/actor.ts'
import { type DescribeStoreAct, describeAct, operatorAct } from '../../../core/audit.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { StoreService } from '../stores/service.ts'
import type { InviteService } from '../team/invites.ts'
import type { AdminStoreBody, OpenedStore, StoreBody, StoreWithInvite } from './schema.ts'
import { demandSlug, slugTaken } from './slug-rule.ts'

export interface OpeningDeps extends Pick<Base, 'atomically'> {
  storeRows: Pick<StoreQueries, 'findStoreBySlug'>
  stores: Pick<StoreService, 'create' | 'chooseSlug'>
  people: Pick<PeopleQueries, 'findPerson' | 'isProven' | 'countOwnedStores'>
  invites: Pick<InviteService, 'writeForOperator' | 'send'>
  readRegistrationMode(): 'open' | 'invite' | 'closed'
  /** The most stores that one person may own. */
  storesPerPerson: number
  /** The plan of a store by default. */
  plan: PlanName
}

export type OpeningService = ReturnType<typeof openingService>

/** Opens stores for people who have an account, and for people whom the operator invites (contract 5.16 and 8.10). */
export function openingService(deps: OpeningDeps) {
  const { storeRows, stores, people, invites, atomically } = deps

  /** @throws ApiError `conflict` for a slug that another store has. */
  function chooseSlug({ name, slug }: StoreBody): string {
    if (slug === undefined) return stores.chooseSlug(name)
    if (!storeRows.findStoreBySlug(slug)) return slug
    throw slugTaken(slug)
  }

  /** Adds a store. Nobody sees its first client secret; its people make a new one when they need it. */
  const add = (
    body: StoreBody,
    plan: PlanName,
    ownerId: string | undefined,
    by: DescribeStoreAct,
  ): CallerStore => stores.create({ name: body.name.trim(), slug: chooseSlug(body), plan, ownerId }, by).store

  /** @throws ApiError `permission_denied`, `account_not_verified`, `conflict`. */
  function demandRight({ userId, isSuperAdmin }: Caller): string {
    if (userId === null || !people.findPerson(userId)) throw signInFirst()
    if (isSuperAdmin) return userId
    const max = deps.storesPerPerson
    if (deps.readRegistrationMode() === 'closed' || max === 0) throw onlyTheOperator()
    if (!people.isProven(userId)) throw notProven()
    const owned = people.countOwnedStores(userId)
    if (owned >= max) throw tooManyStores(owned, max)
    return userId
  }

  return {
    /**
     * POST /v1/stores: a store of one's own.
     *
     * @throws ApiError `permission_denied` where only the operator opens stores, `account_not_verified`, `conflict` for too
     * many stores and for a slug that is taken, `validation_error`.
     */
    open: (caller: Caller, body: StoreBody): OpenedStore =>
      atomically(() => {
        demandSlug(body)
        const userId = demandRight(caller)
        const { id, slug, name, plan } = add(body, deps.plan, userId, (storeId, action, details) => ({
          ...describeAct(caller, action, details),
          storeId,
        }))
        return { id, slug, name, plan }
      }),

    /**
     * POST /v1/admin/stores: a store for somebody else, who is invited as its owner. Without an invitation there is no
     * store.
     *
     * @throws ApiError `conflict`, `validation_error`.
     */
    async openFor(
      caller: Caller,
      { owner_email, plan = deps.plan, ...body }: AdminStoreBody,
    ): Promise<StoreWithInvite> {
      demandSlug(body)
      const { store, written } = atomically(() => {
        const opened = add(body, plan, undefined, operatorAct(caller))
        const actor: Actor = { ...caller, storeId: opened.id, store: opened, role: null }
        return { store: opened, written: invites.writeForOperator(actor, owner_email) }
      })
      const { id, slug, name } = store
      return { id, slug, name, plan, invite: await invites.send(written) }
    },
  }
}

const onlyTheOperator = () =>
  new ApiError('permission_denied', 'Only the operator opens stores here; ask the operator for another one', {
    details: { registration: 'closed' },
  })

const notProven = () =>
  new ApiError(
    'account_not_verified',
    'Nobody has shown yet that this account belongs to the owner of its mailbox. Set a new password by mail (POST /oauth/password/forgot), then open the store',
    { details: { required: 'password_reset' } },
  )

const tooManyStores = (owned: number, limit: number) =>
  new ApiError(
    'conflict',
    `You own ${owned} stores, and one person may own ${limit} here; ask the operator for another one, or delete one of yours (DELETE /v1/store)`,
    { details: { limit } },
  )
