import type { Db } from '../../../platform/db/open.ts'

/** A search by words of a shopper's session. */
export interface TypedSearch {
  query: string
  sessionId: string
  /** Those of the page that was answered. */
  results: number
  createdAt: number
  row: number
}

/** The texts of a product that say what it is, where they are texts. */
export interface ProductTexts {
  imageUrl: string
  name: string | null
  category: string | null
  brand: string | null
  color_name: string | null
}

export type CompletionQueries = ReturnType<typeof completionQueries>

/** All SQL of suggestions; it only reads. */
export function completionQueries(db: Db) {
  const typed = db.prepare<
    { storeId: string; isOfWidget: bigint; since: bigint; before: bigint; row: bigint; limit: bigint },
    TypedSearch
  >(`
    SELECT query, session_id AS sessionId, json_array_length(results) AS results, created_at AS createdAt, rowid AS row
    FROM searches INDEXED BY searches_kind
    WHERE store_id = @storeId AND type = 'text' AND (widget_key_id IS NOT NULL) = @isOfWidget AND created_at >= @since
      AND created_at <= @before AND (created_at < @before OR rowid < @row)
      AND session_id IS NOT NULL AND query IS NOT NULL
    ORDER BY created_at DESC, rowid DESC LIMIT @limit`)
  const textOf = (key: string) =>
    `CASE json_type(products.metadata, '$.${key}') WHEN 'text' THEN products.metadata ->> '$.${key}' END AS ${key}`
  const texts = db.prepare<{ storeId: string; rows: string }, ProductTexts & { row: number }>(`
    SELECT products.id AS row, products.image_url AS imageUrl, ${['name', 'category', 'brand', 'color_name'].map(textOf).join(', ')}
    FROM json_each(@rows) AS wanted CROSS JOIN products ON products.id = wanted.value AND products.store_id = @storeId`)

  return {
    /** Searches by words of shoppers who have a session, the latest first. @param asked.before the last one of the page before. */
    listTyped: (
      storeId: string,
      asked: { isOfWidget: boolean; since: number; before: TypedSearch | undefined; limit: number },
    ): TypedSearch[] =>
      typed.all({
        storeId,
        isOfWidget: asked.isOfWidget ? 1n : 0n,
        since: BigInt(asked.since),
        before: BigInt(asked.before?.createdAt ?? Number.MAX_SAFE_INTEGER),
        row: BigInt(asked.before?.row ?? Number.MAX_SAFE_INTEGER),
        limit: BigInt(asked.limit),
      }),

    /** Texts of some products of a store, by row. */
    listTexts: (storeId: string, rows: readonly number[]): Map<number, ProductTexts> =>
      new Map(
        rows.length === 0
          ? []
          : texts
              .all({ storeId, rows: JSON.stringify([...new Set(rows)]) })
              .map(({ row, ...found }) => [row, found]),
      ),
  }
}
