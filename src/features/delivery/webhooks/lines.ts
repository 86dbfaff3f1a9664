/** The deliveries that wait for one endpoint. */
interface Line {
  endpoint: string
  storeId: string
  /** Unix ms before which nothing of it is due. */
  dueAt: number
  /** Ids of deliveries that are being sent, or whose result is not written yet. */
  held: Set<string>
  /** Whether its last attempt failed. */
  isFailing: boolean
}

/** What is sent at the same time, at most. */
export interface LineLimits {
  inAll: number
  perStore: number
  perEndpoint: number
  /** To all endpoints together whose last attempt failed; each of them gets one at a time. */
  failing: number
}

/** Enough that the slow leave room for the others: what fails never holds more than half. */
export const LINE_LIMITS: LineLimits = { inAll: 64, perStore: 16, perEndpoint: 4, failing: 32 }

export type Lines = ReturnType<typeof createLines>

/**
 * Decides whose delivery goes next: bounded in all, for each store and for each endpoint, so that neither a receiver that
 * hangs nor a store with many deliveries holds up the others.
 */
export function createLines(limits: LineLimits = LINE_LIMITS) {
  const lines = new Map<string, Line>()
  const perStore = new Map<string, number>()
  let inAll = 0
  let failing = 0

  const isFree = ({ storeId, held, isFailing }: Line): boolean =>
    (perStore.get(storeId) ?? 0) < limits.perStore &&
    held.size < (isFailing ? 1 : limits.perEndpoint) &&
    (!isFailing || failing < limits.failing)

  /** Whether one line goes before another: the store with less underway, then the one that has waited longer. */
  function isBefore(line: Line, other: Line): boolean {
    const difference = (perStore.get(line.storeId) ?? 0) - (perStore.get(other.storeId) ?? 0)
    return difference === 0 ? line.dueAt < other.dueAt : difference < 0
  }

  return {
    /** Something of an endpoint is due at a time, in Unix ms. */
    expect(endpoint: string, storeId: string, dueAt: number): void {
      const line = lines.get(endpoint)
      if (line) line.dueAt = Math.min(line.dueAt, dueAt)
      else lines.set(endpoint, { endpoint, storeId, dueAt, held: new Set(), isFailing: false })
    },

    /** The line to serve next; undefined if none is due or may be. */
    choose(now: number): Line | undefined {
      if (inAll >= limits.inAll) return undefined
      let chosen: Line | undefined
      for (const line of lines.values()) {
        if (line.dueAt > now || !isFree(line)) continue
        if (!chosen || isBefore(line, chosen)) chosen = line
      }
      return chosen
    },

    /** Puts a line off until a time; undefined if it has nothing more to send. */
    postpone(line: Line, dueAt: number | undefined): void {
      line.dueAt = dueAt ?? Infinity
      if (dueAt === undefined && line.held.size === 0) lines.delete(line.endpoint)
    },

    /**
     * Takes a place for a delivery.
     *
     * @returns gives the place back; the delivery stays held until `release`.
     */
    start(line: Line, id: string): (hasFailed: boolean) => void {
      line.held.add(id)
      inAll++
      perStore.set(line.storeId, (perStore.get(line.storeId) ?? 0) + 1)
      const countsAsFailing = line.isFailing
      if (countsAsFailing) failing++
      return (hasFailed) => {
        inAll--
        if (countsAsFailing) failing--
        const left = (perStore.get(line.storeId) ?? 1) - 1
        if (left === 0) perStore.delete(line.storeId)
        else perStore.set(line.storeId, left)
        line.isFailing = hasFailed
      }
    },

    /** Its result is written: the line may look at the delivery again. */
    release(line: Line, id: string, now: number): void {
      line.held.delete(id)
      line.dueAt = Math.min(line.dueAt, now)
    },

    /**
     * When the next line becomes due, in Unix ms; Infinity for none. What is due already waits for a place, and whoever
     * leaves one looks again.
     */
    findNextDue(now: number): number {
      let next = Infinity
      for (const { dueAt } of lines.values()) if (dueAt > now && dueAt < next) next = dueAt
      return next
    },
  }
}
