import { Elysia } from 'elysia'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'

export interface RequestLogDeps {
  clock: Clock
  ids: Ids
  version: string
  log: { info(fields: Record<string, unknown>, message: string): void }
  /** Takes each request that was answered. */
  keepCall?(request: Request, call: AnsweredCall): void
  /** Counts each of them by the pattern of its route, which is empty where none matches. */
  countRequest?(request: { method: string; route: string; status: number; durationMs: number }): void
}

interface AnsweredCall {
  method: string
  /** Without its query. */
  path: string
  status: number
  durationMs: number
  requestId: string
}

/** The form of a request id that a proxy may have set; any other value is replaced. */
const GIVEN_ID = /^[\w.:-]{1,128}$/

/** Adds the request id and the service's version to every answer, and logs one line about it. */
export function requestLogPlugin({ clock, ids, version, log, keepCall, countRequest }: RequestLogDeps) {
  const startedAt = new WeakMap<Request, number>()
  return new Elysia({ name: 'http.requestLog' })
    .onRequest(({ request, set }) => {
      startedAt.set(request, clock.now())
      const given = request.headers.get('x-request-id')
      set.headers['x-request-id'] = given && GIVEN_ID.test(given) ? given : ids.uuid()
      set.headers['x-service-version'] = version
      set.headers['x-content-type-options'] = 'nosniff'
    })
    .onAfterResponse({ as: 'global' }, ({ request, path, route, set }) => {
      const { method } = request
      const status = Number(set.status ?? 200)
      const durationMs = clock.now() - (startedAt.get(request) ?? clock.now())
      const requestId = String(set.headers['x-request-id'])
      // The query string may hold secrets, so only the path is logged.
      log.info({ method, path, status, duration_ms: durationMs, request_id: requestId }, 'request')
      countRequest?.({ method, route: route ?? '', status, durationMs })
      keepCall?.(request, { method, path, status, durationMs, requestId })
    })
}
