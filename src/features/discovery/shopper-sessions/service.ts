import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { Erasing } from '../analytics/erasing.ts'
import type { Erased, RemovalQueries } from '../feedback/removal-queries.ts'
import type { SearchHistory } from '../search/history.ts'
import type { SearchQueries } from '../search/queries.ts'
import type { SessionErased } from './schema.ts'

export interface SessionDeps extends Pick<Base, 'atomically' | 'withoutFsync' | 'record'> {
  history: Pick<SearchHistory, 'flushSession'>
  searches: {
    findEnd: SearchQueries['findEnd']
    list: SearchQueries['listOfSession']
    remove: SearchQueries['remove']
  }
  feedback: {
    findEnd: RemovalQueries['findEnd']
    erase: RemovalQueries['eraseSession']
    eraseOfSearches: RemovalQueries['eraseOfSearches']
  }
  analytics: Erasing
  /** Forgets a session in what shoppers take together. */
  forgetTogether(storeId: string, sessionId: string): void
}

/** Searches and events that are erased in one step, which takes some milliseconds. */
const SEARCHES_AT_ONCE = 100
const EVENTS_AT_ONCE = 200

export type SessionService = ReturnType<typeof sessionService>

/** Erases the data of a shopper's session. */
export function sessionService(deps: SessionDeps) {
  const { history, searches, feedback, analytics, atomically, withoutFsync, record } = deps
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

  /** Repeats a step until it finds nothing more to erase. */
  async function exhaust(step: () => Erased): Promise<Erased> {
    const sum = { removed: 0, unlinked: 0 }
    for (;;) {
      const { removed, unlinked } = write(step)
      sum.removed += removed
      sum.unlinked += unlinked
      if (removed + unlinked === 0) return sum
      await turn()
    }
  }

  return {
    /**
     * Erases a session: deletes its searches and feedback, and replaces its hash by a random number wherever sessions are
     * counted. Sums stay. The work is done in small steps; searches that the session makes meanwhile may stay.
     *
     * @returns counts, which are 0 for an unknown session.
     */
    async erase(actor: Actor, sessionId: string): Promise<SessionErased> {
      const { storeId } = actor
      history.flushSession(storeId, sessionId)
      const [searchesEnd, eventsEnd] = [searches.findEnd(), feedback.findEnd()]
      const events = await exhaust(() => feedback.erase(storeId, sessionId, eventsEnd, EVENTS_AT_ONCE))
      let searchCount = 0
      for (;;) {
        const ids = searches.list(storeId, sessionId, searchesEnd, SEARCHES_AT_ONCE)
        if (ids.length === 0) break
        const about = await exhaust(() => feedback.eraseOfSearches(storeId, ids, EVENTS_AT_ONCE))
        write(() => {
          analytics.forgetSearches(storeId, ids)
          searches.remove(storeId, ids)
        })
        searchCount += ids.length
        events.removed += about.removed
        events.unlinked += about.unlinked
        await turn()
      }
      const days = await analytics.eraseSession(storeId, sessionId)
      // Once the events are gone: a count that begins earlier would find them.
      deps.forgetTogether(storeId, sessionId)
      const counts = { searches: searchCount, feedback: events.removed, orders: events.unlinked, days }
      // This commit waits for the disk, and with it for all commits before. The log must not name the session.
      atomically(() => record(describeAct(actor, 'shopper_session.erased', counts)))
      return { status: 'erased', ...counts }
    },
  }
}
