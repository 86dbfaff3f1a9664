import type { Db } from '../../../platform/db/open.ts'
import type { ReplayResult } from './schema.ts'

/** A run of logged searches with other settings. Times are Unix ms. */
export interface ReplayRow {
  jobId: string
  storeId: string
  settings: Record<string, unknown>
  /** Searches when it began. */
  total: number
  /** When the oldest of them was made; null without any. */
  oldestAt: number | null
  /** Of the searches that were made so far. */
  result: ReplayResult
  createdAt: number
  finishedAt: number | null
  isCancelled: boolean
  /** Searches that it has yet to make again. */
  left: number
}

/** A search of the log that can be made again. */
export interface LoggedSearch {
  query: string | null
  parameters: Record<string, unknown>
  /** The widget key and page that it came from; null for a backend. */
  keyId: string | null
  origin: string | null
}

type StoredReplay = Omit<ReplayRow, 'settings' | 'result' | 'isCancelled'> & {
  settings: string
  result: string
  isCancelled: 0 | 1
}

export type ReplayQueries = ReturnType<typeof replayQueries>

const REPLAY = `search_replays.job_id AS jobId, store_id AS storeId, search_replays.settings, total, oldest_at AS oldestAt,
  result,
  search_replays.created_at AS createdAt, finished_at AS finishedAt, is_cancelled AS isCancelled,
  (SELECT count(*) FROM replayed_searches WHERE replayed_searches.job_id = search_replays.job_id) AS left`

/** Searches that a replay looks at to find those that it can make again. */
const WALKED_MAX = 5_000

/** Products that are read of the clicks on one search. */
const CLICKED_MAX = 100

/**
 * Lists of the log that can be made again: by words, and by a product. The index has each of them in the order of time, and SQLite
 * merges them as they are read.
 */
const LISTS = ['text', 'similar', 'url'].flatMap((type) =>
  [0, 1].map(
    (
      isWidget,
    ) => `SELECT * FROM (SELECT id, created_at AS at, query IS NOT NULL AS hasWords, is_tracked AS isTracked,
      json_extract(parameters, '$.product_id') IS NOT NULL AS hasProduct,
      coalesce(json_extract(parameters, '$.offset'), 0) = 0 AS isFirst
    FROM searches INDEXED BY searches_kind
    WHERE store_id = @storeId AND type = '${type}' AND (widget_key_id IS NOT NULL) = ${isWidget} ORDER BY created_at DESC)`,
  ),
)

