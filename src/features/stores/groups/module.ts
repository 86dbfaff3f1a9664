import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { groupQueries } from './queries.ts'
import { groupRoutes } from './routes.ts'
import { type GroupService, groupService } from './service.ts'

/** Wires the groups of members. */
export function buildGroups(base: Base) {
  const service = groupService({ ...base, queries: groupQueries(base.db) })
  return { service, routes: (doors: Doors) => groupRoutes(doors, service) } satisfies Module<GroupService>
}
