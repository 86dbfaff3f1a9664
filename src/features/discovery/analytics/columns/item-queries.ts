import type { Db } from '../../../../platform/db/open.ts'
import type { CounterDay } from './counter-queries.ts'
import type { Kind } from './kinds.ts'

export type ItemQueries = ReturnType<typeof itemQueries>

/** All SQL of the items that have names: counters know them by small numbers. No call opens a transaction. */
export function itemQueries(db: Db) {
  const findNumber = db
    .prepare<[storeId: string, kind: number, name: string], number>(
      'SELECT number FROM tally_items WHERE store_id = ? AND kind = ? AND name = ?',
    )
    .pluck()
  const findFree = db
    .prepare<[storeId: string, kind: number], number>(
      'SELECT number FROM tally_items WHERE store_id = ? AND kind = ? AND name IS NULL LIMIT 1',
    )
    .pluck()
  const countNumbers = db
    .prepare<[storeId: string, kind: number], number | null>(
      'SELECT max(number) + 1 FROM tally_items WHERE store_id = ? AND kind = ?',
    )
    .pluck()
  const setItem = db.prepare(`
    INSERT INTO tally_items (store_id, kind, number, name, last_day) VALUES (@storeId, @kind, @number, @name, @day)
    ON CONFLICT (store_id, kind, number) DO UPDATE SET name = excluded.name, last_day = excluded.last_day`)
  const touchItems = db.prepare(`
    UPDATE tally_items SET last_day = max(last_day, @day)
    WHERE store_id = @storeId AND kind = @kind AND number IN (SELECT value FROM json_each(@items))`)
  const names = db.prepare<
    { storeId: string; kind: number; items: string },
    { number: number; name: string }
  >(`
    SELECT number, name FROM json_each(@items) CROSS JOIN tally_items
      ON store_id = @storeId AND kind = @kind AND number = value WHERE name IS NOT NULL`)
  const namesFrom = db.prepare<
    { storeId: string; kind: number; from: string; to: string; limit: bigint },
    { number: number; name: string }
  >(`
    SELECT number, name FROM tally_items
    WHERE store_id = @storeId AND kind = @kind AND name > @from AND name < @to ORDER BY name LIMIT @limit`)

  return {
    findNumber: (storeId: string, kind: Kind, name: string): number | undefined =>
      findNumber.get(storeId, kind, name),
    /** Gives a name a number. */
    addItem(storeId: string, kind: Kind, name: string, day: number): number {
      const number = findFree.get(storeId, kind) ?? countNumbers.get(storeId, kind) ?? 0
      setItem.run({ storeId, kind, number, name, day })
      return number
    },
    /** Numbers of a kind that were ever given, which are all below this. */
    countNumbers: (storeId: string, kind: Kind): number => countNumbers.get(storeId, kind) ?? 0,
    /** The names of some numbers. */
    findNames: (storeId: string, kind: Kind, numbers: readonly number[]): Map<number, string> =>
      new Map(
        names
          .all({ storeId, kind, items: JSON.stringify(numbers) })
          .map(({ number, name }) => [number, name]),
      ),
    /** Names after one and before another, in order. */
    listNames: (storeId: string, kind: Kind, from: string, to: string, limit: number) =>
      namesFrom.all({ storeId, kind, from, to, limit: BigInt(limit) }),
    /** Keeps the names of some numbers for as long as the day is kept. */
    touchItems: ({ storeId, kind, day }: CounterDay, items: readonly number[]): void =>
      void touchItems.run({ storeId, kind, day, items: JSON.stringify(items) }),
  }
}
