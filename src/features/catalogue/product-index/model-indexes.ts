import type { Db } from '../../../platform/db/open.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { VectorArena } from '../../../platform/vectors/arena.ts'
import { createProductIndex, type IndexEntry, type ProductIndex as OneIndex } from './product-index.ts'
import { type ProductIndexQueries, productIndexQueries } from './queries.ts'

/** The index of the stores of one model. */
export interface ModelIndex {
  model: ServingModel
  index: OneIndex
  queries: ProductIndexQueries
}

export interface ModelIndexesDeps {
  db: Db
  now(): number
  models: Pick<ModelSet, 'of' | 'listRunning'>
  /** The most memory of all vectors together. */
  memoryBytesMax: number
  /** @param readBytesMax the most memory of this arena at the time. */
  createArena(dimension: number, readBytesMax: () => number): VectorArena
}

/** A store's segment of the model that it is moving to. */
interface Coming {
  into: ModelIndex
  /** Whether all pictures are in it. */
  isWhole: boolean
}

export type ModelIndexes = ReturnType<typeof createModelIndexes>

/**
 * One index for each model behind one face: each call goes to the index of the model that the store is on.
 *
 * While a store moves, it has a second, coming segment in the index of the other model, and writes reach both. An index that
 * the last store has left is dropped with its memory.
 */
export function createModelIndexes({ db, now, models, memoryBytesMax, createArena }: ModelIndexesDeps) {
  const opened = new Map<number, ModelIndex & { arena: VectorArena }>()
  const coming = new Map<string, Coming>()

  /** What all arenas take together, up to the one limit. */
  const countBytes = () => [...opened.values()].reduce((sum, { arena }) => sum + arena.memoryBytes, 0)

  function open(model: ServingModel): ModelIndex & { arena: VectorArena } {
    const known = opened.get(model.row)
    if (known) return known
    const { dimension } = model.embedder.model
    const arena: VectorArena = createArena(dimension, () => memoryBytesMax - countBytes() + arena.memoryBytes)
    const made = {
      model,
      arena,
      index: createProductIndex(arena, now),
      queries: productIndexQueries(db, model.row),
    }
    opened.set(model.row, made)
    return made
  }

  const of = (storeId: string): OneIndex => open(models.of(storeId)).index
  const comingOf = (storeId: string): OneIndex | undefined => coming.get(storeId)?.into.index

  /** Drops the indexes that no store is in, with their threads and their memory. */
  function release(): void {
    for (const [row, { arena, index }] of opened) {
      if (!index.isEmpty() || opened.size === 1) continue
      arena.close()
      opened.delete(row)
    }
  }

  function dropComing(storeId: string): void {
    comingOf(storeId)?.removeStore(storeId)
    if (coming.delete(storeId)) release()
  }

  return {
    open,

    /** The index that answers for a store. */
    of,

    /**
     * Begins a store's coming segment, which writes reach from now on.
     *
     * @returns it, to be filled; `isWhole` is set once it is.
     */
    beginComing(storeId: string, model: ServingModel): Coming {
      dropComing(storeId)
      const begun = { into: open(model), isWhole: false }
      coming.set(storeId, begun)
      return begun
    },

    /** Whether this is still the coming segment of the store. */
    isComing: (storeId: string, begun: Coming): boolean => coming.get(storeId) === begun,

    /** Whether {@link switchTo} may be called. */
    hasComing: (storeId: string): boolean => coming.get(storeId)?.isWhole === true,

    /** A store as it will be after its switch; undefined before all of it is in memory. */
    findComing(storeId: string) {
      const next = coming.get(storeId)
      return next?.isWhole ? next.into.index.findStore(storeId) : undefined
    },

    /**
     * The coming segment answers from now on, and all others of the store are dropped. To be called in the tick of the
     * switch, before or after `ModelSet.setModelOf`.
     *
     * @throws Error when the coming segment is not whole.
     */
    switchTo(storeId: string): void {
      const switched = coming.get(storeId)
      if (!switched?.isWhole) throw new Error('The coming vectors of the store are not in memory')
      coming.delete(storeId)
      for (const one of opened.values()) if (one.index !== switched.into.index) one.index.removeStore(storeId)
      release()
    },

    /** Drops the coming segment of a store; without one nothing happens. */
    dropComing,

    ...joinSpace(of, comingOf),

    /**
     * Adds or changes a picture.
     *
     * @param vector of the store's model; undefined when it has not changed.
     * @param second of the model that the store is moving to. A new picture without one is found there by its words alone.
     */
    put(row: IndexEntry, vector: Float32Array | undefined, second?: Float32Array): void {
      of(row.storeId).put(row, vector)
      const next = comingOf(row.storeId)
      if (vector && !second) next?.putBlank(row)
      else next?.put(row, second)
    },

    remove(storeId: string, pictureId: number): void {
      of(storeId).remove(storeId, pictureId)
      comingOf(storeId)?.remove(storeId, pictureId)
    },

    /** Removes all pictures of a store, the coming ones, too. */
    removeStore(storeId: string): void {
      of(storeId).removeStore(storeId)
      dropComing(storeId)
    },

    /** Removes all pictures of all stores. */
    clear(): void {
      coming.clear()
      for (const { index } of opened.values()) index.clear()
      release()
    },

    listUnreadStores: (slots: number): string[] =>
      [...opened.values()].flatMap(({ index }) =>
        index.listUnreadStores(slots).filter((storeId) => of(storeId) === index),
      ),
    countUnread: (storeId: string): number => of(storeId).countUnread(storeId),
    listUnread: (storeId: string, from: number, count: number) =>
      of(storeId).listUnread(storeId, from, count),
    loadWords: (...[storeId, slots, read]: Parameters<OneIndex['loadWords']>): void =>
      of(storeId).loadWords(storeId, slots, read),
    findStore: (storeId: string) => of(storeId).findStore(storeId),
    findVector: (storeId: string, pictureId: number) => of(storeId).findVector(storeId, pictureId),

    /** Ends the threads of all scans. */
    close(): void {
      for (const { arena } of opened.values()) arena.close()
    },
  }
}

/** Space for the vectors of a store, in both of its segments while it moves. */
function joinSpace(of: (storeId: string) => OneIndex, comingOf: (storeId: string) => OneIndex | undefined) {
  return {
    hasSpace: (storeId: string, added: number, leaving?: readonly number[]): boolean =>
      of(storeId).hasSpace(storeId, added, leaving) &&
      comingOf(storeId)?.hasSpace(storeId, added, leaving) !== false,

    requireSpace(storeId: string, added: number, leaving: readonly number[]): void {
      of(storeId).requireSpace(storeId, added, leaving)
      comingOf(storeId)?.requireSpace(storeId, added, leaving)
    },

    noSpace: (storeId: string, message: string) => of(storeId).noSpace(message),

    claimSpace(storeId: string, added: number, leaving: readonly number[]): () => void {
      const giveBack = of(storeId).claimSpace(storeId, added, leaving)
      try {
        const giveComing = comingOf(storeId)?.claimSpace(storeId, added, leaving)
        if (!giveComing) return giveBack
        return () => {
          giveBack()
          giveComing()
        }
      } catch (error) {
        giveBack()
        throw error
      }
    },
  }
}
