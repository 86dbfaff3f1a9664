import type { Db } from '../../../platform/db/open.ts'

export type BackupState = 'running' | 'completed' | 'failed'
export type CopyState = 'waiting' | 'sending' | 'copied' | 'failed'
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
  /** Of the copy elsewhere; null where none is wanted. */
  copyState: CopyState | null
  copyProgress: number
  copyAddress: string | null
  copiedAt: number | null
  copyBytes: number | null
  copySha256: string | null
  copyError: string | null
}

export type NewBackup = Pick<
  BackupRow,
  'id' | 'startedBy' | 'path' | 'hasSecrets' | 'isRotated' | 'startedAt'
>
export type GoodBackup = Pick<BackupRow, 'id' | 'finishedAt' | 'madeAt' | 'bytes' | 'sha256' | 'counts'>

const COLUMNS = `id, state, started_by AS startedBy, path, has_secrets AS hasSecrets, is_rotated AS isRotated, step, progress,
  started_at AS startedAt, finished_at AS finishedAt, made_at AS madeAt, bytes, sha256, counts, error,
  copy_state AS copyState, copy_progress AS copyProgress, copy_address AS copyAddress, copied_at AS copiedAt,
  copy_bytes AS copyBytes, copy_sha256 AS copySha256, copy_error AS copyError`

export type BackupQueries = ReturnType<typeof backupQueries>

/**
 * Takes the row of a backup out of its own database. The copy was made before the backup was finished, so the row says that it runs,
 * and a service that finds it would tell of a backup that failed.
 */
export const forgetRunning = (db: Db): void => void db.exec("DELETE FROM backups WHERE state = 'running'")

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
  const wantCopy = db.prepare(`UPDATE backups SET copy_state = 'waiting' WHERE id = ?`)
  const dueCopies = db.prepare<[bigint], BackupRow>(`
    SELECT ${COLUMNS} FROM backups WHERE state = 'completed' AND (copy_state IN ('waiting', 'failed')
      OR copy_state = 'sending' AND copy_beat_at < ?
      OR copy_state IS NULL AND id = (SELECT max(id) FROM backups WHERE state = 'completed')) ORDER BY id DESC`)
  const claimCopy = db.prepare(`
    UPDATE backups SET copy_state = 'sending', copy_beat_at = @now, copy_progress = 0, copy_error = NULL
    WHERE id = @id AND NOT EXISTS (SELECT 1 FROM backups WHERE copy_state = 'sending' AND copy_beat_at >= @silentBefore)`)
  const advanceCopy = db.prepare(
    `UPDATE backups SET copy_beat_at = ?, copy_progress = ? WHERE id = ? AND copy_state = 'sending'`,
  )
  const endCopy = db.prepare(`
    UPDATE backups SET copy_state = 'copied', copy_progress = 1, copied_at = @copiedAt, copy_address = @address,
      copy_bytes = @bytes, copy_sha256 = @sha256 WHERE id = @id`)
  const failCopy = db.prepare('UPDATE backups SET copy_state = ?, copy_error = ? WHERE id = ?')
  const newestCopy = db.prepare<[], BackupRow>(`
    SELECT ${COLUMNS} FROM backups WHERE copy_state = 'copied' ORDER BY id DESC LIMIT 1`)
  const newestJudged = db.prepare<[], BackupRow>(`
    SELECT ${COLUMNS} FROM backups WHERE copy_state IN ('copied', 'failed') ORDER BY id DESC LIMIT 1`)
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
    wantCopy: (id: string): void => void wantCopy.run(id),
    /** Backups whose copy is to be sent, the newest first; and the newest of all, which was made before copies were wanted. */
    listDueCopies: (silentBefore: number): BackupRow[] => dueCopies.all(BigInt(silentBefore)),
    /** @returns false while any copy is sent by a program that was heard of since a moment. */
    claimCopy: (id: string, now: number, silentBefore: number): boolean =>
      claimCopy.run({ id, now: BigInt(now), silentBefore: BigInt(silentBefore) }).changes === 1,
    advanceCopy: (id: string, now: number, progress: number): void =>
      void advanceCopy.run(BigInt(now), progress, id),
    endCopy: (copy: { id: string; copiedAt: number; address: string; bytes: number; sha256: string }): void =>
      void endCopy.run({ ...copy, copiedAt: BigInt(copy.copiedAt), bytes: BigInt(copy.bytes) }),
    failCopy: (id: string, state: 'waiting' | 'failed', error: string | null): void =>
      void failCopy.run(state, error, id),
    findNewestCopy: (): BackupRow | undefined => newestCopy.get(),
    /** The newest backup whose copy arrived or failed. */
    findNewestJudgedCopy: (): BackupRow | undefined => newestJudged.get(),
    /** Stores that a super-admin owns. */
    listOperatorStores: (limit: number): string[] => ownStores.all(BigInt(limit)),
  }
}

const toBigInt = (value: number | null): bigint | null => (value === null ? null : BigInt(value))
