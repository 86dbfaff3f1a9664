import type { DownloadFailure } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { OutboundResponse } from './exchange.ts'
import { findRedirectTarget, toRedirectFailure } from './http-url.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** A failure that the answer of the server itself shows. Its message is safe to show: nothing in it comes from the server. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  readonly reason: DownloadFailure
  readonly upstreamStatus: number | undefined

  constructor(reason: DownloadFailure, message: string, upstreamStatus?: number) {
    super(message)
    this.reason = reason
    this.upstreamStatus = upstreamStatus
  }
}

/**
 * Requests a URL, and then the target of each redirect. Every hop is checked like the first one.
 *
 * @param request sends one request through the egress.
 * @param charsMax longest address of a redirect.
 * @returns the first response that is no redirect.
 * @throws DownloadError for too many redirects, or one without a usable target; OutboundError for a target that is not allowed.
 */
export async function followRedirects<Body>(
  start: URL,
  request: (url: URL) => Promise<OutboundResponse<Body>>,
  charsMax: number = LIMITS.fetchUrlCharsMax,
): Promise<OutboundResponse<Body>> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    const response = await request(url).catch((error) => {
      throw redirects > 0 ? toRedirectFailure(error) : error
    })
    const { status, headers } = response
    if (!REDIRECTS.includes(status)) return response
    if (redirects === LIMITS.fetchRedirectsMax) throw tooManyRedirects()
    const target = findRedirectTarget(url, headers.location, charsMax)
    if (!target) throw refusedStatus(status)
    url = target
  }
}

export const refusedStatus = (status: number) =>
  new DownloadError('http_status', `The server answered with status ${status}`, status)

const tooManyRedirects = () =>
  new DownloadError('too_many_redirects', `The URL redirects more than ${LIMITS.fetchRedirectsMax} times`)
