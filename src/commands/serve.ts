import { resolve } from 'node:path'
import { SETTING_NAMES } from '../config.ts'
import { releaseStartMemory } from '../platform/native/start-memory.ts'
import { formatBanner } from './banner.ts'
import type { Command } from './command.ts'
import { startService } from './runtime.ts'

/** `lookalike serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service until it receives SIGTERM or SIGINT',
  settings: SETTING_NAMES,
  example: 'lookalike serve --port 8080 --data-dir /var/lib/lookalike',
  async run({ config, settings }) {
    const told = createStopSignal()
    const service = await startService(config, told, settings)
    if (service) {
      // Scripts wait for exactly this line: from now on requests are answered.
      console.log(`listening on ${service.address}`)
      if (process.stderr.isTTY) {
        const { app, embedder, address, baseUrl } = service
        const facts = {
          ...{ address, baseUrl },
          dataDir: resolve(config.DATA_DIR),
          model: embedder.model.id,
          hasStore: app.install.storeRows.listStores().length > 0,
        }
        process.stderr.write(formatBanner(facts, config))
      }
      releaseStartMemory()
      await waitForAbort(told)
      await service.stop()
    }
    // Everything is closed. A hanging socket or lookup must not keep the process alive.
    process.exit(0)
  },
}

/** Creates a signal that aborts at the first SIGTERM or SIGINT; the second ends the process at once. */
export function createStopSignal(): AbortSignal {
  const told = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (told.signal.aborted) process.exit(1)
      told.abort()
    })
  }
  return told.signal
}

/** Resolves when a signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
