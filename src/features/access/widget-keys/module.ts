import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { widgetKeyQueries } from './queries.ts'
import { widgetKeyRoutes } from './routes.ts'
import { type WidgetKeyDeps, widgetKeyService } from './service.ts'

export type WidgetKeysModule = ReturnType<typeof buildWidgetKeys>

/** Wires the keys of widgets, which are public. */
export function buildWidgetKeys(ground: Ground, { checkFilters }: Pick<WidgetKeyDeps, 'checkFilters'>) {
  const queries = widgetKeyQueries(ground.db)
  const service = widgetKeyService({ ...ground, queries, checkFilters })
  const { listByStore, findByHash, remove } = queries
  return {
    service,
    /** The rows, for the operator's list of all keys. */
    rows: { listByStore, findByHash, remove },
    routes: (doors: Doors) => widgetKeyRoutes(doors, service),
  } satisfies Module<unknown> & { rows: unknown }
}
