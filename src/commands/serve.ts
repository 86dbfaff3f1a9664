import { resolve } from 'node:path'
import { SETTING_NAMES } from '../config.ts'
import { releaseStartMemory } from '../platform/native/start-memory.ts'
import type { Call, Command } from './cli/command.ts'
import { createStopSignal, waitForAbort } from './cli/stop-signal.ts'
import { formatBanner } from './service/banner.ts'
import { checkFolder, explainFolderError } from './service/data-folder.ts'
import { startService } from './service/runtime.ts'
import { offerSetupLink } from './service/setup-link.ts'
import { findSupervisor } from './service/supervisor.ts'
import { goBack } from './service/way-back.ts'

/** systemd starts the service again after this code, and it finds out that it is a standby now. */
const LOST_EXIT = 75

const never = new Promise<never>(() => {})

/** `lookalike serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service until it receives SIGTERM or SIGINT',
  options: [
    {
      flag: 'from-snapshot',
      meaning:
        'before the start, go back to the database as it was before a newer version migrated it; what was written since is lost',
    },
    { flag: 'yes', meaning: 'with --from-snapshot: do not ask; needed where there is no terminal' },
  ],
  settings: SETTING_NAMES,
  example: 'lookalike serve --port 8080 --data-dir /var/lib/lookalike',
  findProblems: (options) =>
    options['yes'] !== undefined && options['from-snapshot'] === undefined
      ? ['--yes goes with --from-snapshot']
      : [],
  async run({ config, settings, options, variables, env }) {
    if (options['from-snapshot'] !== undefined && !(await returnToSnapshot(config, options))) return 1
    const stop = createStopSignal()
    const service = await startService(config, stop, settings, variables)
    if (service) {
      // Scripts wait for exactly this line: from now on requests are answered.
      console.log(`listening on ${service.address}`)
      if (process.stderr.isTTY) {
        const { app, embedder, address, baseUrl } = service
        const facts = {
          address,
          baseUrl,
          dataDir: resolve(config.DATA_DIR),
          model: embedder.model.id,
          setup: offerSetupLink(app.install, config.BASE_URL || address),
        }
        process.stderr.write(formatBanner(facts, config))
      }
      const supervisor = findSupervisor(env, process.pid, service.log)
      await supervisor.tellReady(`listening on ${service.address}`)
      releaseStartMemory()
      const isLost = await Promise.race([waitForAbort(stop), service.lost?.then(() => true) ?? never])
      void supervisor.tellStopping()
      await service.stop()
      if (isLost === true) {
        console.error('lookalike: another node has taken over; started again, this one goes on as a standby')
        process.exit(LOST_EXIT)
      }
    }
    // Everything is closed. A hanging socket or lookup must not keep the process alive.
    process.exit(0)
  },
}

async function returnToSnapshot({ DATA_DIR }: Call['config'], options: Call['options']): Promise<boolean> {
  const dataDir = resolve(DATA_DIR)
  try {
    checkFolder(dataDir, { mayMake: false })
    if (await goBack(dataDir, options)) return true
    console.error('Nothing was changed.')
    return false
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}
