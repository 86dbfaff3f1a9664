import { isoTime } from '../../../core/clock.ts'
import { notFound } from '../../../core/errors.ts'
import type { CallLog } from './call-log.ts'
import type { RecentRequests } from './schema.ts'

export interface RequestsDeps {
  calls: Pick<CallLog, 'list'>
  /** Whether an id is that of a credential which a store has. */
  hasCredential(storeId: string, id: string): boolean
}

export type RequestsService = ReturnType<typeof requestsService>

/** What the credentials of a store have asked of late. */
export const requestsService = ({ calls, hasCredential }: RequestsDeps) => ({
  /** @throws ApiError `not_found` for an id of another store, and for none. */
  list(storeId: string, id: string): RecentRequests {
    if (!hasCredential(storeId, id)) throw notFound('credential')
    const requests = calls.list(storeId, id).map(({ at, method, path, status, durationMs, requestId }) => ({
      created_at: isoTime(at),
      method,
      path,
      status,
      duration_ms: durationMs,
      request_id: requestId,
    }))
    return { requests, count: requests.length }
  },
})
