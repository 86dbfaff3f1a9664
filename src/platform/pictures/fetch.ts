import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteBudget } from '../../core/byte-budget.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { ApiError, type DownloadFailure } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Cidr } from '../../core/networks.ts'
import { openConnection } from '../network/connection.ts'
import {
  type DestinationRules,
  findDestination,
  type Lookup,
  lookupHost,
  parseHttpUrl,
} from '../network/destination.ts'
import { NetworkError } from '../network/failure.ts'
import { createOwnAddresses } from '../network/own-addresses.ts'
import { createDownloadLine, type MakeRoom } from './download-line.ts'
import { type Answer, DownloadError, getPicture, type Refusal } from './exchange.ts'
import { createHostSlots } from './host-slots.ts'

/** Downloads pictures from addresses that customers name. */
export interface PictureFetcher {
  /**
   * Downloads one picture over http or https.
   *
   * @param url an absolute address; anything but a public one is refused.
   * @returns the bytes, at most `LIMITS.pictureBytesMax`, beginning like one of the formats we read.
   * @throws ApiError `url_not_allowed` for an address that is malformed or of another scheme or port, and
   *   `image_download_failed` with `details.reason` for everything that goes wrong on the way; `overloaded` when too
   *   much is being downloaded, for everybody or for the store.
   */
  fetch(url: string, options: FetchOptions): Promise<Uint8Array>
}

export interface FetchOptions {
  /** For whom: the line of downloads is shared fairly between stores. */
  storeId: string
  /** The picture counts among the bytes in flight until this is over. */
  until: Promise<unknown>
}

export interface PictureFetcherOptions {
  /** Bounds the bytes of all downloads together. */
  budget: ByteBudget
  /** Networks that are reachable although they are not public, there on any port (`FETCH_ALLOW_CIDRS`). */
  allowCidrs: readonly Cidr[]
  /** Reach nothing but `allowCidrs` (`OFFLINE`). */
  isOffline: boolean
  /** Finds the addresses of a name; the system's resolver by default. */
  lookup?: Lookup
  /** Whether an address is one of this machine; by default those of its network interfaces. */
  isOwnAddress?(address: string): boolean
  /** Judges a `Retry-After` that is a date. */
  clock?: Clock
  /** Certificates in PEM that are trusted instead of the built-in ones. */
  ca?: string
  /** Cuts every download when the service stops. */
  stop?: AbortSignal
  limits?: Partial<FetchLimits>
}

/** Limits of one download; those of the contract by default. */
export interface FetchLimits {
  /** Look-up, connection and TLS of one hop. */
  connectMs: number
  /** The whole download with redirects and retries, but without waiting for a slot, which may take as long again. */
  totalMs: number
  bytesMax: number
  perHostMax: number
  /** Downloads at once over all hosts, and those of one store. */
  atOnceMax: number
  perStoreMax: number
  /** Wait before the first further try; doubled for the second. */
  retryMs: number
  /** A server that asks to wait longer than this is not tried again. */
  retryAfterMaxMs: number
}

const DEFAULT_LIMITS: FetchLimits = {
  connectMs: LIMITS.fetchConnectMs,
  totalMs: LIMITS.fetchTotalMs,
  bytesMax: LIMITS.pictureBytesMax,
  perHostMax: LIMITS.fetchPerHostMax,
  atOnceMax: LIMITS.downloadsMax,
  perStoreMax: LIMITS.downloadsPerStoreMax,
  retryMs: 250,
  retryAfterMaxMs: 3_000,
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

interface Downloader {
  rules: DestinationRules
  limits: FetchLimits
  clock: Clock
  ca: string | undefined
  stop: AbortSignal | undefined
}

/**
 * The only way in which an address from outside is ever fetched.
 *
 * Names are resolved here, every answer is checked, and the connection goes to the checked address; each redirect
 * passes through the same gate. Proxies of the environment are not used, since they would resolve names again.
 */
export const createPictureFetcher = (options: PictureFetcherOptions): PictureFetcher => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const clock = options.clock ?? systemClock
  const downloader: Downloader = {
    rules: {
      ...options,
      lookup: options.lookup ?? lookupHost,
      isOwnAddress: options.isOwnAddress ?? createOwnAddresses(clock),
    },
    limits,
    clock,
    ca: options.ca,
    stop: options.stop,
  }
  const slots = createHostSlots({
    perHostMax: limits.perHostMax,
    waitMs: limits.totalMs,
    onTooLong: () => new DownloadError('timeout', 'Too many downloads from this host are under way'),
  })

  const line = createDownloadLine({
    ...limits,
    budget: options.budget,
    inLineMax: LIMITS.downloadsInLineMax,
    inLinePerStoreMax: LIMITS.downloadsInLinePerStoreMax,
    waitMs: limits.totalMs,
  })

  return {
    async fetch(text, { storeId, until }) {
      let host: string | undefined
      try {
        const url = parseHttpUrl(text, LIMITS.fetchUrlCharsMax)
        host = url.hostname
        const place = line.enter(storeId)
        const inTurn = () => place.served((makeRoom) => download(url, downloader, makeRoom), until)
        return await slots.run(host, inTurn).finally(place.leave)
      } catch (error) {
        throw options.stop?.aborted ? stopping(error) : asApiError(error, host)
      }
    },
  }
}

