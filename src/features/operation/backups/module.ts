import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createTellFailure, type FailureDeps } from './failure.ts'
import { backupQueries } from './queries.ts'
import { backupRoutes } from './routes.ts'
import { type BackupsDeps, type BackupsService, backupsService } from './service.ts'

export interface BackupNeeds
  extends Pick<BackupsDeps, 'world' | 'version' | 'folder' | 'everyMs' | 'keep' | 'stop'>,
    Pick<FailureDeps, 'people' | 'outbox' | 'publish'> {}

/**
 * Wires the backups of the install: the table of them, the schedule, and who is told of a failure. `platform/backup` makes
 * the file, in a process of its own.
 *
 * `copies.ts` sends each good file elsewhere, encrypted to a key that this install cannot read with.
 *
 * One backup is made at a time, whoever asks: the lock of the data folder lies with the process that makes it. A row that
 * says `running` while nobody holds the lock was left by a process that was killed, and the next backup closes it.
 */
export function buildBackups(base: Base, needs: BackupNeeds) {
  const queries = backupQueries(base.db)
  const tellFailure = createTellFailure({ ...base, ...needs, queries })
  const service = backupsService({ ...base, ...needs, queries, tellFailure })
  return {
    service,
    routes: (guards: Guards) => backupRoutes(guards, service),
    chores: [
      { name: 'making backups', everyMs: 5 * MINUTE_MS, reach: 'none', run: service.runIfDue },
      { name: 'copying backups', everyMs: MINUTE_MS, reach: 'none', run: service.copyIfDue },
    ],
  } satisfies Module<BackupsService>
}
