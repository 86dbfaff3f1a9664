import { ApiError } from '../../../core/errors.ts'
import type { ArrivingMoveRow } from './queries.ts'
import type { Sessions } from './sessions.ts'
import type { ArrivalDeps } from './world.ts'

export type Ending = ReturnType<typeof createEnding>

/** Opens a store that has arrived, or gives it up: each is one transaction, and after it the other never is. */
export function createEnding(deps: ArrivalDeps, sessions: Sessions) {
  const { queries, storeRows, leases, capture, index, clock, atomically, log } = deps

  /** From now on the store never opens by this move. */
  function giveUp(move: ArrivingMoveRow, why: string): void {
    atomically(() => {
      if (!queries.end(move.id, 'abandoned', clock.now())) return
      sessions.of(move).writer.dropPeople()
      capture.end(move.storeId)
      leases.endArrival(move.storeId)
    })
    sessions.forget(move)
    index.removeStore(move.storeId)
    log.info({ move_id: move.id, store_id: move.storeId, why }, 'a store that was to arrive was given up')
    deps.defer(() => clear(move), 0)
  }

  /** Erases what is left of a move that was given up, unless the store is on its way again. */
  async function clear({ id, storeId }: { id: string; storeId: string }): Promise<void> {
    if (!queries.findArriving(storeId)) {
      if (storeRows.findMoved(storeId)) await deps.erasure.eraseRemains(storeId)
      else if (queries.isKnownStore(storeId)) await deps.erasure.run()
    }
    atomically(() => queries.setCleared(id))
  }

  /** The one moment in which the store changes hands. */
  function openNow(move: ArrivingMoveRow): void {
    atomically(() => {
      const now = clock.now()
      const taken = storeRows.findStoreBySlug(move.slug) ?? storeRows.findMovedBySlug(move.slug)
      if (taken && taken.id !== move.storeId)
        throw new ApiError('conflict', `There is another store "${move.slug}" on this node by now`, {
          details: { reason: 'slug' },
        })
      if (!deps.comeBack(move.storeId)) {
        leases.completeArrival(move.storeId)
        if (!storeRows.openArrived(move.storeId, move.slug)) throw new Error('The store is not here')
        leases.endArrival(move.storeId)
      }
      sessions.of(move).writer.settle()
      capture.end(move.storeId)
      if (!queries.end(move.id, 'open', now)) throw new Error('The move is over')
      deps.record({
        ...{
          action: 'store.arrived',
          actorKind: 'operator',
          storeId: move.storeId,
          userId: null,
          keyId: null,
        },
        ...{ details: { move_id: move.id, from: move.fromUrl }, clientInfo: null },
      })
    })
  }

  return { open: openNow, giveUp, clear }
}
