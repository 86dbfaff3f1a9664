import { HOUR_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createEventWriter, type EventWriterDeps } from './event-writer.ts'
import { createJudging, type JudgingDeps } from './judging.ts'
import { feedbackQueries } from './queries.ts'
import { removalQueries } from './removal-queries.ts'
import { createReporters, type ReporterDeps } from './reporters.ts'
import { feedbackRoutes } from './routes.ts'
import { type FeedbackDeps, feedbackService } from './service.ts'

export interface FeedbackNeeds
  extends Pick<FeedbackDeps, 'endKeystrokeBurst' | 'writeTogether' | 'days'>,
    Pick<JudgingDeps, 'hidesPrices'>,
    Pick<EventWriterDeps, 'countEvent' | 'countRules'>,
    Pick<ReporterDeps, 'takeBack'> {
  history: FeedbackDeps['history'] & JudgingDeps['history']
}

/**
 * Wires feedback. It lies above searches, which it names, and above analytics, which count it.
 *
 * Events go through the queue of the searches, behind them, so that an event finds what its search has counted.
 * Purchases, and events with an order or a repeat key, are acknowledged only when they are on the disk: the queue is
 * flushed first, then `writeTogether` writes them. `reporters.ts` decides between a backend and the pages: the replaced
 * row stays with another `standing`, and `takeBack` takes it out of the totals.
 */
export function buildFeedback({ db, clock, ids, withoutFsync }: Base, needs: FeedbackNeeds) {
  const { history, hidesPrices, endKeystrokeBurst, countEvent, countRules, takeBack, writeTogether, days } =
    needs
  const queries = feedbackQueries(db)
  const removal = removalQueries(db)
  const reporters = createReporters({ queries, takeBack })
  const service = feedbackService({
    removal,
    history,
    judging: createJudging({ queries, history, reporters, hidesPrices, clock, ids }),
    write: createEventWriter({ queries, removal, reporters, countEvent, countRules }),
    endKeystrokeBurst,
    writeTogether,
    withoutFsync,
    clock,
    days,
  })
  const { findEnd, eraseSession, eraseOfSearches } = removal
  return {
    service: {
      ...service,
      /** Feedback of one shopper's session, to be erased. */
      ofSession: { findEnd, erase: eraseSession, eraseOfSearches },
    },
    routes: (guards: Guards) => feedbackRoutes(guards, service),
    chores: [{ name: 'deleting old feedback', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<object>
}
