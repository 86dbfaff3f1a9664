import { cutEndSlashes } from '../../core/url-paths.ts'
import { runWithDeadline } from '../outbound/deadline.ts'
import type { Egress } from '../outbound/egress.ts'
import { OutboundError } from '../outbound/failure.ts'

export interface NodeClientOptions {
  egress: Pick<Egress, 'sendToPinned'>
  /** Base address of the other node. */
  url: string
  /** The beginning of the SHA-256 of its certificate. */
  fingerprint: Uint8Array
  token?: string | undefined
  /** Ends every request. */
  stop: AbortSignal
}

export interface NodeRequest {
  body?: Uint8Array | string
  /** Of `body`; by default rows for a text, bytes otherwise. */
  type?: string
  json?: unknown
  query?: Readonly<Record<string, string | number>>
}

export interface NodeAnswer {
  status: number
  json: unknown
}

export interface NodeClient {
  /**
   * Sends one request to the node, and follows no redirect.
   *
   * @throws OutboundError where it was not reached, shows another certificate, or answers no JSON.
   */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, request?: NodeRequest): Promise<NodeAnswer>
}

const CONNECT_MS = 10_000
/** Whoever takes 4 MiB in this time has 70 kB a second. */
const REQUEST_MS = 60_000
/** All that nodes answer is short; the longest are the files of `secrets/` and the sums of all tables. */
const ANSWER_BYTES_MAX = 1024 * 1024
const ROWS_TYPE = 'application/x-ndjson'

/** Speaks with one node whose certificate is known. */
export function openNodeClient({ egress, url, fingerprint, token, stop }: NodeClientOptions): NodeClient {
  const base = new URL(url)
  const folder = cutEndSlashes(base.pathname)

  return {
    call(method, path, { body, type, json, query } = {}) {
      const target = new URL(folder + path, base)
      for (const [name, value] of Object.entries(query ?? {})) target.searchParams.set(name, String(value))
      const sent = json === undefined ? body : JSON.stringify(json)
      const sentType =
        json === undefined
          ? (type ?? (typeof body === 'string' ? ROWS_TYPE : 'application/octet-stream'))
          : 'application/json'
      return runWithDeadline(REQUEST_MS, stop, async (signal) => {
        const { status, body: answer } = await egress.sendToPinned(target, fingerprint, {
          method,
          headers: {
            accept: 'application/json',
            ...(sent !== undefined && { 'content-type': sentType }),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          ...(sent !== undefined && { body: sent }),
          connectMs: CONNECT_MS,
          signal,
          read: (_head, pieces) => readAnswer(pieces),
        })
        return { status, json: answer }
      })
    },
  }
}

async function readAnswer(pieces: AsyncIterable<Uint8Array>): Promise<unknown> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) throw new OutboundError('too_large', 'The other node answers too much')
    read.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(read).toString('utf8'))
  } catch {
    throw new OutboundError('connect', 'What answers there is no node: its answer is no JSON')
  }
}
