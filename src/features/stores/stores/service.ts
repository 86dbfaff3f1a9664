import { asCallerStore, type CallerStore } from '../../../core/actor.ts'
import { type DescribeStoreAct, type Operator, operatorAct } from '../../../core/audit.ts'
import { isoTimeOrNull } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { findFreeSlug } from '../../../core/slugs.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import { type LifecycleDeps, storeLifecycle } from './lifecycle.ts'
import type { MoveState } from './move-queries.ts'
import type { StoreQueries, StoreState } from './queries.ts'

export interface StoreDeps extends LifecycleDeps, Pick<Base, 'ids'> {
  rows: StoreQueries
  people: Pick<PeopleQueries, 'listOwners' | 'addMembership'>
  /** Deletes what lets people and programs into a store. */
  removeCredentials(storeId: string): void
}

export interface NewStore {
  /** An id that the caller has used already; by default a new one. */
  id?: string | undefined
  name: string
  /** Valid and free; by default derived from the name. */
  slug?: string | undefined
  plan: PlanName
  /** The owner; without one the store waits for the person whom the operator has invited. */
  ownerId?: string | undefined
}

/** A store for the operator's list. */
export interface ListedStore {
  store_id: string
  slug: string
  name: string
  plan: PlanName
  products: number
  client_id: string
  /** The e-mail addresses of its first owners. */
  owners: string[]
  suspended_at: string | null
  suspended_reason: string | null
  /** When it is deleted for good; null if that is not planned. */
  delete_at: string | null
}

const OWNERS_LISTED = 10
const CLIENT_SECRET_BYTES = 32

export type StoreService = ReturnType<typeof storeService>

/**
 * Creates stores, moves them to another plan, suspends and resumes them, renews their client secrets and plans their
 * deletion. A function that takes the id of a store throws ApiError `not_found` if there is none.
 */
export function storeService(deps: StoreDeps) {
  const { rows, people, clock, ids, atomically, record } = deps
  const lifecycle = storeLifecycle(deps)

  /** @throws OperatorError */
  function requireBySlug(slug: string): CallerStore {
    const store = rows.findStoreBySlug(slug)
    if (!store) throw new OperatorError(`There is no store "${slug}"; lookalike store list shows them all`)
    return asCallerStore(store)
  }

  const chooseSlug = (name: string): string =>
    findFreeSlug(name, (slug) => !rows.findStoreBySlug(slug) && !rows.findMovedBySlug(slug), ids.uuid)

  /**
   * Replaces the client secret, which ends the old one and the tokens issued with it. Call it in a transaction.
   *
   * @param keptJti the one token of the old secret that stays valid; null for none.
   * @returns the new secret, which is not stored.
   */
  function replaceSecret(storeId: string, keptJti: string | null = null): string {
    const secret = ids.secret(CLIENT_SECRET_BYTES)
    rows.replaceClientSecret(storeId, hashSecret(secret), keptJti, clock.now())
    return secret
  }

  /** @throws ApiError `conflict` for a slug that names a store on another node. */
  function demandHere(slug: string): void {
    const moved = rows.findMovedBySlug(slug)
    if (moved) throw slugIsElsewhere(slug, moved.url)
  }

  return {
    ...lifecycle,
    requireBySlug,
    demandHere,
    chooseSlug,
    replaceSecret,

    /**
     * Creates a store with its owner and its machine grant. Call it in a transaction, after the owner has been added.
     *
     * @returns the store with its first client secret, which is not stored.
     */
    create(
      { id = ids.uuid(), name, slug = chooseSlug(name), plan, ownerId }: NewStore,
      by: DescribeStoreAct,
    ): { store: CallerStore; clientSecret: string } {
      demandHere(slug)
      const store = { id, slug, name, plan }
      const clientSecret = ids.secret(CLIENT_SECRET_BYTES)
      const createdAt = clock.now()
      rows.addStore({ ...store, clientSecretHash: hashSecret(clientSecret), createdAt })
      if (ownerId !== undefined) people.addMembership(ownerId, store.id, 'owner', createdAt)
      record(by(store.id, 'store.created', { slug, plan }))
      return { store: { ...store, suspendedAt: null }, clientSecret }
    },

    /** Lists every store, sorted by slug. */
    list: (): ListedStore[] =>
      rows.listStates().map(({ id, slug, name, plan, suspendedAt, suspendedReason, deleteAt }) => ({
        store_id: id,
        slug,
        name,
        plan,
        products: rows.countProducts(id),
        client_id: id,
        owners: people.listOwners(id, OWNERS_LISTED).map(({ email }) => email),
        suspended_at: isoTimeOrNull(suspendedAt),
        suspended_reason: suspendedReason,
        delete_at: isoTimeOrNull(deleteAt),
      })),

    /** Moves a store to another plan (contract 6.1). */
    setPlan: (storeId: string, plan: PlanName, by: DescribeStoreAct): StoreState =>
      atomically(() => {
        const before = lifecycle.find(storeId)
        lifecycle.demandUnpaused(storeId)
        rows.setPlan(storeId, plan)
        record(by(storeId, 'store.plan_changed', { before: before.plan, after: plan }))
        return { ...before, plan }
      }),

    /** Gives a store another name; the slug stays, because addresses hold it. */
    rename: (storeId: string, name: string, by: DescribeStoreAct): StoreState =>
      atomically(() => {
        const before = lifecycle.find(storeId)
        if (name === before.name) return before
        lifecycle.demandUnpaused(storeId)
        rows.rename(storeId, name)
        record(by(storeId, 'store.renamed', { before: before.name, after: name }))
        return { ...before, name }
      }),

    /**
     * Takes down where a store stands on its way to another node. `moved` hides it: from then on everything that names it is
     * answered with the address. Only {@link StoreService.comeBack} ends that. Call it in a transaction.
     *
     * @param movedTo the base address of the other node, for `moved`.
     * @throws ApiError `not_found` if the store is gone, or elsewhere.
     */
    setMoveState(storeId: string, to: MoveState | null, movedTo?: string): void {
      if (to !== 'moved') {
        if (!rows.setMoveState(storeId, to)) throw notFound('store')
        return
      }
      if (!rows.leave(storeId, requireAddress(movedTo), clock.now())) throw notFound('store')
      deps.removeCredentials(storeId)
    },

    /**
     * Shows a store again that had moved away and whose rows have come back: nothing says any more that it is elsewhere. Call
     * it in a transaction.
     *
     * @param suspendedAt since when it is suspended; null for a store that works.
     * @returns whether it had moved away from here.
     */
    comeBack: (storeId: string, suspendedAt: number | null = null): boolean =>
      rows.comeBack(storeId, suspendedAt),

    /** Gives a store a new client secret for the operator. The old one and its access tokens end. */
    renewSecret: (storeId: string, by: Operator): string =>
      atomically(() => {
        const secret = replaceSecret(storeId)
        record(operatorAct(by)(storeId, 'client_secret.rotated', {}))
        return secret
      }),
  }
}

/** @throws TypeError for what a client could not follow. */
function requireAddress(url: string | undefined): string {
  const { protocol, origin, pathname } = new URL(url ?? '')
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`${url} is no address of a node`)
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** A slug that names a store elsewhere is taken: links and proxies would go astray. */
const slugIsElsewhere = (slug: string, url: string): ApiError =>
  new ApiError(
    'conflict',
    `The slug ${slug} belongs to a store that has moved to ${url}: choose another slug`,
    {
      details: { url },
    },
  )
