import type { Db } from '../../../platform/db/open.ts'

export const RUNNING_PHASES = ['copying', 'catching_up', 'paused', 'verifying', 'switching'] as const
export const PHASES = [...RUNNING_PHASES, 'moved', 'cancelled', 'failed'] as const
export type Phase = (typeof PHASES)[number]
export type RunningPhase = (typeof RUNNING_PHASES)[number]
export type EndPhase = Exclude<Phase, RunningPhase>

/** A move of a store to another node. Times are Unix ms. */
export interface DepartureRow {
  id: string
  storeId: string
  slug: string
  url: string
  fingerprint: string
  targetId: string
  /** Sealed. */
  token: Buffer
  newUrl: string
  reembeds: boolean
  phase: Phase
  /** JSON; null at the start. */
  cursor: string | null
  /** The highest number that a batch may have had so far. */
  lastBatch: number
  rowsSent: number
  bytesSent: number
  products: number
  productsDone: number
  picturesDone: number
  pauses: number
  pauseMs: number | null
  repairs: number
  /** No pause before. */
  pauseAt: number
  tries: number
  nextAt: number
  problem: string | null
  error: string | null
  isTargetTold: boolean
  startedAt: number
  advancedAt: number
  finishedAt: number | null
}

export interface NewDeparture
  extends Pick<
    DepartureRow,
    'id' | 'storeId' | 'slug' | 'url' | 'fingerprint' | 'targetId' | 'token' | 'newUrl' | 'products'
  > {
  reembeds: boolean
  now: number
}

/** What a step has sent. */
export interface Sent {
  rows: number
  bytes: number
  products: number
  pictures: number
}

/** A product that a search can be made of. */
export interface SampleProduct {
  productId: string
  name: string
  hasPicture: 0 | 1
}

type Stored = Omit<DepartureRow, 'reembeds' | 'isTargetTold'> & { reembeds: number; isTargetTold: number }

const COLUMNS = `id, store_id AS storeId, slug, url, fingerprint, target_id AS targetId, token, new_url AS newUrl, reembeds, phase,
  cursor, last_batch AS lastBatch, rows_sent AS rowsSent, bytes_sent AS bytesSent, products, products_done AS productsDone,
  pictures_done AS picturesDone, pauses, pause_ms AS pauseMs, repairs, pause_at AS pauseAt, tries, next_at AS nextAt, problem, error,
  is_target_told AS isTargetTold, started_at AS startedAt, advanced_at AS advancedAt, finished_at AS finishedAt`

const toRow = (row: Stored): DepartureRow => ({
  ...row,
  reembeds: row.reembeds === 1,
  isTargetTold: row.isTargetTold === 1,
})

export type DepartureQueries = ReturnType<typeof departureQueries>

/** All SQL of this feature. Every change names the phase that it leaves, so what was cancelled meanwhile stays so. */
export function departureQueries(db: Db) {
  return { ...reads(db), ...progress(db), ...ends(db) }
}

function reads(db: Db) {
  const byId = db.prepare<[string], Stored>(`SELECT ${COLUMNS} FROM store_moves WHERE id = ?`)
  const running = db.prepare<[string], Stored>(
    `SELECT ${COLUMNS} FROM store_moves WHERE store_id = ? AND finished_at IS NULL`,
  )
  const latest = db.prepare<[string], Stored>(
    `SELECT ${COLUMNS} FROM store_moves WHERE store_id = ? ORDER BY id DESC LIMIT 1`,
  )
  const open = db.prepare<[], Stored>(`
    SELECT ${COLUMNS} FROM store_moves
    WHERE finished_at IS NULL OR (is_target_told = 0 AND phase IN ('cancelled', 'failed'))`)
  const list = db.prepare<{ state: string | null; beforeId: string; limit: bigint }, Stored>(`
    SELECT ${COLUMNS} FROM store_moves
    WHERE id < @beforeId AND (@state IS NULL OR @state =
      CASE phase WHEN 'moved' THEN 'completed' WHEN 'cancelled' THEN 'cancelled' WHEN 'failed' THEN 'failed' ELSE 'processing' END)
    ORDER BY id DESC LIMIT @limit`)
  const sample = db.prepare<{ storeId: string; from: string }, SampleProduct>(`
    SELECT product_id AS productId, coalesce(name, '') AS name, EXISTS (SELECT 1 FROM pictures WHERE pictures.product = products.id) AS hasPicture
    FROM products WHERE store_id = @storeId AND product_id >= @from ORDER BY product_id LIMIT 1`)

  const find = (row: Stored | undefined | null) => (row ? toRow(row) : undefined)
  return {
    findById: (id: string): DepartureRow | undefined => find(byId.get(id)),
    /** The running move of a store. */
    findRunning: (storeId: string): DepartureRow | undefined => find(running.get(storeId)),
    /** The newest move of a store, whether it runs or not. */
    findLatest: (storeId: string): DepartureRow | undefined => find(latest.get(storeId)),
    /** Moves that run, and ended ones whose targets have not been told. */
    listOpen: (): DepartureRow[] => open.all().map(toRow),
    /** The newest first. @param beforeId only older ones. */
    list: (state: string | undefined, beforeId: string | undefined, limit: number): DepartureRow[] =>
      list.all({ state: state ?? null, beforeId: beforeId ?? '~', limit: BigInt(limit) }).map(toRow),
    /** The first product of a store from an id on. */
    findSample: (storeId: string, from: string): SampleProduct | undefined => sample.get({ storeId, from }),
  }
}

