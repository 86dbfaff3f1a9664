import type { Db } from '../../../platform/db/open.ts'
import type { ActedRules } from './acted-rules.ts'

/** The parts of a product that a result shows. */
export interface HitRow {
  productId: string
  imageUrl: string
  matchedImageUrl: string
  metadata: Record<string, unknown>
  /** The product's first picture, if it has a thumbnail. */
  thumbnail: number | null
}

interface RawHit extends Omit<HitRow, 'metadata'> {
  pictureId: number
  metadata: string
}

/** The kinds of search; a batch has a row beside those of its entries. */
export const SEARCH_KINDS = [
  'upload',
  'url',
  'text',
  'hybrid',
  'multi-image',
  'crop',
  'filtered',
  'fusion',
  'similar',
  'together',
  'trending',
  'batch',
] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

/** Where a search comes from: a widget key, and the page of the shop that uses it. */
export interface SearchSource {
  keyId: string
  /** As the browser names it. */
  origin: string
}

/** One row of the search history. */
export interface SearchRow {
  id: string
  storeId: string
  type: SearchKind
  query: string | null
  parameters: Record<string, unknown>
  /** Product ids, best first. */
  results: string[]
  topScore: number | null
  durationMs: number
  isTracked: boolean
  /** The shopper's session. */
  sessionId: string | null
  /** Null for a backend. */
  searchSource: SearchSource | null
  /** Unix ms. */
  createdAt: number
}

/** A search that feedback names. */
export interface FoundSearch
  extends Pick<
    SearchRow,
    'id' | 'storeId' | 'type' | 'query' | 'results' | 'isTracked' | 'sessionId' | 'searchSource' | 'createdAt'
  > {
  /** Results before the first one of `results`. */
  offset: number
  /** Null where no rule acted. */
  actedRules: ActedRules | null
}

type FoundSearchRow = Omit<FoundSearch, 'results' | 'isTracked' | 'searchSource' | 'actedRules'> & {
  results: string
  actedRules: string | null
  tracked: 0 | 1
  keyId: string | null
  origin: string | null
}

type StoredSearchRow = Omit<SearchRow, 'parameters' | 'results' | 'isTracked' | 'searchSource'> & {
  parameters: string
  results: string
  tracked: 0 | 1
  keyId: string | null
  origin: string | null
}

export type SearchQueries = ReturnType<typeof searchQueries>

/**
 * All SQL of searches. No call opens a transaction.
 *
 * @param modelOf the row in `models` whose vectors are searched in a store.
 */
