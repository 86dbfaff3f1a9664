import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { ownStoreRoutes } from './routes.ts'
import { type OwnStoreDeps, type OwnStoreService, ownStoreService } from './service.ts'

/** Wires what a store's own people see of it, and do to it as a whole. */
export function buildOwnStore(
  base: Base,
  needs: Pick<OwnStoreDeps, 'storeRows' | 'stores' | 'people' | 'reauthenticate'>,
) {
  const service = ownStoreService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => ownStoreRoutes(guards, service),
  } satisfies Module<OwnStoreService>
}
