import type { Db } from '../../../platform/db/open.ts'
import { KINDS } from './columns/kinds.ts'

export type PruneQueries = ReturnType<typeof pruneQueries>

/** All SQL that deletes counts. */
export function pruneQueries(db: Db) {
  const stores = db.prepare<[], string>('SELECT id FROM stores ORDER BY id').pluck()
  const some = '@storeId AND day < @before LIMIT @limit'
  const removeSearches = [
    db.prepare(`
      DELETE FROM engaged_searches WHERE search_id IN
        (SELECT search_id FROM engaged_searches WHERE store_id = ${some})`),
    db.prepare(`
      DELETE FROM burst_searches WHERE search_id IN (SELECT search_id FROM burst_searches WHERE store_id = ${some})`),
  ]
  const oldest = (table: string, narrower = '') =>
    db.prepare<[string], number | null>(`SELECT min(day) FROM ${table} WHERE store_id = ?${narrower}`).pluck()
  const ofDay = 'store_id = @storeId AND day = @day'
  const removeDays = [
    { oldest: oldest('search_days'), run: db.prepare(`DELETE FROM search_days WHERE ${ofDay}`) },
    { oldest: oldest('click_positions'), run: db.prepare(`DELETE FROM click_positions WHERE ${ofDay}`) },
    { oldest: oldest('event_days'), run: db.prepare(`DELETE FROM event_days WHERE ${ofDay}`) },
    { oldest: oldest('revenue_days'), run: db.prepare(`DELETE FROM revenue_days WHERE ${ofDay}`) },
    { oldest: oldest('product_revenue'), run: db.prepare(`DELETE FROM product_revenue WHERE ${ofDay}`) },
    { oldest: oldest('widget_page_days'), run: db.prepare(`DELETE FROM widget_page_days WHERE ${ofDay}`) },
    ...KINDS.flatMap((kind) => {
      const ofKind = ` AND kind = ${kind}`
      return [
        { oldest: oldest('tallies', ofKind), run: db.prepare(`DELETE FROM tallies WHERE ${ofDay}${ofKind}`) },
        {
          oldest: oldest('tally_packs', ofKind),
          run: db.prepare(`DELETE FROM tally_packs WHERE ${ofDay}${ofKind}`),
        },
      ]
    }),
  ]
  const removeSources = db.prepare(`
    DELETE FROM widget_pages WHERE store_id = @storeId
      AND id NOT IN (SELECT page FROM widget_page_days WHERE store_id = @storeId)`)
  const freeItems = db.prepare(`
    UPDATE tally_items SET name = NULL WHERE store_id = @storeId AND kind = @kind AND number > @after
      AND number <= @upTo AND name IS NOT NULL AND last_day < @before
      AND NOT EXISTS (SELECT 1 FROM json_each(@openDays) CROSS JOIN tallies
        ON store_id = @storeId AND kind = @kind AND day = value AND item = number)`)

  return {
    listStores: (): string[] => stores.all(),
    /** Deletes the oldest day of every table. @returns whether one was before the given day. */
    removeOldestDay(storeId: string, before: number): boolean {
      let isAny = false
      for (const { oldest: find, run } of removeDays) {
        const day = find.get(storeId) ?? before
        if (day >= before) continue
        run.run({ storeId, day })
        isAny = true
      }
      return isAny
    },
    /** Deletes the rows about old single searches. @returns how many. */
    removeSearches: (storeId: string, before: number, limit: number): number =>
      removeSearches.reduce(
        (sum, statement) => sum + statement.run({ storeId, before, limit: BigInt(limit) }).changes,
        0,
      ),
    /** Deletes search sources that no kept day counts. */
    removeSources: (storeId: string): void => void removeSources.run({ storeId }),
    /** Frees the numbers of names that no kept day counts. @param openDays days whose rows are in no block yet. */
    freeItems: (range: {
      storeId: string
      kind: number
      after: number
      upTo: number
      before: number
      openDays: readonly number[]
    }): void => void freeItems.run({ ...range, openDays: JSON.stringify(range.openDays) }),
  }
}
