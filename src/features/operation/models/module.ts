import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createFetches, type FetchDeps } from './fetches.ts'
import { createNodeJobs } from './jobs.ts'
import { modelQueries } from './queries.ts'
import { modelRoutes } from './routes.ts'
import { type ModelsDeps, modelsService } from './service.ts'
import { modelStateQueries } from './state-queries.ts'

export interface ModelsNeeds
  extends Omit<ModelsDeps, 'fetches' | 'queries' | 'clock' | 'atomically' | 'record'>,
    Pick<FetchDeps, 'bring' | 'stop'> {}

/** Reads which model is in use, for commands beside a service or without one. */
export const buildModelState = ({ db }: Pick<Base, 'db'>) => modelStateQueries(db)

/**
 * Wires what super-admins, and commands on this machine, see of the models and do to them.
 *
 * The files lie on the shelf (`platform/models`), which commands change while the service runs, so nothing about them is kept
 * here. `catalogue/model-moves` moves the catalogue. A download is a job of this feature; no path and no address comes by HTTP.
 */
export function buildModels(base: Base, needs: ModelsNeeds) {
  const queries = modelQueries(base.db)
  const fetches = createFetches({ ...base, ...needs, queries })
  const service = modelsService({ ...base, ...needs, queries, fetches })
  const jobs = createNodeJobs({
    ...{ queries, findFetch: fetches.findLatest },
    findMove: () => needs.moves.status().move,
  })
  return {
    service: {
      listJobs: jobs.list,
      /** Waits until a download that was stopped has ended. */
      drain: fetches.drain,
    },
    routes: (guards: Guards) => modelRoutes(guards, service),
    chores: [
      {
        name: 'closing interrupted downloads of models',
        everyMs: MINUTE_MS,
        reach: 'none',
        run: fetches.closeInterrupted,
      },
    ],
  } satisfies Module<object>
}
