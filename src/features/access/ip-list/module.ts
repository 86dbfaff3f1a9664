import type { Doors } from '../../../http/doors.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base, Module } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import { ipListQueries } from './queries.ts'
import { ipListRoutes } from './routes.ts'
import { type IpListService, ipListService } from './service.ts'

export interface IpListNeeds {
  tellOwners: TellOwners
  reads: Reads
}

/** Wires the IP lists of stores. */
export function buildIpList(base: Base, { tellOwners, reads }: IpListNeeds) {
  const { readDataVersion } = reads
  const service = ipListService({
    ...base,
    queries: ipListQueries(base.db),
    readDataVersion,
    tellOwners,
  })
  return {
    service,
    routes: (doors: Doors) => ipListRoutes(doors, service),
    forgetStore: service.forgetStore,
  } satisfies Module<IpListService>
}
