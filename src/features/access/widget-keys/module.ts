import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { widgetKeyQueries } from './queries.ts'
import { widgetKeyRoutes } from './routes.ts'
import { widgetKeyService } from './service.ts'

export type WidgetKeysModule = ReturnType<typeof buildWidgetKeys>

/** Wires the public keys of widgets. */
export function buildWidgetKeys(ground: Ground) {
  const queries = widgetKeyQueries(ground.db)
  const service = widgetKeyService({ ...ground, queries })
  const { ofStore, byHash, remove } = queries
  return {
    service,
    /** The rows, for the operator's list of all keys. */
    rows: { ofStore, byHash, remove },
    routes: (doors: Doors) => widgetKeyRoutes(doors, service),
  } satisfies Module<unknown> & { rows: unknown }
}
