import { LIMITS } from '../../core/limits.ts'
import { readBeginning } from './body.ts'
import { runWithDeadline } from './deadline.ts'
import type { Egress } from './egress.ts'
import { OutboundError } from './failure.ts'
import { parseHttpUrl } from './http-url.ts'

/** Posts messages to URLs that customers name. */
export interface Poster {
  /**
   * Checks a URL as far as possible without a lookup.
   *
   * @throws OutboundError `url_not_allowed`, `blocked_address`.
   */
  check(url: string): void

  /**
   * Checks a URL and the addresses that its host name has now.
   *
   * @throws OutboundError `url_not_allowed`, `blocked_address`, `dns`, `timeout`.
   */
  resolve(url: string): Promise<void>

  /**
   * Sends a text in one POST and follows no redirect.
   *
   * @throws OutboundError for every failure on the way. An answer is not a failure, whatever its status.
   */
  post(url: string, message: Message): Promise<Answer>

  /** Whether the service is stopping, so that a failure proves nothing. */
  isStopping(): boolean
}

export interface Message {
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Answer {
  status: number
  /** The header of that name, if any. */
  retryAfter: string | undefined
  /** The beginning of the body, read as UTF-8. */
  text: string
}

export interface PosterOptions {
  egress: Egress
  /** Cuts every message when the service stops. */
  stop?: AbortSignal | undefined
  /** Time for the whole exchange, in ms. */
  totalMs?: number
}

export function createPoster({ egress, stop, totalMs = LIMITS.deliveryTotalMs }: PosterOptions): Poster {
  const parse = (url: string): URL => parseHttpUrl(url, LIMITS.fetchUrlCharsMax)

  return {
    check: (url) => egress.check(parse(url)),

    resolve: (url) =>
      runWithDeadline(LIMITS.webhookLookupMs, stop, (signal) => egress.resolve(parse(url), signal)),

    async post(url, { headers, body }) {
      const target = parse(url)
      return runWithDeadline(totalMs, stop, async (signal) => {
        const response = await egress.send(target, {
          ...{ method: 'POST', headers, body, signal },
          connectMs: LIMITS.deliveryConnectMs,
          read: (_head, pieces) => readWhatComes(pieces),
        })
        const retryAfter = response.headers['retry-after']
        return { status: response.status, retryAfter, text: response.body }
      })
    },

    isStopping: () => stop?.aborted ?? false,
  }
}

/** Reads the beginning of a body. The status is what matters, so a body that breaks off is no failure. */
async function readWhatComes(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = []
  async function* keep(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      kept.push(piece)
      yield piece
    }
  }
  await readBeginning(keep(), LIMITS.deliveryAnswerBytesMax).catch((error) => {
    if (!(error instanceof OutboundError)) throw error
  })
  const beginning = Buffer.concat(kept).subarray(0, LIMITS.deliveryAnswerBytesKept)
  // SQLite ends texts at a NUL, and the last character may be cut in half.
  return new TextDecoder().decode(beginning).replaceAll('\0', '\ufffd')
}
