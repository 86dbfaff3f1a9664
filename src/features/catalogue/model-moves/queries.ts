import type { Db } from '../../../platform/db/open.ts'
import { triesQueries, waitingQueries } from './waiting-queries.ts'

export type MoveKind = 'use' | 'back' | 'reindex'
export type MoveState = 'running' | 'done' | 'cancelled' | 'failed'

/** What a move has done. */
export interface MoveCounts {
  stores: number
  storesDone: number
  products: number
  productsDone: number
  failed: number
}

export interface MoveRow extends MoveCounts {
  id: string
  kind: MoveKind
  /** Rows of the models, and their names. */
  from: number
  to: number
  fromName: string
  toName: string
  state: MoveState
  isChosen: boolean
  /** Cancelled: the stores that had switched go back. */
  isReturning: boolean
  startedAt: number
  finishedAt: number | null
}

export interface ModelState {
  inUse: number
  /** Whether the operator chose it, and not the bundled one. */
  isChosen: boolean
  former: number | null
  formerName: string | null
  formerUntil: number | null
}

/** A model by its row, with the place of its files. */
export interface ModelPlace {
  row: number
  name: string
  hash: string
  dimension: number
  dir: string | null
}

export type ModelMoveQueries = ReturnType<typeof modelMoveQueries>

const MOVE = `SELECT model_moves.id, kind, from_model AS "from", to_model AS "to", a.name AS fromName, b.name AS toName,
  state, is_chosen AS isChosen, is_returning AS isReturning, stores, stores_done AS storesDone, products,
  products_done AS productsDone, failed, started_at AS startedAt, finished_at AS finishedAt
  FROM model_moves JOIN models AS a ON a.id = from_model JOIN models AS b ON b.id = to_model`

type RawMove = Omit<MoveRow, 'isChosen' | 'isReturning'> & { isChosen: number; isReturning: number }

const toMove = (row: RawMove): MoveRow => ({
  ...row,
  isChosen: row.isChosen === 1,
  isReturning: row.isReturning === 1,
})

/** All SQL of moves to another model: which model is in use, how far the move has come, and what waits for a vector. */
export function modelMoveQueries(db: Db) {
  return {
    ...stateQueries(db),
    ...moveQueries(db),
    ...storeQueries(db),
    ...waitingQueries(db),
    ...triesQueries(db),
  }
}

function stateQueries(db: Db) {
  const state = db.prepare<[], Omit<ModelState, 'isChosen'> & { isChosen: number }>(`
    SELECT in_use AS inUse, is_chosen AS isChosen, former, models.name AS formerName, former_until AS formerUntil
    FROM model_state LEFT JOIN models ON models.id = former`)
  const setState = db.prepare(`
    INSERT INTO model_state (id, in_use, is_chosen, former, former_until) VALUES (1, @inUse, @isChosen, @former, @until)
    ON CONFLICT (id) DO UPDATE SET in_use = excluded.in_use, is_chosen = excluded.is_chosen, former = excluded.former,
      former_until = excluded.former_until`)
  const dropFormer = db.prepare('UPDATE model_state SET former = NULL, former_until = NULL')
  const place = db.prepare<[number], ModelPlace>(
    'SELECT id AS row, name, hash, dimension, dir FROM models WHERE id = ?',
  )
  const byHash = db.prepare<[string], number>('SELECT id FROM models WHERE hash = ?').pluck()
  const addLeaving = db.prepare('INSERT OR IGNORE INTO leaving_models (model) VALUES (?)')
  const dropLeaving = db.prepare('DELETE FROM leaving_models WHERE model = ?')
  const leaving = db.prepare<[], number>('SELECT model FROM leaving_models ORDER BY model LIMIT 1').pluck()

  return {
    findState(): ModelState | undefined {
      const row = state.get()
      return row && { ...row, isChosen: row.isChosen === 1 }
    },
    setState: (next: Pick<ModelState, 'inUse' | 'isChosen' | 'former'> & { until: number | null }): void =>
      void setState.run({ ...next, isChosen: next.isChosen ? 1 : 0 }),
    dropFormer: (): void => void dropFormer.run(),
    findModel: (row: number): ModelPlace | undefined => place.get(row),
    addLeaving: (model: number): void => void addLeaving.run(model),
    dropLeaving: (model: number): void => void dropLeaving.run(model),
    /** Vectors of a model that are there. */
    countVectors: (hash: string): number => {
      const row = byHash.get(hash)
      return row === undefined
        ? 0
        : (db.prepare(`SELECT count(*) FROM vectors_${row}_rowids`).pluck().get() as number)
    },
    /** A model whose vectors are being deleted. */
    findLeaving: (): number | undefined => leaving.get(),
  }
}

