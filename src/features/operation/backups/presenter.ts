import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import type { BackupRow } from './queries.ts'
import type { Backup, BackupCopy } from './schema.ts'
import type { BackupWorld } from './service.ts'

/** The tables whose rows people see; all of them are compared. */
const SHOWN = ['stores', 'users', 'products', 'kept_pictures', 'vectors'] as const

export const createBackupView = (world: Pick<BackupWorld, 'isThere'>) => ({
  async view(row: BackupRow): Promise<Backup> {
    const counts = row.counts === null ? null : (JSON.parse(row.counts) as Record<string, number>)
    return {
      id: row.id,
      state: row.state,
      started_by: row.startedBy,
      step: row.step as Backup['step'],
      progress: row.progress,
      started_at: isoTime(row.startedAt),
      finished_at: isoTimeOrNull(row.finishedAt),
      made_at: isoTimeOrNull(row.madeAt),
      file: row.path,
      is_there: row.bytes !== null && (await world.isThere(row.path, row.bytes)),
      bytes: row.bytes,
      sha256: row.sha256,
      has_secrets: row.hasSecrets === 1,
      counts: counts && Object.fromEntries(SHOWN.map((name) => [name, counts[name] ?? 0])),
      error: row.error,
      copy: viewCopy(row),
    }
  },
})

const viewCopy = (row: BackupRow): BackupCopy | null =>
  row.copyState && {
    state: row.copyState,
    progress: row.copyProgress,
    copied_at: isoTimeOrNull(row.copiedAt),
    address: row.copyAddress,
    bytes: row.copyBytes,
    sha256: row.copySha256,
    error: row.copyError,
  }
