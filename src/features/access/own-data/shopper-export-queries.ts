import type { Db } from '../../../platform/db/open.ts'
import { type ExportRow, type Fields, PAGE, toLine } from './export-rows-queries.ts'

/** The SQL of what a store holds about its shoppers: searches with a session, and the feedback about them. */
export function shopperExportQueries(db: Db) {
  const feedbackFields = `feedback_events.id, session_id, search_id, product_id, action, position, order_id,
    order_value, currency, quantity, origin, occurred_at`
  const ofSession = (table: string, fields: string) => ({
    next: db
      .prepare<{ id: string; after: string }, string | null>(
        `SELECT min(session_id) FROM ${table} WHERE store_id = @id AND session_id > @after`,
      )
      .pluck(),
    rows: db.prepare<{ id: string; session: string; after: number; limit: bigint }, Fields & { key: number }>(
      `SELECT rowid AS key, ${fields} FROM ${table}
      WHERE store_id = @id AND session_id = @session AND rowid > @after ORDER BY rowid LIMIT @limit`,
    ),
  })
  const searches = ofSession(
    'searches',
    'id, session_id, searches.type AS search_type, query, parameters, results, created_at',
  )
  const feedback = ofSession('feedback_events', feedbackFields)
  // Feedback need not repeat the session of its search.
  const feedbackOfSearches = db.prepare<{ id: string; searches: string }, Fields>(`
    SELECT ${feedbackFields} FROM json_each(@searches) AS wanted CROSS JOIN feedback_events
      ON store_id = @id AND search_id = wanted.value
    WHERE session_id IS NULL`)

  /** The rows of one session after another, some at a time. */
  function* walk(id: string, { next, rows }: ReturnType<typeof ofSession>) {
    for (let session = next.get({ id, after: '' }); typeof session === 'string'; ) {
      for (let after = 0; ; ) {
        const found = rows.all({ id, session, after, limit: BigInt(PAGE) })
        if (found.length > 0) yield found
        if (found.length < PAGE) break
        after = found.at(-1)?.key ?? after
      }
      session = next.get({ id, after: session })
    }
  }

  /** Searches of shoppers with a session, those of one session together, and the feedback about them. */
  return function* ofShoppers(storeId: string): Generator<ExportRow, void> {
    for (const rows of walk(storeId, searches)) {
      for (const row of rows) yield toLine('search', row)
      const sessions = new Map(rows.map((row) => [row['id'], row['session_id']]))
      const wanted = JSON.stringify([...sessions.keys()])
      for (const row of feedbackOfSearches.all({ id: storeId, searches: wanted }))
        yield toLine('feedback', { ...row, session_id: sessions.get(row['search_id']) })
    }
    for (const rows of walk(storeId, feedback)) for (const row of rows) yield toLine('feedback', row)
  }
}
