import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { adminNodeQueries } from './queries.ts'
import { adminNodeRoutes } from './routes.ts'
import { type AdminNodeDeps, type AdminNodeService, adminNodeService } from './service.ts'

export type AdminNodeNeeds = Pick<
  AdminNodeDeps,
  'outbox' | 'health' | 'listAudit' | 'readFreeDiskShare' | 'settings'
>

/** Wires what super-admins see of this node. */
export function buildAdminNode(base: Base, needs: AdminNodeNeeds) {
  const service = adminNodeService({
    ...{ ...base, ...needs, queries: adminNodeQueries(base.db) },
    readMemoryBytes: () => process.memoryUsage.rss(),
  })
  return {
    service,
    routes: (doors: Doors) => adminNodeRoutes(doors, service),
  } satisfies Module<AdminNodeService>
}