function moveQueries(db: Db) {
  const running = db.prepare<[], RawMove>(`${MOVE} WHERE state = 'running'`)
  const last = db.prepare<[], RawMove>(`${MOVE} ORDER BY model_moves.id DESC LIMIT 1`)
  const add = db.prepare(`
    INSERT INTO model_moves (id, kind, from_model, to_model, state, is_chosen, started_at)
    VALUES (@id, @kind, @from, @to, 'running', @isChosen, @now)`)
  const turnRound = db.prepare(`UPDATE model_moves SET is_returning = 1 WHERE state = 'running'`)
  const end = db.prepare(`
    UPDATE model_moves SET state = @state, stores = @stores, stores_done = @storesDone, products = @products,
      products_done = @productsDone, failed = @failed, finished_at = @now
    WHERE state = 'running'`)
  const dropOld = db.prepare(
    `DELETE FROM model_moves WHERE id NOT IN (SELECT id FROM model_moves ORDER BY id DESC LIMIT 20)`,
  )

  return {
    findRunning(): MoveRow | undefined {
      const row = running.get()
      return row && toMove(row)
    },
    /** The newest move, whether it runs or not. */
    findLast(): MoveRow | undefined {
      const row = last.get()
      return row && toMove(row)
    },
    addMove(move: Pick<MoveRow, 'id' | 'kind' | 'from' | 'to' | 'isChosen'> & { now: number }): void {
      add.run({ ...move, isChosen: move.isChosen ? 1 : 0, now: BigInt(move.now) })
      dropOld.run()
    },
    turnRound: (): void => void turnRound.run(),
    endMove: (state: MoveState, counts: MoveCounts, now: number): void =>
      void end.run({ ...counts, state, now: BigInt(now) }),
  }
}

function storeQueries(db: Db) {
  const STORES = 'FROM stores WHERE erasing_at IS NULL'
  const all = db.prepare<[], string>(`SELECT id ${STORES}`).pluck()
  const left = db
    .prepare<[], string>(`SELECT id ${STORES} AND id NOT IN (SELECT store_id FROM store_models)`)
    .pluck()
  const switched = db
    .prepare<[], string>(`SELECT id ${STORES} AND id IN (SELECT store_id FROM store_models)`)
    .pluck()
  const sums = db.prepare<
    [],
    { stores: number; products: number; switchedStores: number; switchedProducts: number }
  >(`
    SELECT count(*) AS stores, coalesce(sum(product_count), 0) AS products, count(store_models.store_id) AS switchedStores,
      coalesce(sum(product_count) FILTER (WHERE store_models.store_id IS NOT NULL), 0) AS switchedProducts
    FROM stores LEFT JOIN store_models ON store_models.store_id = stores.id WHERE erasing_at IS NULL`)
  const row = db.prepare<[string], number>('SELECT 1 FROM stores WHERE id = ?').pluck()
  const isEmpty = db
    .prepare<[string], number>('SELECT 1 FROM stores WHERE id = ? AND product_count = 0')
    .pluck()
  const setModel = db.prepare(`
    INSERT INTO store_models (store_id, model) SELECT id, @model FROM stores WHERE id = @storeId
    ON CONFLICT (store_id) DO UPDATE SET model = excluded.model`)
  const dropModel = db.prepare('DELETE FROM store_models WHERE store_id = ?')
  const dropModels = db.prepare('DELETE FROM store_models')
  const addWalks = db.prepare(`
    INSERT INTO model_move_stores (store_id) SELECT id ${STORES} AND product_count > 0 AND (@storeId IS NULL OR id = @storeId)`)
  const dropWalks = db.prepare('DELETE FROM model_move_stores')
  const walks = db.prepare<[], string>('SELECT store_id FROM model_move_stores WHERE is_done = 0').pluck()
  const walk = db.prepare<[string], { place: string; productsDone: number }>(
    'SELECT place, products_done AS productsDone FROM model_move_stores WHERE store_id = ?',
  )
  const walkSums = db.prepare<
    [],
    { stores: number; storesDone: number; products: number; productsDone: number }
  >(`
    SELECT count(*) AS stores, coalesce(sum(is_done), 0) AS storesDone, coalesce(sum(product_count), 0) AS products,
      coalesce(sum(CASE is_done WHEN 1 THEN product_count ELSE min(products_done, product_count) END), 0) AS productsDone
    FROM model_move_stores JOIN stores ON stores.id = store_id`)
  const noteWalk = db.prepare(
    'UPDATE model_move_stores SET place = @place, products_done = @productsDone WHERE store_id = @storeId',
  )
  const endWalk = db.prepare('UPDATE model_move_stores SET is_done = 1 WHERE store_id = ?')

  return {
    listStores: (): string[] => all.all(),
    /** Stores that the running move has not switched. */
    listLeft: (): string[] => left.all(),
    listSwitched: (): string[] => switched.all(),
    sumStores: () => sums.get() as NonNullable<ReturnType<typeof sums.get>>,
    /** Whether the row of a store is there, be it hidden. */
    hasRow: (storeId: string): boolean => row.get(storeId) === 1,
    isEmpty: (storeId: string): boolean => isEmpty.get(storeId) === 1,
    setModelOf: (storeId: string, model: number): void => void setModel.run({ storeId, model }),
    dropModelOf: (storeId: string): void => void dropModel.run(storeId),
    dropModels: (): void => void dropModels.run(),
    /** Notes the stores whose products are all embedded again: one, or all that have any. */
    addWalks: (storeId: string | null): void => void addWalks.run({ storeId }),
    dropWalks: (): void => void dropWalks.run(),
    listWalks: (): string[] => walks.all(),
    findWalk: (storeId: string) => walk.get(storeId),
    sumWalks: () => walkSums.get() as NonNullable<ReturnType<typeof walkSums.get>>,
    noteWalk: (storeId: string, place: string, productsDone: number): void =>
      void noteWalk.run({ storeId, place, productsDone }),
    endWalk: (storeId: string): void => void endWalk.run(storeId),
  }
}
