import type { Base } from '../../module.ts'
import { type ControllerDeps, createController } from './controller.ts'
import { createLanes } from './lanes.ts'
import { createStragglers, type StragglersDeps } from './stragglers.ts'
import { createTelling } from './telling.ts'
import { createMoveVerbs, type MoveVerbsDeps } from './verbs.ts'

export interface ModelMovesDeps
  extends Pick<Base, 'reportFault'>,
    Omit<ControllerDeps, 'isStopped' | 'pause' | 'onSwitched' | 'onEnded' | 'findFolder'>,
    Pick<MoveVerbsDeps, 'world' | 'noteDir' | 'demandRoom'> {
  writer: ControllerDeps['writer'] & StragglersDeps['writer']
}

export type ModelMoves = ReturnType<typeof modelMovesService>

/** Moves the catalogue to another model, in the background and without a gap; see `module.ts`. */
export function modelMovesService(deps: ModelMovesDeps) {
  const { queries, models, clock, world } = deps
  let { wanted } = world

  const lanes = createLanes({
    ...deps,
    // Outside a move, vectors of the model of a store are made; a move makes those of the model to come.
    next: async () => (moves.current ? moves.current.next() : stragglers.next()),
  })
  const stragglers = createStragglers({ ...deps, isStopped: lanes.isStopped })
  const moves = createController({
    ...deps,
    findFolder: world.findFolder,
    isStopped: lanes.isStopped,
    pause: lanes.pause,
    onSwitched: stragglers.noteSettled,
    onEnded: stragglers.lookAgain,
  })
  const telling = createTelling({
    ...deps,
    moves,
    findProblem: lanes.findProblem,
    nameInUse: () => models.inUse.embedder.model.id,
  })
  const verbs = createMoveVerbs({
    ...deps,
    moves,
    demandMove: telling.demandMove,
    onBegun() {
      telling.forgetCounts()
      lanes.startAfresh()
    },
  })

  /** Whether the time of the former model is over. */
  function isFormerDue(): boolean {
    const state = queries.findState()
    return state?.former != null && clock.now() >= (state.formerUntil ?? 0)
  }

  return {
    use: verbs.use,
    back: verbs.back,
    cancel: verbs.cancel,
    confirm: verbs.confirm,
    reindex: verbs.reindex,
    status: telling.status,

    /** Notes the model in use, and opens the other one of a move. To be called before the index is loaded. @throws OperatorError */
    resume(): void {
      const state = queries.findState()
      const inUse = models.inUse.row
      if (state?.inUse !== inUse) {
        // The files of the former model are gone, and with them the way back.
        const isKept = state?.former != null && state.former !== inUse
        queries.setState({
          inUse,
          isChosen: world.isChosen,
          former: isKept ? state.former : null,
          until: isKept ? state.formerUntil : null,
        })
      }
      deps.noteDir(inUse, world.dir)
      moves.resume()
    },

    /** Goes on with what is to be done. Call it every second; it costs nothing where nothing is. */
    async wake(): Promise<void> {
      if (wanted && verbs.isResting()) {
        const model = wanted
        wanted = undefined
        await verbs.useWanted(model)
      }
      if (moves.current) telling.logProgress(moves.current)
      if (verbs.isResting() && isFormerDue()) await verbs.confirm()
      lanes.wake()
    },

    /** Waits until no product is in progress. */
    drain: lanes.drain,

    /** The number of a store's products that searches by pictures miss. */
    countWaiting: stragglers.countWaiting,

    /** Begins nothing any more. */
    stop: lanes.stop,
    isStopped: lanes.isStopped,

    forgetStore(storeId: string): void {
      stragglers.forgetStore(storeId)
      moves.current?.forgetStore(storeId)
      telling.forgetCounts()
      // Gone for good: no move waits for it.
      if (!queries.hasRow(storeId)) models.setModelOf(storeId, models.inUse)
    },
  }
}
