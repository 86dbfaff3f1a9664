import { ApiError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import { sizeInWords } from '../../core/text.ts'
import { runWithDeadline } from './deadline.ts'
import type { Egress } from './egress.ts'
import type { OutboundRequest, OutboundResponse, ResponseHead } from './exchange.ts'
import { OutboundError } from './failure.ts'
import { DownloadError, followRedirects, refusedStatus } from './follow.ts'
import { parseHttpUrl } from './http-url.ts'

/** Looks at pages of shops whose addresses customers name. Nothing of a page may reach the customer but facts about it. */
export interface Pages {
  /**
   * Reads an HTML page of at most `LIMITS.pageBytesMax`.
   *
   * @throws ApiError `url_not_allowed`; `page_fetch_failed` with `details.reason` for every failure on the way.
   */
  read(url: string): Promise<ShopPage>

  /**
   * Reads the status that an address answers after its redirects, and nothing of its body.
   *
   * @throws ApiError as `read`.
   */
  probe(url: string): Promise<number>
}

export interface ShopPage {
  /** After all redirects. */
  url: URL
  html: string
  /** The Content-Security-Policy headers, each as it was sent. */
  policies: readonly string[]
}

export interface PagesOptions {
  egress: Egress
  /** Cuts every look when the service stops. */
  stop?: AbortSignal | undefined
  limits?: Partial<PageLimits>
}

export interface PageLimits {
  /** Lookup, connection and TLS of one hop, in ms. */
  connectMs: number
  /** The whole look with its redirects, in ms. */
  totalMs: number
  bytesMax: number
}

const DEFAULT_LIMITS: PageLimits = {
  connectMs: LIMITS.fetchConnectMs,
  totalMs: LIMITS.pageTotalMs,
  bytesMax: LIMITS.pageBytesMax,
}

const HEADERS = {
  Accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1',
  'Accept-Encoding': 'identity',
  'User-Agent': 'Lookalike (page check)',
}

/** Every hop, redirects included, passes through the egress and its checks. */
export function createPages({ egress, stop, ...options }: PagesOptions): Pages {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }

  /** @param read gets the answer that is no redirect. */
  async function get<Body>(
    text: string,
    read: (head: ResponseHead, pieces: AsyncIterable<Uint8Array>) => Promise<Body>,
  ): Promise<OutboundResponse<Body | undefined> & { url: URL }> {
    try {
      let url = parseHttpUrl(text, LIMITS.fetchUrlCharsMax)
      const answer = await runWithDeadline(limits.totalMs, stop, (signal) =>
        followRedirects(url, (hop) => {
          url = hop
          const request: OutboundRequest<Body | undefined> = {
            ...{ method: 'GET', headers: HEADERS, connectMs: limits.connectMs, signal },
            read: async (head, pieces) =>
              head.status < 300 || head.status >= 400 ? read(head, pieces) : undefined,
          }
          return egress.send(hop, request)
        }),
      )
      return { ...answer, url }
    } catch (error) {
      throw stop?.aborted ? stopping(error) : toApiError(error)
    }
  }

  return {
    async read(text) {
      const { url, headers, body } = await get(text, (head, pieces) =>
        readHtml(head, pieces, limits.bytesMax),
      )
      const policy = headers['content-security-policy']
      return { url, html: body ?? '', policies: policy === undefined ? [] : [policy].flat() }
    },

    probe: async (text) => (await get(text, async () => undefined)).status,
  }
}

/** @throws DownloadError, ApiError. */
async function readHtml(
  { status, headers }: ResponseHead,
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  if (status !== 200) throw refusedStatus(status)
  const type = (headers['content-type'] ?? '').toLowerCase()
  if (!/^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/.test(type))
    throw failed('not_a_page', 'The answer is no HTML page')
  // A compressed answer may be a thousand times as large as what arrives.
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw failed('not_a_page', 'The answer is compressed, although the request did not allow it')
  const tooLarge = () => new DownloadError('too_large', `The page is larger than ${sizeInWords(bytesMax)}`)
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > bytesMax) throw tooLarge()
    kept.push(piece)
  }
  return new TextDecoder().decode(Buffer.concat(kept))
}

const failed = (reason: string, message: string, more: { status?: number; cause?: unknown } = {}) =>
  new ApiError('page_fetch_failed', message, {
    details: { reason, ...(more.status !== undefined && { upstream_status: more.status }) },
    cause: more.cause,
  })

function toApiError(error: unknown): unknown {
  if (error instanceof OutboundError && error.reason === 'url_not_allowed')
    return new ApiError('url_not_allowed', error.message, { cause: error })
  if (error instanceof OutboundError) return failed(error.reason, error.message, { cause: error })
  if (!(error instanceof DownloadError)) return error
  const { reason, message, upstreamStatus: status } = error
  return failed(reason, message, { ...(status !== undefined && { status }), cause: error })
}

const stopping = (cause: unknown) =>
  new ApiError('overloaded', 'The service is stopping; repeat the request in a moment', {
    retryAfterSeconds: 5,
    cause,
  })
