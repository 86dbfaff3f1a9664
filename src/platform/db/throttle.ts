import type { RateVerdict } from '../../core/rate-window.ts'
import { isUnwritable } from '../../core/storage.ts'
import type { Throttle } from '../../core/throttle.ts'
import { type Db, withoutFsync } from './open.ts'
import { createUnwrittenEvents } from './unwritten-events.ts'

export interface ThrottleOptions {
  /** Name of the counted events; throttles with the same name share them. */
  bucket: string
  /** Events per key in any window, at least 1. */
  limit: number
  windowMs: number
  /** Rows per bucket. The oldest are deleted beyond it, so that the table stays bounded under any flood of keys. */
  rowsMax?: number
}

/** A throttle that stores its events in the database. */
export interface KeptThrottle extends Throttle {
  /** Deletes events outside the window, for every key. */
  prune(now: number): void
}

/**
 * Counts the events of a key in an exact sliding window: an event at `t` counts until `t + windowMs`, exclusive. Refused
 * events do not count. A restart loses no events; a power cut may lose the last few.
 *
 * If the clock is set back, events in the future become events of now, so that nobody is locked out for longer than the
 * window.
 *
 * While the database cannot be written, for example on a full disk, events are counted in memory and written together
 * with the next event of their key. As part of another transaction, it throws SQLite's errors instead.
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
  // Events older than the newest `limit` do not matter.
  const newest = db
    .prepare<[string, string, number, bigint], number>(
      'SELECT at FROM throttle_events WHERE bucket = ? AND key = ? AND at > ? ORDER BY at DESC LIMIT ?',
    )
    .pluck()
  const countInBucket = db.prepare<[string], { count: number }>(
    'SELECT count(*) AS count FROM throttle_events WHERE bucket = ?',
  )

  const countRows = (): number => countInBucket.get(bucket)?.count ?? 0
  // Counting a full bucket takes milliseconds, so the count is cached.
  let rows = countRows()
  const unwritten = createUnwrittenEvents(limit)

  /**
   * Runs work in a transaction that does not wait for the disk, or as part of the current transaction.
   *
   * @returns false if the database cannot be written; nothing has changed then.
   */
  function tryWrite(work: () => void): boolean {
    const inOneStep = db.transaction(work)
    const rowsBefore = rows
    const isPart = db.inTransaction
    try {
      if (isPart) inOneStep()
      else withoutFsync(db, () => inOneStep.immediate())
      return true
    } catch (error) {
      rows = rowsBefore
      // The outer transaction has failed too.
      if (isPart || !isUnwritable(error)) throw error
      return false
    }
  }

  const listStoredSince = (key: string, now: number): number[] =>
    newest.all(bucket, key, now - windowMs, BigInt(limit))

  function listStoredInWindow(key: string, now: number): number[] {
    const found = listStoredSince(key, now)
    if ((found[0] ?? now) <= now) return found
    const isSetBack = tryWrite(() => void setBack.run(now, bucket, key, now))
    // Otherwise they would count as events of now forever.
    return isSetBack ? listStoredSince(key, now) : found.filter((at) => at <= now)
  }

  /** Returns the times of the key's newest events in the window that ends now, newest first, none later than now. */
  function listInWindow(key: string, now: number): number[] {
    const { times, isForgotten } = unwritten.notAfter(now, key)
    const kept = isForgotten ? [] : listStoredInWindow(key, now)
    if (times.length === 0) return kept
    const held = times.filter((at) => at > now - windowMs)
    return [...kept, ...held].sort((a, b) => b - a).slice(0, limit)
  }

  function judge(times: readonly number[], isAllowed: boolean, now: number): RateVerdict {
    // The event that must leave the window before another fits, or before the window is empty.
    const blocking = isAllowed ? times.at(-1) : times[limit - 1]
    const waitMs = blocking === undefined ? 0 : blocking + windowMs - now
    const remaining = Math.max(0, limit - times.length)
    return { isAllowed, limit, remaining, resetSeconds: Math.ceil(waitMs / 1000) }
  }

  function put(key: string, now: number): void {
    writeHeld(key, now)
    rows += insert.run(bucket, key, now).changes
    if (rows > rowsMax) deleteOldest(now)
  }

  /** Writes the events held in memory; they are kept there until the commit. */
  function writeHeld(key: string, now: number): void {
    const { times, isForgotten } = unwritten.notAfter(now, key)
    if (isForgotten) rows -= forgetKey.run(bucket, key).changes
    for (const at of times) {
      if (at > now - windowMs) rows += insert.run(bucket, key, at).changes
    }
  }

  function deleteOldest(now: number): void {
    forgetAllOld.run(bucket, now - windowMs)
    rows = countRows()
    if (rows <= rowsMax) return
    // A few more than needed, so that not every event of a flood gets here.
    rows -= forgetOldest.run(bucket, BigInt(rows - rowsMax + Math.floor(rowsMax / 100))).changes
  }

  const forgetExpired = (key: string, now: number): void => {
    rows -= forgetOld.run(bucket, key, now - windowMs).changes
  }

  /** Counts one event: in the database, or in memory while the database cannot be written. */
  function count(key: string, now: number): void {
    const isCounted = tryWrite(() => {
      forgetExpired(key, now)
      put(key, now)
    })
    if (isCounted) unwritten.remove(key)
    else unwritten.add(key, now)
  }

  return {
    take(key, now) {
      const before = listInWindow(key, now)
      if (before.length >= limit) return judge(before, false, now)
      count(key, now)
      return judge([now, ...before], true, now)
    },

    peek(key, now) {
      const found = listInWindow(key, now)
      return judge(found, found.length < limit, now)
    },

    add: count,

    reset(key) {
      const isForgotten = tryWrite(() => {
        rows -= forgetKey.run(bucket, key).changes
      })
      if (isForgotten) unwritten.remove(key)
      else unwritten.forget(key)
    },

    prune(now) {
      const isPruned = tryWrite(() => {
        for (const key of unwritten.keys()) writeHeld(key, now)
        forgetAllOld.run(bucket, now - windowMs)
        setAllBack.run(now, bucket, now)
        rows = countRows()
      })
      if (isPruned) for (const key of unwritten.keys()) unwritten.remove(key)
    },
  }
}
