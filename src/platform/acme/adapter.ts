import { systemClock } from '../../core/clock.ts'
import { runWithDeadline } from '../outbound/deadline.ts'
import { readServer } from '../outbound/destination.ts'
import type { Egress } from '../outbound/egress.ts'
import { exchange, type OutboundResponse } from '../outbound/exchange.ts'
import { OutboundError } from '../outbound/failure.ts'
import { AcmeError, describeProblem, kindOf, type Problem, readProblem, readRetryAfter } from './problem.ts'

/** Longest answer that is read. A chain of certificates has some kilobytes. */
const ANSWER_BYTES_MAX = 512 * 1024
const CONNECT_MS = 10_000
const TOTAL_MS = 30_000
const URL_CHARS_MAX = 2048

/** What axios, which the library sends its requests by, asks an adapter for. */
interface Asked {
  url?: string | undefined
  method?: string | undefined
  data?: unknown
  headers: { toJSON(): Record<string, unknown> }
}

export interface AdapterOptions {
  /** Trusts the authority, whose address the operator named. */
  egress: Pick<Egress, 'connect' | 'send'>
  directory: URL
  stop: AbortSignal
}

/**
 * Sends the requests of the library through the egress. The library repeats a request by timers that nobody can stop, and keeps
 * of a refusal only a part of its text: here no failure is repeated, and each becomes one sentence.
 */
export function createAdapter({ egress, directory, stop }: AdapterOptions) {
  async function send(url: URL, asked: Asked, signal: AbortSignal): Promise<OutboundResponse<string>> {
    const request = {
      method: asMethod(asked.method),
      headers: listHeaders(asked),
      ...(typeof asked.data === 'string' && { body: asked.data }),
      signal,
      connectMs: CONNECT_MS,
      read: (_head: unknown, pieces: AsyncIterable<Uint8Array>) => readText(pieces),
    }
    // The operator named this server alone. An address elsewhere is the authority's word, which must not lead into a network of ours.
    if (url.origin !== directory.origin) return egress.send(url, request)
    const connecting = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
    return exchange(await egress.connect(readServer(url), connecting), url, request)
  }

  return async <Request extends Asked>(asked: Request) => {
    const url = parseAddress(asked.url ?? '', directory)
    try {
      const answer = await runWithDeadline(TOTAL_MS, stop, (signal) => send(url, asked, signal))
      const { status, headers, body } = answer
      const problem = status >= 400 ? readProblem(body) : {}
      // The library asks again with the nonce of this answer.
      if (status >= 400 && kindOf(problem) !== 'badNonce') throw refused(directory.hostname, answer, problem)
      const simple = Object.fromEntries(
        Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
      return { status, statusText: '', headers: simple, data: body, config: asked, request: null }
    } catch (error) {
      throw error instanceof OutboundError ? unreachable(error) : error
    }
  }
}

function asMethod(method = 'get'): 'GET' | 'HEAD' | 'POST' {
  const name = method.toUpperCase()
  if (name !== 'GET' && name !== 'HEAD' && name !== 'POST') throw new Error(`an unexpected request: ${name}`)
  return name
}

function parseAddress(address: string, directory: URL): URL {
  const url = address.length <= URL_CHARS_MAX && URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url
  throw new AcmeError(`${directory.hostname} sent an address that is no https URL`)
}

const listHeaders = ({ headers }: Asked): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers.toJSON()).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && !/^content-length$/i.test(entry[0]),
    ),
  )

async function readText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.byteLength
    if (length > ANSWER_BYTES_MAX) throw new OutboundError('too_large', 'The answer is too large')
    kept.push(piece)
  }
  return Buffer.concat(kept, length).toString()
}

function refused(host: string, { status, headers }: OutboundResponse<string>, problem: Problem): AcmeError {
  const kind = status === 429 ? 'rateLimited' : kindOf(problem)
  const details = { kind, retryAfterMs: readRetryAfter(headers['retry-after'], systemClock.now()) }
  if (kind === 'rateLimited')
    return new AcmeError(`${host} gives no more for now: ${describeProblem(problem)}`, details)
  const isInTrouble = kind === '' && status >= 500
  const reason = isInTrouble ? `it is in trouble itself (status ${status})` : describeProblem(problem)
  return new AcmeError(`${host} refused: ${reason}`, details)
}

function unreachable(error: OutboundError): AcmeError {
  if (error.reason !== 'tls') return new AcmeError(error.message)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return new AcmeError(
    `${error.message}${cause}; name the certificate of an authority of your own with ACME_CA`,
  )
}
