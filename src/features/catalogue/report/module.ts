import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createReportMaker, type ReportMakerDeps } from './maker.ts'
import { reportQueries } from './queries.ts'
import { reportRoutes } from './routes.ts'
import { type ReportDeps, reportService } from './service.ts'

export interface ReportNeeds
  extends Pick<ReportMakerDeps, 'index' | 'models' | 'readThreshold' | 'dayOf' | 'stop'>,
    Pick<ReportDeps, 'addThumbnailUrls'> {}

/**
 * Wires the report about a store's catalogue: what its people may want to correct.
 *
 * `maker.ts` makes it in small steps and keeps it as one row, which a GET reads. Links and what jobs met, shared pictures, and
 * what each product says of itself come from the database; what pictures show comes from the index in memory. A wish is a column
 * of that row, so that a restart forgets none.
 */
export function buildCatalogueReport(base: Base, needs: ReportNeeds) {
  const queries = reportQueries(base.db)
  const maker = createReportMaker({ ...base, ...needs, queries })
  const service = reportService({ ...base, ...needs, queries, wake: () => base.defer(maker.wake, 0) })
  return {
    service,
    routes: (guards: Guards) => reportRoutes(guards, service),
    chores: [{ name: 'making catalogue reports', everyMs: MINUTE_MS, reach: 'steps', run: maker.run }],
  } satisfies Module<object>
}
