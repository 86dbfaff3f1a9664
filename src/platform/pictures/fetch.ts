import type { ByteBudget } from '../../core/byte-budget.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { ApiError, type DownloadFailure } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { ShareLimits } from '../../core/shares.ts'
import { runWithDeadline } from '../outbound/deadline.ts'
import type { Egress } from '../outbound/egress.ts'
import type { OutboundResponse } from '../outbound/exchange.ts'
import { OutboundError } from '../outbound/failure.ts'
import { DownloadError, followRedirects, refusedStatus } from '../outbound/follow.ts'
import { parseHttpUrl } from '../outbound/http-url.ts'
import { computeRetryWait, hasWaited, type RetryLimits } from '../outbound/retry.ts'
import { createDownloadPlaces } from './download-places.ts'
import { type PictureBodyOptions, readPicture } from './picture-body.ts'
import type { ReserveBytes } from './picture-budget.ts'

/** Downloads pictures from URLs that customers name. */
export interface PictureFetcher {
  /**
   * Downloads one picture over http or https.
   *
   * @param url an absolute URL; anything but a public address is refused.
   * @returns the bytes, at most `LIMITS.pictureBytesMax`, starting like a format that is accepted.
   * @throws ApiError `url_not_allowed` for a URL that is malformed or has another scheme or port;
   *   `image_download_failed` with `details.reason` for every failure on the way; `overloaded` when too many downloads
   *   are in progress, for everyone or for the store.
   */
  fetch(url: string, options: FetchOptions): Promise<Uint8Array>
}

export interface FetchOptions {
  /** Whose download it is: stores share the queue of downloads fairly. */
  storeId: string
  /** The picture counts towards the bytes in flight until this settles. */
  until: Promise<unknown>
  /** For a job: waits patiently behind the downloads of its kind, and leaves places to everything else. */
  isBulk?: boolean
}

export interface PictureFetcherOptions {
  egress: Egress
  /** Bounds the bytes of all downloads together. */
  budget: ByteBudget
  /** Reads a `Retry-After` that is a date. */
  clock?: Clock
  /** Cuts every download when the service stops. */
  stop?: AbortSignal
  limits?: Partial<FetchLimits>
}

/** Limits of one download. */
export interface FetchLimits extends RetryLimits {
  /** Lookup, connection and TLS of one hop. */
  connectMs: number
  /** The whole download with redirects and retries. Waiting for a turn may take as long again. */
  totalMs: number
  bytesMax: number
  /** Concurrent downloads from one host. */
  ofHost: ShareLimits
}

const DEFAULT_LIMITS: FetchLimits = {
  connectMs: LIMITS.fetchConnectMs,
  totalMs: LIMITS.fetchTotalMs,
  bytesMax: LIMITS.pictureBytesMax,
  ofHost: LIMITS.downloadsOfHost,
  retriesMax: LIMITS.fetchRetriesMax,
  retryMs: 250,
  retryFactor: 2,
  retryAfterMaxMs: 3_000,
}

const HEADERS = {
  Accept: 'image/jpeg, image/png, image/webp, image/*;q=0.8',
  'User-Agent': 'Lookalike (picture download)',
}

/** Reserves bytes for a picture while a server sends it. */
type ReserveForBody = PictureBodyOptions['reserve']

interface Downloader {
  egress: Egress
  limits: FetchLimits
  clock: Clock
  stop: AbortSignal | undefined
}

/** Every hop, redirects included, passes through the egress and its checks. */
export function createPictureFetcher(options: PictureFetcherOptions): PictureFetcher {
  const { egress, stop, clock = systemClock } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const downloader: Downloader = { egress, limits, clock, stop }
  const inTurn = createDownloadPlaces({
    budget: options.budget,
    ofHost: limits.ofHost,
    waitMs: limits.totalMs,
    stop,
  })

  return {
    async fetch(text, { storeId, until, isBulk = false }) {
      let host: string | undefined
      try {
        const url = parseHttpUrl(text, LIMITS.fetchUrlCharsMax)
        host = url.hostname
        const once = (reserve: ReserveBytes) => download(url, downloader, reserve)
        return await inTurn({ store: storeId, host, isBulk }, once, until)
      } catch (error) {
        throw stop?.aborted ? stopping(error) : toApiError(error, host)
      }
    },
  }
}

function download(start: URL, downloader: Downloader, reserve: ReserveBytes): Promise<Uint8Array> {
  const { stop, limits, clock } = downloader
  // A download that waited for its turn until then must not even look up a name.
  if (stop?.aborted) throw stopping(stop.reason)
  const others = new AbortController()
  const yielding: ReserveForBody = (bytes, signal, isSlow) =>
    reserve(bytes, signal, { isSlow, giveWay: () => others.abort() })
  const run = runWithDeadline(limits.totalMs, stop, async (deadline) => {
    const signal = AbortSignal.any([deadline, others.signal])
    let retries = 0
    const request = async (url: URL) => {
      for (;;) {
        const response = await getOnce(url, signal, downloader, yielding)
        const waitMs = computeRetryWait(response, retries, limits, clock.now())
        if (waitMs === undefined || !(await hasWaited(waitMs, signal))) return response
        retries += 1
      }
    }
    const { status, body } = await followRedirects(start, request)
    if (!body) throw refusedStatus(status)
    return body
  })
  return run.catch((error) => {
    throw others.signal.aborted ? gaveWay() : error
  })
}

/** @returns a response whose body is the picture, or undefined unless the status is 200. */
const getOnce = (
  url: URL,
  signal: AbortSignal,
  { egress, limits: { connectMs, bytesMax }, clock: { monotonic } }: Downloader,
  reserve: ReserveForBody,
): Promise<OutboundResponse<Uint8Array | undefined>> =>
  egress.send(url, {
    method: 'GET',
    headers: HEADERS,
    connectMs,
    signal,
    read: async (head, pieces) =>
      head.status === 200 ? readPicture(head, pieces, { bytesMax, reserve, monotonic, signal }) : undefined,
  })

function toApiError(error: unknown, host: string | undefined): unknown {
  if (!(error instanceof OutboundError || error instanceof DownloadError)) return error
  const { reason } = error
  const isRefused = reason === 'url_not_allowed' || reason === 'blocked_address'
  const message = isRefused ? `${error.message}; or upload the picture as a file` : error.message
  if (reason === 'url_not_allowed') return new ApiError('url_not_allowed', message, { cause: error })
  const status = error instanceof DownloadError ? error.upstreamStatus : undefined
  return new ApiError('image_download_failed', message, {
    details: {
      reason: reason satisfies DownloadFailure,
      ...(host === undefined ? {} : { url_host: host }),
      ...(status === undefined ? {} : { upstream_status: status }),
    },
    cause: error,
  })
}

/** The picture may be fine, so the client should try again. */
const stopping = (cause: unknown) =>
  new ApiError('overloaded', 'The service is stopping; repeat the request in a moment', {
    retryAfterSeconds: 5,
    cause,
  })
const gaveWay = () =>
  new DownloadError(
    'timeout',
    'The server sent the picture so slowly that it had to make room for other stores',
  )
