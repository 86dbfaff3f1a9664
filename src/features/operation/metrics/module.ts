import { BEAT_MS } from '../../../core/beat.ts'
import { readFileSizes } from '../../../platform/db/file-sizes.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { createMetricsAccess, type MetricsAccessDeps } from './access.ts'
import { createGauges, type GaugesDeps } from './gauges.ts'
import { createLoopWatch } from './loop-delay.ts'
import type { Meters } from './meters.ts'
import { metricsQueries } from './queries.ts'
import { metricsRoutes } from './routes.ts'

export { createMeters } from './meters.ts'

export interface MetricsNeeds
  extends MetricsAccessDeps,
    Pick<GaugesDeps, 'readFreeDiskShare' | 'findLastBackup' | 'findMove' | 'readCopies'> {
  meters: Meters
  models: Pick<ModelSet, 'listRunning' | 'watch'>
}

export interface MetricsService {
  /** Whether a request may read the metrics. */
  mayRead(request: Request): boolean
  read(): Promise<{ type: string; text: string }>
}

/**
 * Wires `/metrics`. The meters are made before everything that they count (`app.ts`), and are given to the few places where
 * something happens: the request log, the searches, the jobs, the ways to the model and to receivers of webhooks. What
 * merely is, such as the length of a queue, is read when somebody asks. Stores and paths are no labels: their number
 * has no bound.
 */
export function buildMetrics(base: Base, needs: MetricsNeeds) {
  const { meters } = needs
  const refresh = createGauges(meters.registry, {
    ...base,
    ...needs,
    version,
    listModels: () => needs.models.listRunning().map(({ embedder }) => embedder),
    queries: metricsQueries(base.db),
    readFileSizes: () => readFileSizes(base.db),
    readMemoryBytes: () => process.memoryUsage.rss(),
  })
  needs.models.watch(({ embedder }) => meters.watchEmbedder(embedder.gauges))
  const service: MetricsService = {
    mayRead: createMetricsAccess(needs),
    async read() {
      await refresh()
      return { type: meters.registry.contentType, text: await meters.read() }
    },
  }
  const measureDelay = createLoopWatch(base.clock.monotonic, meters.noteLoopDelay)
  return {
    service,
    routes: () => metricsRoutes(service),
    chores: [{ name: 'measuring the event loop', everyMs: BEAT_MS, reach: 'none', run: measureDelay }],
  } satisfies Module<MetricsService>
}
