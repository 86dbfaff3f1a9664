import type { Db } from '../../../platform/db/open.ts'

/** A product whose pictures are to be embedded. */
export interface WaitingProduct {
  /** Row of the product. */
  id: number
  productId: string
  /** Tries that failed with the model. */
  tries: number
}

export interface FailedTry {
  storeId: string
  /** Row of the product. */
  product: number
  /** Row of the model that it was tried with. */
  model: number
  tries: number
  /** Unix ms of the next try. */
  dueAt: number
  /** Code of the failure. */
  error: string
}

/** How far a walk over the pictures of a store that lack a vector has come. */
export interface LackPlace {
  /** Row of the model that the next pictures have a vector of; 0 before the first one. */
  other: number
  /** Row of the last product. */
  after: number
}

export interface LackStep {
  waiting: WaitingProduct[]
  /** Products that were passed, those that wait included. */
  passed: number
  /** Undefined at the end. */
  next: LackPlace | undefined
}

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

/** Pictures that one step of a walk looks at: about 2 ms. */
const STEP = 2_000

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
  return { ...stateQueries(db), ...moveQueries(db), ...storeQueries(db), ...waitingQueries(db) }
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
  const noteDir = db.prepare('UPDATE models SET dir = @dir WHERE id = @row AND dir IS NOT @dir')
  const place = db.prepare<[number], ModelPlace>(
    'SELECT id AS row, name, hash, dimension, dir FROM models WHERE id = ?',
  )
  const byHash = db.prepare<[string], number>('SELECT id FROM models WHERE hash = ?').pluck()
  const addLeaving = db.prepare('INSERT OR IGNORE INTO leaving_models (model) VALUES (?)')
  const dropLeaving = db.prepare('DELETE FROM leaving_models WHERE model = ?')
  const leaving = db.prepare<[], number>('SELECT model FROM leaving_models ORDER BY model LIMIT 1').pluck()
  const release = db.prepare(`
    UPDATE pictures SET model = CASE WHEN model = @model THEN second_model ELSE model END, second_model = NULL
    WHERE id = @picture AND second_model IS NOT NULL AND @model IN (model, second_model)`)
  const isOnly = db
    .prepare<[bigint, number], number>('SELECT 1 FROM pictures WHERE id = ? AND model = ?')
    .pluck()

  return {
    findState(): ModelState | undefined {
      const row = state.get()
      return row && { ...row, isChosen: row.isChosen === 1 }
    },
    setState: (next: Pick<ModelState, 'inUse' | 'isChosen' | 'former'> & { until: number | null }): void =>
      void setState.run({ ...next, isChosen: next.isChosen ? 1 : 0 }),
    dropFormer: (): void => void dropFormer.run(),
    /** Notes where the files of a model lie. */
    noteDir: (row: number, dir: string): void => void noteDir.run({ row, dir }),
    findModel: (row: number): ModelPlace | undefined => place.get(row),
    addLeaving: (model: number): void => void addLeaving.run(model),
    dropLeaving: (model: number): void => void dropLeaving.run(model),
    /** Vectors of a model that are there. */
    countVectors: (hash: string): number => {
      const row = byHash.get(hash)
      return row === undefined ? 0 : (db.prepare(`SELECT count(*) FROM vectors_${row}_rowids`).pluck().get() as number)
    },
    /** A model whose vectors are being deleted. */
    findLeaving: (): number | undefined => leaving.get(),
    /**
     * Takes a model off a picture, unless it has no vector of another one.
     *
     * @returns whether the vector may go; that of a picture which is gone may, too.
     */
    releasePicture: (picture: number, model: number): boolean =>
      release.run({ picture: BigInt(picture), model }).changes > 0 ||
      isOnly.get(BigInt(picture), model) === undefined,
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

function waitingQueries(db: Db) {
  const nextOther = db
    .prepare<[number, number], number>('SELECT id FROM models WHERE id <> ? AND id > ? ORDER BY id LIMIT 1')
    .pluck()
  const step = db.prepare<
    [number, string, number, bigint],
    { last: number | null; pictures: number; passed: number }
  >(`
    SELECT max(product) AS last, count(*) AS pictures, count(DISTINCT product) AS passed FROM (
      SELECT product FROM pictures INDEXED BY pictures_model
      WHERE model = ? AND store_id = ? AND product > ? ORDER BY product LIMIT ?)`)
  const waiting = db.prepare<Record<string, unknown>, WaitingProduct>(`
    SELECT DISTINCT products.id, products.product_id AS productId, coalesce(failed.tries, 0) AS tries
    FROM pictures INDEXED BY pictures_model CROSS JOIN products ON products.id = pictures.product
      LEFT JOIN reembedding_tries AS failed ON failed.product = products.id AND failed.model = @model
    WHERE pictures.model = @other AND pictures.store_id = @storeId AND pictures.product > @after
      AND pictures.product <= @last AND pictures.second_model IS NOT @model
      AND (failed.product IS NULL OR (failed.due_at <= @now AND failed.tries < @triesMax))
    ORDER BY pictures.product LIMIT @limit`)
  const count = db
    .prepare<[number, string, number], number>(`
    SELECT count(DISTINCT product) FROM pictures INDEXED BY pictures_model
    WHERE model = ? AND store_id = ? AND second_model IS NOT ?`)
    .pluck()
  const countTries = db
    .prepare<{ storeId: string; model: number }, number>(`
    SELECT count(*) FROM reembedding_tries AS failed INDEXED BY reembedding_tries_store
    WHERE store_id = @storeId AND model = @model AND EXISTS (
      SELECT 1 FROM pictures
      WHERE pictures.product = failed.product AND model <> @model AND second_model IS NOT @model)`)
    .pluck()
  const products = db.prepare<[string, string, bigint], WaitingProduct>(`
    SELECT id, product_id AS productId, 0 AS tries FROM products
    WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?`)
  const due = db.prepare<Record<string, unknown>, WaitingProduct>(`
    SELECT products.id, product_id AS productId, tries
    FROM reembedding_tries AS failed INDEXED BY reembedding_tries_store CROSS JOIN products ON products.id = failed.product
    WHERE failed.store_id = @storeId AND model = @model AND tries < @triesMax AND due_at <= @now
    ORDER BY due_at LIMIT @limit`)
  const dueAt = db
    .prepare<{ storeId: string; model: number; triesMax: number }, number | null>(`
    SELECT min(due_at) FROM reembedding_tries AS failed INDEXED BY reembedding_tries_store
    WHERE store_id = @storeId AND model = @model AND tries < @triesMax`)
    .pluck()
  const dueLacking = db
    .prepare<{ storeId: string; model: number; triesMax: number }, number | null>(`
    SELECT min(due_at) FROM reembedding_tries AS failed INDEXED BY reembedding_tries_store
    WHERE store_id = @storeId AND model = @model AND tries < @triesMax AND EXISTS (
      SELECT 1 FROM pictures
      WHERE pictures.product = failed.product AND model <> @model AND second_model IS NOT @model)`)
    .pluck()
  const failed = db.prepare(`
    INSERT INTO reembedding_tries (product, store_id, model, tries, due_at, error)
    SELECT id, store_id, @model, @tries, @dueAt, @error FROM products WHERE id = @product AND store_id = @storeId
    ON CONFLICT (product) DO UPDATE SET model = excluded.model, tries = excluded.tries, due_at = excluded.due_at,
      error = excluded.error`)
  const forgotten = db.prepare('DELETE FROM reembedding_tries WHERE product = ?')
  const forgottenStore = db.prepare(
    'DELETE FROM reembedding_tries WHERE model = @model AND (@storeId IS NULL OR store_id = @storeId)',
  )
  const countFailed = db
    .prepare<[number, number], number>('SELECT count(*) FROM reembedding_tries WHERE model = ? AND tries >= ?')
    .pluck()
  const failures = db.prepare<[number, number], { store: string; product_id: string; code: string }>(`
    SELECT stores.slug AS store, product_id, error AS code
    FROM reembedding_tries CROSS JOIN products ON products.id = product
      CROSS JOIN stores ON stores.id = reembedding_tries.store_id
    WHERE model = ? AND tries >= ? AND erasing_at IS NULL LIMIT 20`)
  const pictures = db.prepare<[], { storeId: string; pictures: number }>(
    'SELECT store_id AS storeId, count(*) AS pictures FROM pictures INDEXED BY pictures_content GROUP BY store_id',
  )

  function listOthers(model: number): number[] {
    const others: number[] = []
    for (let other = nextOther.get(model, 0); other !== undefined; other = nextOther.get(model, other))
      others.push(other)
    return others
  }

  return {
    /**
     * Looks at the next pictures of a store for products that lack a vector of a model and whose turn it is: about 2 ms.
     *
     * @param triesMax products that failed as often are left out.
     */
    findLacking(
      { storeId, model, triesMax, now }: { storeId: string; model: number; triesMax: number; now: number },
      place: LackPlace,
      limit: number,
    ): LackStep {
      const other = place.other || nextOther.get(model, 0)
      if (other === undefined) return { waiting: [], passed: 0, next: undefined }
      const { last, pictures, passed } = step.get(other, storeId, place.after, BigInt(STEP)) as {
        last: number | null
        pictures: number
        passed: number
      }
      const found =
        last === null
          ? []
          : waiting.all({
              ...{ storeId, model, other, last, triesMax, now: BigInt(now) },
              ...{ after: place.after, limit: BigInt(limit) },
            })
      const lastFound = found.at(-1)
      if (lastFound && found.length === limit)
        return { waiting: found, passed: found.length, next: { other, after: lastFound.id } }
      if (pictures === STEP && last !== null)
        return { waiting: found, passed, next: { other, after: last } }
      const following = nextOther.get(model, other)
      return {
        waiting: found,
        passed,
        next: following === undefined ? undefined : { other: following, after: 0 },
      }
    },

    /** The number of a store's products with a picture that lacks a vector of a model. Walks over all its pictures. */
    countLacking: (storeId: string, model: number): number =>
      listOthers(model).reduce((sum, other) => sum + (count.get(other, storeId, model) ?? 0), 0),

    /** The number of a store's products that lack a vector of a model after a try. */
    countTries: (storeId: string, model: number): number => countTries.get({ storeId, model }) ?? 0,

    /** The next products of a store by the bytes of their ids. */
    listProducts: (storeId: string, after: string, limit: number): WaitingProduct[] =>
      products.all(storeId, after, BigInt(limit)),

    /** Products of a store whose next try is due. */
    listDue: (
      query: { storeId: string; model: number; triesMax: number; now: number },
      limit: number,
    ): WaitingProduct[] => due.all({ ...query, now: BigInt(query.now), limit: BigInt(limit) }),

    /** When the next product of a store is to be tried again, in Unix ms; null if none is. */
    findDueAt: (query: { storeId: string; model: number; triesMax: number }): number | null =>
      dueAt.get(query) ?? null,
    /** The same for products that lack a vector of the model. */
    findDueLacking: (query: { storeId: string; model: number; triesMax: number }): number | null =>
      dueLacking.get(query) ?? null,

    /** Notes a try that failed. Ignores a product that is gone. */
    noteFailure: (failure: FailedTry): void =>
      void failed.run({
        ...failure,
        product: BigInt(failure.product),
        model: BigInt(failure.model),
        tries: BigInt(failure.tries),
        dueAt: BigInt(failure.dueAt),
      }),
    forgetFailure: (product: number): void => void forgotten.run(BigInt(product)),
    /** Forgets the tries of a model in one store, or in all. */
    forgetFailures: (model: number, storeId: string | null): void =>
      void forgottenStore.run({ model, storeId }),
    countFailed: (model: number, triesMin: number): number => countFailed.get(model, triesMin) ?? 0,
    /** At most 20 products that failed, with their stores. */
    listFailed: (model: number, triesMin: number) => failures.all(model, triesMin),
    /** The pictures of each store that has any. */
    countPictures: () => pictures.all(),
  }
}
