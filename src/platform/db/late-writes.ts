import { isFaultOfDisk } from '../../core/storage.ts'
import { createLateRecords, type LateRecord, type LateRecords } from './late-records.ts'
import { withoutFsync } from './open.ts'
import type { WriteBehind, WriteBehindOptions } from './write-behind.ts'

/** A write that may wait. */
export interface LateWrite {
  storeId: string
  /** Names the restorer of its record. */
  kind: string
  /** What a restart needs to do the write again, as it goes into JSON. */
  toRecord(): object
  /** Runs in a transaction, after the writes before it; once more after a transaction that was undone. */
  write(): void
  /** Called once the write is kept, or its store is gone. */
  written?(): void
}

/** Turns a record back into its write, in the transaction of the write and right before it. */
export type Restore = (storeId: string, record: unknown) => () => void

export interface LateWritesOptions extends WriteBehindOptions {
  /** Writes the records within half a second. */
  writes: WriteBehind
  /** Called for each store of a transaction that was undone: what its writes have counted in memory is wrong. */
  undone?(storeId: string): void
}

export type LateWrites = ReturnType<typeof createLateWrites>

interface Entry extends LateWrite {
  /** Of its record; undefined while that is not written. */
  number: number | undefined
}

/** Each table and index takes a page for a group, so a search costs the less, the more of them go together. */
const DELAY_MS = 30_000

/** Writes of one transaction: 200 searches take about 25 ms of the event loop. As many are written at once. */
const GROUP_MAX = 200

/** Writes that wait for a disk which takes nothing. */
const WAITING_MAX = 1_000

/**
 * Creates a queue of writes that touch many pages each. Within half a second a record of each is in one table; the writes
 * themselves run in groups, after 30 seconds at most, and a group takes its records away in the same transaction. A crash
 * thus loses no more than `write-behind.ts` does: the next start does again what has a record.
 *
 * Whatever reads what they write calls `flush` first. A write that fails is lost and counted in the log, and keeps no
 * other one back; while the disk takes nothing, the last 1,000 wait.
 */
