import { type IncomingHttpHeaders, type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { OutboundError } from './failure.ts'

/** The status line and headers of a response. */
export interface ResponseHead {
  status: number
  headers: IncomingHttpHeaders
}

export interface OutboundResponse<Body> extends ResponseHead {
  body: Body
}

/** One HTTP request, without URL and Host. */
export interface OutboundRequest<Body> {
  method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  headers: Readonly<Record<string, string>>
  /** The body of a POST. */
  body?: string | Uint8Array
  /** Time for lookup, connection and TLS, in ms. */
  connectMs: number
  /** Cancels the whole exchange. */
  signal: AbortSignal
  /** The most pieces that the response body may come in; by default those of a picture. */
  piecesMax?: number
  /**
   * Reads as much of the response body as it wants; the connection closes afterwards. Its own errors reach the caller
   * unchanged. Reading `pieces` throws OutboundError `timeout`, `connect` or `too_large`.
   */
  read(head: ResponseHead, pieces: AsyncIterable<Uint8Array>): Promise<Body>
}

/** Fewer than 525 bytes per piece in 10 MiB: only a server that wants to keep us busy sends more pieces. */
const PIECES_MAX = 20_000

/** Provisional responses (1xx) before the real one, and their bytes. Nobody needs more than one or two. */
const PROVISIONAL_MAX = 10
const PROVISIONAL_BYTES_MAX = 64 * 1024
/** How often the bytes before a response are counted. */
const COUNT_MS = 50

/**
 * Sends one request over an open socket, reads the response, and destroys the socket. Follows no redirect, keeps no
 * cookies and offers no encodings.
 *
 * @throws OutboundError `timeout`, `connect` (connection lost, or not HTTP) or `too_large`; and the errors of `read`.
 */
export async function exchange<Body>(
  socket: Socket,
  url: URL,
  request: OutboundRequest<Body>,
): Promise<OutboundResponse<Body>> {
  const { signal } = request
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted) abort()
    const response = await send(socket, url, request).catch((cause) => {
      throw toFailure(cause, signal)
    })
    // A reader that waits before it reads does not listen yet; it gets the error when it reads on.
    response.on('error', () => {})
    const head = { status: response.statusCode ?? 0, headers: response.headers }
    return { ...head, body: await request.read(head, readPieces(response, request)) }
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

const send = (
  socket: Socket,
  url: URL,
  { method, headers, body }: OutboundRequest<unknown>,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    let provisional = 0
    const readBefore = socket.bytesRead
    const checkProvisional = () => {
      const isTooMuch = provisional > PROVISIONAL_MAX || socket.bytesRead - readBefore > PROVISIONAL_BYTES_MAX
      if (!isTooMuch) return
      reject(new OutboundError('connect', 'The server sends data but no response'))
      socket.destroy()
    }
    // The parser reports provisional responses, but not blank lines.
    const counting = setInterval(checkProvisional, COUNT_MS)
    const answered = (response: IncomingMessage) => {
      clearInterval(counting)
      resolve(response)
    }
    startRequest({
      method,
      // Without an agent, so that no connection outlives its check.
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: {
        ...headers,
        Host: url.host.replace(/\.(?=:|$)/, ''),
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
    })
      .on('information', () => {
        provisional += 1
        checkProvisional()
      })
      .on('response', answered)
      // Without this, a 101 response would leave the request waiting.
      .on('upgrade', answered)
      .on('error', reject)
      .on('close', () => {
        clearInterval(counting)
        reject(new Error('closed without a response'))
      })
      .end(body)
  })

async function* readPieces(
  response: IncomingMessage,
  { signal, piecesMax = PIECES_MAX }: Pick<OutboundRequest<unknown>, 'signal' | 'piecesMax'>,
): AsyncGenerator<Uint8Array> {
  let count = 0
  try {
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      if (++count > piecesMax) throw new OutboundError('too_large', 'The response comes in too many pieces')
      yield piece
    }
  } catch (error) {
    throw toFailure(error, signal)
  }
}

const toFailure = (cause: unknown, signal: AbortSignal): OutboundError => {
  if (cause instanceof OutboundError) return cause
  return signal.aborted
    ? new OutboundError('timeout', 'The server took too long to answer', cause)
    : new OutboundError('connect', 'The connection was lost, or the response was not HTTP', cause)
}
