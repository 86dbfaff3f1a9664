import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { groupQueries } from './queries.ts'
import { groupRoutes } from './routes.ts'
import { type GroupService, groupService } from './service.ts'

/** Wires the groups of members. */
export function buildGroups(ground: Ground) {
  const service = groupService({ ...ground, queries: groupQueries(ground.db) })
  return { service, routes: (doors: Doors) => groupRoutes(doors, service) } satisfies Module<GroupService>
}
