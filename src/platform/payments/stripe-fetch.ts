import { runWithDeadline } from '../outbound/deadline.ts'
import { readServer } from '../outbound/destination.ts'
import type { Egress } from '../outbound/egress.ts'
import { exchange } from '../outbound/exchange.ts'
import { OutboundError } from '../outbound/failure.ts'

/** Longest answer that is read. Stripe's own have some kilobytes. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const CONNECT_MS = 5_000
const TOTAL_MS = 20_000

type Method = 'GET' | 'POST' | 'DELETE'

/**
 * Makes a `fetch` for Stripe's library out of the egress to other servers.
 *
 * @param stop cuts what is under way.
 */
export function createStripeFetch(
  egress: Pick<Egress, 'connect'>,
  stop: AbortSignal | undefined,
): typeof fetch {
  async function send(url: URL, init: RequestInit, deadline: AbortSignal): Promise<Response> {
    const signal = init.signal ? AbortSignal.any([deadline, init.signal]) : deadline
    const connecting = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
    const socket = await egress.connect(readServer(url), connecting)
    const response = await exchange(socket, url, {
      ...{ method: (init.method ?? 'GET') as Method, signal, connectMs: CONNECT_MS },
      headers: listHeaders(init.headers),
      ...(typeof init.body === 'string' && init.body !== '' && { body: init.body }),
      read: (_head, pieces) => readAll(pieces),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers)) {
      // The library prints notices on the console, where they are no lines of the log.
      if (typeof value === 'string' && name !== 'stripe-notice') headers.set(name, value)
    }
    return new Response(response.body, { status: response.status, headers })
  }

  return Object.assign(
    (address: string | URL | Request, init: RequestInit = {}) =>
      runWithDeadline(TOTAL_MS, stop, (deadline) => send(new URL(String(address)), init, deadline)),
    { preconnect: () => {} },
  )
}

/** Without those that the exchange sets itself. */
const listHeaders = (headers: RequestInit['headers']): Record<string, string> =>
  Object.fromEntries(
    [...new Headers(headers)].filter(([name]) => name !== 'content-length' && name !== 'host'),
  )

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.byteLength
    if (length > ANSWER_BYTES_MAX) throw new OutboundError('too_large', 'The answer is too large')
    kept.push(piece)
  }
  return Buffer.concat(kept, length)
}
