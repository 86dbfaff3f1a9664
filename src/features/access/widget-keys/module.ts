import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { widgetKeyQueries } from './queries.ts'
import { widgetKeyRoutes } from './routes.ts'
import { type WidgetKeyDeps, type WidgetKeyService, widgetKeyService } from './service.ts'

export type WidgetKeysModule = ReturnType<typeof buildWidgetKeys>

/** Wires the keys of widgets, which are public. */
export function buildWidgetKeys(base: Base, { checkFilters }: Pick<WidgetKeyDeps, 'checkFilters'>) {
  const queries = widgetKeyQueries(base.db)
  const service = widgetKeyService({ ...base, queries, checkFilters })
  const { listByStore, findByHash, remove } = queries
  return {
    service,
    /** The rows, for the operator's list of all keys. */
    rows: { listByStore, findByHash, remove },
    routes: (guards: Guards) => widgetKeyRoutes(guards, service),
  } satisfies Module<WidgetKeyService>
}
