import { type ByteBudget, budgetExhausted } from '../../core/byte-budget.ts'
import { ApiError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Claim } from '../../core/place-count.ts'
import { createShares, type ShareLimits } from '../../core/shares.ts'
import { createPlaces } from '../fair/places.ts'
import { DownloadError } from '../outbound/follow.ts'
import { createPictureBudget, type ReserveBytes } from './picture-budget.ts'

export interface DownloadPlacesOptions extends Partial<DownloadLimits> {
  budget: ByteBudget
  /** Downloads from one host at a time, jobs' included. */
  ofHost: ShareLimits
  /** Longest wait for a turn, and then for bytes, in ms. A job waits for its turn for longer. */
  waitMs: number
  /** Ends every wait for a turn when the service stops. */
  stop?: AbortSignal | undefined
}

interface DownloadLimits {
  /** Downloads for requests of clients that run at a time. */
  downloads: ShareLimits
  /** Downloads for requests of clients that run or wait. */
  admitted: ShareLimits
  /** Downloads of jobs at a time: of all hosts, and of one. */
  bulkDownloads: ShareLimits
  bulkOfHost: ShareLimits
  /** Pictures of jobs that are here and not yet used. */
  bulkPictures: ShareLimits
}

const DEFAULTS: DownloadLimits = {
  downloads: LIMITS.downloads,
  admitted: LIMITS.downloadsInLine,
  bulkDownloads: LIMITS.bulkDownloads,
  bulkOfHost: LIMITS.bulkDownloadsOfHost,
  bulkPictures: LIMITS.bulkPictures,
}

/**
 * The longest wait of a job's download for its turn: a fifth of what its product may take. A product of eleven pictures loads them
 * in three rounds, each of which may wait for its turn, then 15 s for bytes, 15 s for the server and 10 s for the model. So a busy
 * host makes the product come again later, as for any other overload, before the job gives it up as one that hangs, which would
 * cost it one of its few tries.
 */
const BULK_WAIT_MS = LIMITS.jobItemMs / 5

/**
 * Bounds the downloads of pictures in number and bytes. Stores take turns, so that one store's catalogue does not delay
 * another store's search. A job never takes the last place at a host, and its pictures may wait for a slow server for longer
 * than a client would. A server that hangs holds a place among the downloads only; a picture that is here counts until it is
 * used, and a store with many of them begins no further download.
 */
export function createDownloadPlaces({ budget, waitMs, ofHost, stop, ...options }: DownloadPlacesOptions) {
  const { downloads, admitted, bulkDownloads, bulkOfHost, bulkPictures } = { ...DEFAULTS, ...options }
  const admission = createShares(admitted)
  const load = createPictureBudget(budget, waitMs)
  const places = createPlaces({
    limits: [
      { ...ofHost, by: 'host', failure: ({ isBulk }) => (isBulk ? tooManyOfJobs() : hostIsBusy()) },
      { ...bulkOfHost, by: 'host', only: 'bulk' },
      { ...downloads, only: 'other' },
      { ...bulkDownloads, only: 'bulk' },
    ],
    unused: bulkPictures,
    waitMs: ({ isBulk }) => (isBulk ? BULK_WAIT_MS : waitMs),
    failure: ({ isBulk }) => (isBulk ? tooManyOfJobs() : budgetExhausted()),
    stop,
  })

  /**
   * Downloads in turn. The picture's bytes are held until `until` settles.
   *
   * @throws ApiError `overloaded` at once when the queue is full, for everyone or for the store, and when the turn or the
   *   bytes are not free in time; DownloadError `timeout` when the host's places do not become free in time.
   */
  return async function run(
    claim: Claim,
    download: (reserve: ReserveBytes) => Promise<Uint8Array>,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    // Jobs bound by themselves how many of their downloads wait.
    const place = claim.isBulk ? undefined : admission.tryTake(claim.store)
    if (!claim.isBulk && !place) throw budgetExhausted()
    try {
      return await places.run(claim, () => load(claim.store, download, until), until)
    } finally {
      place?.release()
    }
  }
}

const hostIsBusy = () => new DownloadError('timeout', 'Too many downloads from this host are in progress')
const tooManyOfJobs = () =>
  new ApiError('overloaded', 'Too many pictures of jobs are being downloaded', { retryAfterSeconds: 5 })
