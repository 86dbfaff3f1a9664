import { HOUR_MS } from '../../../core/clock.ts'
import type { ReadChange } from '../../../core/events.ts'
import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { changeQueries } from './queries.ts'
import { changeRoutes } from './routes.ts'
import { type ChangeService, changeService } from './service.ts'

export interface ChangeNeeds {
  /** Learn of each change inside its transaction. */
  readers: readonly ReadChange[]
}

/** Wires the change feed. It stands above nothing: products write it, and webhooks read it. */
export function buildChanges({ db, clock, withoutFsync }: Base, { readers }: ChangeNeeds) {
  const queries = changeQueries(db)
  const service = changeService({ queries, clock, readers, withoutFsync })
  return {
    service,
    routes: (doors: Doors) => changeRoutes(doors, service),
    chores: [{ name: 'deleting old changes', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<ChangeService>
}
