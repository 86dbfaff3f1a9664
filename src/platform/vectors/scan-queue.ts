import { ApiError } from '../../core/errors.ts'

export type ScanQueue = ReturnType<typeof createScanQueue>

/** A scan of a million vectors takes some 10 ms, so the last in the line waits for two or three seconds. */
const WAITING_MAX = 256

const RETRY_AFTER_SECONDS = 1

/**
 * Runs scans one after another, because each uses all threads. Owners take turns, so a store that sends many searches
 * waits for itself; when the line is full, the owner who holds most of it loses its youngest.
 */
export function createScanQueue(waitingMax = WAITING_MAX) {
  interface Waiting {
    run(): Promise<void>
    reject(error: unknown): void
  }
  /** In the order of their turns. */
  const lines = new Map<string, Waiting[]>()
  let waiting = 0
  let isRunning = false

  function makeRoom(owner: string): void {
    if (waiting < waitingMax) return
    let [longest, most] = [owner, lines.get(owner)?.length ?? 0]
    for (const [other, line] of lines) if (line.length > most + 1) [longest, most] = [other, line.length]
    if (longest === owner) throw overloaded()
    waiting--
    lines.get(longest)?.pop()?.reject(overloaded())
  }

  async function runAll(): Promise<void> {
    isRunning = true
    for (let next = lines.entries().next(); !next.done; next = lines.entries().next()) {
      const [owner, line] = next.value
      const first = line.shift()
      // Behind all others, if there is more.
      lines.delete(owner)
      if (line.length > 0) lines.set(owner, line)
      if (!first) continue
      waiting--
      await first.run()
    }
    isRunning = false
  }

  return {
    /** Runs `work` when its turn comes. @throws ApiError `overloaded` when too many wait. */
    run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
      return new Promise((resolve, reject) => {
        makeRoom(owner)
        const line = lines.get(owner) ?? []
        lines.set(owner, line)
        line.push({ run: () => work().then(resolve, reject), reject })
        waiting++
        if (!isRunning) void runAll()
      })
    },
  }
}

const overloaded = (): ApiError =>
  new ApiError('overloaded', 'Too many searches of large stores are waiting', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
