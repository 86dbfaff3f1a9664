import type { AnyElysia } from 'elysia'
import type { Logger } from 'pino'
import type { Atomically, RecordEvent } from '../core/audit.ts'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import type { Plans } from '../core/plans.ts'
import type { Throttle } from '../core/throttle.ts'
import type { WriteGate } from '../core/write-gate.ts'
import type { Guards } from '../http/guards.ts'
import type { Db } from '../platform/db/open.ts'

/**
 * The powers that every module gets. The list is closed: a power that only some features use is one of their needs. A
 * service names those that it uses, as in `interface AuditDeps extends Pick<Base, 'clock' | 'ids'>`.
 */
export interface Base {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  /** Runs some writes as one transaction. */
  atomically: Atomically
  /** Runs a write that a power cut may lose (`platform/db/open.ts`): only for what no client has been told. */
  withoutFsync<Result>(write: () => Result): Result
  /** Writes one act to the audit log, inside the transaction that does it. */
  record: RecordEvent
  /** Runs work once, after so many milliseconds, or when the service stops; 0 means after the present transaction. */
  defer(work: () => unknown, delayMs: number): void
  /** Reports an error that no answer tells of, so that the health check knows of a fault of the storage. */
  reportFault(error: unknown): void
  /** Counts events by key in a sliding window that survives a restart. Its old events are pruned for it. */
  throttle(bucket: string, limit: number, windowMs: number): Throttle
  /** Lets a step of background work begin for a store, and makes it wait while the store is paused. */
  gate: Pick<WriteGate, 'tryEnter' | 'isPaused' | 'rests'>
  /** What stores may use on each plan, and what it costs. */
  plans: Plans
  /** The public address, which may be known only once the service listens. */
  baseUrl(): string
}

/**
 * Whose rows repeated work writes, for the store that is paused while it moves. `any`: a short run that may touch every store
 * comes later, as a whole. `steps`: the work enters the gate for one store after another. `none`: no row of a store.
 */
export type ChoreReach = 'any' | 'steps' | 'none'

/** Work that a running service repeats. A run that fails is logged, and does not stop the next one. */
export interface Chore {
  /** For the log, as in `deleting old pictures`. */
  name: string
  everyMs: number
  /** `any` by default. */
  reach?: ChoreReach
  run(): unknown
}

/** One feature, wired. `build<Feature>(base, needs)` in its `module.ts` makes it. */
export interface Module<Service> {
  /** The feature's verbs, for its routes, other modules and the command line. */
  service: Service
  /**
   * The statements about the feature's tables that other features run in their own transactions. They know no rules: a
   * change that has any is a verb of `service`.
   */
  rows?: unknown
  /** The feature's part of the API. */
  routes?(guards: Guards): AnyElysia
  chores?: readonly Chore[]
  /** Schemas that routes name in the API's document, by their names. */
  schemas?: Readonly<Record<string, object>>
  /** Drops everything that memory holds about a store, so that the next request reads it again. */
  forgetStore?(storeId: string): void
}
