import { HOUR_MS } from '../../../core/clock.ts'
import type { ReadChange } from '../../../core/events.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { changeQueries } from './queries.ts'
import { changeRoutes } from './routes.ts'
import { type ChangeLogService, changeLogService } from './service.ts'

export interface ChangeLogNeeds {
  /** Learn of each change inside its transaction. */
  readers: readonly ReadChange[]
}

/**
 * Wires the change log. It depends on no other feature: products write it, and webhooks read it.
 *
 * The product writer calls `emit` in the transaction of each change. The log gives the change the next number of its store,
 * writes one row, and calls its readers at once. A log ends at so many bytes, by the plan: each new change takes old ones
 * out of it. An old row stays in the table only while a delivery waits for it.
 */
export function buildChangeLog({ db, clock, withoutFsync }: Base, { readers }: ChangeLogNeeds) {
  const queries = changeQueries(db)
  const service = changeLogService({ queries, clock, readers, withoutFsync })
  return {
    service,
    routes: (guards: Guards) => changeRoutes(guards, service),
    chores: [{ name: 'deleting old changes', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<ChangeLogService>
}
