import { HOUR_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { learningQueries } from './queries.ts'
import { learningRoutes } from './routes.ts'
import { type LearningDeps, learningService } from './service.ts'
import { createTrainer } from './trainer.ts'

export type LearningNeeds = Pick<LearningDeps, 'flush' | 'dayOf' | 'isOn' | 'findGain' | 'days'>

/**
 * Wires learning. Once a day `trainer.ts` reads the log of each store that has switched it on, and `priors.ts` says what each product
 * gains. That is one row of the store, written in one go, so a crash leaves what was learned before. A search adds it as one more
 * exact leg (`search/legs/clicks.ts`). A store that does not learn has no such leg, and its scores are those of a store without clicks.
 */
export function buildLearning(base: Base, needs: LearningNeeds) {
  const queries = learningQueries(base.db)
  const trainer = createTrainer({ queries, days: needs.days })
  const service = learningService({ ...base, ...needs, queries, trainer })
  return {
    service,
    routes: (guards: Guards) => learningRoutes(guards, service),
    chores: [{ name: 'learning from clicks', everyMs: HOUR_MS, reach: 'steps', run: service.run }],
    forgetStore: service.forgetStore,
  } satisfies Module<object>
}
