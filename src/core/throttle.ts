import type { RateVerdict } from './rate-window.ts'

/** Counts the events of a key in an exact sliding window that survives a restart (contract 5.6). Times are Unix ms. */
export interface Throttle {
  /** Counts one event if the window has room for it. Concurrent calls never exceed the limit. */
  take(key: string, now: number): RateVerdict
  /** The verdict that {@link take} would give, without counting. */
  peek(key: string, now: number): RateVerdict
  /** Counts one event regardless of the limit. */
  add(key: string, now: number): void
  /** Deletes every event of the key. */
  reset(key: string): void
}

/** Counts requests by their network address. */
export interface AddressThrottle {
  /** Counts one request if the windows of its address and of the surrounding network have room for it. */
  take(address: string, now: number): RateVerdict
}
