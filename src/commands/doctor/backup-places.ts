import { accessSync, constants, existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { type Check, warning } from './check.ts'

/** Finds folders of the settings that backups cannot be written to, before the first one fails. */
export function checkBackupPlaces({
  BACKUP_DIR,
  BACKUP_TO,
}: Pick<Config, 'BACKUP_DIR' | 'BACKUP_TO'>): Check[] {
  const checks: Check[] = []
  // One that is not there is made by the first backup.
  if (BACKUP_DIR !== '' && existsSync(BACKUP_DIR) && !mayWrite(BACKUP_DIR))
    checks.push(
      warning(
        'backup',
        `BACKUP_DIR: ${resolve(BACKUP_DIR)} is no folder that this user may write to`,
        'Give the folder to the user of the service, or name another one',
      ),
    )
  // It is made by nobody, because it is often a disk that has to be mounted.
  if (isAbsolute(BACKUP_TO) && !mayWrite(BACKUP_TO))
    checks.push(
      warning(
        'copies',
        `BACKUP_TO: ${BACKUP_TO} is no folder that this user may write to`,
        'Mount its disk or make the folder, and give it to the user of the service',
      ),
    )
  return checks
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(`${folder}/.`, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
