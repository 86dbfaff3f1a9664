import type { RateVerdict } from '../../core/rate-window.ts'
import type { Throttle } from '../../core/throttle.ts'
import { type Db, unsynced } from './open.ts'

export interface ThrottleOptions {
  /** Name of what is counted; throttles of one name share their events. */
  bucket: string
  /** Events of one key in any window, at least 1. */
  limit: number
  windowMs: number
  /** Rows the bucket may hold: beyond them the oldest give way, so the table stays bounded under any flood of keys. */
  rowsMax?: number
}

/** A throttle whose events lie in the database. */
export interface KeptThrottle extends Throttle {
  /** Forgets events whose window is over, of every key. */
  prune(now: number): void
}

interface Counted {
  count: number
  oldest: number | null
  newest: number | null
}

/**
 * Counts events of a key in an exact sliding window: an event at `t` counts until `t + windowMs`, exclusive. Refused
 * events do not count. Of what it knows a restart loses nothing, a power cut perhaps the last moments.
 *
 * A clock that was set back keeps nobody out for longer than the window: events of the future become events of now.
 */
export function createThrottle(
  db: Db,
  { bucket, limit, windowMs, rowsMax = 100_000 }: ThrottleOptions,
): KeptThrottle {
  const forgetOld = db.prepare('DELETE FROM throttle_events WHERE bucket = ? AND key = ? AND at <= ?')
  const forgetKey = db.prepare('DELETE FROM throttle_events WHERE bucket = ? AND key = ?')
  const forgetAllOld = db.prepare('DELETE FROM throttle_events WHERE bucket = ? AND at <= ?')
  const forgetOldest = db.prepare(`
    DELETE FROM throttle_events WHERE rowid IN
      (SELECT rowid FROM throttle_events WHERE bucket = ? ORDER BY at, rowid LIMIT ?)`)
  const insert = db.prepare('INSERT INTO throttle_events (bucket, key, at) VALUES (?, ?, ?)')
  const setBack = db.prepare('UPDATE throttle_events SET at = ? WHERE bucket = ? AND key = ? AND at > ?')
  const setAllBack = db.prepare('UPDATE throttle_events SET at = ? WHERE bucket = ? AND at > ?')
  const countOf = db.prepare<[string, string, number], Counted>(`
    SELECT count(*) AS count, min(at) AS oldest, max(at) AS newest
    FROM throttle_events WHERE bucket = ? AND key = ? AND at > ?`)
  // The event that must leave the window before one more fits.
  const blockingOf = db.prepare<[string, string, bigint], { at: number }>(
    'SELECT at FROM throttle_events WHERE bucket = ? AND key = ? ORDER BY at DESC LIMIT 1 OFFSET ?',
  )
  const rowsOf = db.prepare<[string], { count: number }>(
    'SELECT count(*) AS count FROM throttle_events WHERE bucket = ?',
  )

  const countRows = (): number => rowsOf.get(bucket)?.count ?? 0
  // Counting a full bucket takes milliseconds, so its size is remembered and seldom counted again.
  let rows = countRows()

  /** One transaction that does not wait for the disk; inside another one, a part of that. */
  function write<Result>(work: () => Result): Result {
    const inOneStep = db.transaction(work)
    return db.inTransaction ? inOneStep() : unsynced(db, () => inOneStep.immediate())
  }

  /** The key's events in the window that ends now, none of them later than now. */
  function inWindow(key: string, now: number): Counted {
    const found = countOf.get(bucket, key, now - windowMs) as Counted
    if (found.newest === null || found.newest <= now) return found
    write(() => setBack.run(now, bucket, key, now))
    return countOf.get(bucket, key, now - windowMs) as Counted
  }

  function verdict({ count, oldest }: Counted, isAllowed: boolean, key: string, now: number): RateVerdict {
    const blocking = isAllowed ? oldest : blockingOf.get(bucket, key, BigInt(limit - 1))?.at
    const waitMs = blocking == null ? 0 : blocking + windowMs - now
    const remaining = Math.max(0, limit - count)
    return { isAllowed, limit, remaining, resetSeconds: Math.ceil(waitMs / 1000) }
  }

  function put(key: string, now: number): void {
    rows += insert.run(bucket, key, now).changes
    if (rows > rowsMax) makeRoom(now)
  }

  function makeRoom(now: number): void {
    forgetAllOld.run(bucket, now - windowMs)
    rows = countRows()
    if (rows <= rowsMax) return
    // A little more than is needed, so that not every event of a flood comes here.
    rows -= forgetOldest.run(bucket, BigInt(rows - rowsMax + Math.floor(rowsMax / 100))).changes
  }

  const forgetOldOf = (key: string, now: number): void => {
    rows -= forgetOld.run(bucket, key, now - windowMs).changes
  }

  return {
    take: (key, now) =>
      write(() => {
        forgetOldOf(key, now)
        const before = inWindow(key, now)
        if (before.count >= limit) return verdict(before, false, key, now)
        put(key, now)
        return verdict({ ...before, count: before.count + 1, oldest: before.oldest ?? now }, true, key, now)
      }),

    look(key, now) {
      const found = inWindow(key, now)
      return verdict(found, found.count < limit, key, now)
    },

    add: (key, now) =>
      write(() => {
        forgetOldOf(key, now)
        put(key, now)
      }),

    reset: (key) =>
      write(() => {
        rows -= forgetKey.run(bucket, key).changes
      }),

    prune: (now) =>
      write(() => {
        forgetAllOld.run(bucket, now - windowMs)
        setAllBack.run(now, bucket, now)
        rows = countRows()
      }),
  }
}
