import threadPath from '#generated/scan-thread.js' with { type: 'file' }
import { createBackoff } from '../../core/backoff.ts'
import { kernelModule, SCAN_THREADS_MAX, type SharedMemory } from './scanner.ts'
import type { BlockScores } from './workspace.ts'

/** Some blocks of a scan, read in one way. */
export interface ScanPart {
  /** The first block. */
  from: number
  /** One past the last block. */
  to: number
  /** Of the sketches to read; undefined for eight bits a dimension. */
  mean: Float32Array | undefined
}

/** Whole blocks to score. */
export interface BlockWork {
  /** At most `SCAN_QUERIES_MAX`. */
  queries: readonly Float32Array[]
  blocks: Float64Array
  parts: readonly ScanPart[]
  /** For each query; shared between threads. */
  into: readonly BlockScores[]
}

/** Single places to score. */
export interface PlaceWork {
  query: Float32Array
  places: Float64Array
  /** Shared between threads. */
  into: Float32Array
}

export type ScanWork = BlockWork | PlaceWork

export type ThreadRequest = ScanWork & {
  module: WebAssembly.Module
  dimension: number
  /** Those that the thread has not seen, with the address of its scratch space. */
  memories: { memory: WebAssembly.Memory; workspace: number }[]
}

/** One thread, seen from the event loop. */
export interface Thread {
  post(request: ThreadRequest): void
  terminate(): void
}

/** Starts a thread. Both callbacks may come at any time; after `ended` the thread is gone. */
export type StartThread = (done: () => void, ended: () => void) => Thread

export interface ScanThreadsDeps {
  dimension: number
  /** The memories so far. */
  memories: readonly SharedMemory[]
  count: number
  start?: StartThread
  /** The longest that a scan may take. */
  limitMs?: number
}

export type ScanThreads = ReturnType<typeof createScanThreads>

/** The longest scan that we can think of takes a second; a thread that needs more will not come back. */
const LIMIT_MS = 20_000

/** Scans that go without threads after a failure; twice as many after the next one. */
const backoff = createBackoff({ first: 4, factor: 2, longest: 1_024 })

/** The threads that this machine has cores for. */
export const countScanThreads = (): number =>
  Math.max(1, Math.min(SCAN_THREADS_MAX, navigator.hardwareConcurrency))

interface Lane {
  thread: Thread
  /** Memories that the thread knows. */
  known: number
  /** Set while the thread works. */
  settle: ((isDone: boolean) => void) | undefined
}

/** Threads that score blocks beside the event loop. They start with the first scan; each works on a part of it. */
export function createScanThreads({
  dimension,
  memories,
  count,
  start = startThread,
  limitMs = LIMIT_MS,
}: ScanThreadsDeps) {
  const lanes: (Lane | undefined)[] = Array.from({ length: count }, () => undefined)
  let failures = 0
  /** Scans to go without threads. */
  let pause = 0
  let isClosed = false

  function openLane(n: number): Lane {
    const end = () => {
      if (lanes[n] === lane) lanes[n] = undefined
      lane.settle?.(false)
    }
    const lane: Lane = { thread: start(() => lane.settle?.(true), end), known: 0, settle: undefined }
    lanes[n] = lane
    return lane
  }

  function drop(n: number, lane: Lane): void {
    if (lanes[n] === lane) lanes[n] = undefined
    lane.thread.terminate()
  }

  /** @returns false when the thread failed; it may still write for a moment. */
  function ask(n: number, work: ScanWork): Promise<boolean> {
    const lane = lanes[n] ?? openLane(n)
    return new Promise((resolve) => {
      const timer = setTimeout(() => lane.settle?.(false), limitMs)
      lane.settle = (isDone) => {
        clearTimeout(timer)
        lane.settle = undefined
        if (!isDone) drop(n, lane)
        resolve(isDone)
      }
      const fresh = memories.slice(lane.known)
      lane.known = memories.length
      lane.thread.post({
        ...work,
        module: kernelModule(),
        dimension,
        memories: fresh.map(({ memory, workspaces }) => ({ memory, workspace: workspaces[n] as number })),
      })
    })
  }

  return {
    /**
     * Scores blocks or places on all threads. One scan at a time.
     *
     * @returns false if no thread is available; `into` is then undefined and must not be used again.
     */
    async scan(work: ScanWork): Promise<boolean> {
      if (isClosed) return false
      if (pause > 0) {
        pause--
        return false
      }
      const shares = lanes.map((_, n) => cutShare(work, n, count))
      let done: boolean[]
      try {
        done = await Promise.all(shares.map((share, n) => (share === undefined ? true : ask(n, share))))
      } catch {
        // The machine gives no thread.
        done = [false]
      }
      if (done.every(Boolean)) {
        failures = 0
        return true
      }
      pause = backoff(failures++)
      return false
    },

    /** Ends all threads; scans that run fail. */
    close(): void {
      isClosed = true
      for (const [n, lane] of lanes.entries()) {
        if (!lane) continue
        drop(n, lane)
        lane.settle?.(false)
      }
    },
  }
}

/** What the n-th of `count` threads scores: a stretch of the places, or of the blocks in each part; undefined for nothing. */
function cutShare(work: ScanWork, n: number, count: number): ScanWork | undefined {
  const all = 'places' in work ? work.places.length : work.blocks.length
  const first = Math.floor((n * all) / count)
  const end = Math.floor(((n + 1) * all) / count)
  if ('places' in work) {
    if (first === end) return undefined
    // A message copies the whole buffer of a list that is not shared.
    return { ...work, places: work.places.slice(first, end), into: work.into.subarray(first, end) }
  }
  const parts = work.parts
    .map((part) => ({ ...part, from: Math.max(part.from, first), to: Math.min(part.to, end) }))
    .filter(({ from, to }) => from < to)
  return parts.length === 0 ? undefined : { ...work, parts }
}

function startThread(done: () => void, ended: () => void): Thread {
  const worker = new Worker(threadPath)
  worker.onmessage = () => {
    worker.unref()
    done()
  }
  worker.onerror = (event) => {
    event.preventDefault()
    ended()
  }
  worker.addEventListener('close', ended)
  return {
    post(request) {
      // A thread that waits must not keep the program alive.
      worker.ref()
      worker.postMessage(request)
    },
    terminate: () => worker.terminate(),
  }
}
