import type { CallerStore } from '../../../core/actor.ts'
import { turn } from '../../../core/turns.ts'
import type { Leave, WriteGate } from '../../../core/write-gate.ts'
import type { WaitingProduct } from './waiting-queries.ts'

/** How far one store has come. */
export interface Walk<Place> {
  readonly storeId: string
  /** Undefined at the end of a pass. */
  place: Place | undefined
  /** Products that were read ahead. */
  window: WaitingProduct[]
  /** Products in progress. */
  inFlight: number
  /** Products that this pass has found waiting. */
  found: number
  /** Products of this pass that need nothing any more, so far. */
  passed: number
}

/** What becomes of a store when a pass over its products has ended. */
export type PassEnd =
  /** It leaves the list. */
  | 'done'
  /** Another pass follows at once. */
  | 'again'
  /** Another pass follows at this time, in Unix ms. */
  | { at: number }

export interface WalksDeps<Place> {
  findStore(id: string): CallerStore | undefined
  listStores(): readonly string[]
  /** Where a pass begins. */
  begin(storeId: string): Place
  /** Reads ahead from the place of a walk, and moves it on. A short step. */
  refill(walk: Walk<Place>): void
  /** Called when no product of the pass is in progress any more. */
  endPass(walk: Walk<Place>, store: CallerStore): PassEnd | Promise<PassEnd>
  now(): number
  isStopped(): boolean
  /** The products of a store that is paused wait. */
  gate: Pick<WriteGate, 'tryEnter'>
}

/** How long a store waits after a fault of the storage. */
const FAULT_MS = 15_000

/** How long a store waits that is paused, until somebody looks again. */
const PAUSED_MS = 1_000

/** One product whose turn it is. */
export interface Turn {
  store: CallerStore
  product: WaitingProduct
  /** To be called once when the product is done or has failed. */
  finished(): void
}

const newWalk = <Place>(storeId: string, place: Place): Walk<Place> => ({
  ...{ storeId, place, window: [], inFlight: 0, found: 0, passed: 0 },
})

/** Ends the step of a store with its product. */
const leaving = (turn: Turn, leave: Leave): Turn => ({
  ...turn,
  finished() {
    turn.finished()
    leave()
  },
})

/**
 * Walks over the products of stores that have something to do. Stores take turns, product by product, and each step takes a
 * turn of the event loop of its own. A store with fewer products in progress goes first, so that one whose pictures come from a
 * server that hardly answers does not hold up the others.
 */
export function createWalks<Place>(deps: WalksDeps<Place>) {
  const { findStore, now, isStopped } = deps
  const walks = new Map<string, Walk<Place>>()
  /** Walks whose turn comes, the next one first. */
  let open: Walk<Place>[] = []
  const queued = new Set<Walk<Place>>()
  const later: { walk: Walk<Place>; at: number; isNewPass: boolean }[] = []

  /** Puts a walk behind all others, once. */
  function enqueue(walk: Walk<Place>): void {
    if (queued.has(walk)) return
    queued.add(walk)
    open.push(walk)
  }

  function dequeue(): Walk<Place> | undefined {
    let first = 0
    for (let n = 0; n < open.length; n++) {
      const { inFlight } = open[n] as Walk<Place>
      if (inFlight < (open[first] as Walk<Place>).inFlight) first = n
      if (inFlight === 0) break
    }
    const [walk] = open.splice(first, 1)
    if (walk) queued.delete(walk)
    return walk
  }

  /** Adds the stores that are not walked over yet. */
  function fill(): void {
    for (const storeId of deps.listStores()) {
      if (walks.has(storeId)) continue
      const walk = newWalk(storeId, deps.begin(storeId))
      walks.set(storeId, walk)
      enqueue(walk)
    }
  }

  function wakeLater(): void {
    for (let n = later.length - 1; n >= 0; n--) {
      const { walk, at, isNewPass } = later[n] as (typeof later)[number]
      if (at > now()) continue
      later.splice(n, 1)
      if (walks.get(walk.storeId) !== walk) continue
      if (isNewPass) restart(walk)
      enqueue(walk)
    }
  }

  /** Begins the next pass over a store. Its numbers start at 0 then, and not while it waits. */
  function restart(walk: Walk<Place>): void {
    Object.assign(walk, { place: deps.begin(walk.storeId), window: [], found: 0, passed: 0 })
  }

  async function end(walk: Walk<Place>, store: CallerStore): Promise<void> {
    const next = await deps.endPass(walk, store)
    if (walks.get(walk.storeId) !== walk) return
    if (next === 'done') walks.delete(walk.storeId)
    else if (next === 'again') {
      restart(walk)
      enqueue(walk)
    } else later.push({ walk, at: next.at, isNewPass: true })
  }

  function take(walk: Walk<Place>, store: CallerStore, product: WaitingProduct): Turn {
    walk.inFlight++
    const finished = () => {
      walk.inFlight--
      walk.passed++
      const isEnded = walk.inFlight === 0 && walk.window.length === 0 && walk.place === undefined
      if (isEnded && walks.get(walk.storeId) === walk) enqueue(walk)
    }
    return { store, product, finished }
  }

  /** Takes the next product of a store, or ends its pass. */
  async function step(walk: Walk<Place>, store: CallerStore): Promise<Turn | undefined> {
    if (walk.window.length === 0 && walk.place !== undefined) {
      deps.refill(walk)
      walk.found += walk.window.length
    }
    const product = walk.window.shift()
    if (product) {
      const work = take(walk, store, product)
      if (walk.window.length > 0 || walk.place !== undefined) enqueue(walk)
      return work
    }
    if (walk.place !== undefined) enqueue(walk)
    else if (walk.inFlight === 0) await end(walk, store)
    return undefined
  }

  return {
    fill,

    /** The next product; undefined when none waits now. */
    async next(): Promise<Turn | undefined> {
      wakeLater()
      for (let walk = dequeue(); walk && !isStopped(); walk = dequeue()) {
        const store = findStore(walk.storeId)
        if (!store || walks.get(walk.storeId) !== walk) {
          // `fill` finds it again if it comes back.
          if (walks.get(walk.storeId) === walk) walks.delete(walk.storeId)
          continue
        }
        const leave = deps.gate.tryEnter(store.id)
        if (!leave) later.push({ walk, at: now() + PAUSED_MS, isNewPass: false })
        if (!leave) continue
        try {
          const work = await step(walk, store)
          if (work) return leaving(work, leave)
        } catch (error) {
          leave()
          later.push({ walk, at: now() + FAULT_MS, isNewPass: false })
          throw error
        }
        leave()
        await turn()
      }
      return undefined
    },

    /** Whether no store is left, not even one that waits for a later pass. */
    isDone: (): boolean => walks.size === 0,

    /** When the next pass begins, in Unix ms, if all stores wait for one. */
    findRest(): number | undefined {
      const waiting = later.filter(({ walk }) => walks.get(walk.storeId) === walk)
      return waiting.length > 0 && waiting.length === walks.size
        ? Math.min(...waiting.map(({ at }) => at))
        : undefined
    },

    /** The walk over a store. */
    find: (storeId: string): Walk<Place> | undefined => walks.get(storeId),
    list: (): Iterable<Walk<Place>> => walks.values(),

    /** Begins anew with a store that has changed as a whole. */
    forget(storeId: string): void {
      walks.delete(storeId)
    },

    /** Forgets all stores. */
    clear(): void {
      walks.clear()
      open = []
      queued.clear()
      later.length = 0
    },
  }
}