const download = async (start: URL, downloader: Downloader, makeRoom: MakeRoom): Promise<Uint8Array> => {
  const { stop, limits } = downloader
  // Who waited for a turn until then must not even look a name up.
  if (stop?.aborted) throw stopping(stop.reason)
  const deadline = new AbortController()
  const abort = () => deadline.abort()
  const timer = setTimeout(abort, limits.totalMs)
  stop?.addEventListener('abort', abort)
  try {
    let url = start
    let redirects = 0
    let retries = 0
    for (;;) {
      const answer = await getOnce(url, redirects > 0, deadline.signal, downloader, makeRoom)
      if ('picture' in answer) return answer.picture
      if (REDIRECTS.includes(answer.status)) {
        redirects += 1
        if (redirects > LIMITS.fetchRedirectsMax) throw tooManyRedirects()
        url = redirectTarget(url, answer)
      } else {
        const waitMs = retryWaitMs(answer, retries, downloader)
        retries += 1
        if (waitMs === undefined || !(await hasWaited(waitMs, deadline.signal)))
          throw refusedStatus(answer.status)
      }
    }
  } finally {
    clearTimeout(timer)
    stop?.removeEventListener('abort', abort)
  }
}

const getOnce = async (
  url: URL,
  isRedirected: boolean,
  signal: AbortSignal,
  { rules, limits, ca }: Downloader,
  makeRoom: MakeRoom,
): Promise<Answer> => {
  const connecting = AbortSignal.any([signal, AbortSignal.timeout(limits.connectMs)])
  try {
    const destination = await findDestination(url, rules, connecting)
    const socket = await openConnection(destination, { signal: connecting, ca })
    return await getPicture(socket, url, { bytesMax: limits.bytesMax, makeRoom, signal })
  } catch (error) {
    throw isRedirected ? asRedirectFailure(error) : error
  }
}

const redirectTarget = (from: URL, { status, location }: Refusal): URL => {
  // Header text arrives one character for a byte, while servers send the names of files as UTF-8.
  const target = location === undefined ? '' : Buffer.from(location, 'latin1').toString()
  if (target === '' || !URL.canParse(target, from.href)) throw refusedStatus(status)
  try {
    const url = parseHttpUrl(new URL(target, from.href).href, LIMITS.fetchUrlCharsMax)
    if (from.protocol === 'http:' || url.protocol === 'https:') return url
  } catch (error) {
    throw asRedirectFailure(error)
  }
  throw new DownloadError('blocked_address', 'The address redirects from https to http')
}

/** To the caller a forbidden address behind a redirect is no mistake in the address that was sent. */
const asRedirectFailure = (error: unknown): unknown =>
  error instanceof NetworkError && error.reason === 'url_not_allowed'
    ? new DownloadError('blocked_address', 'The address redirects to one that is not allowed', {
        cause: error,
      })
    : error

/** @returns `undefined` if a further try is not allowed or promises nothing. */
const retryWaitMs = (
  { status, retryAfter }: Refusal,
  retries: number,
  { limits, clock }: Downloader,
): number | undefined => {
  const isPassing = status === 429 || (status >= 500 && status <= 599)
  if (!isPassing || retries >= LIMITS.fetchRetriesMax) return undefined
  const waitMs = retryAfter === undefined ? limits.retryMs * 2 ** retries : retryAfterMs(retryAfter, clock)
  return waitMs <= limits.retryAfterMaxMs ? waitMs : undefined
}

/** The header holds seconds or a date (RFC 9110 §10.2.3). Text that is neither counts as no time at all. */
const retryAfterMs = (text: string, clock: Clock): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  return Math.max(0, (Date.parse(text) || 0) - clock.now())
}

/** @returns `false` if the download ran out of time meanwhile. */
const hasWaited = async (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false)

const asApiError = (error: unknown, host: string | undefined): unknown => {
  if (!(error instanceof NetworkError || error instanceof DownloadError)) return error
  const { reason } = error
  if (reason === 'url_not_allowed') return new ApiError('url_not_allowed', error.message, { cause: error })
  const status = error instanceof DownloadError ? error.upstreamStatus : undefined
  return new ApiError('image_download_failed', error.message, {
    details: {
      reason: reason satisfies DownloadFailure,
      ...(host === undefined ? {} : { url_host: host }),
      ...(status === undefined ? {} : { upstream_status: status }),
    },
    cause: error,
  })
}

/** The picture may be fine, so the client is asked to come back. */
const stopping = (cause: unknown) =>
  new ApiError('overloaded', 'The service stops; repeat the request in a moment', {
    retryAfterSeconds: 5,
    cause,
  })
const tooManyRedirects = () =>
  new DownloadError('too_many_redirects', `The address redirects more than ${LIMITS.fetchRedirectsMax} times`)
const refusedStatus = (status: number) =>
  new DownloadError('http_status', `The server answered with status ${status}`, { status })
