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
import { createDeletion, type DeletionDeps, type OwnDataDeletion } from './deletion.ts'
import { exportQueries } from './export-queries.ts'
import { createPeopleExports, type PeopleExportDeps } from './exports.ts'
import { createLeaving } from './leaving.ts'
import { ownDataRoutes, peopleDataRoutes } from './routes.ts'

export interface OwnDataNeeds extends Pick<PeopleExportDeps, 'flush'>, Pick<NdjsonStreamDeps, 'stop'> {
  people: PeopleQueries
  deletion: OwnDataDeletion
}

/** Builds what deletes accounts, which the operator's commands need without a service. */
export const buildDeletion = (base: Base, needs: Omit<DeletionDeps, keyof Base>): OwnDataDeletion =>
  createDeletion({ ...base, ...needs })

/** Wires people's rights to their own data: leaving a store, deleting an account, exporting the data. */
export function buildOwnData(base: Base, { stop, deletion, ...needs }: OwnDataNeeds) {
  const { db, clock, log, reportFault } = base
  const streams = createNdjsonStreams({ limits: LIMITS.peopleExports, reportFault, stop, clock, log })
  const services = {
    leaving: createLeaving({ ...base, ...needs }),
    deletion,
    exports: createPeopleExports({ ...base, ...needs, queries: exportQueries(db), streams }),
    clock,
  }
  return {
    service: {},
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
