import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import type { Doors } from '../../../http/doors.ts'
import { createLineStreams, type LineStreamDeps, LOOK_MS } from '../../../http/line-streams.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { createDeletion, type DeletionDeps } from './deletion.ts'
import { exportQueries } from './export-queries.ts'
import { createPeopleExports, type PeopleExportDeps } from './exports.ts'
import { createLeaving } from './leaving.ts'
import { ownDataRoutes, peopleDataRoutes } from './routes.ts'

export interface OwnDataNeeds
  extends Pick<DeletionDeps, 'prove' | 'outbox' | 'endSessions' | 'forgetAddress' | 'forgetEmailInLog'>,
    Pick<PeopleExportDeps, 'flush'>,
    Pick<LineStreamDeps, 'stop'> {
  people: PeopleQueries
}

/** Wires what people may do about their own data: leave a store, delete their account, export what is kept. */
export function buildOwnData(base: Base, { stop, ...needs }: OwnDataNeeds) {
  const { db, clock, log, noteFault } = base
  const streams = createLineStreams({ limits: LIMITS.peopleExports, noteFault, stop, clock, log })
  const services = {
    leaving: createLeaving({ ...base, ...needs }),
    deletion: createDeletion({ ...base, ...needs }),
    exports: createPeopleExports({ ...base, ...needs, queries: exportQueries(db), streams }),
    clock,
  }
  return {
    service: {},
    routes: (doors: Doors) =>
      new Elysia({ name: 'own-data' })
        .use(ownDataRoutes(doors, services))
        .use(peopleDataRoutes(doors, services)),
    chores: [{ name: 'closing stalled exports of personal data', everyMs: LOOK_MS, run: streams.cutStalled }],
    forgetStore: streams.forget,
  } satisfies Module<object>
}
