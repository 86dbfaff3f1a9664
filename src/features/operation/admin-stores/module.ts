import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { adminStoreQueries } from './queries.ts'
import { adminStoreRoutes } from './routes.ts'
import { type AdminStoreDeps, type AdminStoreService, adminStoreService } from './service.ts'

/** Wires what super-admins see of stores, and do to them. */
export function buildAdminStores(ground: Ground, needs: Pick<AdminStoreDeps, 'people' | 'states'>) {
  const service = adminStoreService({ ...ground, ...needs, queries: adminStoreQueries(ground.db) })
  return {
    service,
    routes: (doors: Doors) => adminStoreRoutes(doors, service),
  } satisfies Module<AdminStoreService>
}