export function createLateWrites(options: LateWritesOptions) {
  const { db, writes, name, defer, log, reportFault, isHeld = () => false } = options
  const records = createLateRecords(db)
  const restorers = new Map<string, Restore>()
  let queue: Entry[] = []
  let isKeepQueued = false
  let isScheduled = false
  let isFailing = false
  /** The entries whose records the present group of `writes` has written, as long as it may be undone. */
  let kept: Entry[] = []
  /** The last record of the writes that were dropped; it goes with the next group, and no start does them again. */
  let droppedTo: number | undefined

  /** Writes the records that are missing, and only those: what is written itself by then needs none. */
  function keepRecords(): void {
    isKeepQueued = false
    kept = queue.filter(({ number, storeId }) => number === undefined && !isHeld(storeId))
    for (const entry of kept) entry.number = records.add(entry.storeId, entry.kind, entry.toRecord())
  }

  function keptNone(): void {
    isKeepQueued = false
    for (const entry of kept.splice(0)) entry.number = undefined
  }

  const runTogether = createRunner(options, records, removeRecords)

  function removeRecords(group: readonly Entry[]): void {
    // Where none of a group has a record, those of the table are all of writes that were dropped.
    const last = findLast(group) ?? droppedTo
    if (last !== undefined) records.removeTo(last)
  }

  /** Runs each write alone, so that one that fails is the only one to be lost. @throws if the disk takes nothing. */
  function runEach(group: readonly Entry[]): void {
    const failures: unknown[] = []
    try {
      for (const entry of group) {
        try {
          runTogether([entry])
        } catch (error) {
          if (isFaultOfDisk(error)) throw error
          failures.push(error)
          removeRecords([entry])
        }
        queue.shift()
      }
    } finally {
      const [err] = failures
      if (failures.length > 0) {
        reportFault(err)
        log.error({ err, lost: failures.length }, `${name} could not be written`)
      }
    }
  }

  function runGroup(group: readonly Entry[]): void {
    try {
      runTogether(group)
      queue = queue.slice(group.length)
    } catch (error) {
      if (isFaultOfDisk(error)) throw error
      runEach(group)
    }
  }

  /** Keeps what waits, within its bound. */
  function wait(err: unknown): void {
    reportFault(err)
    const lost = Math.max(queue.length - WAITING_MAX, 0)
    droppedTo = findLast(queue.slice(0, lost)) ?? droppedTo
    queue = queue.slice(lost)
    if (lost > 0 || !isFailing) log.error({ err, lost }, `${name} wait: they could not be written`)
    isFailing = true
    schedule()
  }

  /** @throws if the disk takes nothing. */
  function flushOrThrow(): void {
    const held = queue.filter(({ storeId }) => isHeld(storeId)).slice(-WAITING_MAX)
    queue = held.length > 0 ? queue.filter(({ storeId }) => !isHeld(storeId)) : queue
    try {
      while (queue.length > 0) withoutFsync(db, () => runGroup(queue.slice(0, GROUP_MAX)))
      isFailing = false
      droppedTo = undefined
    } catch (error) {
      wait(error)
      throw error
    } finally {
      queue.push(...held)
      if (held.length > 0) schedule()
    }
  }

  function flush(): void {
    try {
      flushOrThrow()
    } catch {
      // They wait.
    }
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    defer(() => {
      isScheduled = false
      flush()
    }, DELAY_MS)
  }

  return {
    enqueue(write: LateWrite): void {
      queue.push({ ...write, number: undefined })
      schedule()
      if (!isKeepQueued) {
        isKeepQueued = true
        kept = []
        writes.enqueue(keepRecords, keptNone)
      }
      // As part of a transaction, the group would be lost with it.
      if (queue.length % GROUP_MAX === 0 && !db.inTransaction) flush()
    },

    /** Runs all writes that wait. Call it before reading what they write, and before the database closes. */
    flush,
    /** Does the same if anything waits for a store: one that is read often must not split the groups of all others. */
    flushStore(storeId: string): void {
      if (queue.some((entry) => entry.storeId === storeId)) flush()
    },
    /** Does the same as `flush` for whoever must be sure of it. @throws if the disk takes nothing. */
    flushOrThrow,

    /** Names who restores the records of a kind. */
    restoreAs: (kind: string, restorer: Restore): void => void restorers.set(kind, restorer),

    /** Does again what the last run of the program has left. Call it before anything is read. */
    recover(): void {
      const waiting = new Set(queue.map(({ number }) => number))
      const found = records.list().map((record) => restoreEntry(record, restorers.get(record.kind)))
      queue = [...found.filter(({ number }) => !waiting.has(number)), ...queue]
      flush()
    },

    /** Drops what waits for a store. */
    forgetStore(storeId: string): void {
      queue = queue.filter((entry) => entry.storeId !== storeId)
    },
  }
}

/** Creates the transaction of some writes, in which their records go: all of them are written, or none. */
function createRunner(
  { db, undone }: LateWritesOptions,
  records: Pick<LateRecords, 'findStores'>,
  removeRecords: (group: readonly Entry[]) => void,
) {
  const run = db.transaction((group: readonly Entry[]) => {
    // A store may have been deleted meanwhile, by another process, too.
    const stores = records.findStores(new Set(group.map(({ storeId }) => storeId)))
    for (const { storeId, write } of group) if (stores.has(storeId)) write()
    removeRecords(group)
  })

  return (group: readonly Entry[]): void => {
    try {
      run.immediate(group)
    } catch (error) {
      for (const storeId of new Set(group.map((entry) => entry.storeId))) undone?.(storeId)
      throw error
    }
    for (const { written } of group) written?.()
  }
}

/** The number of the last record of some writes. */
const findLast = (entries: readonly Entry[]): number | undefined =>
  entries.findLast(({ number }) => number !== undefined)?.number

/** A record that cannot be read fails as its write does. */
function restoreEntry({ record, ...row }: LateRecord, restore: Restore | undefined): Entry {
  const toRecord = () => JSON.parse(record) as object
  function write(): void {
    if (!restore) throw new Error(`Nobody restores a record of the kind ${row.kind}`)
    restore(row.storeId, toRecord())()
  }
  return { ...row, toRecord, write }
}
