/**
 * Creates a reference sliding window: a list of all events. If the clock was set back, events in the future become
 * events of now.
 */
export function referenceWindow(windowMs: number) {
  let events: { key: string; at: number }[] = []

  return {
    /** Lists the events of a key that count at a time, oldest first. */
    at(key: string, now: number): number[] {
      for (const event of events) if (event.key === key && event.at > now) event.at = now
      return events
        .filter((event) => event.key === key && event.at > now - windowMs)
        .map(({ at }) => at)
        .sort((a, b) => a - b)
    },
    /** Forgets the events that have left the window, even if the clock is set back later. */
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

/** Typical steps of a clock: ±1 h, ±1 day. */
export const CLOCK_STEPS = [-86_400_000, -3_600_000, 3_600_000, 86_400_000]
