import { type Db, withoutFsync } from './open.ts'

export interface WriteBehindOptions {
  db: Db
  /** Names the writes in the log, in the plural: "searches". */
  name: string
  /** Runs work once, after a number of ms. */
  defer(work: () => void, delayMs: number): void
  log: { error(fields: { err: unknown; lost: number }, message: string): void }
  /** Called with every error of the database. */
  reportFault(error: unknown): void
  /** Whether the writes of a store must wait in memory, because it is moving. */
  isHeld?(storeId: string): boolean
}

export interface WriteBehind {
  /**
   * Queues a write. It runs in a transaction later and must not depend on the ones queued with it.
   *
   * @param storeId whose row it writes: it waits while the store is held back.
   * @param undone called if nothing of the group stays; a write that has it keeps what it wrote, and is not lost.
   */
  enqueue(write: () => void, undone?: () => void, storeId?: string): void
  /** Runs all queued writes now. Call it before reading what they write, and before the database closes. */
  flush(): void
}

interface QueuedWrite {
  write(): void
  undone: (() => void) | undefined
  storeId: string | undefined
}

/** Long enough that the writes show in the response time of neither this request nor the next. */
const DELAY_MS = 500

/** Queued writes at most; a full queue is flushed at once. */
const QUEUE_MAX = 1_000

/**
 * Creates a queue of writes that no response waits for. They run in groups, each group in one transaction that does not
 * wait for the disk: a crash of the program loses the last half second, a power cut perhaps more. A group that fails is
 * lost, counted in the log, and not tried again. Writes that keep what they wrote are the exception.
 */
export function createWriteBehind({
  db,
  name,
  defer,
  log,
  reportFault,
  isHeld = () => false,
}: WriteBehindOptions): WriteBehind {
  let queue: QueuedWrite[] = []
  const runAll = db.transaction((writes: readonly QueuedWrite[]) => {
    for (const { write } of writes) write()
  })

  function flush(): void {
    const all = queue
    queue = all.filter(({ storeId }) => storeId !== undefined && isHeld(storeId)).slice(-QUEUE_MAX)
    if (queue.length > 0) defer(flush, DELAY_MS)
    const writes =
      queue.length === 0 ? all : all.filter(({ storeId }) => storeId === undefined || !isHeld(storeId))
    if (writes.length === 0) return
    try {
      withoutFsync(db, () => runAll.immediate(writes))
    } catch (err) {
      reportFault(err)
      for (const { undone } of writes) undone?.()
      const lost = writes.filter(({ undone }) => !undone).length
      log.error({ err, lost }, `${name} could not be written`)
    }
  }

  return {
    flush,
    enqueue(write, undone, storeId) {
      if (queue.length === 0) defer(flush, DELAY_MS)
      queue.push({ write, undone, storeId })
      // As part of a transaction, the group would be lost with it.
      if (queue.length >= QUEUE_MAX && !db.inTransaction) flush()
    },
  }
}
