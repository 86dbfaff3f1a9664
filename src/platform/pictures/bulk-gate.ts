import { ApiError } from '../../core/errors.ts'
import { createShares, type Holding, type ShareLimits, type Shares } from '../../core/shares.ts'
import { createFairQueue } from './fair-queue.ts'

export interface BulkGateOptions {
  /** Downloads of jobs at a time: of all hosts, and of one. Each is less than all downloads may be. */
  downloads: ShareLimits
  ofHost: ShareLimits
  /** Pictures that are here and not yet used. */
  pictures: ShareLimits
  /** Ends every wait when the service stops. */
  stop?: AbortSignal | undefined
}

/** The longest wait for a turn, in ms. A job bounds how many of its downloads wait. */
const WAIT_MS = 5 * 60_000

/**
 * Creates the gate that the downloads of jobs pass. So a job never takes the last place at a host, and its pictures may wait
 * for a slow server for longer than a client would. Stores take turns, and so do the hosts of one store. A server that
 * hangs holds a place among the downloads only; a picture that is here counts until it is used, and a store with many of
 * them begins no further download.
 */
export function createBulkGate({ downloads, ofHost, pictures, stop }: BulkGateOptions) {
  const turns = createFairQueue()
  const underWay = createShares(downloads, turns.serve)
  const here = createShares(pictures, turns.serve)
  /** By host; without hosts that have none. */
  const hosts = new Map<string, Shares>()

  function take(storeId: string, host: string): Holding[] | undefined {
    const atHost = hosts.get(host) ?? createShares(ofHost)
    if (!here.fits(storeId) || !underWay.fits(storeId) || !atHost.fits(storeId)) return undefined
    hosts.set(host, atHost)
    return [atHost.take(storeId), underWay.take(storeId)]
  }

  function giveBack(host: string, places: readonly Holding[]): void {
    // The last one serves who waits.
    for (const place of places) {
      place.release()
      if (hosts.get(host)?.held() === 0) hosts.delete(host)
    }
  }

  /** @param until settles once the picture has been used. */
  return async function pass(
    storeId: string,
    host: string,
    until: Promise<unknown>,
    download: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const places = await turns.wait(storeId, (owner) => take(owner, host), {
      ...{ ms: WAIT_MS, signal: stop, failure: waitedTooLong, lane: host },
    })
    try {
      const picture = await download()
      const { release } = here.take(storeId)
      until.then(release, release)
      return picture
    } finally {
      giveBack(host, places)
    }
  }
}

const waitedTooLong = () =>
  new ApiError('overloaded', 'Too many pictures of jobs are being downloaded', { retryAfterSeconds: 5 })
