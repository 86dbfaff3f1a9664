import { Elysia } from 'elysia'
import type { Trace } from '../core/actor.ts'

/** The parts of a request and its answer that tell where the request came from. */
export interface Incoming {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

export type TraceOf = (incoming: Incoming) => Trace

const USER_AGENT_CHARS_MAX = 200

/** @param addressOf the client's address, behind trusted proxies too. */
export const createTraceOf =
  (addressOf: (request: Request) => string): TraceOf =>
  ({ request, set }) => ({
    address: addressOf(request),
    requestId: String(set.headers['x-request-id'] ?? ''),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
  })

/** Gives every route its `trace`, without a sign-in. */
export const tracePlugin = (traceOf: TraceOf) =>
  new Elysia({ name: 'http.trace' }).derive({ as: 'scoped' }, ({ request, set }) => ({
    trace: traceOf({ request, set }),
  }))
