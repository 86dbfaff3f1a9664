import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Base, Module } from '../../module.ts'
import { createBufferedSessions } from './buffered-sessions.ts'
import { sessionQueries } from './session-queries.ts'

export type SessionsModule = ReturnType<typeof buildSessions>

/**
 * Wires the sign-ins of people, and the counts of failed ones. While the database cannot be written, sign-ins are
 * kept in memory (`session-buffer.ts`) and written soon after; a restart before that ends them.
 */
export function buildSessions({ db, clock, log, defer, throttle }: Base) {
  const countFailures = (bucket: string, windowMs: number) =>
    throttle(bucket, LIMITS.failuresPerEmailMax, windowMs)
  const failures = countFailures('login.email', LIMITS.failuresWindowMs)
  const codeFailures = countFailures('login.code', 2 * LIMITS.failuresWindowMs)
  const service = {
    sessions: createBufferedSessions({ stored: sessionQueries(db), defer, log }),
    /** Failed sign-ins by e-mail address. */
    failures,
    /** Wrong second factors by e-mail address, in a window twice as long. */
    codeFailures,
    /** Resets both counts of an e-mail address. */
    forgiveFailures(email: string): void {
      failures.reset(email)
      codeFailures.reset(email)
    },
  }

  return {
    service,
    chores: [
      {
        name: 'deleting old sign-ins',
        everyMs: HOUR_MS,
        run: () => service.sessions.pruneSessions(clock.now()),
      },
    ],
  } satisfies Module<unknown>
}
