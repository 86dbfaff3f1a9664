import type { Db } from '../../../../platform/db/open.ts'
import type { UnmetDemand } from '../schema.ts'

/** A search by picture that found nothing plausible. */
export interface UnmetSearch {
  searchId: string
  storeId: string
  /** Row in `models`; undefined for the model of the store. */
  model?: number | undefined
  /** Signed bytes, one a dimension. */
  vector: Buffer
  /** Of the best result; null without any. */
  score: number | null
  /** WebP; null without one. */
  thumbnail: Buffer | null
  /** Unix ms. */
  createdAt: number
}

export type UnmetCluster = Omit<UnmetDemand['clusters'][number], 'example_thumbnails'>

export interface UnmetMap {
  searches: number
  clusters: UnmetCluster[]
  /** Unix ms. */
  computedAt: number
}

export type UnmetQueries = ReturnType<typeof unmetQueries>

/** All SQL of the demand map. @param modelOf the row in `models` whose vectors are compared in a store. */
export function unmetQueries(db: Db, modelOf: (storeId: string) => number) {
  const insert = db.prepare(`
    INSERT INTO unmet_searches (search_id, store_id, model, vector, score, created_at, thumbnail)
    VALUES (@searchId, @storeId, @model, @vector, @score, @createdAt, @thumbnail)`)
  const stores = db.prepare<[], string>('SELECT id FROM stores ORDER BY id').pluck()
  const prune = db.prepare(`
    DELETE FROM unmet_searches WHERE search_id IN (
      SELECT search_id FROM unmet_searches WHERE store_id = @storeId AND (created_at < @before OR model <> @model)
      UNION ALL SELECT search_id FROM (SELECT search_id FROM unmet_searches WHERE store_id = @storeId
        ORDER BY created_at DESC LIMIT -1 OFFSET @max)
      LIMIT @limit)`)
  const remove = db.prepare(
    'DELETE FROM unmet_searches WHERE store_id = ? AND search_id IN (SELECT value FROM json_each(?))',
  )
  const present = db
    .prepare<[ids: string, storeId: string], string>(`
    SELECT search_id FROM json_each(?) AS wanted CROSS JOIN unmet_searches ON search_id = wanted.value
    WHERE store_id = ?`)
    .pluck()
  const count = db.prepare<[string], number>('SELECT count(*) FROM unmet_searches WHERE store_id = ?').pluck()
  const list = db.prepare<
    { storeId: string; model: number; max: bigint },
    Omit<UnmetSearch, 'storeId' | 'model' | 'thumbnail'>
  >(`
    SELECT search_id AS searchId, vector, score, created_at AS createdAt FROM unmet_searches
    WHERE store_id = @storeId AND model = @model ORDER BY created_at DESC LIMIT @max`)
  const shown = db
    .prepare<[ids: string, storeId: string], string>(`
    SELECT search_id FROM json_each(?) AS wanted CROSS JOIN unmet_searches ON search_id = wanted.value
    WHERE store_id = ? AND thumbnail IS NOT NULL`)
    .pluck()
  const thumbnail = db.prepare<[string], { storeId: string; webp: Buffer | null }>(
    'SELECT store_id AS storeId, thumbnail AS webp FROM unmet_searches WHERE search_id = ?',
  )
  const forgetThumbnails = db.prepare(`
    UPDATE unmet_searches SET thumbnail = NULL WHERE search_id IN (
      SELECT search_id FROM unmet_searches INDEXED BY unmet_searches_thumbnail
      WHERE store_id = ? AND thumbnail IS NOT NULL AND created_at < ? LIMIT ?)`)
  const setMap = db.prepare(`
    INSERT INTO unmet_maps (store_id, map, computed_at) VALUES (@storeId, @map, @computedAt)
    ON CONFLICT (store_id) DO UPDATE SET map = excluded.map, computed_at = excluded.computed_at`)
  const findMap = db.prepare<[string], { map: string; computedAt: number }>(
    'SELECT map, computed_at AS computedAt FROM unmet_maps WHERE store_id = ?',
  )

  return {
    add: (search: UnmetSearch): void =>
      void insert.run({ ...search, model: search.model ?? modelOf(search.storeId) }),
    listStores: (): string[] => stores.all(),
    count: (storeId: string): number => count.get(storeId) ?? 0,
    /** Deletes searches that are too old, of another model, or more than `max`. @returns how many. */
    prune: (storeId: string, before: number, max: number, limit: number): number =>
      prune.run({ storeId, before, model: modelOf(storeId), max: BigInt(max), limit: BigInt(limit) }).changes,
    remove: (storeId: string, ids: readonly string[]): void => void remove.run(storeId, JSON.stringify(ids)),
    /** Filters some searches for those that are kept. */
    findPresent: (storeId: string, ids: readonly string[]): Set<string> =>
      new Set(present.all(JSON.stringify(ids), storeId)),
    /** Those of some searches whose pictures are kept. */
    listWithThumbnail: (storeId: string, ids: readonly string[]): Set<string> =>
      new Set(shown.all(JSON.stringify(ids), storeId)),
    findThumbnail: (searchId: string): { storeId: string; webp: Buffer | null } | undefined =>
      thumbnail.get(searchId),
    /** Deletes some pictures of searches before a moment. @returns how many. */
    forgetThumbnails: (storeId: string, before: number, limit: number): number =>
      forgetThumbnails.run(storeId, BigInt(before), BigInt(limit)).changes,
    /** Newest first. */
    list: (storeId: string, max: number) => list.all({ storeId, model: modelOf(storeId), max: BigInt(max) }),
    setMap: (storeId: string, { computedAt, ...map }: UnmetMap): void =>
      void setMap.run({ storeId, map: JSON.stringify(map), computedAt }),
    findMap(storeId: string): UnmetMap | undefined {
      const row = findMap.get(storeId)
      return row && { ...(JSON.parse(row.map) as Omit<UnmetMap, 'computedAt'>), computedAt: row.computedAt }
    },
  }
}
