import { type Claim, createPlaceCount, type PlaceLimit } from '../../core/place-count.ts'
import { createShares, type Holding, type ShareLimits } from '../../core/shares.ts'
import { createFairQueue } from './fair-queue.ts'

export interface PlacesOptions {
  /** Work begins once each of these limits has a place for it. It holds none of them while it waits for another. */
  limits: readonly PlaceLimit[]
  /** Results of bulk work that are not used yet. A store with this many begins nothing further. */
  unused?: ShareLimits
  /** Longest wait of a claim, in ms; unlimited without it. */
  waitMs?(claim: Claim): number
  /** Most claims that wait; see `createFairQueue`. */
  waitingMax?: number | undefined
  /** The error for work that waited in vain. */
  failure(claim: Claim): Error
  /** Ends every wait when the service stops. */
  stop?: AbortSignal | undefined
}

/**
 * Bounds work in all, for each store and for each host, with a share for bulk work. A claim takes its places of all limits at
 * once, in turns between stores; see `createShares` for what each store has for itself.
 */
export function createPlaces(options: PlacesOptions) {
  const { failure, stop, waitMs, waitingMax: max } = options
  const count = createPlaceCount(options.limits)
  const turns = createFairQueue({ max, isOpen })
  const unused = options.unused && createShares(options.unused, turns.serve)

  const mayAddResult = ({ store, isBulk }: Claim): boolean => !isBulk || !unused || unused.fits(store)

  function isOpen(store: string): boolean {
    const isBulkOpen =
      mayAddResult({ store, isBulk: true }) && count.hasPlaceAtAnyHost({ store, isBulk: true })
    return isBulkOpen || count.hasPlaceAtAnyHost({ store })
  }

  const tryTake = (claim: Claim): Holding[] | undefined =>
    mayAddResult(claim) && count.fits(claim) ? count.take(claim) : undefined

  const takeInTurn = (claim: Claim): Promise<Holding[]> =>
    turns.wait(claim.store, () => tryTake(claim), {
      ms: waitMs?.(claim),
      signal: stop,
      failure: () => count.findFull(claim)?.failure?.(claim) ?? failure(claim),
      lane: max === undefined ? `${claim.isBulk ? 'bulk ' : ''}${claim.host ?? ''}` : undefined,
    })

  async function work<Value>(
    claim: Claim,
    places: readonly Holding[],
    run: () => Promise<Value>,
    until: Promise<unknown> | undefined,
  ): Promise<Value> {
    try {
      const value = await run()
      if (claim.isBulk && unused && until) {
        const { release } = unused.take(claim.store)
        until.then(release, release)
      }
      return value
    } finally {
      for (const place of places) place.release()
      turns.serve()
    }
  }

  return {
    /**
     * Runs work as soon as every limit has a place for it.
     *
     * @param until settles once the result has been used.
     * @throws the error of the full limit if no place becomes free in time; `run` is not called then.
     */
    run<Value>(claim: Claim, run: () => Promise<Value>, until?: Promise<unknown>): Promise<Value> {
      const places = turns.isEmpty() && !stop?.aborted ? tryTake(claim) : undefined
      if (places) return work(claim, places, run, until)
      return takeInTurn(claim).then((taken) => work(claim, taken, run, until))
    },
  }
}
