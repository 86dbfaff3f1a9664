import type { Db } from '../../../platform/db/open.ts'
import type { OwnSettings } from './schema.ts'

export type SettingsQueries = ReturnType<typeof settingsQueries>

/** All SQL about the settings of stores. */
export function settingsQueries(db: Db) {
  const one = db.prepare<[storeId: string], { settings: string }>(
    'SELECT settings FROM store_settings WHERE store_id = ?',
  )
  const upsert = db.prepare(`
    INSERT INTO store_settings (store_id, settings, updated_at) VALUES (@storeId, @settings, @now)
    ON CONFLICT (store_id) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`)

  return {
    /** Reads the settings of a store, without those that it never set. */
    find: (storeId: string): Partial<OwnSettings> => JSON.parse(one.get(storeId)?.settings ?? '{}'),
    /** @param now Unix ms. */
    save: (storeId: string, settings: Partial<OwnSettings>, now: number): void =>
      void upsert.run({ storeId, settings: JSON.stringify(settings), now: BigInt(now) }),
  }
}
