import type { Server } from 'bun'
import { systemClock } from '../../core/clock.ts'

/** Longest wait for requests in flight, in ms: `docker stop` kills after 10 s, and closing takes a moment. */
const REQUESTS_MS = 8_000

/** Longest wait in each step that closes the service, in ms. */
export const CLOSE_MS = 300

/**
 * Waits for the requests in flight, and cuts short those that take too long.
 *
 * @param cut aborts the work that requests wait for, so that they answer 503.
 */
export async function finishRequests(
  server: Pick<Server<unknown>, 'pendingRequests' | 'stop'>,
  cut: () => void,
): Promise<void> {
  void server.stop()
  await waitUntilIdle(server, REQUESTS_MS)
  cut()
  await waitUntilIdle(server, CLOSE_MS)
  await waitAtMost(CLOSE_MS, server.stop(true))
}

async function waitUntilIdle(server: { pendingRequests: number }, patienceMs: number): Promise<void> {
  const deadline = systemClock.monotonic() + patienceMs
  while (server.pendingRequests > 0 && systemClock.monotonic() < deadline) await Bun.sleep(10)
}

/** Waits for work that may hang, for at most `patienceMs`. */
export async function waitAtMost(patienceMs: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, Bun.sleep(patienceMs)])
}

/** Longest time without a turn of the event loop, in ms. */
const TURN_MS = 20

/** Runs long work in steps, so that signals are handled in between. @returns undefined if `stop` aborts. */
export async function runInTurns<Result>(
  work: Generator<void, Result>,
  stop: AbortSignal | undefined,
): Promise<Result | undefined> {
  for (;;) {
    const end = systemClock.monotonic() + TURN_MS
    do {
      const { done, value } = work.next()
      if (done) return value
    } while (systemClock.monotonic() < end)
    await new Promise(setImmediate)
    if (stop?.aborted) {
      work.return(undefined as never)
      return undefined
    }
  }
}
