import type { Db } from '../../../platform/db/open.ts'

export type SignInAddressQueries = ReturnType<typeof signInAddressQueries>

/** All SQL about the network addresses that people signed in from. */
export function signInAddressQueries(db: Db) {
  const find = db.prepare<[userId: string, address: string, since: number], { found: 1 }>(
    'SELECT 1 AS found FROM sign_in_addresses WHERE user_id = ? AND address = ? AND last_at > ?',
  )
  const put = db.prepare(`
    INSERT INTO sign_in_addresses (user_id, address, last_at) VALUES (?, ?, ?)
    ON CONFLICT (user_id, address) DO UPDATE SET last_at = excluded.last_at`)
  const dropOldest = db.prepare(`
    DELETE FROM sign_in_addresses WHERE user_id = @userId AND address NOT IN
      (SELECT address FROM sign_in_addresses WHERE user_id = @userId
       ORDER BY address = @address DESC, last_at DESC LIMIT @keep)`)
  const setBack = db.prepare('UPDATE sign_in_addresses SET last_at = @now WHERE last_at > @now')
  const prune = db.prepare('DELETE FROM sign_in_addresses WHERE last_at <= ?')

  return {
    /** Whether a person signed in from an address after `since`. */
    isKnown: (userId: string, address: string, since: number): boolean =>
      find.get(userId, address, since) !== undefined,
    /** Remembers a sign-in. Beyond `keep` addresses, deletes the least recently used. Call it in a transaction. */
    remember(userId: string, address: string, now: number, keep: number): void {
      put.run(userId, address, BigInt(now))
      dropOldest.run({ userId, address, keep: BigInt(keep) })
    },
    /**
     * Deletes sign-ins up to `until`. After a clock was set back, moves sign-ins in the future to now. Call it in a
     * transaction.
     */
    prune(until: number, now: number): void {
      prune.run(BigInt(until))
      setBack.run({ now: BigInt(now) })
    },
  }
}
