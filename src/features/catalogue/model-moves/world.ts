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
