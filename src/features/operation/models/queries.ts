import type { Db } from '../../../platform/db/open.ts'

export type WorkState = 'running' | 'done' | 'cancelled' | 'failed'

export interface FetchRow {
  id: string
  name: string
  state: WorkState
  bytesTotal: number
  error: string | null
  startedAt: number
  finishedAt: number | null
}

/** A move or a fetch, as the list of jobs shows it. */
export interface NodeJobRow {
  id: string
  type: 'model_fetch' | 'model_move'
  /** The model that is fetched, or moved to. */
  name: string
  state: WorkState
  total: number
  done: number
  failed: number
  startedAt: number
  finishedAt: number | null
}

const COLUMNS = `id, name, state, bytes_total AS bytesTotal, error, started_at AS startedAt, finished_at AS finishedAt`

export type ModelQueries = ReturnType<typeof modelQueries>

/** All SQL of this feature. Every call is one statement. */
export function modelQueries(db: Db) {
  const pictures = db.prepare<[], { pictures: number }>('SELECT count(*) AS pictures FROM pictures')
  const add = db.prepare(`
    INSERT INTO model_fetches (id, name, state, bytes_total, started_at)
    VALUES (@id, @name, 'running', @bytesTotal, @startedAt)`)
  const end = db.prepare(`
    UPDATE model_fetches SET state = @state, error = @error, finished_at = @finishedAt
    WHERE id = @id AND state = 'running'`)
  const endAll = db.prepare(
    `UPDATE model_fetches SET state = 'failed', error = ?, finished_at = ? WHERE state = 'running'`,
  )
  const prune = db.prepare(`DELETE FROM model_fetches WHERE state <> 'running' AND started_at < ?`)
  const latest = db.prepare<[], FetchRow>(`SELECT ${COLUMNS} FROM model_fetches ORDER BY id DESC LIMIT 1`)
  const jobs = db.prepare<{ beforeId: string; state: string | null; limit: bigint }, NodeJobRow>(`
    SELECT * FROM (
      SELECT id, 'model_fetch' AS type, name, state, 1 AS total, state = 'done' AS done, state = 'failed' AS failed,
        started_at AS startedAt, finished_at AS finishedAt
      FROM model_fetches
      UNION ALL
      SELECT model_moves.id, 'model_move', models.name, state, products, products_done, failed, started_at, finished_at
      FROM model_moves JOIN models ON models.id = to_model)
    WHERE id < @beforeId AND (@state IS NULL OR state = @state)
    ORDER BY id DESC LIMIT @limit`)

  return {
    countPictures: (): number => pictures.get()?.pictures ?? 0,
    add: (fetch: Pick<FetchRow, 'id' | 'name' | 'bytesTotal' | 'startedAt'>): void =>
      void add.run({ ...fetch, bytesTotal: BigInt(fetch.bytesTotal), startedAt: BigInt(fetch.startedAt) }),
    end: (id: string, state: WorkState, error: string | null, finishedAt: number): void =>
      void end.run({ id, state, error, finishedAt: BigInt(finishedAt) }),
    /** Ends what a process left that was killed. */
    endAll: (error: string, finishedAt: number): void => void endAll.run(error, BigInt(finishedAt)),
    prune: (before: number): void => void prune.run(BigInt(before)),
    findLatest: (): FetchRow | undefined => latest.get(),
    /** The newest first. @param beforeId only older ones. */
    listJobs: (state: WorkState | undefined, beforeId: string | undefined, limit: number): NodeJobRow[] =>
      jobs.all({ beforeId: beforeId ?? '~', state: state ?? null, limit: BigInt(limit) }),
  }
}
