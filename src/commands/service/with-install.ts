import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { systemIds } from '../../core/ids.ts'
import { createInstall, type Install } from '../../install.ts'
import { isOutdated, migrateApart } from '../../platform/db/migrating.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'
import { createPoster } from '../../platform/outbound/poster.ts'
import { findAddress } from './addresses.ts'
import { checkFolder, explainFolderError, makeFolder } from './data-folder.ts'
import { readTokenSecret } from './data-secrets.ts'
import { createDeferredWork } from './deferred-work.ts'
import { createLog } from './log.ts'
import { openEgresses, openInstallPorts } from './open-ports.ts'
import { openOrExplain } from './way-back.ts'

/**
 * Works on the install in a data folder without serving it. A service may run at the same time.
 *
 * @param mayMake whether to create the install if there is none.
 * @throws OperatorError if there is no install, or if the folder is incomplete.
 */
export async function withInstall<Result>(
  config: Config,
  work: (services: Install['services'], secrets: InstallSecrets) => Result | Promise<Result>,
  { mayMake = false } = {},
): Promise<Result> {
  const dataDir = resolve(config.DATA_DIR)
  const log = createLog('warn')
  const deferred = createDeferredWork(log)
  try {
    checkFolder(dataDir, { mayMake })
    makeFolder(dataDir)
    if (isOutdated(dataDir)) {
      const migrated = { dataDir, keep: config.SNAPSHOT_KEEP }
      await migrateApart(
        ownCommand('database-migration'),
        ownEnvironment(),
        migrated,
        new AbortController().signal,
      )
    }
    await using opened = new AsyncDisposableStack()
    const db = openOrExplain(dataDir)
    opened.defer(() => void db.close())
    opened.defer(deferred.finish)
    const egresses = openEgresses(config)
    const ports = openInstallPorts(config, {
      db,
      dataDir,
      log,
      defer: deferred.defer,
      egress: egresses.main,
      // Only a service sends webhooks: two senders would send everything twice.
      poster: createPoster({ egress: egresses.webhooks, stop: AbortSignal.abort() }),
    })
    const baseUrl = () => findAddress(config)
    const { services } = createInstall(config, baseUrl, ports, () => {})
    return await work(services, {
      readTokenSecret: () => readTokenSecret(db, dataDir, systemIds, config.JWT_SECRET),
    })
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}

export interface InstallSecrets {
  /** Reads the secret that the service signs its tokens with. @throws OperatorError if that cannot be known. */
  readTokenSecret(): string
}
