import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../../core/backoff.ts'
import { parseRetryAfter } from '../../core/retry-after.ts'
import type { OutboundResponse } from './exchange.ts'

/** How a download tries again. */
export interface RetryLimits {
  /** Tries after the first one. */
  retriesMax: number
  /** The first wait of a server that names none, in ms. */
  retryMs: number
  /** How much longer each wait is than the one before. */
  retryFactor: number
  /** A longer `Retry-After` is not waited for, in ms. */
  retryAfterMaxMs: number
}

/**
 * Says how long to wait for a server that is busy or broken (429, 5xx).
 *
 * @param retries tries after the first one so far.
 * @param now Unix ms.
 * @returns ms; undefined if no retry is allowed or worthwhile.
 */
export function computeRetryWait(
  { status, headers }: OutboundResponse<unknown>,
  retries: number,
  { retriesMax, retryMs, retryFactor, retryAfterMaxMs }: RetryLimits,
  now: number,
): number | undefined {
  const isTemporary = status === 429 || (status >= 500 && status <= 599)
  if (!isTemporary || retries >= retriesMax) return undefined
  const retryAfter = headers['retry-after']
  const waitMs =
    retryAfter === undefined
      ? createBackoff({ first: retryMs, factor: retryFactor })(retries)
      : parseRetryAfter(retryAfter, now)
  return waitMs <= retryAfterMaxMs ? waitMs : undefined
}

/** @returns false if the signal aborts first. */
export const hasWaited = async (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false)
