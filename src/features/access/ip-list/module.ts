import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import type { TellOwners } from '../accounts/owner-notices.ts'
import { ipListQueries } from './queries.ts'
import { ipListRoutes } from './routes.ts'
import { type IpListService, ipListService } from './service.ts'

/** Wires the IP lists of stores. */
export function buildIpList(ground: Ground, { tellOwners }: { tellOwners: TellOwners }) {
  const service = ipListService({ ...ground, queries: ipListQueries(ground.db), tellOwners })
  return {
    service,
    routes: (doors: Doors) => ipListRoutes(doors, service),
    forgetStore: service.forgetStore,
  } satisfies Module<IpListService>
}
