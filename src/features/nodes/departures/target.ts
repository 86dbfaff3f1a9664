import {
  type ArrivingMove,
  type ArrivingMoveBegun,
  type ArrivingMoveInput,
  MOVES_PATH,
} from '../protocol/schema.ts'
import type { Digest, Hit, NodeClient, NodeRequest } from './world.ts'

/** What the target is asked for while nobody else can search the store. */
export type SearchForProof = { query: string; limit: number } | { product_id: string; limit: number }

/** The other node answers, and says no. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** Its error code. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }

  /** Whether the same request may pass later. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408
  }
}

const SENTENCE_CHARS_MAX = 500

function toRefusal(status: number, json: unknown): Refusal {
  const { error, message } = (typeof json === 'object' && json !== null ? json : {}) as Record<
    string,
    unknown
  >
  const code = typeof error === 'string' ? error.slice(0, 64) : `http_${status}`
  const words =
    typeof message === 'string' && message !== ''
      ? message
      : `The other node answered ${status} without a reason`
  return new Refusal(status, code, words.slice(0, SENTENCE_CHARS_MAX))
}

async function ask<Body>(
  client: NodeClient,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  request?: NodeRequest,
): Promise<Body> {
  const { status, json } = await client.call(method, path, request)
  if (status >= 200 && status < 300) return json as Body
  throw toRefusal(status, json)
}

/** Asks a node to take a store. @throws Refusal with its sentence. */
export const announce = (client: NodeClient, announcement: ArrivingMoveInput): Promise<ArrivingMoveBegun> =>
  ask(client, 'POST', MOVES_PATH, { json: announcement })

export type Target = ReturnType<typeof createTarget>

/** The verbs of a move at its target. Each throws a {@link Refusal}, or the error of the connection. */
export function createTarget(client: NodeClient, targetId: string) {
  const path = (rest = '') => `${MOVES_PATH}/${encodeURIComponent(targetId)}${rest}`
  const post = <Body>(rest: string, request?: NodeRequest) => ask<Body>(client, 'POST', path(rest), request)

  return {
    look: () => ask<ArrivingMove>(client, 'GET', path()),
    /** @param batch a number that no other batch has had. */
    sendRows: (batch: number, body: string) =>
      post<{ last_batch: number }>('/rows', { body, query: { batch } }),
    findMissing: async (hashes: readonly string[]) =>
      (await post<{ missing: string[] }>('/pictures/missing', { json: { hashes } })).missing,
    putPicture: (hash: string, body: Uint8Array) =>
      ask<unknown>(client, 'PUT', path(`/pictures/${hash}`), { body }),
    loadIndex: async () => (await post<{ is_loaded: boolean }>('/index')).is_loaded,
    digest: async () => (await post<{ tables: Digest }>('/digest')).tables,
    search: async (body: SearchForProof) =>
      (await post<{ results: Hit[] }>('/search', { json: body })).results,
    open: () => post<{ state: ArrivingMove['state']; url: string }>('/open'),
    abandon: () => ask<{ state: ArrivingMove['state'] }>(client, 'DELETE', path()),
  }
}
