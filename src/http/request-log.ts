import { Elysia } from 'elysia'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'

export interface RequestLogDeps {
  clock: Clock
  ids: Ids
  version: string
  log: { info(fields: Record<string, unknown>, message: string): void }
}

/** The form of a request id that a proxy may have set; any other value is replaced. */
const GIVEN_ID = /^[\w.:-]{1,128}$/

/** Adds the request id and the service's version to every answer, and logs one line about it. */
export function requestLogPlugin({ clock, ids, version, log }: RequestLogDeps) {
  const startedAt = new WeakMap<Request, number>()
  return new Elysia({ name: 'http.requestLog' })
    .onRequest(({ request, set }) => {
      startedAt.set(request, clock.now())
      const given = request.headers.get('x-request-id')
      set.headers['x-request-id'] = given && GIVEN_ID.test(given) ? given : ids.uuid()
      set.headers['x-service-version'] = version
      set.headers['x-content-type-options'] = 'nosniff'
    })
    .onAfterResponse({ as: 'global' }, ({ request, path, set }) => {
      // The query string may hold secrets, so only the path is logged.
      log.info(
        {
          method: request.method,
          path,
          status: set.status ?? 200,
          duration_ms: clock.now() - (startedAt.get(request) ?? clock.now()),
          request_id: set.headers['x-request-id'],
        },
        'request',
      )
    })
}
