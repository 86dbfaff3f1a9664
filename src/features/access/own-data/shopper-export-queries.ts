import type { Db } from '../../../platform/db/open.ts'
import { type ExportRow, type Fields, PAGE, toLine } from './export-rows-queries.ts'

/** A place among the rows of a session. */
interface Place {
  time: number
  key: number
}

const pick = ({ time, key }: Place): Place => ({ time, key })

/** The SQL of what a store holds about its shoppers: searches with a session, and the feedback about them. */
export function shopperExportQueries(db: Db) {
  const feedbackFields = `feedback_events.id, session_id, search_id, product_id, action, position, order_id,
    order_value, currency, quantity, origin, occurred_at`
  /** @param time the column of time in the index of sessions; 0 without one. */
  const ofSession = (table: string, fields: string, time: 'created_at' | '0') => ({
    next: db
      .prepare<{ id: string; after: string }, string | null>(
        `SELECT min(session_id) FROM ${table} WHERE store_id = @id AND session_id > @after`,
      )
      .pluck(),
    rows: db.prepare<{ id: string; session: string; limit: bigint } & Place, Fields & Place>(
      `SELECT rowid AS key, ${time} AS time, ${fields} FROM ${table}
      WHERE store_id = @id AND session_id = @session AND ${time} >= @time AND (${time} > @time OR rowid > @key)
      ORDER BY ${time === '0' ? '' : `${time}, `}rowid LIMIT @limit`,
    ),
  })
  const searches = ofSession(
    'searches',
    'id, session_id, searches.type AS search_type, query, parameters, results, created_at',
    'created_at',
  )
  const feedback = ofSession('feedback_events', feedbackFields, '0')
  // Feedback need not repeat the session of its search.
  const feedbackOfSearches = db.prepare<{ id: string; searches: string }, Fields>(`
    SELECT ${feedbackFields} FROM json_each(@searches) AS wanted CROSS JOIN feedback_events
      ON store_id = @id AND search_id = wanted.value
    WHERE session_id IS NULL`)

  /** The rows of one session after another, some at a time. */
  function* walk(id: string, { next, rows }: ReturnType<typeof ofSession>) {
    for (let session = next.get({ id, after: '' }); typeof session === 'string'; ) {
      for (let after: Place = { time: 0, key: 0 }; ; ) {
        const found = rows.all({ id, session, ...pick(after), limit: BigInt(PAGE) })
        if (found.length > 0) yield found.map(({ time: _, ...row }) => row)
        const last = found.at(-1)
        if (!last || found.length < PAGE) break
        after = last
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
