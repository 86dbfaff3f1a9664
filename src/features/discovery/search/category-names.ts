import { calibrate } from '../../../core/calibrate.ts'
import { turn } from '../../../core/turns.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { StoreColumns } from '../../catalogue/product-index/columns.ts'
import type { SearchedStore } from './searched-store.ts'

/** How well a category's name fits a picture. */
export interface CategoryFit {
  /** Number of the category. */
  category: number
  cosine: number
}

/** How well the names of a store's categories fit a picture. */
export interface PictureCategories {
  /** Best first. */
  fits: CategoryFit[]
  /**
   * How well the model's words tell the store's own categories apart, 0 to 1: the share of its products whose category
   * name comes first for their picture, without what chance gives.
   */
  reliability: number
}

/** Categories of a store beyond these, the smallest, steer nothing. */
const NAMES_MAX = 256

/** Products whose pictures show how well names tell the categories apart; fewer than the least tell nothing. */
const SAMPLE = 512
const SAMPLE_MIN = 4

/** Vectors of all stores together. */
const BYTES_MAX = 32 * 1024 * 1024
const NAME_OVERHEAD_BYTES = 256

/** Names that are embedded at a time: searches come first in the model's queue, and others' texts need places in it. */
const AT_A_TIME = 16

/** After a failure the names are not asked for again so soon. */
const PAUSE_MS = 30_000

/** The share of the store's products that may change before the names are read again. */
const DRIFT = 0.1

interface NameVector {
  /** A number may go to another name. */
  name: string
  /** null for a name whose words the model does not know. */
  vector: Float32Array | null
}

/** The category names of one store. */
interface Shelf {
  columns: StoreColumns
  modelHash: string
  /** `columns.version()` when it was filled. */
  version: number
  /** By category number. */
  vectors: Map<number, NameVector>
  reliability: number
  bytes: number
}

/** Names that are being read. */
interface Reading extends Pick<Shelf, 'columns' | 'modelHash'> {
  work: Promise<void>
}

type NamingModel = Pick<Embedder, 'model' | 'embedText'>

export interface CategoryNamesDeps {
  /** That of the store's model. */
  embedderOf(storeId: string): NamingModel
  monotonic(): number
  bytesMax?: number
}

export type CategoryNames = ReturnType<typeof createCategoryNames>

/**
 * Keeps the text vectors of the category names of each store, and how well they tell the store's pictures apart. They are
 * read when a store's first query picture comes, beside the work on that picture, and later, when the store has changed,
 * in the background. The store searched longest ago is evicted for another.
 */
