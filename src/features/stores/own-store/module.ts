import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { ownStoreRoutes } from './routes.ts'
import { type OwnStoreDeps, type OwnStoreService, ownStoreService } from './service.ts'

/** Wires what a store's own people see of it, and do to it as a whole. */
export function buildOwnStore(
  ground: Ground,
  needs: Pick<OwnStoreDeps, 'stores' | 'people' | 'states' | 'prove'>,
) {
  const service = ownStoreService({ ...ground, ...needs })
  return {
    service,
    routes: (doors: Doors) => ownStoreRoutes(doors, service),
  } satisfies Module<OwnStoreService>
}
