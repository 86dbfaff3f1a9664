import { createShares, type ShareLimits } from '../../../core/shares.ts'

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
  deliveries: ShareLimits
  /** To one endpoint that works; any other gets one delivery at a time. */
  perEndpoint: number
  /** To failing endpoints, as a part of the deliveries. */
  failing: ShareLimits
}

/**
 * What fails never holds more than half, so that the slow leave room for the others. A store's first places are its own:
 * receivers that answer late but well do not fail.
 */
const LINE_LIMITS: LineLimits = {
  deliveries: { max: 256, perOwnerMax: 16, firstMax: 4, extraMax: 48 },
  perEndpoint: 4,
  failing: { max: 128, perOwnerMax: 8, firstMax: 2, extraMax: 24 },
}

/**
 * Decides whose delivery goes next: bounded in all, for each store and for each endpoint, so that neither a receiver that
 * hangs nor a store with many deliveries holds up the others.
 */
export function createLines(limits: LineLimits = LINE_LIMITS) {
  const lines = new Map<string, Line>()
  /** Underway, and those of them to endpoints that fail. */
  const all = createShares(limits.deliveries)
  const failing = createShares(limits.failing)

  const isFree = ({ storeId, held, health }: Line): boolean =>
    all.fits(storeId) &&
    held.size < (health === 'working' ? limits.perEndpoint : 1) &&
    (health !== 'failing' || failing.fits(storeId))

  /** Whether one line goes before another: the store with less underway, then the one that has waited longer. */
  function isBefore(line: Line, other: Line): boolean {
    const difference = all.held(line.storeId) - all.held(other.storeId)
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
      const shares = line.health === 'failing' ? [all, failing] : [all]
      const places = shares.map((share) => share.take(line.storeId))
      return (hasFailed) => {
        for (const place of places) place.release()
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