export function createCategoryNames({ embedderOf, monotonic, bytesMax = BYTES_MAX }: CategoryNamesDeps) {
  /** The store that was searched last comes last. */
  const shelves = new Map<string, Shelf>()
  const reading = new Map<string, Reading>()
  const failedAt = new Map<string, { modelHash: string; at: number }>()
  /** That of the store that is to be switched to another model next. */
  let coming: { storeId: string; shelf: Shelf } | undefined
  let held = 0

  function drop(storeId: string): void {
    held -= shelves.get(storeId)?.bytes ?? 0
    shelves.delete(storeId)
  }

  function keep(storeId: string, shelf: Shelf): void {
    drop(storeId)
    shelves.set(storeId, shelf)
    held += shelf.bytes
    for (const oldest of shelves.keys()) {
      if (held <= bytesMax || oldest === storeId) break
      drop(oldest)
    }
  }

  function findShelf(storeId: string, { columns }: SearchedStore): Shelf | undefined {
    const { hash } = embedderOf(storeId).model
    const isOf = (shelf: Shelf | undefined) => shelf?.columns === columns && shelf.modelHash === hash
    if (coming?.storeId === storeId && isOf(coming.shelf)) {
      const { shelf } = coming
      coming = undefined
      keep(storeId, shelf)
    }
    const shelf = shelves.get(storeId)
    return isOf(shelf) ? shelf : undefined
  }

  async function read(store: SearchedStore, embedder: NamingModel, known?: Shelf['vectors']): Promise<Shelf> {
    const { columns } = store
    const version = columns.version()
    const numbers = columns
      .listCategories()
      .sort((a, b) => columns.countIn(b) - columns.countIn(a))
      .slice(0, NAMES_MAX)
    const vectors = new Map<number, NameVector>()
    for (let start = 0; start < numbers.length; start += AT_A_TIME) {
      const some = numbers.slice(start, start + AT_A_TIME)
      const found = await Promise.all(
        some.map(async (number): Promise<NameVector> => {
          const name = columns.categories.getLabel(number)
          const before = known?.get(number)
          return before?.name === name ? before : { name, vector: await embedName(embedder, name) }
        }),
      )
      for (const [n, number] of some.entries()) vectors.set(number, found[n] as NameVector)
    }
    const reliability = await measureReliability(store, vectors)
    const bytes = vectors.size * (4 * embedder.model.dimension + NAME_OVERHEAD_BYTES)
    return { columns, modelHash: embedder.model.hash, version, vectors, reliability, bytes }
  }

  /** Only the last part of a path such as "Home > Lamps" names the kind. */
  async function embedName(embedder: NamingModel, name: string): Promise<Float32Array | null> {
    const leaf = name.split(/[>/|]/).at(-1)?.trim() || name
    const { vector, isUnknown } = await embedder.embedText(leaf.slice(0, 200), 'index')
    return isUnknown ? null : vector
  }

  /** Reads the names unless that is under way. Never rejects: without them pictures are searched without steering. */
  function refresh(storeId: string, store: SearchedStore): Promise<void> {
    const { columns } = store
    const embedder = embedderOf(storeId)
    const { hash } = embedder.model
    const running = reading.get(storeId)
    if (running?.columns === columns && running.modelHash === hash) return running.work
    const failed = failedAt.get(storeId)
    if (failed?.modelHash === hash && monotonic() - failed.at < PAUSE_MS) return Promise.resolve()
    const mine: Reading = { columns, modelHash: hash, work: Promise.resolve() }
    // The names as they were before a switch must not take the place of later ones.
    const isLatest = () => reading.get(storeId) === mine
    mine.work = read(store, embedder, findShelf(storeId, store)?.vectors)
      .then((shelf) => {
        if (!isLatest()) return
        keep(storeId, shelf)
        failedAt.delete(storeId)
      })
      .catch(() => void failedAt.set(storeId, { modelHash: hash, at: monotonic() }))
      .finally(() => {
        if (isLatest()) reading.delete(storeId)
      })
    reading.set(storeId, mine)
    return mine.work
  }

  return {
    /** Resolves when the store's names are known, or cannot be; changes of the store are read in the background. */
    async ready(storeId: string, store: SearchedStore): Promise<void> {
      const shelf = findShelf(storeId, store)
      if (!shelf) return refresh(storeId, store)
      const drift = Math.abs(store.columns.version() - shelf.version)
      if (drift > DRIFT * store.columns.countProducts()) void refresh(storeId, store)
    },

    /**
     * Reads the names for a store as it will be after its switch to another model, so that its first searches do not wait for
     * them. Never rejects.
     */
    async prepare(storeId: string, store: SearchedStore, embedder: NamingModel): Promise<void> {
      const shelf = await read(store, embedder).catch(() => undefined)
      coming = shelf && { storeId, shelf }
    },

    /** How well the names fit a picture; undefined where they are not known. */
    compare(storeId: string, store: SearchedStore, picture: Float32Array): PictureCategories | undefined {
      const shelf = findShelf(storeId, store)
      if (!shelf) return undefined
      shelves.delete(storeId)
      shelves.set(storeId, shelf)
      const fits = listPresent(shelf.vectors, store.columns).map(({ category, vector }) => ({
        category,
        cosine: dot(vector, picture),
      }))
      return { fits: fits.sort((a, b) => b.cosine - a.cosine), reliability: shelf.reliability }
    },

    forgetStore(storeId: string): void {
      drop(storeId)
      failedAt.delete(storeId)
      reading.delete(storeId)
      if (coming?.storeId === storeId) coming = undefined
    },

    /** Counts the bytes held now, of all stores together. */
    countBytes: (): number => held,
  }
}

/** The known names that products of the store have now. */
const listPresent = (vectors: ReadonlyMap<number, NameVector>, columns: StoreColumns) =>
  [...vectors].flatMap(([category, { name, vector }]) =>
    vector && columns.countIn(category) > 0 && columns.categories.getLabel(category) === name
      ? [{ category, vector }]
      : [],
  )

/** Categories that an answer names. */
const SHOWN = 5

/** A category that fits less is not shown. */
const SHOWN_SCORE_MIN = 0.2

/** The categories that a picture seems to show, best first, as an answer says them. */
export function describeCategories(
  { fits }: PictureCategories,
  columns: StoreColumns,
  calibration: Embedder['calibration'],
): { name: string; score: number }[] {
  return fits
    .slice(0, SHOWN)
    .map(({ category, cosine }) => ({
      name: columns.categories.getLabel(category),
      score: Math.round(1_000 * calibrate(cosine, calibration.text_image)) / 1_000,
    }))
    .filter(({ score }) => score >= SHOWN_SCORE_MIN)
}

/** How often a product's own category name comes first for its picture, in a sample over the store; see `reliability`. */
async function measureReliability(
  { segment, columns }: SearchedStore,
  vectors: ReadonlyMap<number, NameVector>,
): Promise<number> {
  const names = listPresent(vectors, columns)
  const known = new Set(names.map(({ category }) => category))
  const slots: number[] = []
  const step = Math.max(1, Math.floor(segment.slots / SAMPLE))
  for (let slot = 0; slot < segment.slots; slot += step) {
    if (columns.isFirst(slot) && known.has(columns.categoryAt(slot))) slots.push(slot)
  }
  if (names.length < 2 || slots.length < SAMPLE_MIN) return 0
  const own = slots.map((slot) => columns.categoryAt(slot))
  const best = new Float32Array(slots.length).fill(-Infinity)
  const first = new Float64Array(slots.length)
  for (const { category, vector } of names) {
    await turn()
    // Slots may be gone meanwhile; those score -Infinity, and a store that shrank is read again soon.
    const present = slots.filter((slot) => slot < segment.slots)
    const cosines = segment.rescore(vector, present)
    for (let n = 0; n < cosines.length; n++) {
      if (!((cosines[n] as number) > (best[n] as number))) continue
      best[n] = cosines[n] as number
      first[n] = category
    }
  }
  const right = own.filter((category, n) => first[n] === category).length / slots.length
  const chance = 1 / names.length
  return Math.max(0, (right - chance) / (1 - chance))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}
