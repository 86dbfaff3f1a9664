import type { RateVerdict } from '../../core/rate-window.ts'
import { isUnwritable } from '../../core/storage.ts'
import type { Throttle } from '../../core/throttle.ts'
import { type Db, unsynced } from './open.ts'
import { createUnwrittenEvents } from './unwritten-events.ts'

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

/**
 * Counts events of a key in an exact sliding window: an event at `t` counts until `t + windowMs`, exclusive. Refused
 * events do not count. Of what it knows a restart loses nothing, a power cut perhaps the last moments.
 *
 * A clock that was set back keeps nobody out for longer than the window: events of the future become events of now.
 *
 * Where the database cannot be written, on a full disk for example, it counts on in memory; these events are written
 * with the next one of their key that can be. Only as part of another transaction does it throw what SQLite throws.
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
  // Older ones than the newest `limit` decide nothing.
  const newest = db
    .prepare<[string, string, number, bigint], number>(
      'SELECT at FROM throttle_events WHERE bucket = ? AND key = ? AND at > ? ORDER BY at DESC LIMIT ?',
    )
    .pluck()
  const rowsOf = db.prepare<[string], { count: number }>(
    'SELECT count(*) AS count FROM throttle_events WHERE bucket = ?',
  )

  const countRows = (): number => rowsOf.get(bucket)?.count ?? 0
  // Counting a full bucket takes milliseconds, so its size is remembered and seldom counted again.
  let rows = countRows()
  const unwritten = createUnwrittenEvents(limit)

  /**
   * One transaction that does not wait for the disk; inside another one, a part of that.
   *
   * @returns false where the database cannot be written; nothing has changed then.
   */
  function isWritten(work: () => void): boolean {
    const inOneStep = db.transaction(work)
    const rowsBefore = rows
    const isPart = db.inTransaction
    try {
      if (isPart) inOneStep()
      else unsynced(db, () => inOneStep.immediate())
      return true
    } catch (error) {
      rows = rowsBefore
      // The outer transaction is lost with it.
      if (isPart || !isUnwritable(error)) throw error
      return false
    }
  }

  const keptSince = (key: string, now: number): number[] =>
    newest.all(bucket, key, now - windowMs, BigInt(limit))

  function keptInWindow(key: string, now: number): number[] {
    const found = keptSince(key, now)
    if ((found[0] ?? now) <= now) return found
    const isSetBack = isWritten(() => void setBack.run(now, bucket, key, now))
    // Left as they are, they would count as of now for ever.
    return isSetBack ? keptSince(key, now) : found.filter((at) => at <= now)
  }

  /** Times of the key's newest events in the window that ends now, newest first, none of them later than now. */
  function inWindow(key: string, now: number): number[] {
    const { times, isForgotten } = unwritten.notAfter(now, key)
    const kept = isForgotten ? [] : keptInWindow(key, now)
    if (times.length === 0) return kept
    const held = times.filter((at) => at > now - windowMs)
    return [...kept, ...held].sort((a, b) => b - a).slice(0, limit)
  }

  function verdict(times: readonly number[], isAllowed: boolean, now: number): RateVerdict {
    // The event that must leave the window before one more fits, or before it is empty.
    const blocking = isAllowed ? times.at(-1) : times[limit - 1]
    const waitMs = blocking === undefined ? 0 : blocking + windowMs - now
    const remaining = Math.max(0, limit - times.length)
    return { isAllowed, limit, remaining, resetSeconds: Math.ceil(waitMs / 1000) }
  }

  function put(key: string, now: number): void {
    writeHeld(key, now)
    rows += insert.run(bucket, key, now).changes
    if (rows > rowsMax) makeRoom(now)
  }

  /** Writes what could not be written before; it is held until that is committed. */
  function writeHeld(key: string, now: number): void {
    const { times, isForgotten } = unwritten.notAfter(now, key)
    if (isForgotten) rows -= forgetKey.run(bucket, key).changes
    for (const at of times) {
      if (at > now - windowMs) rows += insert.run(bucket, key, at).changes
    }
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

  /** Counts one event, in the database or, where that cannot be written, in memory. */
  function count(key: string, now: number): void {
    const isCounted = isWritten(() => {
      forgetOldOf(key, now)
      put(key, now)
    })
    if (isCounted) unwritten.remove(key)
    else unwritten.add(key, now)
  }

  return {
    take(key, now) {
      const before = inWindow(key, now)
      if (before.length >= limit) return verdict(before, false, now)
      count(key, now)
      return verdict([now, ...before], true, now)
    },

    look(key, now) {
      const found = inWindow(key, now)
      return verdict(found, found.length < limit, now)
    },

    add: count,

    reset(key) {
      const isForgotten = isWritten(() => {
        rows -= forgetKey.run(bucket, key).changes
      })
      if (isForgotten) unwritten.remove(key)
      else unwritten.forget(key)
    },

    prune(now) {
      const isPruned = isWritten(() => {
        for (const key of unwritten.keys()) writeHeld(key, now)
        forgetAllOld.run(bucket, now - windowMs)
        setAllBack.run(now, bucket, now)
        rows = countRows()
      })
      if (isPruned) for (const key of unwritten.keys()) unwritten.remove(key)
    },
  }
}
