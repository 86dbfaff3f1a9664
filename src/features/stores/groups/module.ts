import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { groupQueries } from './queries.ts'
import { groupRoutes } from './routes.ts'
import { type GroupService, groupService } from './service.ts'

/** Wires the groups of members. */
export function buildGroups(base: Base) {
  const service = groupService({ ...base, queries: groupQueries(base.db) })
  return { service, routes: (guards: Guards) => groupRoutes(guards, service) } satisfies Module<GroupService>
}
