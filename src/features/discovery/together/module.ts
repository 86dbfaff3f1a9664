import { MINUTE_MS } from '../../../core/clock.ts'
import type { Base, Module } from '../../module.ts'
import { createTogetherMaker, type TogetherMakerDeps } from './maker.ts'
import { togetherQueries } from './queries.ts'
import { togetherService } from './service.ts'

export type TogetherNeeds = Pick<TogetherMakerDeps, 'dayOf' | 'stop'>

/**
 * Wires the count of what shoppers take together. It lies below searches, which show its lists (`search/service.ts`).
 *
 * `maker.ts` counts by night, from the events of feedback alone: `counter.ts` counts baskets and pairs into tables of its own,
 * `lister.ts` makes the list of each product by `measure.ts`. No table of this feature names a shopper; only the place of a
 * count under way may be a session, and an erasure begins the count anew.
 */
export function buildTogether(base: Base, needs: TogetherNeeds) {
  const queries = togetherQueries(base.db)
  const maker = createTogetherMaker({ ...base, ...needs, queries })
  return {
    service: togetherService({ ...base, queries }),
    chores: [
      { name: 'counting what shoppers take together', everyMs: MINUTE_MS, reach: 'steps', run: maker.run },
    ],
  } satisfies Module<object>
}
