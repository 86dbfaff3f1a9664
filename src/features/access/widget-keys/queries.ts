import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { WidgetUse } from './schema.ts'

export interface WidgetKeyRow {
  id: string
  storeId: string
  name: string
  /** null: made by a version that kept only its hash. */
  key: string | null
  keyHash: Buffer
  prefix: string
  /** As browsers send them. */
  origins: string[]
  /** null: the limit of the plan. */
  ratePerMinute: number | null
  allowed: WidgetUse[]
  /** In the filter language; null lets every product pass. */
  forcedFilters: unknown
  /** Unix ms. */
  createdAt: number
}

/** A key with the number of requests that were refused on one day, which is counted from 1970. */
export type CountedWidgetKey = WidgetKeyRow & { refusedDay: number; refused: number }

/** A key with the plan and the state of its store. */
export type WidgetKeyWithPlan = WidgetKeyRow & { plan: PlanName; isSuspended: boolean }

type Stored<Row extends WidgetKeyRow> = Omit<Row, 'origins' | 'allowed' | 'forcedFilters'> & {
  origins: string
  allowed: string
  forcedFilters: string | null
}

type StoredRow = Stored<WidgetKeyRow>
type StoredCountedRow = Stored<CountedWidgetKey>

export type WidgetKeyQueries = ReturnType<typeof widgetKeyQueries>

const COLUMNS = `
  id, store_id AS storeId, name, key, key_hash AS keyHash, prefix, origins, rate_per_minute AS ratePerMinute, allowed,
  forced_filters AS forcedFilters, created_at AS createdAt`

const REFUSED = 'refused_day AS refusedDay, refused'

/** All SQL about widget keys. */
export function widgetKeyQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], StoredCountedRow>(
    `SELECT ${COLUMNS}, ${REFUSED} FROM public_keys WHERE store_id = ? ORDER BY id`,
  )
  const byId = db.prepare<[storeId: string, id: string], StoredCountedRow>(
    `SELECT ${COLUMNS}, ${REFUSED} FROM public_keys WHERE store_id = ? AND id = ?`,
  )
  const byHash = db.prepare<[hash: Buffer], StoredRow & { plan: PlanName; isSuspended: 0 | 1 }>(
    `SELECT ${COLUMNS}, (SELECT plan FROM stores WHERE stores.id = store_id) AS plan,
      (SELECT suspended_at IS NOT NULL FROM stores WHERE stores.id = store_id) AS isSuspended
    FROM public_keys WHERE key_hash = ?
      AND EXISTS (SELECT 1 FROM stores WHERE stores.id = store_id AND erasing_at IS NULL)`,
  )
  const count = db.prepare<[storeId: string], { keys: number }>(
    'SELECT count(*) AS keys FROM public_keys WHERE store_id = ?',
  )
  const insert = db.prepare(`
    INSERT INTO public_keys (id, store_id, name, key, key_hash, prefix, origins, rate_per_minute, allowed,
      forced_filters, created_at)
    VALUES (@id, @storeId, @name, @key, @keyHash, @prefix, @origins, @ratePerMinute, @allowed, @forcedFilters, @createdAt)`)
  const update = db.prepare(`
    UPDATE public_keys SET name = @name, origins = @origins, rate_per_minute = @ratePerMinute, allowed = @allowed,
      forced_filters = @forcedFilters
    WHERE id = @id`)
  const remove = db.prepare('DELETE FROM public_keys WHERE id = ?')
  const removeAll = db.prepare('DELETE FROM public_keys WHERE store_id = ?')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): CountedWidgetKey[] => byStore.all(storeId).map(read),
    findById(storeId: string, id: string): CountedWidgetKey | undefined {
      const row = byId.get(storeId, id)
      return row && read(row)
    },
    findByHash(hash: Buffer): WidgetKeyWithPlan | undefined {
      const row = byHash.get(hash)
      return row && { ...read(row), plan: row.plan, isSuspended: row.isSuspended === 1 }
    },
    count: (storeId: string): number => count.get(storeId)?.keys ?? 0,
    add: (row: WidgetKeyRow): void => void insert.run(written(row)),
    update: (row: WidgetKeyRow): void => void update.run(written(row)),
    remove: (id: string): void => void remove.run(id),
    removeByStore: (storeId: string): void => void removeAll.run(storeId),
  }
}

const read = <Row extends StoredRow>(row: Row) => ({
  ...row,
  origins: JSON.parse(row.origins) as string[],
  allowed: JSON.parse(row.allowed) as WidgetUse[],
  forcedFilters: row.forcedFilters === null ? null : (JSON.parse(row.forcedFilters) as unknown),
})

const written = (row: WidgetKeyRow): StoredRow => ({
  ...row,
  origins: JSON.stringify(row.origins),
  allowed: JSON.stringify(row.allowed),
  forcedFilters: row.forcedFilters === null ? null : JSON.stringify(row.forcedFilters),
})
