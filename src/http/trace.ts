import { Elysia } from 'elysia'
import type { Trace } from '../core/actor.ts'

/** The parts of a request and its answer that tell where the request came from. */
export interface Incoming {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

export type ReadTrace = (incoming: Incoming) => Trace

const USER_AGENT_CHARS_MAX = 200

/** @param findAddress finds the client's address, also behind trusted proxies. */
export const createTraceReader =
  (findAddress: (request: Request) => string): ReadTrace =>
  ({ request, set }) => ({
    address: findAddress(request),
    requestId: String(set.headers['x-request-id'] ?? ''),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
  })

/** Gives every route its `trace`, without a sign-in. */
export const tracePlugin = (readTrace: ReadTrace) =>
  new Elysia({ name: 'http.trace' }).derive({ as: 'scoped' }, ({ request, set }) => ({
    trace: readTrace({ request, set }),
  }))
