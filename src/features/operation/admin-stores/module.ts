import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { adminStoreQueries } from './queries.ts'
import { adminStoreRoutes } from './routes.ts'
import { type AdminStoreDeps, type AdminStoreService, adminStoreService } from './service.ts'

/** Wires what super-admins see of stores, and do to them. */
export function buildAdminStores(base: Base, needs: Pick<AdminStoreDeps, 'people' | 'stores'>) {
  const service = adminStoreService({ ...base, ...needs, queries: adminStoreQueries(base.db) })
  return {
    service,
    routes: (doors: Doors) => adminStoreRoutes(doors, service),
  } satisfies Module<AdminStoreService>
}
