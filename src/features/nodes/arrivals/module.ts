import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { NodeDoor } from '../../../http/node-door.ts'
import { listModels, registerModel } from '../../../platform/db/models.ts'
import { schemaVersion } from '../../../platform/db/open.ts'
import { holdKeptPicture, releaseKeptInSteps } from '../../../platform/db/store-copy/writing.ts'
import { createMoveWriter } from '../../../platform/db/store-move/applying.ts'
import type { WriterHooks } from '../../../platform/db/store-move/row-writing.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { arrivalQueries } from './queries.ts'
import { arrivalRoutes } from './routes.ts'
import { type ArrivalsService, arrivalsService } from './service.ts'
import type { ArrivalDeps } from './world.ts'

type Made =
  | keyof Base
  | 'queries'
  | 'createWriter'
  | 'listModels'
  | 'registerModel'
  | 'holdPicture'
  | 'releasePictures'
  | 'version'
  | 'schemaVersion'

export interface ArrivalNeeds extends Omit<ArrivalDeps, Made> {
  /** Checks and seals the rows of a store. */
  hooksOf(storeId: string): WriterHooks
  door: NodeDoor
}

/**
 * Wires the target side of a store's move between nodes.
 *
 * A store arrives hidden, as one that is being erased: no credential finds it, and nothing works for it. A row of
 * `arriving_moves` says how far it is; rows come in batches with growing numbers, each in steps of some milliseconds
 * (`filling.ts`), and once the source asks for it the index and the sums follow them. `open` is one transaction. What a dead
 * move leaves is erased after a day without a call, by `stores/erasure`, and what memory holds is made anew after a restart.
 *
 * A store that had left this node takes its old row, which says where it is until it is open here again.
 */
export function buildArrivingMoves(base: Base, { hooksOf, door, ...needs }: ArrivalNeeds) {
  const { db, clock } = base
  const service = arrivalsService({
    ...base,
    ...needs,
    ...{ version, schemaVersion },
    queries: arrivalQueries(db),
    createWriter: (storeId) => createMoveWriter(db, storeId, hooksOf(storeId)),
    listModels: () => listModels(db),
    registerModel: (model) => void registerModel(db, model, clock.now()),
    holdPicture: (address) => holdKeptPicture(db, address),
    releasePictures: (storeId) => releaseKeptInSteps(db, storeId),
  })
  return {
    service,
    routes: (guards: Guards) => arrivalRoutes(guards, service, door),
    chores: [
      {
        name: 'giving up stores that do not arrive',
        everyMs: MINUTE_MS,
        reach: 'none',
        run: service.tidy,
      },
    ],
  } satisfies Module<ArrivalsService>
}
