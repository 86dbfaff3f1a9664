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

/**
 * Wires the IP allowlists of stores (`ip_whitelist` in the API). `admission.ts` judges every request; a list is read
 * once and kept until it changes, in this process or another. No change may lock a store's people out: somebody must
 * have signed in from inside during the last day. Only a person may force a list that is on.
 */
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
