import type { CallerStore } from '../../../core/actor.ts'
import { createBackoff } from '../../../core/backoff.ts'
import { findBlame } from '../../../core/blame.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { ReembeddingQueries, WaitingProduct } from './queries.ts'

export interface ReembeddingDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync' | 'reportFault'> {
  queries: ReembeddingQueries
  writer: Pick<ProductWriter, 'embedAgain'>
  findStore(id: string): CallerStore | undefined
  /** Whether the model can be used at all. */
  isModelReady(): boolean
}

/** Products that are embedded at a time. Their pictures are the last in every queue. */
const LANES = 4
/** Products of a store that are read ahead. */
const WINDOW = 32
/** The pause after a failure that no product is to blame for. */
const PAUSE_MS = 15_000
/** Pauses after the first, second and further failures of one product. */
const backoff = createBackoff({ waits: [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS] })
/** How long a count is used again, in ms. */
const COUNT_MS = 2_000

/** A store with products that wait. */
interface OpenStore {
  id: string
  window: WaitingProduct[]
  /** Row of the last product that was read. */
  after: number
}

/**
 * Embeds products again whose vectors are of another model than the one in use: after a new version of the program, or
 * with another `MODEL_DIR`. Stores take turns, and everything else goes first.
 *
 * Pending work is derived from the pictures table, so it resumes after a crash.
 */
export function reembeddingService(deps: ReembeddingDeps) {
  const { queries, writer, findStore, isModelReady, withoutFsync, reportFault, log, clock } = deps
  /** Stores in turn; undefined before the first poll. */
  let stores: OpenStore[] | undefined
  /** Rows of products in progress. */
  const busy = new Set<number>()
  const inFlight = new Set<Promise<void>>()
  const counts = new Map<string, { products: number; at: number }>()
  let done = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let pollAt = Number.NEGATIVE_INFINITY
  let isStopped = false

  /** Finds the stores with products that wait. Once there are none, there will be none: nothing embeds with an old model. */
  function poll(): OpenStore[] {
    if (stores && (stores.length > 0 || clock.monotonic() < pollAt)) return stores
    const ids = queries.listStores()
    if (ids.length > 0 && !stores) log.info({ stores: ids.length }, 'products wait to be embedded again')
    if (ids.length === 0 && done > 0) {
      log.info({ products: done }, 'all products are embedded with the present model')
      done = 0
    }
    // The products that are left have failed and wait for their next try.
    pollAt = ids.length === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + MINUTE_MS
    stores = ids.map((id) => ({ id, window: [], after: 0 }))
    return stores
  }

  function refill(store: OpenStore): void {
    if (store.window.length > 0) return
    store.window = queries.listWaiting(store.id, store.after, clock.now(), WINDOW)
    store.after = store.window.at(-1)?.id ?? store.after
  }

  function pick(): { store: CallerStore; product: WaitingProduct } | undefined {
    const open = poll()
    for (let next = open.shift(); next; next = open.shift()) {
      const store = findStore(next.id)
      if (!store) continue
      refill(next)
      const product = next.window.shift()
      // The next poll finds a store again that has no further product now.
      if (!product) continue
      open.push(next)
      if (!busy.has(product.id)) return { store, product }
    }
    return undefined
  }

  async function embed(store: CallerStore, product: WaitingProduct): Promise<void> {
    try {
      await writer.embedAgain(store, product.productId)
      if (product.tries > 0) withoutFsync(() => queries.forgetFailure(product.id))
      done++
    } catch (error) {
      judge(store, product, error)
    }
  }

  function pause(): void {
    pausedUntil = clock.monotonic() + PAUSE_MS
  }

  function judge({ id: storeId }: CallerStore, { id: product, tries }: WaitingProduct, error: unknown): void {
    if (isStopped) return
    const blame = findBlame(error)
    if (blame.on === 'storage') reportFault(blame.failure)
    if (blame.on !== 'program' && blame.on !== 'work') {
      pause()
      return
    }
    if (blame.on === 'program')
      log.error({ err: error, store_id: storeId }, 'a product could not be embedded again')
    const dueAt = clock.now() + backoff(tries)
    const code = blame.on === 'work' ? blame.failure.code : 'internal_error'
    try {
      withoutFsync(() => queries.noteFailure({ storeId, product, tries: tries + 1, dueAt, error: code }))
    } catch (fault) {
      reportFault(fault)
      pause()
    }
  }

  function wake(): void {
    while (!isStopped && busy.size < LANES && clock.monotonic() >= pausedUntil && isModelReady()) {
      const found = pick()
      if (!found) return
      const { store, product } = found
      busy.add(product.id)
      const work = embed(store, product)
        .finally(() => busy.delete(product.id))
        .then(turn)
        .then(wake)
        .catch((err) => log.error({ err }, 'embedding again failed'))
        .finally(() => inFlight.delete(work))
      inFlight.add(work)
    }
  }

  return {
    /** Embeds the products that wait. Call it every second; it costs nothing once every product is done. */
    wake,

    /** Waits until no product is in progress. */
    async drain(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },

    /**
     * The number of a store's products that searches may miss, because their vectors are of another model. Up to two
     * seconds old.
     */
    countWaiting(storeId: string): number {
      if (pollAt === Number.POSITIVE_INFINITY) return 0
      const known = counts.get(storeId)
      if (known && clock.monotonic() - known.at < COUNT_MS) return known.products
      const products = queries.countWaiting(storeId)
      counts.set(storeId, { products, at: clock.monotonic() })
      return products
    },

    /** Begins nothing any more. */
    stop(): void {
      isStopped = true
    },

    forgetStore(storeId: string): void {
      counts.delete(storeId)
      // The store may come back from elsewhere with pictures of another model.
      stores = undefined
      pollAt = Number.NEGATIVE_INFINITY
    },
  }
}