/** All SQL of replays. No call opens a transaction. */
export function replayQueries(db: Db) {
  const list = db.prepare<[storeId: string], StoredReplay>(
    `SELECT ${REPLAY} FROM search_replays INDEXED BY search_replays_of_store WHERE store_id = ? ORDER BY job_id DESC`,
  )
  const one = db.prepare<[storeId: string, jobId: string], StoredReplay>(
    `SELECT ${REPLAY} FROM search_replays WHERE store_id = ? AND job_id = ?`,
  )
  const running = db.prepare<[storeId: string], StoredReplay>(
    `SELECT ${REPLAY} FROM search_replays INDEXED BY search_replays_running
    WHERE store_id = ? AND finished_at IS NULL LIMIT 1`,
  )
  const next = db.prepare<[after: string], StoredReplay>(`
    SELECT ${REPLAY} FROM search_replays INDEXED BY search_replays_running CROSS JOIN stores ON stores.id = store_id
    WHERE finished_at IS NULL AND store_id > ? AND suspended_at IS NULL AND erasing_at IS NULL
    ORDER BY store_id LIMIT 1`)
  const add = db.prepare(`
    INSERT INTO search_replays (job_id, store_id, settings, total, result, created_at)
    VALUES (@jobId, @storeId, @settings, 0, @result, @createdAt)`)
  const setTotal = db.prepare('UPDATE search_replays SET total = ?, oldest_at = ? WHERE job_id = ?')
  const addSearch = db.prepare('INSERT INTO replayed_searches (job_id, place, search_id) VALUES (?, ?, ?)')
  const setResult = db.prepare('UPDATE search_replays SET result = ? WHERE job_id = ?')
  const finish = db.prepare('UPDATE search_replays SET finished_at = ?, is_cancelled = ? WHERE job_id = ?')
  const forget = db.prepare(`
    DELETE FROM search_replays WHERE store_id = @storeId AND job_id IN (
      SELECT job_id FROM search_replays INDEXED BY search_replays_of_store
      WHERE store_id = @storeId AND finished_at IS NOT NULL ORDER BY job_id DESC LIMIT -1 OFFSET @kept)`)
  const log = db.prepare<
    { storeId: string },
    {
      id: string
      at: number
      hasWords: 0 | 1
      hasProduct: 0 | 1
      isTracked: 0 | 1
      isFirst: 0 | 1
      isReplaced: 0 | 1
    }
  >(`
    SELECT id, at, hasWords, hasProduct, isTracked, isFirst,
      EXISTS (SELECT 1 FROM burst_searches WHERE search_id = id) AS isReplaced
    FROM (${LISTS.join(' UNION ALL ')}) ORDER BY at DESC`)
  const nextSearch = db.prepare<[jobId: string], { place: number; searchId: string }>(
    'SELECT place, search_id AS searchId FROM replayed_searches WHERE job_id = ? ORDER BY place LIMIT 1',
  )
  const removeSearch = db.prepare('DELETE FROM replayed_searches WHERE job_id = ? AND place = ?')
  const removeSearches = db.prepare('DELETE FROM replayed_searches WHERE job_id = ?')
  const search = db.prepare<
    [id: string, storeId: string],
    Omit<LoggedSearch, 'parameters'> & { parameters: string }
  >(
    'SELECT query, parameters, widget_key_id AS keyId, page_origin AS origin FROM searches WHERE id = ? AND store_id = ?',
  )
  const clicked = db
    .prepare<[storeId: string, searchId: string], string>(`
    SELECT DISTINCT product_id FROM feedback_events
    WHERE store_id = ? AND search_id = ? AND action = 'click' AND standing = 0 LIMIT ${CLICKED_MAX}`)
    .pluck()

  return {
    /** Newest first. */
    list: (storeId: string): ReplayRow[] => list.all(storeId).map(read),
    find: (storeId: string, jobId: string): ReplayRow | undefined => readOne(one.get(storeId, jobId)),
    findRunning: (storeId: string): ReplayRow | undefined => readOne(running.get(storeId)),
    /** The unfinished replay of the first working store behind another one. */
    findNext: (afterStore: string): ReplayRow | undefined => readOne(next.get(afterStore)),
    add: ({
      settings,
      result,
      ...row
    }: Omit<ReplayRow, 'total' | 'oldestAt' | 'finishedAt' | 'isCancelled' | 'left'>): void =>
      void add.run({
        ...{ jobId: row.jobId, storeId: row.storeId, createdAt: BigInt(row.createdAt) },
        ...{ settings: JSON.stringify(settings), result: JSON.stringify(result) },
      }),
    /** Has the last searches of the store that can be made again wait. @returns how many. */
    enqueue(storeId: string, jobId: string, last: number): number {
      const found: { id: string; at: number }[] = []
      let walked = 0
      for (const row of log.iterate({ storeId })) {
        if (found.length === last || walked++ === WALKED_MAX) break
        const isCounted = row.isTracked && row.isFirst && !row.isReplaced
        if (isCounted && (row.hasWords || row.hasProduct)) found.push(row)
      }
      for (const [place, { id }] of found.entries()) addSearch.run(jobId, BigInt(place), id)
      const oldest = found.at(-1)?.at
      setTotal.run(BigInt(found.length), oldest === undefined ? null : BigInt(oldest), jobId)
      return found.length
    },
    findNextSearch: (jobId: string) => nextSearch.get(jobId),
    /** @returns false if it no longer waits. */
    removeSearch: (jobId: string, place: number): boolean =>
      removeSearch.run(jobId, BigInt(place)).changes > 0,
    /** @returns how many no longer wait. */
    removeSearches: (jobId: string): number => removeSearches.run(jobId).changes,
    setResult: (jobId: string, result: ReplayResult): void =>
      void setResult.run(JSON.stringify(result), jobId),
    finish: (jobId: string, now: number, isCancelled: boolean): void =>
      void finish.run(BigInt(now), isCancelled ? 1n : 0n, jobId),
    /** Deletes finished replays of a store, except the newest. */
    forget: (storeId: string, kept: number): void => void forget.run({ storeId, kept: BigInt(kept) }),
    findSearch(storeId: string, id: string): LoggedSearch | undefined {
      const row = search.get(id, storeId)
      return row && { ...row, parameters: JSON.parse(row.parameters) }
    },
    /** The products that were clicked in the results of a search, each once. */
    listClicked: (storeId: string, searchId: string): string[] => clicked.all(storeId, searchId),
  }
}

const read = ({ settings, result, isCancelled, ...row }: StoredReplay): ReplayRow => ({
  ...row,
  isCancelled: isCancelled === 1,
  settings: JSON.parse(settings),
  result: JSON.parse(result),
})
const readOne = (row: StoredReplay | undefined): ReplayRow | undefined => row && read(row)
