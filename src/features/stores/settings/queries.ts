import type { Db } from '../../../platform/db/open.ts'
import type { OwnSettings } from './schema.ts'

/** A time zone, which holds for the moments after one in Unix ms. */
interface ZoneRow {
  after: number
  timeZone: string
}

export type SettingsQueries = ReturnType<typeof settingsQueries>

/** All SQL about the settings of stores. */
export function settingsQueries(db: Db) {
  const one = db.prepare<[storeId: string], { settings: string }>(
    'SELECT settings FROM store_settings WHERE store_id = ?',
  )
  const upsert = db.prepare(`
    INSERT INTO store_settings (store_id, settings, updated_at) VALUES (@storeId, @settings, @now)
    ON CONFLICT (store_id) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`)

  const zones = db.prepare<[storeId: string], ZoneRow>(
    'SELECT after, time_zone AS timeZone FROM store_time_zones WHERE store_id = ? ORDER BY after DESC',
  )
  const addZone = db.prepare(`
    INSERT INTO store_time_zones (store_id, after, time_zone) VALUES (@storeId, @after, @timeZone)
    ON CONFLICT DO UPDATE SET time_zone = excluded.time_zone`)
  // The one that held at the moment stays.
  const removeZones = db.prepare(`
    DELETE FROM store_time_zones WHERE store_id = @storeId
      AND after < (SELECT max(after) FROM store_time_zones WHERE store_id = @storeId AND after < @before)`)

  return {
    /** The time zones that the store has had, newest first. */
    listZones: (storeId: string): ZoneRow[] => zones.all(storeId),
    addZone: (storeId: string, after: number, timeZone: string): void =>
      void addZone.run({ storeId, after: BigInt(after), timeZone }),
    /** Forgets the zones that no moment from one on needs. */
    removeZones: (storeId: string, before: number): void =>
      void removeZones.run({ storeId, before: BigInt(before) }),

    /** Reads the settings of a store, without those that it never set. */
    find: (storeId: string): Partial<OwnSettings> => JSON.parse(one.get(storeId)?.settings ?? '{}'),
    /** @param now Unix ms. */
    save: (storeId: string, settings: Partial<OwnSettings>, now: number): void =>
      void upsert.run({ storeId, settings: JSON.stringify(settings), now: BigInt(now) }),
  }
}
