import type { AnyElysia } from 'elysia'
import type { Logger } from 'pino'
import type { Atomically, RecordEvent } from '../core/audit.ts'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import type { Plans } from '../core/plans.ts'
import type { Doors } from '../http/doors.ts'
import type { Db } from '../platform/db/open.ts'

/**
 * The powers that every module gets. The list is closed: a power that only some features use is one of their needs.
 */
export interface Ground {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  /** Runs some writes as one transaction. */
  atomically: Atomically
  /** Writes one act to the audit log, inside the transaction that does it. */
  record: RecordEvent
  /** Calls back once, after so many milliseconds, or when the service stops. */
  later(callback: () => void, delayMs: number): void
  /** What stores may use on each plan, and what it costs. */
  plans: Plans
  /** The public address, which may be known only once the service listens. */
  baseUrl(): string
}

/** Work that a running service repeats. A run that fails is logged, and does not stop the next one. */
export interface Chore {
  /** For the log, as in `deleting old pictures`. */
  name: string
  everyMs: number
  run(): unknown
}

/** One feature, wired. `build<Feature>(ground, needs)` in its `module.ts` makes it. */
export interface Module<Service> {
  /** The feature's verbs, for its routes, other modules and the command line. */
  service: Service
  /** The feature's part of the API. */
  routes?(doors: Doors): AnyElysia
  chores?: readonly Chore[]
  /** Schemas that routes name in the API's document, by their names. */
  schemas?: Readonly<Record<string, object>>
  /** Drops everything that memory holds about a store, so that the next request reads it again. */
  forgetStore?(storeId: string): void
}
