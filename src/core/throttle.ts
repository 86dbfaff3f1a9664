import type { RateVerdict } from './rate-window.ts'

/** Counts events of a key in an exact sliding window that survives a restart (spec §8). Times are Unix ms. */
export interface Throttle {
  /** Counts one event, if the window has room for it; of many at once never more than the limit get through. */
  take(key: string, now: number): RateVerdict
  /** What {@link take} would find, without counting. */
  look(key: string, now: number): RateVerdict
  /** Counts one event, whatever the limit says. */
  add(key: string, now: number): void
  /** Forgets every event of the key. */
  reset(key: string): void
}

/** Counts requests by the address on the network that they come from. */
export interface AddressThrottle {
  /** Counts one request, if the windows of its address and of the network around that have room for it. */
  take(address: string, now: number): RateVerdict
}
