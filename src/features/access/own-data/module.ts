import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  CUT_STALLED_EVERY_MS,
  createNdjsonStreams,
  type NdjsonStreamDeps,
} from '../../../http/ndjson-streams.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { createDeletion, type DeletionDeps } from './deletion.ts'
import { exportQueries } from './export-queries.ts'
import { createPeopleExports, type PeopleExportDeps } from './exports.ts'
import { createLeaving } from './leaving.ts'
import { ownDataRoutes, peopleDataRoutes } from './routes.ts'

export interface OwnDataNeeds
  extends Pick<
      DeletionDeps,
      'reauthenticate' | 'outbox' | 'endSessions' | 'forgetAddress' | 'forgetEmailInLog'
    >,
    Pick<PeopleExportDeps, 'flush'>,
    Pick<NdjsonStreamDeps, 'stop'> {
  people: PeopleQueries
}

/** Wires people's rights to their own data: leaving a store, deleting an account, exporting the data. */
export function buildOwnData(base: Base, { stop, ...needs }: OwnDataNeeds) {
  const { db, clock, log, reportFault } = base
  const streams = createNdjsonStreams({ limits: LIMITS.peopleExports, reportFault, stop, clock, log })
  const services = {
    leaving: createLeaving({ ...base, ...needs }),
    deletion: createDeletion({ ...base, ...needs }),
    exports: createPeopleExports({ ...base, ...needs, queries: exportQueries(db), streams }),
    clock,
  }
  return {
    service: { deleteByOperator: services.deletion.deleteByOperator },
    routes: (guards: Guards) =>
      new Elysia({ name: 'own-data' })
        .use(ownDataRoutes(guards, services))
        .use(peopleDataRoutes(guards, services)),
    chores: [
      {
        name: 'closing stalled exports of personal data',
        everyMs: CUT_STALLED_EVERY_MS,
        run: streams.cutStalled,
      },
    ],
    forgetStore: streams.forget,
  } satisfies Module<object>
}
