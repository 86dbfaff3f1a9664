import { calibrate } from '../../../core/calibrate.ts'
import type { Clock } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { selectAbove, selectTop } from '../../../core/select.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import type { SlotScores } from '../../../platform/vectors/scores.ts'
import type { Base } from '../../module.ts'
import type { IndexedStore, ProductIndex } from '../product-index/product-index.ts'
import type { DuplicateQueries, DuplicateQuery } from './queries.ts'

export interface DuplicatesDeps extends Pick<Base, 'log'> {
  queries: DuplicateQueries
  index: Pick<ProductIndex, 'findStore'>
  /** From the cosine of two pictures to their similarity, by the model of the store. */
  mapOf(storeId: string): LogisticMap
  /** The similarity from which on two pictures show the same product; null if the store does not want to know. */
  readThreshold(storeId: string): number | null
  /** Whether anybody is told of duplicates. */
  isAskedFor(storeId: string): boolean
  clock: Pick<Clock, 'monotonic'>
}

/** A search for products that the picture of a write resembles. It goes on until it is closed. */
export interface DuplicateScan {
  /** Finds the nearest product; joins the transaction of the write. */
  find(query: DuplicateQuery): { productId: string; imageUrl: string; similarity: number } | undefined
  close(): void
}

/** A picture that a write adds. */
interface AddedPicture {
  id: number
  vector: Float32Array
}

interface Watch {
  vector: Float32Array
  /** Of the model that made the vector. */
  map: LogisticMap
  threshold: number
  /** Similarities of the pictures that reach the threshold, by their ids. */
  near: Map<number, number>
}

/** Pictures that the precise pass compares. Variants and demo products among them are left out only afterwards. */
const NEAR_MAX = 256

/** A scan that waited longer is given up: the pictures that a write keeps would be swept before it used them. */
const WAIT_MS_MAX = 10_000

/** More than a scan's scores are ever off. */
const SCAN_ERROR = 0.005

export type DuplicatesService = ReturnType<typeof duplicatesService>

/**
 * Finds the product that a new picture is a copy of (contract 4.13).
 *
 * The index is scanned before the write's transaction, and the result is checked against the database inside. Other writes
 * may add pictures in between; each open scan learns of them from the writes themselves.
 */
export function duplicatesService(deps: DuplicatesDeps) {
  const { queries, index, mapOf, readThreshold, isAskedFor, clock, log } = deps
  const open = new Map<string, Set<Watch>>()
  // The scans of an import wait for each other here, so that the store's searches wait for one of them at most.
  const inTurn = createKeyedLock()

  function add(storeId: string, watch: Watch): void {
    const watches = open.get(storeId) ?? new Set()
    open.set(storeId, watches.add(watch))
  }

  function close(storeId: string, watch: Watch): void {
    const watches = open.get(storeId)
    watches?.delete(watch)
    if (watches?.size === 0) open.delete(storeId)
  }

  function compare(watch: Watch, id: number, cosine: number): void {
    const similarity = calibrate(cosine, watch.map)
    if (similarity >= watch.threshold) watch.near.set(id, similarity)
    else watch.near.delete(id)
  }

  function readScores({ segment }: IndexedStore, watch: Watch, { scores, tops }: SlotScores): void {
    const least = Math.max(-2, toCosine(watch.threshold, watch.map) - SCAN_ERROR)
    const above = selectAbove(scores, least, undefined, tops)
    const slots = above.length > NEAR_MAX ? selectTop(scores, NEAR_MAX, undefined, tops) : above
    const cosines = segment.rescore(watch.vector, slots)
    for (const [n, cosine] of cosines.entries()) compare(watch, segment.keyAt(slots[n] as number), cosine)
  }

  /** Compares the picture with all of the index, and opens the watch in the same tick. */
  async function scanIndex(storeId: string, watch: Watch, startedAt: number): Promise<void> {
    if (clock.monotonic() - startedAt > WAIT_MS_MAX) throw new Error('too many pictures wait')
    if (mapOf(storeId) !== watch.map) throw new Error('the store was switched to another model')
    const store = index.findStore(storeId)
    if (!store) return add(storeId, watch)
    await store.segment.score({ query: watch.vector }, (scores) => {
      readScores(store, watch, scores)
      add(storeId, watch)
    })
  }

  function find({ near }: Watch, query: DuplicateQuery): ReturnType<DuplicateScan['find']> {
    if (near.size === 0) return undefined
    const ids = [...near].sort(([a, likeA], [b, likeB]) => likeB - likeA || a - b).map(([id]) => id)
    const row = queries.findFirst(query, ids)
    if (!row) return undefined
    const { productId, imageUrl, pictureId } = row
    return { productId, imageUrl, similarity: round(near.get(pictureId) ?? 0) }
  }

  return {
    /**
     * Scans for pictures like that of a write, if somebody is told of the result.
     *
     * @returns a scan to close; undefined if nobody does, or while too many scans wait.
     */
    async scan(storeId: string, vector: Float32Array): Promise<DuplicateScan | undefined> {
      if (!isAskedFor(storeId)) return undefined
      const threshold = readThreshold(storeId)
      if (threshold === null) return undefined
      const watch: Watch = { vector, map: mapOf(storeId), threshold, near: new Map() }
      try {
        const startedAt = clock.monotonic()
        await inTurn(storeId, () => scanIndex(storeId, watch, startedAt))
      } catch (error) {
        // A write does not fail because its picture could not be compared.
        log.warn({ err: error, store_id: storeId }, 'a picture was not compared with those of other products')
        return undefined
      }
      return { find: (query) => find(watch, query), close: () => close(storeId, watch) }
    },

    /** Shows the pictures of a write, inside its transaction, to the scans that began before. */
    addPictures(storeId: string, pictures: readonly AddedPicture[]): void {
      const map = mapOf(storeId)
      for (const watch of open.get(storeId) ?? []) {
        // One from before the switch of the store to another model has nothing to compare.
        if (watch.map !== map) continue
        for (const { id, vector } of pictures) compare(watch, id, dot(watch.vector, vector))
      }
    },
  }
}

const toCosine = (similarity: number, { midpoint, slope }: LogisticMap): number =>
  midpoint + Math.log(similarity / (1 - similarity)) / slope

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, n) => sum + value * (b[n] as number), 0)

const round = (score: number): number => Math.round(score * 1e6) / 1e6
