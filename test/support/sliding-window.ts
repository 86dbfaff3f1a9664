/**
 * The reference of a sliding window: a list of all events, and the rule for a clock that was set back that events of the
 * future become events of now.
 */
export function referenceWindow(windowMs: number) {
  let events: { key: string; at: number }[] = []

  return {
    /** Events of a key that count at a moment, oldest first. */
    at(key: string, now: number): number[] {
      for (const event of events) if (event.key === key && event.at > now) event.at = now
      return events
        .filter((event) => event.key === key && event.at > now - windowMs)
        .map(({ at }) => at)
        .sort((a, b) => a - b)
    },
    /** Forgets what has left the window, which a clock that is set back later does not bring back. */
    purge(now: number, key?: string): void {
      events = events.filter((event) => (key !== undefined && event.key !== key) || event.at > now - windowMs)
    },
    add: (key: string, at: number): void => void events.push({ key, at }),
    reset(key: string): void {
      events = events.filter((event) => event.key !== key)
    },
    setBack(now: number): void {
      for (const event of events) event.at = Math.min(event.at, now)
    },
  }
}

/** Steps of a clock that people and machines make: ±1 h, ±1 day. */
export const CLOCK_STEPS = [-86_400_000, -3_600_000, 3_600_000, 86_400_000]
