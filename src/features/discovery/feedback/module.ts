import { HOUR_MS } from '../../../core/clock.ts'
import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { feedbackQueries } from './queries.ts'
import { feedbackRoutes } from './routes.ts'
import { type FeedbackDeps, feedbackService } from './service.ts'

export type FeedbackNeeds = Pick<
  FeedbackDeps,
  'history' | 'noteFeedback' | 'countEvent' | 'takeBack' | 'hidesPrices' | 'writeTogether' | 'days'
>

/** Wires feedback. It lies above searches, which it names, and above analytics, which count it. */
export function buildFeedback({ db, clock, ids, withoutFsync }: Base, needs: FeedbackNeeds) {
  const queries = feedbackQueries(db)
  const { findEnd, eraseSession, eraseOfSearches } = queries
  const service = feedbackService({
    ...needs,
    queries,
    withoutFsync,
    ...{ clock, ids },
  })
  return {
    service: {
      ...service,
      /** Feedback of one shopper's session, to be erased. */
      ofSession: { findEnd, erase: eraseSession, eraseOfSearches },
    },
    routes: (doors: Doors) => feedbackRoutes(doors, service),
    chores: [{ name: 'deleting old feedback', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<object>
}
