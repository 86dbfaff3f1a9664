import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { widgetKeyQueries } from './queries.ts'
import { widgetKeyRoutes } from './routes.ts'
import { type WidgetKeyDeps, type WidgetKeyService, widgetKeyService } from './service.ts'
import { traceQueries } from './trace-queries.ts'
import { createTraces, type TraceDeps } from './traces.ts'

export type WidgetKeysModule = ReturnType<typeof buildWidgetKeys>

/** Wires the keys of widgets, which are public. */
export function buildWidgetKeys(
  base: Base,
  {
    checkFilters,
    enqueueWrite,
    findMovedByKey,
  }: Pick<WidgetKeyDeps, 'checkFilters' | 'findMovedByKey'> & Pick<TraceDeps, 'enqueueWrite'>,
) {
  const queries = widgetKeyQueries(base.db)
  const traces = createTraces({ ...base, queries: traceQueries(base.db), enqueueWrite })
  const service = widgetKeyService({ ...base, queries, checkFilters, traces, findMovedByKey })
  const { listByStore, findByHash, findById, remove } = queries
  return {
    service,
    /** The rows, for the operator's list of all keys, and for checks of shops. */
    rows: { listByStore, findByHash, findById, remove },
    routes: (guards: Guards) => widgetKeyRoutes(guards, service),
  } satisfies Module<WidgetKeyService>
}
