import type { Throttle } from '../../../core/throttle.ts'
import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { clientSecretRoutes } from './routes.ts'
import { type ClientSecretService, clientSecretService } from './service.ts'

export interface ClientSecretNeeds {
  stores: StoreQueries
  /** Wrong secrets by client_id; the machine grant counts in the same window. */
  failures: Throttle
  tellOwners: TellOwners
}

/** Wires the change of a store's client secret. */
export function buildClientSecret(base: Base, needs: ClientSecretNeeds) {
  const service = clientSecretService({ ...base, ...needs })
  return {
    service,
    routes: (doors: Doors) => clientSecretRoutes(doors, service),
  } satisfies Module<ClientSecretService>
}
