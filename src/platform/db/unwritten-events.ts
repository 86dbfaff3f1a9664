/** The changes to a key that could not be written. */
export interface Unwritten {
  /** Times of its events, oldest first. */
  times: readonly number[]
  /** Whether its events in the database must be deleted. */
  isForgotten: boolean
}

/** Events of all keys together: 160 KB of times. */
const EVENTS_MAX = 20_000
const KEYS_MAX = 10_000

const NONE: Unwritten = { times: [], isForgotten: false }

/**
 * Remembers the events of a throttle while the database cannot be written. Beyond the limits the oldest keys are
 * dropped, so that memory stays bounded under any flood.
 *
 * @param perKeyMax number of newest events per key that matter.
 */
export function createUnwrittenEvents(
  perKeyMax: number,
  { eventsMax = EVENTS_MAX, keysMax = KEYS_MAX } = {},
) {
  const byKey = new Map<string, Unwritten>()
  let events = 0

  function remove(key: string): void {
    events -= byKey.get(key)?.times.length ?? 0
    byKey.delete(key)
  }

  function put(key: string, unwritten: Unwritten): void {
    remove(key)
    byKey.set(key, unwritten)
    events += unwritten.times.length
    for (const oldest of byKey.keys()) {
      if (byKey.size <= keysMax && events <= eventsMax) break
      remove(oldest)
    }
  }

  return {
    /** Returns what is remembered about a key. Its events in the future become events of now. */
    notAfter(now: number, key: string): Unwritten {
      const found = byKey.get(key) ?? NONE
      if ((found.times.at(-1) ?? now) <= now) return found
      const setBack = { ...found, times: found.times.map((at) => Math.min(at, now)) }
      byKey.set(key, setBack)
      return setBack
    },
    keys: (): string[] => [...byKey.keys()],
    add(key: string, at: number): void {
      const { times, isForgotten } = byKey.get(key) ?? NONE
      put(key, { times: [...times, at].slice(-perKeyMax), isForgotten })
    },
    /** Forgets the key's events, including those in the database. */
    forget: (key: string): void => put(key, { times: [], isForgotten: true }),
    /** Drops a key. Call it once its events are in the database. */
    remove,
  }
}
