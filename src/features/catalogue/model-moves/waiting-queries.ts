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

/** Pictures that one step of a walk looks at: about 2 ms. */
const STEP = 2_000

/** The SQL of what lacks a vector. */
export function waitingQueries(db: Db) {
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
  const anyLacking = db
    .prepare<{ products: string; model: number; triesMax: number }, number>(`
    SELECT 1 FROM json_each(@products) AS asked CROSS JOIN pictures ON pictures.product = asked.value
    WHERE model <> @model AND second_model IS NOT @model AND NOT EXISTS (
      SELECT 1 FROM reembedding_tries AS failed
      WHERE failed.product = pictures.product AND failed.model = @model AND tries >= @triesMax)
    LIMIT 1`)
    .pluck()
  const products = db.prepare<[string, string, bigint], WaitingProduct>(`
    SELECT id, product_id AS productId, 0 AS tries FROM products
    WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?`)
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
      if (pictures === STEP && last !== null) return { waiting: found, passed, next: { other, after: last } }
      const following = nextOther.get(model, other)
      return {
        waiting: found,
        passed,
        next: following === undefined ? undefined : { other: following, after: 0 },
      }
    },

    /** Whether no other model is known. */
    isOnlyModel: (model: number): boolean => nextOther.get(model, 0) === undefined,

    /** The number of a store's products with a picture that lacks a vector of a model. Walks over all its pictures. */
    countLacking: (storeId: string, model: number): number =>
      listOthers(model).reduce((sum, other) => sum + (count.get(other, storeId, model) ?? 0), 0),

    /** Whether one of some products lacks a vector of a model and has not failed as often. */
    isAnyLacking: (products: readonly number[], model: number, triesMax: number): boolean =>
      anyLacking.get({ products: JSON.stringify(products), model, triesMax }) === 1,

    /** The next products of a store by the bytes of their ids. */
    listProducts: (storeId: string, after: string, limit: number): WaitingProduct[] =>
      products.all(storeId, after, BigInt(limit)),

    /** The pictures of each store that has any. */
    countPictures: () => pictures.all(),
  }
}

/** The SQL of tries that failed. */
export function triesQueries(db: Db) {
  const countTries = db
    .prepare<{ storeId: string; model: number }, number>(`
    SELECT count(*) FROM reembedding_tries AS failed INDEXED BY reembedding_tries_store
    WHERE store_id = @storeId AND model = @model AND EXISTS (
      SELECT 1 FROM pictures
      WHERE pictures.product = failed.product AND model <> @model AND second_model IS NOT @model)`)
    .pluck()
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
    .prepare<[number, number], number>(
      'SELECT count(*) FROM reembedding_tries WHERE model = ? AND tries >= ?',
    )
    .pluck()
  const failures = db.prepare<[number, number], { store: string; product_id: string; code: string }>(`
    SELECT stores.slug AS store, product_id, error AS code
    FROM reembedding_tries CROSS JOIN products ON products.id = product
      CROSS JOIN stores ON stores.id = reembedding_tries.store_id
    WHERE model = ? AND tries >= ? AND erasing_at IS NULL LIMIT 20`)

  return {
    /** The number of a store's products that lack a vector of a model after a try. */
    countTries: (storeId: string, model: number): number => countTries.get({ storeId, model }) ?? 0,

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
  }
}
