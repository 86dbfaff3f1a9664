import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { adminNodeQueries } from './queries.ts'
import { adminNodeRoutes } from './routes.ts'
import { type AdminNodeDeps, type AdminNodeService, adminNodeService } from './service.ts'

export type AdminNodeNeeds = Pick<
  AdminNodeDeps,
  'outbox' | 'health' | 'listAudit' | 'readFreeDiskShare' | 'settings'
>

/** Wires what super-admins see of this node. */
export function buildAdminNode(ground: Ground, needs: AdminNodeNeeds) {
  const service = adminNodeService({
    ...{ ...ground, ...needs, queries: adminNodeQueries(ground.db) },
    readMemoryBytes: () => process.memoryUsage.rss(),
  })
  return {
    service,
    routes: (doors: Doors) => adminNodeRoutes(doors, service),
  } satisfies Module<AdminNodeService>
}
