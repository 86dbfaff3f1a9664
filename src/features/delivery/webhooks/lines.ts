/** The deliveries that wait for one endpoint. */
interface Line {
  endpoint: string
  storeId: string
  /** Unix ms before which nothing of it is due. */
  dueAt: number
  /** Ids of deliveries that are being sent, or whose result is not written yet. */
  held: Set<string>
  /** How its last attempt went; unknown before the first. */
  health: 'unknown' | 'working' | 'failing'
}

/** What is sent at the same time, at most. */
export interface LineLimits {
  inAll: number
  perStore: number
  /** To one endpoint that works; any other gets one delivery at a time. */
  perEndpoint: number
  /** To all failing endpoints together, and to those of one store. */
  failing: number
  failingPerStore: number
}

/** What fails never holds more than half, so that the slow leave room for the others. */
const LINE_LIMITS: LineLimits = { inAll: 64, perStore: 16, perEndpoint: 4, failing: 32, failingPerStore: 8 }

/**
 * Decides whose delivery goes next: bounded in all, for each store and for each endpoint, so that neither a receiver that
 * hangs nor a store with many deliveries holds up the others.
 */
export function createLines(limits: LineLimits = LINE_LIMITS) {
  const lines = new Map<string, Line>()
  /** Underway, and those of them to endpoints that fail. */
  const all = createCounts()
  const failing = createCounts()

  const isFree = ({ storeId, held, health }: Line): boolean =>
    all.of(storeId) < limits.perStore &&
    held.size < (health === 'working' ? limits.perEndpoint : 1) &&
    (health !== 'failing' ||
      (failing.inAll() < limits.failing && failing.of(storeId) < limits.failingPerStore))

  /** Whether one line goes before another: the store with less underway, then the one that has waited longer. */
  function isBefore(line: Line, other: Line): boolean {
    const difference = all.of(line.storeId) - all.of(other.storeId)
    return difference === 0 ? line.dueAt < other.dueAt : difference < 0
  }

  return {
    /** Something of an endpoint is due at a time, in Unix ms. */
    expect(endpoint: string, storeId: string, dueAt: number): void {
      const line = lines.get(endpoint)
      if (line) line.dueAt = Math.min(line.dueAt, dueAt)
      else lines.set(endpoint, { endpoint, storeId, dueAt, held: new Set(), health: 'unknown' })
    },

    /** The line to serve next; undefined if none is due or may be. */
    choose(now: number): Line | undefined {
      if (all.inAll() >= limits.inAll) return undefined
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
      const counts = line.health === 'failing' ? [all, failing] : [all]
      for (const count of counts) count.add(line.storeId, 1)
      return (hasFailed) => {
        for (const count of counts) count.add(line.storeId, -1)
        line.health = hasFailed ? 'failing' : 'working'
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

/** Counts something in all and for each store. */
function createCounts() {
  const perStore = new Map<string, number>()
  let sum = 0
  return {
    inAll: () => sum,
    of: (storeId: string): number => perStore.get(storeId) ?? 0,
    add(storeId: string, difference: 1 | -1): void {
      sum += difference
      const count = (perStore.get(storeId) ?? 0) + difference
      if (count === 0) perStore.delete(storeId)
      else perStore.set(storeId, count)
    },
  }
}
