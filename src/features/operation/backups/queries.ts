import type { Db } from '../../../platform/db/open.ts'

export type BackupState = 'running' | 'completed' | 'failed'
export type BackupStarter = 'schedule' | 'operator' | 'command'

export interface BackupRow {
  id: string
  state: BackupState
  startedBy: BackupStarter
  path: string
  hasSecrets: 0 | 1
  /** Whether it goes when enough newer ones count. */
  isRotated: 0 | 1
  step: string | null
  progress: number
  startedAt: number
  finishedAt: number | null
  /** The moment of the copy. */
  madeAt: number | null
  bytes: number | null
  sha256: string | null
  /** JSON. */
  counts: string | null
  error: string | null
}

export type NewBackup = Pick<
  BackupRow,
  'id' | 'startedBy' | 'path' | 'hasSecrets' | 'isRotated' | 'startedAt'
>
export type GoodBackup = Pick<BackupRow, 'id' | 'finishedAt' | 'madeAt' | 'bytes' | 'sha256' | 'counts'>

const COLUMNS = `id, state, started_by AS startedBy, path, has_secrets AS hasSecrets, is_rotated AS isRotated, step, progress,
  started_at AS startedAt, finished_at AS finishedAt, made_at AS madeAt, bytes, sha256, counts, error`

export type BackupQueries = ReturnType<typeof backupQueries>

/** All SQL of backups. Every call is one statement. */
export function backupQueries(db: Db) {
  const add = db.prepare(`
    INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at)
    VALUES (@id, 'running', @startedBy, @path, @hasSecrets, @isRotated, @startedAt)`)
  const advance = db.prepare(`UPDATE backups SET step = ?, progress = ? WHERE id = ? AND state = 'running'`)
  const complete = db.prepare(`
    UPDATE backups SET state = 'completed', step = NULL, progress = 1, finished_at = @finishedAt, made_at = @madeAt,
      bytes = @bytes, sha256 = @sha256, counts = @counts WHERE id = @id AND state = 'running'`)
  const fail = db.prepare(`
    UPDATE backups SET state = 'failed', step = NULL, finished_at = ?, error = ? WHERE id = ? AND state = 'running'`)
  const remove = db.prepare('DELETE FROM backups WHERE id = ?')
  const removeFailed = db.prepare(`DELETE FROM backups WHERE state = 'failed' AND started_at < ?`)
  const one = db.prepare<[string], BackupRow>(`SELECT ${COLUMNS} FROM backups WHERE id = ?`)
  const page = db.prepare<[string | null, string | null, bigint], BackupRow>(
    `SELECT ${COLUMNS} FROM backups WHERE ? IS NULL OR id < ? ORDER BY id DESC LIMIT ?`,
  )
  const running = db.prepare<[], BackupRow>(
    `SELECT ${COLUMNS} FROM backups WHERE state = 'running' ORDER BY id`,
  )
  const newest = db.prepare<[string], BackupRow>(
    `SELECT ${COLUMNS} FROM backups WHERE state = ? AND is_rotated = 1 ORDER BY id DESC LIMIT 1`,
  )
  const newestOfAll = db.prepare<[], BackupRow>(
    `SELECT ${COLUMNS} FROM backups WHERE is_rotated = 1 ORDER BY id DESC LIMIT 1`,
  )
  const beyond = db.prepare<[bigint], BackupRow>(`
    SELECT ${COLUMNS} FROM backups WHERE state = 'completed' AND is_rotated = 1 ORDER BY id DESC LIMIT -1 OFFSET ?`)
  const ownStores = db
    .prepare<[bigint], string>(`
      SELECT DISTINCT store_id FROM memberships JOIN users ON users.id = user_id
      JOIN stores ON stores.id = store_id
      WHERE is_super_admin = 1 AND role = 'owner' AND erasing_at IS NULL LIMIT ?`)
    .pluck()

  return {
    add: (backup: NewBackup): void => void add.run({ ...backup, startedAt: BigInt(backup.startedAt) }),
    advance: (id: string, step: string, progress: number): void => void advance.run(step, progress, id),
    complete: (backup: GoodBackup): void =>
      void complete.run({
        ...backup,
        finishedAt: toBigInt(backup.finishedAt),
        madeAt: toBigInt(backup.madeAt),
        bytes: toBigInt(backup.bytes),
      }),
    fail: (id: string, now: number, error: string): void => void fail.run(BigInt(now), error, id),
    remove: (id: string): void => void remove.run(id),
    /** Forgets failures that began before a moment. */
    removeFailed: (before: number): void => void removeFailed.run(BigInt(before)),
    find: (id: string): BackupRow | undefined => one.get(id),
    /** Lists backups that began before one, the newest first. */
    listPage: (beforeId: string | null, limit: number): BackupRow[] =>
      page.all(beforeId, beforeId, BigInt(limit)),
    listRunning: (): BackupRow[] => running.all(),
    /** Of those that go to the folder of the settings. */
    findNewest: (state?: BackupState): BackupRow | undefined =>
      state === undefined ? newestOfAll.get() : newest.get(state),
    /** The good ones that are older than the newest so many. */
    listBeyond: (keep: number): BackupRow[] => beyond.all(BigInt(keep)),
    /** Stores that a super-admin owns. */
    listOperatorStores: (limit: number): string[] => ownStores.all(BigInt(limit)),
  }
}

const toBigInt = (value: number | null): bigint | null => (value === null ? null : BigInt(value))
