import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { type AskingDeps, createAsking } from './asking.ts'
import { replayQueries } from './queries.ts'
import { replayRoutes } from './routes.ts'
import { createReplayRunner, type ReplayRunnerDeps } from './runner.ts'
import { type ReplayDeps, replayService } from './service.ts'

export interface ReplayNeeds
  extends AskingDeps,
    Pick<ReplayRunnerDeps, 'stop' | 'trainUntil'>,
    Pick<ReplayDeps, 'flush'> {
  models: ReplayRunnerDeps['models']
  jobs: ReplayDeps['jobs'] & ReplayRunnerDeps['jobs']
}

const WAKE_MS = 1_000

/**
 * Wires replays. A replay is a job whose items are searches of the log: `replayed_searches` names those that wait, and `runner.ts`
 * makes one after the other twice, with the settings as they are and with those that are tried. A search of the log keeps what it
 * named itself (`asked`), which no setting replaces.
 */
export function buildReplay(base: Base, needs: ReplayNeeds) {
  const queries = replayQueries(base.db)
  const { wake, end } = createReplayRunner({ ...base, ...needs, queries, ask: createAsking(needs) })
  const service = replayService({ ...base, ...needs, queries, end, wake: () => base.defer(wake, 0) })
  return {
    service,
    routes: (guards: Guards) => replayRoutes(guards, service),
    chores: [{ name: 'replaying searches', everyMs: WAKE_MS, reach: 'steps', run: wake }],
  } satisfies Module<object>
}
