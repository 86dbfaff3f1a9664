import { join } from 'node:path'
import type { Config } from '../config.ts'
import { HOUR_MS } from '../core/clock.ts'
import { buildBackups } from '../features/operation/backups/module.ts'
import type { InstallPorts } from '../install.ts'
import { version } from '../version.ts'
import type { wireDelivery } from './delivery.ts'
import type { Foundation } from './foundation.ts'
import type { StoresWing } from './stores.ts'

/** Builds the backups of the install, which commands make, too. */
export const wireBackups = (
  { BACKUP_DIR, BACKUP_EVERY_H, BACKUP_KEEP }: Pick<Config, 'BACKUP_DIR' | 'BACKUP_EVERY_H' | 'BACKUP_KEEP'>,
  { base }: Foundation,
  { backups: world, stop }: Pick<InstallPorts, 'backups' | 'stop'>,
  { people }: StoresWing,
  { webhooks }: ReturnType<typeof wireDelivery>,
  outbox: Parameters<typeof buildBackups>[1]['outbox'],
) =>
  buildBackups(base, {
    ...{ world, version, people, outbox },
    folder: BACKUP_DIR || join(world.dataDir, 'backups'),
    everyMs: BACKUP_EVERY_H * HOUR_MS,
    keep: BACKUP_KEEP,
    stop: stop ?? new AbortController().signal,
    publish: webhooks.service.publish,
  })
