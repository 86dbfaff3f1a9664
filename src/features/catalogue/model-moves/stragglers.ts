import type { CallerStore } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { Work } from './lanes.ts'
import type { ModelMoveQueries } from './queries.ts'
import type { LackPlace } from './waiting-queries.ts'
import { createWalks } from './walks.ts'

export interface StragglersDeps extends Pick<Base, 'gate'> {
  clock: Clock
  queries: Pick<
    ModelMoveQueries,
    'findLacking' | 'findDueLacking' | 'listStores' | 'countLacking' | 'countTries' | 'isOnlyModel'
  >
  models: Pick<ModelSet, 'of' | 'inUse' | 'watch'>
  writer: Pick<ProductWriter, 'embedAgain'>
  findStore(id: string): CallerStore | undefined
  isStopped(): boolean
}

/** Products of a store that are read ahead. */
const WINDOW = 32
/** A count is used again for this time, in ms, or for so many times the time that it took. */
const COUNT_MS = 2_000
const COUNT_FACTOR = 100

/**
 * Finds products that lack a vector of the model of their store: those that a move could not embed, and all of a store whose
 * vectors are of a model that is gone.
 *
 * There is no list of them: each start looks through the pictures once, so a crash loses nothing.
 */
export function createStragglers({
  clock,
  queries,
  models,
  writer,
  findStore,
  isStopped,
  gate,
}: StragglersDeps) {
  /** Stores all of whose missing vectors have failed at least once. */
  const settled = new Set<string>()
  /** Stores that lack nothing. Whatever is written later comes with its vector. */
  const whole = new Set<string>()
  const counts = new Map<string, { products: number; until: number }>()
  let isFilled = false
  /** Whether no other model has ever made a vector here, so that nothing can lack one. */
  let isOnlyModel = queries.isOnlyModel(models.inUse.row)
  models.watch(({ row }) => {
    if (row !== models.inUse.row) isOnlyModel = false
  })
  const anyTries = { triesMax: Number.MAX_SAFE_INTEGER }

  const walks = createWalks<LackPlace>({
    findStore,
    gate,
    listStores: queries.listStores,
    begin: () => ({ other: 0, after: 0 }),
    refill(walk) {
      const { storeId, place } = walk
      if (!place) return
      const model = models.of(storeId).row
      const step = queries.findLacking({ storeId, model, now: clock.now(), ...anyTries }, place, WINDOW)
      walk.window = step.waiting
      walk.place = step.next
    },
    endPass({ storeId, found }) {
      if (found > 0) return 'again'
      settled.add(storeId)
      const at = queries.findDueLacking({ storeId, model: models.of(storeId).row, ...anyTries })
      if (at !== null) return { at }
      whole.add(storeId)
      return 'done'
    },
    now: clock.now,
    isStopped,
  })

  return {
    async next(): Promise<Work | undefined> {
      if (models.inUse.embedder.status().state !== 'ready') return undefined
      if (!isFilled) walks.fill()
      isFilled = true
      const turn = await walks.next()
      if (!turn) return undefined
      const { store, product, finished } = turn
      return {
        ...{ store, product, finished },
        model: models.of(store.id).row,
        embed: () => writer.embedAgain(store, product.productId),
      }
    },

    /**
     * The number of a store's products that searches by pictures miss, because their vectors are of another model. It may be
     * some seconds old.
     */
    countWaiting(storeId: string): number {
      if (isOnlyModel || whole.has(storeId)) return 0
      const known = counts.get(storeId)
      const start = clock.monotonic()
      if (known && start < known.until) return known.products
      const { row } = models.of(storeId)
      const products = settled.has(storeId)
        ? queries.countTries(storeId, row)
        : queries.countLacking(storeId, row)
      const now = clock.monotonic()
      counts.set(storeId, { products, until: now + Math.max(COUNT_MS, COUNT_FACTOR * (now - start)) })
      return products
    },

    /** Notes that a store has switched, all of whose missing vectors have failed. */
    noteSettled(storeId: string): void {
      settled.add(storeId)
      whole.delete(storeId)
      counts.delete(storeId)
    },

    /** Looks through all stores again, because another model is in use. */
    lookAgain(): void {
      walks.clear()
      whole.clear()
      counts.clear()
      isFilled = false
    },

    forgetStore(storeId: string): void {
      settled.delete(storeId)
      whole.delete(storeId)
      counts.delete(storeId)
      walks.forget(storeId)
      isFilled = false
      // It may come back from elsewhere with pictures of another model.
      isOnlyModel = queries.isOnlyModel(models.inUse.row)
    },
  }
}
