import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { clientSecretRoutes } from './routes.ts'
import { type ClientSecretDeps, type ClientSecretService, clientSecretService } from './service.ts'

export type ClientSecretNeeds = Pick<
  ClientSecretDeps,
  'storeRows' | 'stores' | 'clientFailures' | 'tellOwners'
>

/** Wires the change of a store's client secret. */
export function buildClientSecret(base: Base, needs: ClientSecretNeeds) {
  const service = clientSecretService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => clientSecretRoutes(guards, service),
  } satisfies Module<ClientSecretService>
}
