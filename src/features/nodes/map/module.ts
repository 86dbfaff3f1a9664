import type { Guards } from '../../../http/guards.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { mapQueries } from './queries.ts'
import { mapRoutes } from './routes.ts'
import { type MapService, mapService } from './service.ts'

/**
 * Wires the map of who lives where. Proxies and Prometheus fetch it, or `lookalike node map` writes it to files and joins those of
 * several nodes (`join.ts`). Nothing of it is kept or repeated: a node that nobody asks does no work for it.
 */
export function buildMap(base: Base) {
  const service = mapService({ ...base, version, queries: mapQueries(base.db) })
  return {
    service,
    routes: (guards: Guards) => mapRoutes(guards, service),
  } satisfies Module<MapService>
}
