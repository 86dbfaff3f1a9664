import { join } from 'node:path'
import { systemIds } from '../../../core/ids.ts'
import { replaceFile } from '../../replace-file.ts'
import { ensureSecret, readSecret } from '../../secret-file.ts'

/** The public half of the key of copies. A restore leaves it as it is, and no backup holds it. */
const RECIPIENT_FILE = 'backup-recipient'
/**
 * What tells the copies of this install from those of others. It is no part of the database: an install that was restored from
 * a backup elsewhere must not delete the copies of the first one.
 */
const INSTALL_ID_FILE = 'install-id'

export const findRecipient = (dataDir: string): string | undefined =>
  readSecret(join(dataDir, RECIPIENT_FILE))

export const keepRecipient = (dataDir: string, recipient: string): void =>
  replaceFile(join(dataDir, RECIPIENT_FILE), `${recipient}\n`, 0o600)

export const ensureInstallId = (dataDir: string): string =>
  ensureSecret(join(dataDir, INSTALL_ID_FILE), () => ({
    secret: systemIds.uuid(),
    uniqueName: systemIds.uuid(),
  }))
