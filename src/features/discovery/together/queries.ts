import type { Db } from '../../../platform/db/open.ts'
import { type CountingQueries, countingQueries } from './counting-queries.ts'

/** The phases of a run, in their order. */
export const PHASES = ['clearing', 'orders', 'visitors', 'lists', 'tidying', 'ending'] as const
export type Phase = (typeof PHASES)[number]

/** How far the count of a store has come. */
export interface Run {
  /** Unix ms; null before the first run that ended. */
  madeAt: number | null
  /** Unix ms; null between two runs. */
  begunAt: number | null
  /** Whether events were erased since it began. It is written by {@link TogetherQueries} alone. */
  isOutdated?: 0 | 1
  /** Counts the runs of the store. */
  number: number
  phase: Phase
  /** What the phase has passed. */
  after: string
  orders: number
  visitors: number
  products: number
  pairs: number
  sweeps: number
  /** The pair that a sweep has passed; null without a sweep. */
  sweepOne: number | null
  sweepOther: number | null
}

export interface StoredList {
  basis: 'purchases' | 'clicks'
  /** JSON. */
  products: string
}

export type RunQueries = ReturnType<typeof runQueries>
export type TogetherQueries = RunQueries & CountingQueries

/** All SQL of what shoppers take together. */
export const togetherQueries = (db: Db): TogetherQueries => ({ ...runQueries(db), ...countingQueries(db) })

/** The SQL of runs and of the lists that come of them. No call opens a transaction. */
export function runQueries(db: Db) {
  const find = db.prepare<[string], Run>(`
    SELECT made_at AS madeAt, begun_at AS begunAt, is_outdated AS isOutdated, number, phase, after, orders, visitors, products, pairs, sweeps,
      sweep_one AS sweepOne, sweep_other AS sweepOther
    FROM together_runs WHERE store_id = ?`)
  const save = db.prepare(`
    INSERT INTO together_runs (store_id, made_at, begun_at, number, phase, after, orders, visitors, products, pairs, sweeps, sweep_one, sweep_other)
    SELECT id, @madeAt, @begunAt, @number, @phase, @after, @orders, @visitors, @products, @pairs, @sweeps, @sweepOne, @sweepOther
    FROM stores WHERE id = @storeId
    ON CONFLICT (store_id) DO UPDATE SET made_at = excluded.made_at, begun_at = excluded.begun_at, number = excluded.number, phase = excluded.phase,
      after = excluded.after, orders = excluded.orders, visitors = excluded.visitors, products = excluded.products,
      pairs = excluded.pairs, sweeps = excluded.sweeps, sweep_one = excluded.sweep_one, sweep_other = excluded.sweep_other`)
  const setOutdated = db.prepare(
    'UPDATE together_runs SET is_outdated = @isOutdated WHERE store_id = @storeId',
  )
  const stepBack = db.prepare(`
    UPDATE together_runs SET after = coalesce((
      SELECT max(session_id) FROM feedback_events INDEXED BY feedback_events_session
      WHERE store_id = @storeId AND session_id IS NOT NULL AND session_id < @sessionId), '')
    WHERE store_id = @storeId AND phase = 'visitors' AND after = @sessionId`)
  const stores = db.prepare<[], string>('SELECT id FROM stores ORDER BY id').pluck()
  const lastEvent = db
    .prepare<{ storeId: string }, number | null>(`
    SELECT max(at) FROM (SELECT (SELECT created_at FROM feedback_events INDEXED BY feedback_events_store
      WHERE store_id = @storeId AND origin = value ORDER BY created_at DESC LIMIT 1) AS at
      FROM json_each('["api","widget"]'))`)
    .pluck()

  const findList = db.prepare<[string, string], StoredList>(
    'SELECT basis, products FROM together_lists WHERE store_id = ? AND product_id = ?',
  )
  const saveList = db.prepare(`
    INSERT INTO together_lists (store_id, product_id, basis, products, run)
    VALUES (@storeId, @productId, @basis, @products, @run)
    ON CONFLICT DO UPDATE SET basis = excluded.basis, products = excluded.products, run = excluded.run`)
  const listNames = db
    .prepare<[string, string, bigint], string>(
      'SELECT product_id FROM together_lists WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?',
    )
    .pluck()
  const dropLists = db.prepare(`
    DELETE FROM together_lists WHERE store_id = @storeId AND product_id > @after AND product_id <= @upTo AND run <> @run`)

  return {
    find: (storeId: string): Run | undefined => find.get(storeId),
    save: (storeId: string, run: Run): void => void save.run({ ...run, storeId }),
    setOutdated: (storeId: string, isOutdated: 0 | 1): void => void setOutdated.run({ storeId, isOutdated }),
    /** Lets a count that stands at a session stand at the one before, so that its name goes. */
    stepBack: (storeId: string, sessionId: string): void => void stepBack.run({ storeId, sessionId }),
    listStores: (): string[] => stores.all(),
    /** When the newest event of a store was told, in Unix ms; null without any. */
    findLastEvent: (storeId: string): number | null => lastEvent.get({ storeId }) ?? null,

    findList: (storeId: string, productId: string): StoredList | undefined =>
      findList.get(storeId, productId),
    saveList: (row: StoredList & { storeId: string; productId: string; run: number }): void =>
      void saveList.run(row),
    /** Deletes lists of earlier runs among some after a product. @returns the last of these; undefined at the end. */
    dropLists(storeId: string, after: string, run: number, limit: number): string | undefined {
      const upTo = listNames.all(storeId, after, BigInt(limit)).at(-1)
      if (upTo !== undefined) dropLists.run({ storeId, after, upTo, run })
      return upTo
    },
  }
}
