import { createShares, type Holding, type ShareLimits } from './shares.ts'

/** Work that needs a place. */
export interface Claim {
  /** The store that it is done for. Stores take turns. */
  store: string
  /** The server that it goes to. Hosts take turns within a store, and a busy one holds up no other. */
  host?: string
  /** Whether it is work that no client waits for, for example a job's. */
  isBulk?: boolean
}

/** How many places there are. */
export interface PlaceLimit extends ShareLimits {
  /** Counts each host apart. */
  by?: 'host'
  /** Counts work of one kind; both kinds if it is missing. */
  only?: 'bulk' | 'other'
  /** The error for work that waited in vain for this limit; by default that of the places. */
  failure?(claim: Claim): Error
}

/** Counts the places of several limits, without waiting: for schedulers that find their work by themselves. */
export function createPlaceCount(limits: readonly PlaceLimit[]) {
  const counters = limits.map(createCounter)
  const listFor = (isBulk = false) => (isBulk ? bulk : other)
  const bulk = counters.filter(({ limit }) => limit.only !== 'other')
  const other = counters.filter(({ limit }) => limit.only !== 'bulk')

  return {
    fits: (claim: Claim): boolean => listFor(claim.isBulk).every((counter) => counter.fits(claim)),

    /** Whether the limits of all hosts together leave a place. */
    hasPlaceAtAnyHost: (claim: Claim): boolean =>
      listFor(claim.isBulk).every((counter) => counter.limit.by === 'host' || counter.fits(claim)),

    /** The first limit that has no place. */
    findFull: (claim: Claim): PlaceLimit | undefined =>
      listFor(claim.isBulk).find((counter) => !counter.fits(claim))?.limit,

    /** The places that a store holds of the first limit. */
    held: (store: string): number => counters[0]?.held(store) ?? 0,

    /** Takes a place of each limit, whether or not there is one. */
    take: (claim: Claim): Holding[] => listFor(claim.isBulk).map((counter) => counter.take(claim)),
  }
}

function createCounter(limit: PlaceLimit) {
  /** By host, without hosts that nothing goes to; one entry for a limit of all hosts. */
  const used = new Map<string, ReturnType<typeof createShares>>()
  const none = createShares(limit)
  const keyOf = ({ host = '' }: Claim): string => (limit.by === 'host' ? host : '')

  return {
    limit,

    /** Of a limit of all hosts. */
    held: (store: string): number => used.get('')?.held(store) ?? 0,

    fits: (claim: Claim): boolean => (used.get(keyOf(claim)) ?? none).fits(claim.store),

    take(claim: Claim): Holding {
      const key = keyOf(claim)
      const shares: ReturnType<typeof createShares> =
        used.get(key) ??
        createShares(limit, () => {
          if (shares.held() === 0) used.delete(key)
        })
      used.set(key, shares)
      return shares.take(claim.store)
    },
  }
}
