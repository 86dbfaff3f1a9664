import { BoundedMap } from '../../../core/bounded-map.ts'
import { type Clock, MINUTE_MS } from '../../../core/clock.ts'
import { dayOf } from '../../../core/days.ts'
import { ANY_STORE } from '../../../core/write-gate.ts'
import type { WriteBehind } from '../../../platform/db/write-behind.ts'
import type { Base } from '../../module.ts'
import { SIGHTS, type Sight, type Sightings, type TraceQueries } from './trace-queries.ts'

export interface TraceDeps extends Pick<Base, 'defer'> {
  queries: TraceQueries
  clock: Pick<Clock, 'now'>
  enqueueWrite: WriteBehind['enqueue']
}

/** Pages and keys that memory holds; some 200 bytes each. A page that is forgotten is only written sooner again. */
const KNOWN_MAX = 20_000

interface Known {
  seen: Sightings
  written: Sightings
}

interface Refusals {
  day: number
  /** Those that are not written yet; while there are any, their write is booked. */
  waiting: number
}

export type WidgetTraces = ReturnType<typeof createTraces>

/**
 * Remembers what was last seen from each page of a widget key, and counts the requests that were refused today.
 *
 * A request costs a look into a map. What memory knows is written at most once a minute for each page and sight, so a crash
 * loses a minute.
 */
export function createTraces({ queries, clock, enqueueWrite, defer }: TraceDeps) {
  const pages = new BoundedMap<string, Known>(KNOWN_MAX)
  const refusals = new BoundedMap<string, Refusals>(KNOWN_MAX)
  const pageOf = (keyId: string, origin: string): string => `${keyId} ${origin}`

  return {
    /** @param origin one that the key lists: their number bounds the rows of a key. */
    see(keyId: string, origin: string, sight: Sight): void {
      const page = pageOf(keyId, origin)
      const known = pages.get(page) ?? { seen: {}, written: {} }
      pages.set(page, known)
      const now = clock.now()
      known.seen[sight] = now
      if (now - (known.written[sight] ?? -Infinity) < MINUTE_MS) return
      known.written[sight] = now
      enqueueWrite(() => queries.note(keyId, origin, sight, now), undefined, ANY_STORE)
    },

    /** Counts a refused request. It is written within a minute, or when the service stops. */
    refuse(keyId: string): void {
      const day = dayOf(clock.now())
      const before = refusals.get(keyId)
      const known = before?.day === day ? before : { day, waiting: 0 }
      refusals.set(keyId, known)
      known.waiting += 1
      if (known.waiting > 1) return
      const write = () => {
        const count = known.waiting
        known.waiting = 0
        queries.addRefusals(keyId, day, count)
      }
      defer(() => enqueueWrite(write, undefined, ANY_STORE), MINUTE_MS)
    },

    /** Reads what was seen of the keys of a store, by key and then by page. */
    readStore(storeId: string): (keyId: string, origin: string) => Sightings {
      const rows = new Map(queries.listByStore(storeId).map((row) => [pageOf(row.keyId, row.origin), row]))
      return (keyId, origin) => {
        const row = rows.get(pageOf(keyId, origin))
        const inMemory = pages.get(pageOf(keyId, origin))?.seen
        const latest = (sight: Sight) => Math.max(row?.[sight] ?? 0, inMemory?.[sight] ?? 0)
        return Object.fromEntries(
          SIGHTS.filter((sight) => latest(sight) > 0).map((sight) => [sight, latest(sight)]),
        )
      }
    },

    /** Counts what was refused to a key today. @param stored what its row says. */
    countRefused(keyId: string, stored: { day: number; count: number }): number {
      const today = dayOf(clock.now())
      const known = refusals.get(keyId)
      const waiting = known?.day === today ? known.waiting : 0
      return (stored.day === today ? stored.count : 0) + waiting
    },

    /** Forgets the pages that a key does not list any more. Call it in the transaction that changes the list. */
    forgetUnlisted(keyId: string, before: readonly string[], after: readonly string[]): void {
      for (const origin of before) if (!after.includes(origin)) pages.delete(pageOf(keyId, origin))
      queries.forgetUnlisted(keyId, after)
    },
  }
}
