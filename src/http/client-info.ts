import { Elysia } from 'elysia'
import type { ClientInfo } from '../core/actor.ts'

/** The parts of a request and its answer that tell where the request came from. */
export interface Incoming {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

export type ReadClientInfo = (incoming: Incoming) => ClientInfo

const USER_AGENT_CHARS_MAX = 200

/** @param findAddress finds the client's address, also behind trusted proxies. */
export const createClientInfoReader =
  (findAddress: (request: Request) => string): ReadClientInfo =>
  ({ request, set }) => ({
    address: findAddress(request),
    requestId: String(set.headers['x-request-id'] ?? ''),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
  })

/** Gives every route its `clientInfo`, without a sign-in. */
export const clientInfoPlugin = (readClientInfo: ReadClientInfo) =>
  new Elysia({ name: 'http.client-info' }).derive({ as: 'scoped' }, ({ request, set }) => ({
    clientInfo: readClientInfo({ request, set }),
  }))
