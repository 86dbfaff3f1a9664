import type { Db } from '../../../platform/db/open.ts'

export type WeeklyMailQueries = ReturnType<typeof weeklyMailQueries>

/** All SQL of the weekly mail. */
export function weeklyMailQueries(db: Db) {
  const mondays = db
    .prepare<[], [storeId: string, monday: number]>('SELECT store_id, monday FROM weekly_mails')
    .raw()
  const note = db.prepare<{ storeId: string; monday: number }>(`
    INSERT INTO weekly_mails (store_id, monday) VALUES (@storeId, @monday)
    ON CONFLICT (store_id) DO UPDATE SET monday = excluded.monday`)
  const leavers = db
    .prepare<[storeId: string], string>('SELECT user_id FROM weekly_mail_leavers WHERE store_id = ?')
    .pluck()
  // A link may outlive its store and its person.
  const leave = db.prepare<{ storeId: string; userId: string; now: number }>(`
    INSERT INTO weekly_mail_leavers (store_id, user_id, left_at)
    SELECT stores.id, users.id, @now FROM stores, users WHERE stores.id = @storeId AND users.id = @userId
    ON CONFLICT DO NOTHING`)
  const rejoin = db.prepare<{ storeId: string; userId: string }>(
    'DELETE FROM weekly_mail_leavers WHERE store_id = @storeId AND user_id = @userId',
  )

  return {
    /** The Monday on which each store was last looked at, by its id. */
    listMondays: (): Map<string, number> => new Map(mondays.all()),
    note: (storeId: string, monday: number): void => void note.run({ storeId, monday }),
    listLeavers: (storeId: string): Set<string> => new Set(leavers.all(storeId)),
    leave: (storeId: string, userId: string, now: number): void => void leave.run({ storeId, userId, now }),
    rejoin: (storeId: string, userId: string): void => void rejoin.run({ storeId, userId }),
  }
}
