import { DAY_MS, HOUR_MS, isoTime } from '../../../../core/clock.ts'
import { eachAlone } from '../../../../core/each-alone.ts'
import { ApiError } from '../../../../core/errors.ts'
import { turn } from '../../../../core/turns.ts'
import type { Embedder } from '../../../../platform/embedder/embedder.ts'
import type { Base } from '../../../module.ts'
import type { AnsweredSearch, UnmetPicture } from '../../search/history.ts'
import type { SearchRow } from '../../search/queries.ts'
import { isFirstPage } from '../keystroke-bursts.ts'
import { PLAUSIBLE } from '../search-counting.ts'
import { type Cluster, cluster, type Point, toBytes, toUnit } from './clusters.ts'
import type { UnmetPictures } from './pictures.ts'
import type { UnmetCluster, UnmetMap, UnmetQueries } from './unmet-queries.ts'
import { PRODUCT_WORDS } from './vocabulary.ts'

export interface DemandDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync'> {
  queries: UnmetQueries
  listCategories(storeId: string, limit: number): string[]
  /** That of the store's model. */
  embedderOf(storeId: string): Pick<Embedder, 'model' | 'embedText'>
  /** Days that the vectors are kept. */
  days: number
  pictures: Pick<UnmetPictures, 'isKept' | 'forgetSome'>
}

/** Searches of a store that are kept for the map. */
const SEARCHES_MAX = 5_000
/** How many more a store may have until the next night. */
const OVERHANG = 1_000
const CLUSTERS_SHOWN = 50
const EXAMPLES = 5
const WORDS_SHOWN = 3
const CATEGORIES_MAX = 256
const PRUNED_AT_ONCE = 500
const STEP_MS = 8

/** The age from which a map is drawn again: once a night. */
const MAP_AGE_MS = 23 * HOUR_MS

/** Vectors of words that are kept for all stores together: 500 take a megabyte. */
const VECTORS_MAX = 2_000

interface Word {
  name: string
  source: 'category' | 'word'
  vector: Float32Array
}

