import { Elysia } from 'elysia'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { LoggedSearchParams, SearchLog, SearchLogEntry, SearchLogQuery } from './schema.ts'
import type { SearchLogService } from './service.ts'

/** Every request first writes the queued searches and events. */
const FAILURES = [...FOR_STORE, ...WRITING, 'validation_error'] as const

/** Contract 3.15: the searches of a store, one by one. */
export function searchLogRoutes({ forStore }: Pick<Guards, 'forStore'>, log: SearchLogService) {
  return new Elysia({ name: 'search-log.routes', prefix: '/v1/search/history', tags: ['Analytics'] })
    .use(forStore)
    .get('', ({ actor, query }) => log.list(actor.storeId, query), {
      can: 'search:read',
      query: SearchLogQuery,
      response: { 200: SearchLog, ...failures(...FAILURES, 'invalid_cursor') },
      detail: {
        operationId: 'listSearches',
        summary: 'List what shoppers searched for, newest first',
        description:
          'The searches that analytics count: no batches beside their entries, no keystrokes that a later one replaced, nothing with `analytics: false`. One page looks at 300 searches at most, so a page with filters may be short or empty and still have a `next_cursor`.',
      },
    })
    .get('/:search_id', ({ actor, params }) => log.show(actor.storeId, params.search_id), {
      can: 'search:read',
      params: LoggedSearchParams,
      response: { 200: SearchLogEntry, ...failures(...FAILURES, 'not_found') },
      detail: {
        operationId: 'getSearch',
        summary: 'Read one search with its results and what shoppers did with them',
        description:
          'Any search of the store, also one that the list leaves out. Products are shown as they are now.',
      },
    })
}
