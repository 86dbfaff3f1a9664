import type { Clock } from '../../core/clock.ts'
import { type Db, withoutFsync } from './open.ts'

/** One of the writes that are committed together. */
export interface GroupedWrite<Result> {
  /** Its statements, which see those of the writes before it. If it throws, nothing of it stays, and it fails alone. */
  write(): Result
  /** Follows the commit in the same tick, in the order of the writes. */
  committed?(result: Result): void
  /**
   * Called once when nothing of it stays, whether it ran or not; where it failed alone, before the next write of the group
   * runs. It must not throw.
   */
  undone?(): void
  /**
   * Whether its promise may be kept before the disk has it, as with `withoutFsync`: only for writes that no client has been
   * told about.
   */
  isUnsynced?: boolean
  /**
   * Whether it may wait for others to join its group, because nobody waits for its answer: jobs write a picture or two at a
   * time, and each group would be a commit and a wait for the disk of its own.
   */
  isPatient?: boolean
}

/**
 * Queues a write and commits it, within this turn of the event loop, together with everything else that was queued.
 *
 * @returns the result, once the disk has the commit.
 */
export type WriteTogether = <Result>(write: GroupedWrite<Result>) => Promise<Result>

/** A group ends after this many writes or this time, and leaves the rest to the next turn: others want to be answered. */
const WRITES_MAX = 64
const GROUP_MS_MAX = 8

/** A group of patient writes alone is committed after this time, or as soon as it has this many. */
const PATIENCE_MS = 150
const PATIENT_MAX = 8

interface Entry extends GroupedWrite<unknown> {
  isUndone?: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** How a write of a group ended, before the commit. */
type Outcome = { entry: Entry } & ({ result: unknown } | { error: unknown })

/**
 * Creates a queue of writes that are committed in groups: one transaction, one wait for the disk, and each write in a
 * savepoint of its own.
 *
 * A write waits for no timer, unless it is patient: its group is what is queued by the end of this turn of the event loop.
 * While the disk takes its time for one group, the next one gathers. A crash keeps or loses a whole group.
 *
 * @param patienceMs how long patient writes wait for others.
 */
export function createWriteGroups(db: Db, clock: Clock, patienceMs = PATIENCE_MS): WriteTogether {
  let queue: Entry[] = []
  let isDue = false
  /** Runs while only patient writes are queued. */
  let patience: Timer | undefined
  const savepoint = db.prepare('SAVEPOINT one_of_group')
  const release = db.prepare('RELEASE one_of_group')
  const rollBack = db.prepare('ROLLBACK TO one_of_group')

  function writeOne(entry: Entry, isAlone: boolean): Outcome {
    // Its savepoint would be the whole transaction.
    if (isAlone) return { entry, result: entry.write() }
    savepoint.run()
    try {
      const outcome = { entry, result: entry.write() }
      release.run()
      return outcome
    } catch (error) {
      // On a full or failing disk SQLite may have rolled back the whole group.
      if (!db.inTransaction) throw error
      rollBack.run()
      release.run()
      undo(entry)
      return { entry, error }
    }
  }

  /** Writes from the front of the queue, and takes what it wrote out of it. */
  const writeGroup = db.transaction((taken: Entry[], outcomes: Outcome[]) => {
    const begin = clock.monotonic()
    const isAlone = queue.length === 1
    while (queue.length > taken.length && taken.length < WRITES_MAX) {
      const entry = queue[taken.length] as Entry
      taken.push(entry)
      outcomes.push(writeOne(entry, isAlone))
      if (clock.monotonic() - begin >= GROUP_MS_MAX) break
    }
  })

  function commitGroup(): void {
    const taken: Entry[] = []
    const outcomes: Outcome[] = []
    const mayWait = queue.slice(0, WRITES_MAX).every(({ isUnsynced }) => isUnsynced)
    try {
      const write = () => writeGroup.immediate(taken, outcomes)
      if (mayWait) withoutFsync(db, write)
      else write()
    } catch (error) {
      // Where not even the transaction began, everybody would meet the same.
      const failed = taken.length > 0 ? taken : queue.slice(0, WRITES_MAX)
      queue = queue.slice(failed.length)
      // A write may have been refused because of another that failed, so all of them get the same error.
      for (const entry of failed) {
        undo(entry)
        entry.reject(error)
      }
      return
    }
    queue = queue.slice(taken.length)
    for (const outcome of outcomes) settle(outcome)
  }

  function schedule(): void {
    if (isDue) return
    clearTimeout(patience)
    patience = undefined
    isDue = true
    setImmediate(() => {
      isDue = false
      commitGroup()
      if (queue.length > 0) schedule()
    })
  }

  return <Result>(write: GroupedWrite<Result>) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ ...write, resolve, reject } as Entry)
      if (!write.isPatient || queue.length >= PATIENT_MAX) schedule()
      else if (!isDue) patience ??= setTimeout(schedule, patienceMs)
    })
}

function settle(outcome: Outcome): void {
  const { entry } = outcome
  if ('error' in outcome) {
    entry.reject(outcome.error)
    return
  }
  try {
    entry.committed?.(outcome.result)
    entry.resolve(outcome.result)
  } catch (error) {
    entry.reject(error)
  }
}

function undo(entry: Entry): void {
  if (entry.isUndone) return
  entry.isUndone = true
  entry.undone?.()
}