/** The demand map: groups the pictures for which a store had nothing. */
export function createDemand({
  queries,
  listCategories,
  embedderOf,
  clock,
  withoutFsync,
  days,
  pictures,
  log,
}: DemandDeps) {
  /** Kept searches of each store, as far as known. */
  const sizes = new Map<string, number>()

  const readWords = createWordReader(listCategories)

  async function draw(storeId: string, breathe: () => Promise<void>): Promise<void> {
    const embedder = embedderOf(storeId)
    const rows = queries.list(storeId, SEARCHES_MAX)
    const points = rows.map(
      ({ searchId, vector, score, createdAt }): Point => ({
        searchId,
        vector: new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength),
        score: score ?? 0,
        createdAt,
      }),
    )
    const clusters = points.length === 0 ? [] : (await cluster(points, breathe)).slice(0, CLUSTERS_SHOWN)
    const words = clusters.length === 0 ? [] : await readWords(storeId, embedder)
    const shown: UnmetCluster[] = []
    for (const found of clusters) {
      shown.push(describeCluster(found, words))
      await breathe()
    }
    const map = { searches: points.length, clusters: shown, computedAt: clock.now() }
    // Some of its searches may have been erased meanwhile.
    withoutFsync(() => queries.setMap(storeId, withoutGone(storeId, map)))
  }

  /** The map without deleted examples. */
  function withoutGone(storeId: string, map: UnmetMap): UnmetMap {
    const examples = map.clusters.flatMap(({ example_search_ids }) => example_search_ids)
    const present = queries.findPresent(storeId, examples)
    const clusters = map.clusters.map((found) => ({
      ...found,
      example_search_ids: found.example_search_ids.filter((id) => present.has(id)),
    }))
    return { ...map, clusters }
  }

  /** @returns false if the model is not ready or too busy. */
  async function tryToDraw(storeId: string, breathe: () => Promise<void>): Promise<boolean> {
    try {
      await draw(storeId, breathe)
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  return {
    /** Takes the picture of a search that belongs on the map. */
    takeUnmet(search: AnsweredSearch): UnmetPicture | undefined {
      const { vector, model, thumbnail, topScore, results, isTracked } = search
      const isUnmet = topScore === null ? results.length === 0 : topScore < PLAUSIBLE
      if (!vector || !isUnmet || !isTracked || !isFirstPage(search)) return undefined
      return { vector: toBytes(vector), model, ...(thumbnail && { thumbnail: Buffer.from(thumbnail) }) }
    },

    /** Keeps such a picture, in the transaction that writes the row of the search. */
    recordSearch(
      { id, storeId, topScore, createdAt }: SearchRow,
      { vector, model, thumbnail }: UnmetPicture,
    ): void {
      const size = sizes.get(storeId) ?? queries.count(storeId)
      if (size >= SEARCHES_MAX + OVERHANG) queries.prune(storeId, 0, SEARCHES_MAX, OVERHANG + 1)
      sizes.set(storeId, Math.min(size, SEARCHES_MAX) + 1)
      const kept = (pictures.isKept(storeId) && thumbnail) || null
      queries.add({ searchId: id, storeId, model, vector, thumbnail: kept, score: topScore, createdAt })
    },

    /**
     * Deletes searches that are too old and redraws each map that is a day old, in small steps. Call it every hour: a map waits
     * for the next call if the model is too busy.
     */
    async run(): Promise<void> {
      let begin = clock.monotonic()
      const breathe = async () => {
        if (clock.monotonic() - begin < STEP_MS) return
        await turn()
        begin = clock.monotonic()
      }
      const before = clock.now() - days * DAY_MS
      let hasTime = true
      async function renew(storeId: string): Promise<void> {
        const prune = () => queries.prune(storeId, before, SEARCHES_MAX, PRUNED_AT_ONCE)
        await repeat(() => withoutFsync(prune) === PRUNED_AT_ONCE)
        await repeat(
          () => withoutFsync(() => pictures.forgetSome(storeId, PRUNED_AT_ONCE)) === PRUNED_AT_ONCE,
        )
        sizes.delete(storeId)
        if (!hasTime) return
        const drawnAt = queries.findMap(storeId)?.computedAt
        const isDue = drawnAt === undefined ? queries.count(storeId) > 0 : clock.now() - drawnAt >= MAP_AGE_MS
        if (isDue) hasTime = await tryToDraw(storeId, breathe)
      }
      await eachAlone(queries.listStores(), renew, (err, storeId) =>
        log.error({ err, store_id: storeId }, 'the map of unmet demand of a store could not be drawn'),
      )
    },

    /** Deletes some searches. Call it in a transaction, and {@link cleanMap} after the last. */
    forgetSearches(storeId: string, searchIds: readonly string[]): void {
      queries.remove(storeId, searchIds)
      sizes.delete(storeId)
    },

    /** Removes deleted searches from the examples of a map. Call it in a transaction. */
    cleanMap(storeId: string): void {
      const map = queries.findMap(storeId)
      if (map) queries.setMap(storeId, withoutGone(storeId, map))
    },

    forgetStore: (storeId: string): void => void sizes.delete(storeId),
  }
}

/** Reads the vectors of the words that a map may say, and keeps them. */
function createWordReader(listCategories: DemandDeps['listCategories']) {
  /** By model and word. */
  const vectors = new Map<string, Float32Array | undefined>()

  /** @returns undefined for a word that the model does not know. */
  async function embed(
    embedder: Pick<Embedder, 'model' | 'embedText'>,
    name: string,
  ): Promise<Float32Array | undefined> {
    const key = `${embedder.model.hash} ${name}`
    if (vectors.has(key)) return vectors.get(key)
    const { vector, isUnknown } = await embedder.embedText(name, 'index')
    for (const oldest of vectors.keys()) {
      if (vectors.size < VECTORS_MAX) break
      vectors.delete(oldest)
    }
    const known = isUnknown ? undefined : vector
    vectors.set(key, known)
    return known
  }

  async function readWords(
    storeId: string,
    embedder: Pick<Embedder, 'model' | 'embedText'>,
  ): Promise<Word[]> {
    const names = [
      ...listCategories(storeId, CATEGORIES_MAX).map((name) => ({ name, source: 'category' as const })),
      ...PRODUCT_WORDS.map((name) => ({ name, source: 'word' as const })),
    ]
    const words: Word[] = []
    for (const { name, source } of names) {
      const vector = await embed(embedder, name)
      if (vector) words.push({ name, source, vector })
    }
    return words
  }

  return readWords
}

/** Does some work in a turn of its own as long as there is more. */
async function repeat(hasMore: () => boolean): Promise<void> {
  while (hasMore()) await turn()
}

function describeCluster({ sum, points }: Cluster, words: readonly Word[]): UnmetCluster {
  const mean = toUnit(new Int8Array(toBytes(sum)))
  const shows = words
    .map(({ name, source, vector }) => ({ name, source, cosine: round(dot(mean, vector)) }))
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, WORDS_SHOWN)
  // Newest first.
  const newest = points.toSorted((a, b) => b.createdAt - a.createdAt)
  const mean_best_score = round(points.reduce((total, { score }) => total + score, 0) / points.length)
  return {
    searches: points.length,
    mean_best_score,
    best_score: mean_best_score,
    shows,
    example_search_ids: newest.slice(0, EXAMPLES).map(({ searchId }) => searchId),
    last_searched_at: isoTime(newest[0]?.createdAt ?? 0),
  }
}

function dot(one: Float32Array, other: Float32Array): number {
  let total = 0
  for (let n = 0; n < one.length; n++) total += (one[n] as number) * (other[n] ?? 0)
  return total
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4
