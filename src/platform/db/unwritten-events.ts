/** What of a key could not be written. */
export interface Unwritten {
  /** Times of its events, oldest first. */
  times: readonly number[]
  /** Whether its events in the database are to be forgotten. */
  isForgotten: boolean
}

/** Events of all keys that are kept: 160 KB of times. */
const EVENTS_MAX = 20_000
const KEYS_MAX = 10_000

const NONE: Unwritten = { times: [], isForgotten: false }

/**
 * What a throttle has to remember while the database cannot be written. Of too much the oldest keys give way, so memory
 * stays bounded under any flood.
 *
 * @param perKeyMax events of one key that matter: the newest ones.
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
    /** What is remembered of a key; from then on its events of the future are events of now. */
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
    /** Forgets the key's events, those in the database too. */
    forget: (key: string): void => put(key, { times: [], isForgotten: true }),
    /** To be called once the key's events stand in the database. */
    remove,
  }
}
