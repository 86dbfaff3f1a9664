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
    const stopped = stopSignal()
    const service = await startService(config)
    // The exact line that marks the moment from which requests are answered.
    console.log(`listening on ${service.address}`)
    await stopped
    await service.stop()
    return 0
  },
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}
