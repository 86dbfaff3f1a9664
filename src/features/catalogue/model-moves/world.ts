import type { ModelPlace } from './queries.ts'
import type { Machine } from './room-check.ts'

/** A model that lies on this machine. */
export interface FoundModel {
  name: string
  dir: string
  hash: string
  dimension: number
  bytes: number
  isBundled: boolean
  /** Why it cannot be used. */
  problem?: string
}

/** Whoever runs something before and after a store gets another model. */
export interface StoreMoves {
  /** All vectors of the store are there: it is about to be switched. */
  onStoreMoving(storeId: string): void
  /** Whether the switch should still wait. */
  isChecking(storeId: string): boolean
  /** Readies what the first searches after the switch need; the store is in memory as it will be. Never rejects. */
  prepare(storeId: string): Promise<void>
  /** Another model answers from now on. */
  onStoreMoved(storeId: string): void
}

/** What a move needs of the world. */
export interface MoveWorld {
  /** Finds a model by its name. */
  find(name: string): Promise<FoundModel | undefined>
  /** Finds the folder of a model that was in use before; undefined if its files are gone. */
  findFolder(model: Pick<ModelPlace, 'name' | 'hash' | 'dir'>): string | undefined
  machine: Machine
  /** Whether `MODEL_DIR` says which model serves. */
  isDirSet: boolean
  /** Whether the operator chose the model of the start, and not the bundled one or `MODEL_DIR`. */
  isChosen: boolean
  /** Where the files of the model of the start lie. */
  dir: string
  /** What the start of the program wants to use instead of the model in use. */
  wanted?: FoundModel | undefined
}
