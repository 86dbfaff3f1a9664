import { BoundedMap } from '../../core/bounded-map.ts'
import type { Db } from './open.ts'

/** Findings that are kept at a time: some megabytes, and 20 MB if all were products with the most metadata. */
const KEPT_MAX = 1_000

/** Ends reads that have asked for something that is not kept. */
const NOT_KEPT = Symbol('not kept')

/** Reads that every request repeats. */
export interface Reads {
  /**
   * Runs some reads in one transaction: they see one state of the database, and take the read lock once instead of once
   * each. The reads must be synchronous and must not write: a transaction that reads first may be refused its write.
   */
  together<Result>(reads: () => Result): Result
  /**
   * The same for reads that all `remember`. While everything that they ask for is kept, they cost no transaction, only the
   * look whether anything has changed. Otherwise they are begun again, so they must have no effect.
   */
  recall<Result>(reads: () => Result): Result
  /**
   * Reads something, or gives what an earlier read found while not one row of the database has changed since then, in
   * this process or in another. Keeps findings only of reads that run `together` or in
   * `recall`; any other read is run.
   *
   * @param key names the read with everything that its result depends on, apart from the database.
   * @returns an object that is shared with later calls: it must not be changed.
   */
  remember<Found>(key: string, read: () => Found): Found
  /**
   * Reads one thing, or gives what an earlier read found, without a look whether anything has changed: for the part of a
   * request behind its guard, which has looked when it found the caller. The answer is then as new as the request.
   *
   * @param key and the result as for `remember`.
   */
  rememberSeen<Found>(key: string, read: () => Found): Found
  /** Reads a number that changes whenever another connection, as that of another process, has changed the database. */
  readDataVersion(): number
  /**
   * A number that stands for the state of the database which the last reads `together`, or the last `readMoment`, saw. It
   * costs no statement.
   */
  seenMoment(): number
  /** Reads the number of the present state, in a transaction with what that has written. */
  readMoment(): number
}

export function createReads(db: Db): Reads {
  /** Changes with every commit of another connection. */
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck()
  const readDataVersion = () => dataVersion.get() as number
  /** Counts the rows that this connection has changed, also those of a transaction that was rolled back. */
  const ownChanges = db.prepare<[], number>('SELECT total_changes()').pluck()
  const run = db.transaction((reads: () => unknown) => reads())
  const kept = new BoundedMap<string, unknown>(KEPT_MAX)
  let seenVersion = -1
  let seenChanges: number | undefined
  let moment = 0
  /** Whether the reads in progress may only recall, or keep what they find; undefined for reads of their own. */
  let mode: 'recalling' | 'keeping' | undefined

  /**
   * In the transaction of some reads, the version belongs to the state that they see. Nothing is kept in a transaction that
   * writes, so what it undoes is never remembered.
   */
  function forgetIfChanged(): void {
    const [version, changes] = [readDataVersion(), ownChanges.get()]
    if (version === seenVersion && changes === seenChanges) return
    kept.clear()
    moment += 1
    seenVersion = version
    seenChanges = changes
  }

  function runAs<Result>(as: 'recalling' | 'keeping', reads: () => Result): Result {
    forgetIfChanged()
    mode = as
    try {
      return reads()
    } finally {
      mode = undefined
    }
  }

  function together<Result>(reads: () => Result): Result {
    // A transaction may still be rolled back, so reads inside it must not be remembered.
    if (db.inTransaction) return reads()
    return run(() => runAs('keeping', reads)) as Result
  }

  return {
    together,

    recall<Result>(reads: () => Result): Result {
      if (db.inTransaction) return reads()
      try {
        return runAs('recalling', reads)
      } catch (error) {
        if (error !== NOT_KEPT) throw error
        return together(reads)
      }
    },

    remember<Found>(key: string, read: () => Found): Found {
      if (!mode) return read()
      if (kept.has(key)) return kept.get(key) as Found
      if (mode === 'recalling') throw NOT_KEPT
      const found = read()
      kept.set(key, found)
      return found
    },

    rememberSeen<Found>(key: string, read: () => Found): Found {
      if (db.inTransaction) return read()
      if (kept.has(key)) return kept.get(key) as Found
      const found = read()
      // Should anything have changed since the last look, the next one drops this with everything else.
      kept.set(key, found)
      return found
    },

    seenMoment: () => moment,

    readMoment() {
      forgetIfChanged()
      return moment
    },

    readDataVersion: () => (mode ? seenVersion : readDataVersion()),
  }
}
