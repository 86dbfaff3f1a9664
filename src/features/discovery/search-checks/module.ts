import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { checkQueries } from './queries.ts'
import { checkRoutes } from './routes.ts'
import { type CheckRunnerDeps, createCheckRunner } from './runner.ts'
import { type CheckDeps, checkService } from './service.ts'

export interface CheckNeeds extends Pick<CheckDeps, 'hasProduct'>, Pick<CheckRunnerDeps, 'search' | 'stop'> {
  models: CheckRunnerDeps['models']
  jobs: CheckDeps['jobs'] & CheckRunnerDeps['jobs']
}

const WAKE_MS = 1_000

/**
 * Wires saved checks. A run is a job whose items are the checks themselves: the column `waiting_for` names the job that has
 * yet to run one, and `runner.ts` does one after the other. Their searches are marked `isUnlogged`, so they leave no row in the
 * history and no count in the analytics.
 */
export function buildSearchChecks(base: Base, needs: CheckNeeds) {
  const queries = checkQueries(base.db)
  const { wake } = createCheckRunner({ ...base, ...needs, queries })
  const service = checkService({ ...base, ...needs, queries, wake: () => base.defer(wake, 0) })
  return {
    service,
    routes: (guards: Guards) => checkRoutes(guards, service),
    chores: [{ name: 'running saved checks', everyMs: WAKE_MS, run: wake }],
  } satisfies Module<object>
}
