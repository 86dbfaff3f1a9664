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

/** Wires the change log. It stands above nothing: products write it, and webhooks read it. */
export function buildChangeLog({ db, clock, withoutFsync }: Base, { readers }: ChangeLogNeeds) {
  const queries = changeQueries(db)
  const service = changeLogService({ queries, clock, readers, withoutFsync })
  return {
    service,
    routes: (guards: Guards) => changeRoutes(guards, service),
    chores: [{ name: 'deleting old changes', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<ChangeLogService>
}
