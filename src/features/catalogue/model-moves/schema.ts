import type { MoveKind, MoveState } from './queries.ts'

/** How far a move of the catalogue to another model has come. */
export interface MoveStatus {
  id: string
  kind: MoveKind
  /** Names of the models. */
  from: string
  to: string
  state: MoveState
  stores: number
  stores_done: number
  products: number
  products_done: number
  /** Products that failed several times. They stay findable by words, and later tries go on. */
  failed: number
  /** At most 20 of them. */
  failures: { store: string; product_id: string; code: string }[]
  /** By the pace of the last minutes; null until it is known. */
  eta_seconds: number | null
  /** Whether it was cancelled, and the stores that had switched go back. */
  is_returning: boolean
  /** Why nothing goes on at the moment; null when it does. */
  problem: string | null
  started_at: string
  finished_at: string | null
}

/** The models of the catalogue, and the move between them. */
export interface ModelsStatus {
  in_use: string
  /** The running move, or one that ended during the last day. */
  move: MoveStatus | null
  /** The model before the one in use, whose vectors stay until then. */
  former: { name: string; until: string } | null
}
