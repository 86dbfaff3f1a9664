import { createHash } from 'node:crypto'
import { createBackoff } from '../../../core/backoff.ts'
import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'

/** Waits before the second, third … attempt. */
const WAITS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const

/** Share by which a wait may be shorter or longer, so that the retries of many deliveries spread. */
const JITTER = 0.1

const backoff = createBackoff({ waits: WAITS_MS }, JITTER)

/** The result of one attempt. */
export type Outcome =
  | {
      /** The status of the answer. */
      status: number
      /** The beginning of its body. */
      answer: string
      /** The wait that the receiver asks for, in ms. */
      retryAfterMs: number
    }
  | {
      /** Why there was no answer: a reason of the egress, or a word of ours. */
      error: string
    }

/** Whether the receiver took the message. Redirects are not followed, and so are failures. */
export const isDelivered = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300

/** Whether the receiver says that it will never answer again. */
export const isGone = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 410

/**
 * Says when to try again after a failure (contract 9.3).
 *
 * @param step failed attempts before this one.
 * @returns the wait in ms; undefined after the last attempt, and for a receiver that is gone.
 */
export function findRetryWait(id: string, step: number, outcome: Outcome): number | undefined {
  if (step >= WAITS_MS.length || isGone(outcome)) return undefined
  const asked = 'retryAfterMs' in outcome ? outcome.retryAfterMs : 0
  return Math.max(backoff(step, shareOf(id, step)), Math.min(asked, LIMITS.deliveryRetryAfterMaxMs))
}

/** The same for the same attempt, so that the schedule of a delivery can be told in advance. */
const shareOf = (id: string, step: number): number =>
  createHash('sha256').update(`${id} ${step}`).digest().readUInt32BE() / 0xffff_ffff
