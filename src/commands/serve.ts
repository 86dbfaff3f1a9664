import { SETTING_NAMES } from '../config.ts'
import type { Command } from './command.ts'
import { startService } from './runtime.ts'

/** `lookalike serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service until it is told to stop',
  settings: SETTING_NAMES,
  example: 'lookalike serve --port 8080 --data-dir /var/lib/lookalike',
  async run({ config }) {
    const told = stopSignal()
    const service = await startService(config, told)
    if (service) {
      // The exact line that marks the moment from which requests are answered.
      console.log(`listening on ${service.address}`)
      await aborted(told)
      await service.stop()
    }
    // Everything is closed; what hangs in a socket or a look-up must not keep the process alive.
    process.exit(0)
  },
}

/** Aborts at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function stopSignal(): AbortSignal {
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
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
