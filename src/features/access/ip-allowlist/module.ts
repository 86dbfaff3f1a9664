import type { Guards } from '../../../http/guards.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base, Module } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import { ipAllowlistQueries } from './queries.ts'
import { ipAllowlistRoutes } from './routes.ts'
import { type IpAllowlistService, ipAllowlistService } from './service.ts'

export interface IpAllowlistNeeds {
  tellOwners: TellOwners
  reads: Reads
}

/** Wires the IP lists of stores. */
export function buildIpAllowlist(base: Base, { tellOwners, reads }: IpAllowlistNeeds) {
  const { readDataVersion } = reads
  const service = ipAllowlistService({
    ...base,
    queries: ipAllowlistQueries(base.db),
    readDataVersion,
    tellOwners,
  })
  return {
    service,
    routes: (guards: Guards) => ipAllowlistRoutes(guards, service),
    forgetStore: service.forgetStore,
  } satisfies Module<IpAllowlistService>
}
