import type { AnyElysia } from 'elysia'
import type { Config } from '../../config.ts'
import { createStartingServer, type StartingDeps, type StartPhase } from '../../http/starting.ts'
import { version } from '../../version.ts'
import { buildAddress, handOver, listen } from './addresses.ts'

const PHASES = {
  migrating: { doing: 'the database is being migrated', retryAfterSeconds: 5 },
  loading: { doing: 'the products are being loaded', retryAfterSeconds: 1 },
} as const satisfies Record<string, StartPhase>

/**
 * Listens from the first moment, and answers what can be answered before the service has started.
 *
 * @throws OperatorError if the port cannot be had.
 */
export function openListener(config: Config, deps: Pick<StartingDeps, 'log' | 'clock' | 'ids'>) {
  let phase: StartPhase = PHASES.loading
  const address = () => buildAddress(http, config)
  const http = createStartingServer({
    ...deps,
    version,
    baseUrl: () => config.BASE_URL || address(),
    readPhase: () => phase,
  })
  listen(http, config)
  return {
    address: address(),
    enter(name: keyof typeof PHASES): void {
      phase = PHASES[name]
    },
    /** From now on these routes answer. */
    handOver: (routes: AnyElysia): void => handOver(http, routes),
    /** Stops listening, unless the routes of the service have taken over. */
    close: async (): Promise<void> => {
      await http.server?.stop(true)
    },
  }
}
