import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { overviewQueries } from './queries.ts'
import { overviewRoutes } from './routes.ts'
import { type OverviewDeps, type OverviewService, overviewService } from './service.ts'

export type OverviewNeeds = Pick<
  OverviewDeps,
  'twoFactor' | 'apiKeys' | 'widgetKeys' | 'ipAllowlist' | 'webhooks'
>

/** Wires the overview of a store's security. */
export function buildOverview(base: Base, needs: OverviewNeeds) {
  const service = overviewService({ ...base, ...needs, queries: overviewQueries(base.db) })
  return {
    service,
    routes: (guards: Guards) => overviewRoutes(guards, service),
  } satisfies Module<OverviewService>
}
