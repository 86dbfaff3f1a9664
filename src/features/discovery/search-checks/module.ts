import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createMoveRuns } from './move-runs.ts'
import { operatorRoutes } from './operator-routes.ts'
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
 * history and no count in the analytics. Before and after a store gets another model, its checks are run by themselves
 * (`move-runs.ts`), so that everybody sees what that did.
 */
export function buildSearchChecks(base: Base, needs: CheckNeeds) {
  const queries = checkQueries(base.db)
  const nameModel = (storeId: string): string => needs.models.of(storeId).embedder.model.id
  const runner = createCheckRunner({ ...base, ...needs, queries, nameModel })
  const wake = () => base.defer(run, 0)
  const runs = createMoveRuns({ ...base, ...needs, queries, nameModel, wake })
  const service = checkService({ ...base, ...needs, queries, wake })

  function run(): Promise<void> {
    runs.startDue()
    return runner.wake()
  }

  return {
    service: { ...service, moves: runs.moves },
    routes: (guards: Guards) =>
      new Elysia({ name: 'searchChecks' })
        .use(checkRoutes(guards, service))
        .use(operatorRoutes(guards, service)),
    chores: [{ name: 'running saved checks', everyMs: WAKE_MS, reach: 'steps', run }],
  } satisfies Module<object>
}
