import { storePaused } from './move-errors.ts'

/** Ends a write, or a step of background work. A second call does nothing. */
export type Leave = () => void

export interface WriteGateOptions {
  /** How long a write waits for the end of a pause. */
  patienceMs?: number
  /** Whether background work of all stores rests, such as on a node whose writes another one may undo. */
  rests?(): boolean
  /** Calls back after so many milliseconds, unless it is cancelled first. */
  after?(ms: number, work: () => void): () => void
}

/** Stands for the store of a write that does not know whose row it writes. */
export const ANY_STORE = '*'

interface Waiting {
  admit(): void
}

interface StoreGate {
  /** Writes and steps in progress. */
  inside: number
  isPaused: boolean
  /** Writes that wait for the end of the pause. */
  waiting: Set<Waiting>
  /** Called when the last one in progress ends. */
  onEmpty: Set<() => void>
}

const PATIENCE_MS = 8_000

/** Writes of one store that may wait at a time. */
const WAITING_MAX = 1_000

export type WriteGate = ReturnType<typeof createWriteGate>

/**
 * Lets the writes of each store pass, and holds them back while the store is paused. One look into a Map finds a store; a store
 * without writes in progress and without a pause has no entry.
 */
export function createWriteGate({
  patienceMs = PATIENCE_MS,
  after = afterMs,
  rests = () => false,
}: WriteGateOptions = {}) {
  const gates = new Map<string, StoreGate>()
  let paused = 0
  /** Steps in progress that touch many stores, and the pauses that wait for them. */
  let insideAll = 0
  const onEmptyAll = new Set<() => void>()
  /** The store whose counts are written in the middle of its pause. */
  let draining: string | undefined

  function gateOf(storeId: string): StoreGate {
    let gate = gates.get(storeId)
    if (!gate) {
      gate = { inside: 0, isPaused: false, waiting: new Set(), onEmpty: new Set() }
      gates.set(storeId, gate)
    }
    return gate
  }

  function admit(storeId: string, gate: StoreGate): Leave {
    gate.inside++
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      gate.inside--
      if (gate.inside > 0) return
      for (const tell of gate.onEmpty) tell()
      gate.onEmpty.clear()
      if (!gate.isPaused) gates.delete(storeId)
    }
  }

  function wait(storeId: string, gate: StoreGate): Promise<Leave> {
    if (gate.waiting.size >= WAITING_MAX) return Promise.reject(storePaused())
    const { promise, resolve, reject } = Promise.withResolvers<Leave>()
    const waiting: Waiting = {
      admit() {
        cancel()
        resolve(admit(storeId, gate))
      },
    }
    const cancel = after(patienceMs, () => {
      gate.waiting.delete(waiting)
      reject(storePaused())
    })
    gate.waiting.add(waiting)
    return promise
  }

  return {
    /**
     * Begins a write. During a pause it waits for its end; what it was judged by before may have changed by then.
     *
     * @throws ApiError `read_only` if the pause lasts too long, or too many writes wait.
     */
    enter(storeId: string): Leave | Promise<Leave> {
      const gate = gateOf(storeId)
      return gate.isPaused ? wait(storeId, gate) : admit(storeId, gate)
    },

    /** Begins a step of background work. @returns undefined while the store is paused, or the node rests: so does the work. */
    tryEnter(storeId: string): Leave | undefined {
      if (rests()) return undefined
      const gate = gateOf(storeId)
      return gate.isPaused ? undefined : admit(storeId, gate)
    },

    /** Begins a short step that may touch any store. @returns undefined while a store is paused: the step comes later. */
    tryEnterAll(): Leave | undefined {
      if (paused > 0 || rests()) return undefined
      insideAll++
      let isInside = true
      return () => {
        if (!isInside) return
        isInside = false
        insideAll--
        if (insideAll > 0) return
        for (const tell of onEmptyAll) tell()
        onEmptyAll.clear()
      }
    },

    /** Holds back new writes of a store. @returns when those in progress have ended, or at once after `resume`. */
    pause(storeId: string): Promise<void> {
      const gate = gateOf(storeId)
      if (!gate.isPaused) paused++
      gate.isPaused = true
      const ends: Promise<void>[] = []
      if (gate.inside > 0) ends.push(new Promise((resolve) => gate.onEmpty.add(resolve)))
      if (insideAll > 0) ends.push(new Promise((resolve) => onEmptyAll.add(resolve)))
      return Promise.all(ends).then(() => undefined)
    },

    /** Ends a pause: the writes that wait go on. */
    resume(storeId: string): void {
      const gate = gates.get(storeId)
      if (!gate?.isPaused) return
      gate.isPaused = false
      paused--
      for (const tell of gate.onEmpty) tell()
      gate.onEmpty.clear()
      for (const { admit } of [...gate.waiting]) admit()
      gate.waiting.clear()
      if (gate.inside === 0) gates.delete(storeId)
    },

    /** Whether work of the store rests. */
    isPaused: (storeId: string): boolean => (paused > 0 && gates.get(storeId)?.isPaused === true) || rests(),

    /** Whether the work of all stores rests. */
    rests,

    /** Whether what memory has counted of a store stays in memory for now. */
    isHeld: (storeId: string): boolean =>
      paused > 0 &&
      (storeId === ANY_STORE
        ? draining === undefined
        : storeId !== draining && gates.get(storeId)?.isPaused === true),

    /** Lets what memory has counted of a paused store be written now. */
    drain(storeId: string, write: () => void): void {
      draining = storeId
      try {
        write()
      } finally {
        draining = undefined
      }
    },

    /** Writes and steps in progress, for a log line that says what a pause waits for. */
    countInside: (storeId: string): number => gates.get(storeId)?.inside ?? 0,
  }
}

function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