export function searchQueries(db: Db, modelOf: (storeId: string) => number) {
  // One statement for the whole page, because each statement takes and releases the read lock.
  const hits = db.prepare<[pictureIds: string], RawHit>(`
    SELECT pictures.id AS pictureId, products.product_id AS productId, products.image_url AS imageUrl, products.metadata AS metadata,
      pictures.image_url AS matchedImageUrl, CASE WHEN pictures.position = 0
        THEN CASE pictures.thumbnail WHEN 1 THEN pictures.id END
        ELSE (SELECT id FROM pictures AS main WHERE main.product = products.id AND main.position = 0 AND main.thumbnail = 1)
      END AS thumbnail
    FROM json_each(?) AS wanted JOIN pictures ON pictures.id = wanted.value
      JOIN products ON products.id = pictures.product`)
  const firstPicture = db.prepare<[number, string, string], { pictureId: number | null; imageUrl: string }>(`
    SELECT pictures.id AS pictureId, products.image_url AS imageUrl
    FROM products LEFT JOIN pictures ON pictures.product = products.id
      AND ? IN (pictures.model, pictures.second_model)
    WHERE products.store_id = ? AND products.product_id = ? ORDER BY position LIMIT 1`)
  const picturesOf = db
    .prepare<[string, string, number], [productId: string, pictureId: number]>(`
    SELECT wanted.value, pictures.id
    FROM json_each(?) AS wanted CROSS JOIN products ON products.store_id = ? AND products.product_id = wanted.value
      CROSS JOIN pictures ON pictures.product = products.id AND ? IN (pictures.model, pictures.second_model)`)
    .raw()
  const anyProduct = db.prepare<[string], { found: 1 }>(
    'SELECT 1 AS found FROM products WHERE store_id = ? LIMIT 1',
  )
  const fieldOf = db
    .prepare<
      [path: string, pictureIds: string],
      [pictureId: number, value: string | null, productId: string]
    >(`
    SELECT pictures.id, products.metadata -> ?, products.product_id
    FROM json_each(?) AS wanted JOIN pictures ON pictures.id = wanted.value
      JOIN products ON products.id = pictures.product`)
    .raw()
  const insert = db.prepare(`
    INSERT INTO searches (id, store_id, type, query, parameters, results, top_score, duration_ms, is_tracked, session_id,
      widget_key_id, page_origin, created_at)
    VALUES (@id, @storeId, @type, @query, @parameters, @results, @topScore, @durationMs, @tracked, @sessionId,
      @keyId, @origin, @createdAt)`)
  const findSearch = db.prepare<[id: string, storeId: string], FoundSearchRow>(`
    SELECT id, store_id AS storeId, type, query, coalesce(json_extract(parameters, '$.offset'), 0) AS offset,
      parameters -> '$.acted_rules' AS actedRules, results, is_tracked AS tracked, session_id AS sessionId, widget_key_id AS keyId, page_origin AS origin,
      created_at AS createdAt
    FROM searches WHERE id = ? AND store_id = ?`)
  const findRow = db.prepare<[id: string, storeId: string], StoredSearchRow>(`
    SELECT id, store_id AS storeId, type, query, parameters, results, top_score AS topScore, duration_ms AS durationMs,
      is_tracked AS tracked, session_id AS sessionId, widget_key_id AS keyId, page_origin AS origin, created_at AS createdAt
    FROM searches WHERE id = ? AND store_id = ?`)
  const forgetOld = db.prepare(
    'DELETE FROM searches WHERE rowid IN (SELECT rowid FROM searches WHERE created_at < ? LIMIT ?)',
  )

  const newest = db.prepare<[], number | null>('SELECT max(rowid) FROM searches').pluck()
  const ofSession = db
    .prepare<{ storeId: string; sessionId: string; upTo: number; limit: bigint }, string>(`
    SELECT id FROM searches WHERE store_id = @storeId AND session_id = @sessionId AND rowid <= @upTo LIMIT @limit`)
    .pluck()
  const remove = db.prepare(
    'DELETE FROM searches WHERE store_id = ? AND id IN (SELECT value FROM json_each(?))',
  )

  return {
    /** The products of some pictures, by picture. A picture that is gone has none. */
    findHits(pictureIds: number[]): Map<number, HitRow> {
      const rows = hits.all(JSON.stringify(pictureIds))
      return new Map(
        rows.map(({ pictureId, ...row }) => [pictureId, { ...row, metadata: JSON.parse(row.metadata) }]),
      )
    },
    /** The first picture of a product, null without one of the model; undefined without such a product. */
    findFirstPicture: (storeId: string, productId: string) =>
      firstPicture.get(modelOf(storeId), storeId, productId),
    /** Pictures of some products of a store that have a vector of the model, by the id of the product. */
    listPictures(storeId: string, productIds: readonly string[]): Map<string, number[]> {
      const found = new Map<string, number[]>()
      for (const [productId, pictureId] of picturesOf.all(
        JSON.stringify(productIds),
        storeId,
        modelOf(storeId),
      ))
        found.set(productId, [...(found.get(productId) ?? []), pictureId])
      return found
    },
    hasProducts: (storeId: string): boolean => anyProduct.get(storeId) !== undefined,

    /**
     * Reads one field of the products of some pictures, by picture, as JSON text, and their ids.
     *
     * @param path as SQLite takes it, such as `$."brand"`.
     */
    readField: (
      path: string,
      pictureIds: readonly number[],
    ): Map<number, { value: string | null; productId: string }> =>
      new Map(
        fieldOf
          .all(path, JSON.stringify(pictureIds))
          .map(([pictureId, value, productId]) => [pictureId, { value, productId }]),
      ),
    /** A search, for its feedback; undefined also for one of another store. */
    findSearch(storeId: string, id: string): FoundSearch | undefined {
      const row = findSearch.get(id, storeId)
      if (!row) return undefined
      const { tracked, results, actedRules, keyId, origin, ...rest } = row
      return {
        ...rest,
        results: JSON.parse(results) as string[],
        actedRules: actedRules === null ? null : (JSON.parse(actedRules) as ActedRules),
        isTracked: tracked === 1,
        searchSource: toSource(keyId, origin),
      }
    },
    /** The whole row of a search; undefined also for one of another store. */
    findRow(storeId: string, id: string): SearchRow | undefined {
      const row = findRow.get(id, storeId)
      if (!row) return undefined
      const { tracked, parameters, results, keyId, origin, ...rest } = row
      return {
        ...rest,
        parameters: JSON.parse(parameters) as SearchRow['parameters'],
        results: JSON.parse(results) as string[],
        isTracked: tracked === 1,
        searchSource: toSource(keyId, origin),
      }
    },

    /** Deletes some of the searches before a moment. @returns the number of them. */
    forgetBefore: (before: number, limit: number): number =>
      forgetOld.run(BigInt(before), BigInt(limit)).changes,

    /** Where the history ends now, for {@link listOfSession}. */
    findEnd: (): number => newest.get() ?? 0,
    /** Some searches of a shopper's session that were written before an end. */
    listOfSession: (storeId: string, sessionId: string, upTo: number, limit: number): string[] =>
      ofSession.all({ storeId, sessionId, upTo, limit: BigInt(limit) }),
    remove: (storeId: string, ids: readonly string[]): void => void remove.run(storeId, JSON.stringify(ids)),

    record({ isTracked, createdAt, searchSource, ...row }: SearchRow): void {
      insert.run({
        ...row,
        keyId: searchSource?.keyId ?? null,
        origin: searchSource?.origin ?? null,
        parameters: JSON.stringify(row.parameters),
        results: JSON.stringify(row.results),
        tracked: isTracked ? 1 : 0,
        createdAt,
      })
    },
  }
}

const toSource = (keyId: string | null, origin: string | null): SearchSource | null =>
  keyId === null || origin === null ? null : { keyId, origin }
