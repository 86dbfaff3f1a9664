/** The moves of the catalogue, as this feature and its neighbours use them. */
export interface MoveStatus {
  id: string
  kind: 'use' | 'back' | 'reindex'
  from: string
  to: string
  state: 'running' | 'done' | 'cancelled' | 'failed'
  stores: number
  stores_done: number
  products: number
  products_done: number
  failed: number
  failures: { store: string; product_id: string; code: string }[]
  eta_seconds: number | null
  started_at: string
  finished_at: string | null
}

export interface ModelMoves {
  use(name: string): Promise<MoveStatus>
  back(): Promise<MoveStatus>
  cancel(): Promise<MoveStatus>
  confirm(): Promise<void>
  reindex(storeId?: string): Promise<MoveStatus>
  status(): { in_use: string; move: MoveStatus | null; former: { name: string; until: string } | null }
}

export interface AddStep {
  step: 'copy' | 'load' | 'measure' | 'fit'
  done: number
  total: number
}

/** A model that lies on this machine. */
export interface ShelvedModel {
  name: string
  dir: string
  hash: string
  dimension: number
  family: 'clip' | 'mobileclip' | 'siglip' | 'siglip2'
  bytes: number
  isBundled: boolean
  problem?: string
}

export interface ModelShelf {
  list(): Promise<ShelvedModel[]>
  find(name: string): Promise<ShelvedModel | undefined>
  remove(name: string): Promise<void>
}
