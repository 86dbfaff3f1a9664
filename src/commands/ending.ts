import type { Server } from 'bun'
import { systemClock } from '../core/clock.ts'

/** Longest wait for requests in flight: `docker stop` kills after 10 s, and closing takes a moment. */
const REQUESTS_MS = 8_000

/** Longest wait at each of the steps that close the service. */
export const CLOSE_MS = 300

/**
 * Lets the requests in flight end, and answers those that take too long.
 *
 * @param cut ends what they wait for, so that they answer 503.
 */
export async function finishRequests(server: Server<unknown> | null, cut: () => void): Promise<void> {
  if (!server) return
  void server.stop()
  await untilIdle(server, REQUESTS_MS)
  cut()
  await untilIdle(server, CLOSE_MS)
  await within(CLOSE_MS, server.stop(true))
}

async function untilIdle(server: { pendingRequests: number }, patienceMs: number): Promise<void> {
  const deadline = systemClock.monotonic() + patienceMs
  while (server.pendingRequests > 0 && systemClock.monotonic() < deadline) await Bun.sleep(10)
}

/** Waits for something that may hang, but not longer than this. */
export async function within(patienceMs: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, Bun.sleep(patienceMs)])
}

/** Longest piece of work between two looks at what else there is to do. */
const TURN_MS = 20

/** Does long work piece by piece, so that a signal is heard meanwhile. @returns undefined when it is told to stop. */
export async function inTurns<Result>(
  work: Generator<void, Result>,
  told: AbortSignal | undefined,
): Promise<Result | undefined> {
  for (;;) {
    const end = systemClock.monotonic() + TURN_MS
    do {
      const { done, value } = work.next()
      if (done) return value
    } while (systemClock.monotonic() < end)
    await new Promise(setImmediate)
    if (told?.aborted) {
      work.return(undefined as never)
      return undefined
    }
  }
}
