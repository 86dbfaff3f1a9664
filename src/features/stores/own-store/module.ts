import type { Guards } from '../../../http/guards.ts'
import type { Module } from '../../module.ts'
import { ownStoreRoutes } from './routes.ts'
import { type OwnStoreDeps, type OwnStoreService, ownStoreService } from './service.ts'

/** Wires what a store's own people see of it, and do to it as a whole. */
export function buildOwnStore(needs: OwnStoreDeps) {
  const service = ownStoreService(needs)
  return {
    service,
    routes: (guards: Guards) => ownStoreRoutes(guards, service),
  } satisfies Module<OwnStoreService>
}
