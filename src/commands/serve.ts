import { resolve } from 'node:path'
import { SETTING_NAMES } from '../config.ts'
import { releaseStartMemory } from '../platform/native/start-memory.ts'
import type { Command } from './cli/command.ts'
import { createStopSignal, waitForAbort } from './cli/stop-signal.ts'
import { formatBanner } from './service/banner.ts'
import { startService } from './service/runtime.ts'
import { offerSetupLink } from './service/setup-link.ts'
import { findSupervisor } from './service/supervisor.ts'

/** `lookalike serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service until it receives SIGTERM or SIGINT',
  settings: SETTING_NAMES,
  example: 'lookalike serve --port 8080 --data-dir /var/lib/lookalike',
  async run({ config, settings, variables, env }) {
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
      await waitForAbort(stop)
      void supervisor.tellStopping()
      await service.stop()
    }
    // Everything is closed. A hanging socket or lookup must not keep the process alive.
    process.exit(0)
  },
}
