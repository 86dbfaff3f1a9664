/** How much of something owners may hold: places, bytes, streams. */
export interface ShareLimits {
  /** All owners together. */
  max: number
  perOwnerMax: number
  /** Every owner may hold so much, however much the others have. */
  firstMax: number
  /** Beyond their first ones, all owners together. */
  extraMax: number
}

/** The part that one owner holds. */
export interface Holding {
  readonly size: number
  /** Returns what is above `size`; does nothing when less is held. */
  shrinkTo(size: number): void
  /** Returns everything; a second call does nothing. */
  release(): void
}

/** A holder that can be ended for another owner's sake. */
export interface Yielding {
  /** Whether it keeps others waiting for no good reason. */
  isSlow(): boolean
  /**
   * Whether it can still be ended and begun anew. While its owner has more than its first share, it then gives way to what another
   * owner takes of its own first share, however fast it is. Leave it out for a holder that gives way only while it is slow.
   */
  isUnderWay?(): boolean
  /** Ends it. Its holding is gone already. */
  giveWay(): void
}

interface Holder {
  readonly owner: string
  readonly holding: Holding
  readonly isCapped: boolean
  isSlow(): boolean
  isUnderWay(): boolean
  /** Ends it; what it held is counted out already. */
  drop(): void
}

/**
 * Shares something between owners, which are mostly stores, so that a few of them, however badly they behave, cannot keep
 * another one out. Each owner has its first ones, and only what goes beyond them is scarce. A bound for all with a bound for
 * each does not achieve that: a few owners at their bound can fill the whole.
 *
 * Where an owner finds no place, a slow holder of an owner with more gives way: a body that arrives, or a download. It says by
 * `core/pace.ts` whether it is slow. Where an owner finds no place for its first ones, a body that arrives for an owner that is
 * beyond its own gives way, too, slow or not. So extra ones may fill the whole while nobody else needs it. Nothing waits here;
 * `platform/fair/places.ts` lets work wait in turns.
 *
 * The four numbers of each share stand in `core/limits.ts`. Count what only waits for another server apart from what holds
 * memory. `test/robustness/neighbours.test.ts` misuses everything at once; add a new share to its `misuse.ts`.
 *
 * @param onFreed called whenever something is returned, and after somebody has given way.
 */
export function createShares(limits: ShareLimits, onFreed: () => void = () => {}) {
  const owners = new Map<string, number>()
  const yielding = new Set<Holder>()
  let sum = 0
  /** What was taken below a ceiling. */
  let capped = 0
  let extra = 0

  const of = (owner: string): number => owners.get(owner) ?? 0
  const beyond = (size: number): number => Math.max(0, size - limits.firstMax)

  function add(owner: string, difference: number, isCapped: boolean): void {
    const before = of(owner)
    const after = before + difference
    sum += difference
    if (isCapped) capped += difference
    extra += beyond(after) - beyond(before)
    if (after === 0) owners.delete(owner)
    else owners.set(owner, after)
  }

  function fits(owner: string, size = 1, ceiling = Infinity): boolean {
    const before = of(owner)
    const after = before + size
    if (after > limits.perOwnerMax || sum + size > limits.max || capped + size > ceiling) return false
    const more = beyond(after) - beyond(before)
    return more === 0 || extra + more <= limits.extraMax
  }

  /** Slow holders of owners with more, those of the owner with most first. */
  const listSlow = (owner: string): Holder[] =>
    [...yielding]
      .filter((holder) => of(holder.owner) > of(owner) && holder.isSlow())
      .sort((a, b) => of(b.owner) - of(a.owner))

  /** Holders that can be begun anew, of other owners that are beyond their first ones: the newest of the owner with most first. */
  const listExtra = (owner: string): Holder[] =>
    [...yielding]
      .toReversed()
      .filter((holder) => holder.owner !== owner && beyond(of(holder.owner)) > 0 && holder.isUnderWay())
      .sort((a, b) => of(b.owner) - of(a.owner))

  /** Ends as many holders as the owner needs, slow ones first, or none if they are not enough. */
  function makeWay(owner: string, size: number, ceiling: number | undefined): boolean {
    if (of(owner) + size > limits.perOwnerMax || yielding.size === 0) return false
    const gone = new Set<Holder>()
    const count = (holder: Holder): void => {
      gone.add(holder)
      add(holder.owner, -holder.holding.size, holder.isCapped)
    }
    // Where only the ceiling is in the way, nobody helps who is not counted below it.
    const helps = (holder: Holder): boolean => holder.isCapped || !fits(owner, size)
    for (const holder of listSlow(owner)) {
      if (fits(owner, size, ceiling)) break
      if (of(holder.owner) > of(owner) && helps(holder)) count(holder)
    }
    const extras = of(owner) + size <= limits.firstMax ? listExtra(owner) : []
    for (const holder of extras) {
      if (fits(owner, size, ceiling)) break
      if (!gone.has(holder) && beyond(of(holder.owner)) > 0 && helps(holder)) count(holder)
    }
    const isEnough = fits(owner, size, ceiling)
    // Nobody is told yet: this owner takes of what they leave first.
    for (const holder of gone)
      isEnough ? holder.drop() : add(holder.owner, holder.holding.size, holder.isCapped)
    return isEnough
  }

  function hold(owner: string, wanted: number, isCapped: boolean, yields?: Yielding): Holding {
    let size = wanted
    add(owner, size, isCapped)
    const shrinkTo = (less: number): void => {
      const freed = size - less
      if (freed <= 0) return
      size = less
      add(owner, -freed, isCapped)
      if (size === 0 && holder) yielding.delete(holder)
      onFreed()
    }
    const holding: Holding = {
      get size() {
        return size
      },
      shrinkTo,
      release: () => shrinkTo(0),
    }
    const holder: Holder | undefined = yields && {
      owner,
      holding,
      isCapped,
      isSlow: yields.isSlow,
      isUnderWay: () => yields.isUnderWay?.() ?? false,
      drop() {
        size = 0
        yielding.delete(holder as Holder)
        yields.giveWay()
      },
    }
    if (holder) yielding.add(holder)
    return holding
  }

  return {
    /** How much one owner holds, or all of them. */
    held: (owner?: string): number => (owner === undefined ? sum : of(owner)),

    /** Whether an owner may take so much more without anybody giving way. @param ceiling see `tryTake`. */
    fits,

    /**
     * Takes a share, if it may be had.
     *
     * @param ceiling a smaller `max` for all that is taken below a ceiling, because it must leave something to others.
     * @param yields makes the holder one that gives way.
     */
    tryTake(
      owner: string,
      size = 1,
      { ceiling, yields }: { ceiling?: number | undefined; yields?: Yielding | undefined } = {},
    ): Holding | undefined {
      if (!fits(owner, size, ceiling)) {
        if (!makeWay(owner, size, ceiling)) return undefined
        // Those who gave way may have held more than this owner takes.
        queueMicrotask(onFreed)
      }
      return hold(owner, size, ceiling !== undefined, yields)
    },

    /** Takes a share in any case: for what has begun and can only be counted. */
    take: (owner: string, size = 1): Holding => hold(owner, size, false),
  }
}