function progress(db: Db) {
  const add = db.prepare(`
    INSERT INTO store_moves (id, store_id, slug, url, fingerprint, target_id, token, new_url, reembeds, phase, products,
      started_at, advanced_at)
    VALUES (@id, @storeId, @slug, @url, @fingerprint, @targetId, @token, @newUrl, @reembeds, 'copying', @products, @now, @now)`)
  const prune = db.prepare(`
    DELETE FROM store_moves WHERE finished_at IS NOT NULL AND id NOT IN (SELECT id FROM store_moves ORDER BY id DESC LIMIT 100)`)
  const claim = db.prepare<[string], { batch: number }>(
    'UPDATE store_moves SET last_batch = last_batch + 1 WHERE id = ? AND finished_at IS NULL RETURNING last_batch AS batch',
  )
  const advance = db.prepare(`
    UPDATE store_moves SET cursor = coalesce(@cursor, cursor), rows_sent = rows_sent + @rows, bytes_sent = bytes_sent + @bytes,
      products_done = min(products, products_done + @products), pictures_done = pictures_done + @pictures,
      tries = 0, next_at = 0, problem = NULL, advanced_at = @now
    WHERE id = @id AND finished_at IS NULL`)
  const setPhase = db.prepare(`
    UPDATE store_moves SET phase = @to, tries = 0, next_at = 0, problem = NULL
    WHERE id = @id AND phase = @from`)
  const fail = db.prepare(`
    UPDATE store_moves SET tries = tries + 1, next_at = @nextAt, problem = @problem WHERE id = @id`)
  const giveUpPause = db.prepare(`
    UPDATE store_moves SET phase = 'catching_up', pauses = pauses + 1, pause_at = @pauseAt, problem = @problem,
      pause_ms = coalesce(@pauseMs, pause_ms)
    WHERE id = @id AND phase IN ('paused', 'verifying')`)
  const dropPause = db.prepare(
    `UPDATE store_moves SET phase = 'catching_up' WHERE id = ? AND phase IN ('paused', 'verifying')`,
  )
  const repair = db.prepare(`
    UPDATE store_moves SET phase = @phase, cursor = coalesce(@cursor, cursor), repairs = repairs + 1, pause_ms = @pauseMs,
      problem = @problem
    WHERE id = @id AND phase = 'verifying'`)
  const raise = db.prepare('UPDATE store_moves SET last_batch = max(last_batch, @batch) WHERE id = @id')

  return {
    add({ reembeds, now, ...move }: NewDeparture): void {
      add.run({ ...move, reembeds: reembeds ? 1 : 0, now: BigInt(now) })
      prune.run()
    },
    /** Takes a number for a batch that no other one has had. @returns undefined if the move has ended. */
    claimBatch: (id: string): number | undefined => claim.all(id)[0]?.batch,
    /** @returns false if the move has ended. */
    advance: (id: string, sent: Sent, cursor: string | null, now: number): boolean =>
      advance.run({ id, ...sent, cursor, now: BigInt(now) }).changes > 0,
    /** @returns false if the move is not in the phase that it leaves. */
    setPhase: (id: string, from: RunningPhase, to: RunningPhase): boolean =>
      setPhase.run({ id, from, to }).changes > 0,
    noteFailure: (id: string, problem: string, nextAt: number): void =>
      void fail.run({ id, problem, nextAt: BigInt(nextAt) }),
    /** Writes go on; the pause is tried again later. @returns false if the move is not in a pause. */
    giveUpPause: (id: string, problem: string, pauseAt: number, pauseMs: number): boolean =>
      giveUpPause.run({ id, problem, pauseAt: BigInt(pauseAt), pauseMs: Math.round(pauseMs) }).changes > 0,
    /** Ends a pause that a process left which was killed; it counts as none. */
    dropPause: (id: string): void => void dropPause.run(id),
    /** Goes back to what makes the target equal. @param cursor where the walk begins; null for none. */
    beginRepair: (
      id: string,
      phase: 'copying' | 'catching_up',
      { cursor, problem, pauseMs }: { cursor: string | null; problem: string; pauseMs: number },
    ): boolean => repair.run({ id, phase, cursor, problem, pauseMs: Math.round(pauseMs) }).changes > 0,
    /** Later batches get higher numbers than one that the target has seen. */
    raiseBatch: (id: string, batch: number): void => void raise.run({ id, batch }),
  }
}

function ends(db: Db) {
  const end = db.prepare(`
    UPDATE store_moves SET phase = @to, error = @error, problem = NULL, tries = 0, next_at = 0, finished_at = @now,
      pause_ms = coalesce(@pauseMs, pause_ms), new_url = coalesce(@newUrl, new_url)
    WHERE id = @id AND phase = @from`)
  const told = db.prepare('UPDATE store_moves SET is_target_told = 1, problem = NULL WHERE id = ?')

  return {
    /** @returns false if the move is not in the phase that it leaves. */
    end: (
      id: string,
      from: RunningPhase,
      to: EndPhase,
      {
        now,
        error = null,
        pauseMs = null,
        newUrl = null,
      }: { now: number; error?: string | null; pauseMs?: number | null; newUrl?: string | null },
    ): boolean => {
      const rounded = pauseMs === null ? null : BigInt(Math.round(pauseMs))
      return end.run({ id, from, to, error, pauseMs: rounded, newUrl, now: BigInt(now) }).changes > 0
    },
    noteTargetTold: (id: string): void => void told.run(id),
  }
}
