import type { Db } from '../../../../platform/db/open.ts'
import { type Cells, type Kind, PRODUCTS } from './kinds.ts'

export type CounterRow = [item: number, a: number, b: number, c: number, d: number]

/** Some of the counters: those of one kind and day. */
export interface CounterDay {
  storeId: string
  kind: Kind
  day: number
}

export type CounterQueries = ReturnType<typeof counterQueries>

/** All SQL of the counters. No call opens a transaction. */
export function counterQueries(db: Db) {
  const addUp =
    'ON CONFLICT DO UPDATE SET a = a + excluded.a, b = b + excluded.b, c = c + excluded.c, d = d + excluded.d'
  const add = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a, b, c, d) VALUES (@storeId, @kind, @day, @item, @a, @b, @c, @d) ${addUp}`)
  const find = db.prepare<CounterDay & { item: number }, { found: 1 }>(
    'SELECT 1 AS found FROM tallies WHERE store_id = @storeId AND kind = @kind AND day = @day AND item = @item',
  )
  const addOnce = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a) VALUES (@storeId, @kind, @day, @item, 1) ON CONFLICT DO NOTHING`)
  const update = db.prepare(`
    UPDATE tallies SET a = a + @a, b = b + @b, c = c + @c, d = d + @d
    WHERE store_id = @storeId AND kind = @kind AND day = @day AND item = @item`)
  const raise = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a) VALUES (@storeId, @kind, @day, @item, @a)
    ON CONFLICT DO UPDATE SET a = excluded.a WHERE excluded.a > a`)
  // One statement for all results of a search.
  const addImpressions = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a)
    SELECT @storeId, ${PRODUCTS}, @day, number, @a
    FROM json_each(@names) AS shown CROSS JOIN tally_items
      ON store_id = @storeId AND kind = ${PRODUCTS} AND name = shown.value
    WHERE true ON CONFLICT DO UPDATE SET a = a + excluded.a`)
  const countRows = db
    .prepare<CounterDay, number>(
      'SELECT count(*) FROM tallies WHERE store_id = @storeId AND kind = @kind AND day = @day',
    )
    .pluck()
  const rowsAfter = db
    .prepare<CounterDay & { after: number; limit: bigint }, CounterRow>(`
    SELECT item, a, b, c, d FROM tallies
    WHERE store_id = @storeId AND kind = @kind AND day = @day AND item > @after ORDER BY item LIMIT @limit`)
    .raw()
  const nextOpenDay = db
    .prepare<[storeId: string, kind: number, after: number], number | null>(
      'SELECT min(day) FROM tallies WHERE store_id = ? AND kind = ? AND day > ?',
    )
    .pluck()
  const packedDays = db
    .prepare<[storeId: string, kind: number, from: number, to: number], number>(
      'SELECT day FROM tally_packs WHERE store_id = ? AND kind = ? AND day >= ? AND day <= ? ORDER BY day',
    )
    .pluck()
  const findBlock = db
    .prepare<CounterDay, Buffer>(
      'SELECT pack FROM tally_packs WHERE store_id = @storeId AND kind = @kind AND day = @day',
    )
    .pluck()
  const setBlock = db.prepare(`
    INSERT INTO tally_packs (store_id, kind, day, pack) VALUES (@storeId, @kind, @day, @pack)
    ON CONFLICT (store_id, kind, day) DO UPDATE SET pack = excluded.pack`)
  const removeRows = db.prepare(`
    DELETE FROM tallies WHERE store_id = @storeId AND kind = @kind AND day = @day AND item <= @upTo`)
  const renameRow = db.prepare(`
    UPDATE tallies SET item = @to WHERE store_id = @storeId AND kind = @kind AND day = @day AND item = @from`)

  return {
    add: (row: CounterDay & Cells & { item: number }): void => void add.run(row),
    /** Adds to an item that has a row. @returns whether it has. */
    update: (row: CounterDay & Cells & { item: number }): boolean => update.run(row).changes > 0,
    isCounted: (day: CounterDay, item: number): boolean => find.get({ ...day, item }) !== undefined,
    /** Counts an item once. */
    addOnce: (day: CounterDay, item: number): void => void addOnce.run({ ...day, item }),
    /** Raises the first count of an item to `a` if it is lower. */
    raise: (day: CounterDay, item: number, a: number): void => void raise.run({ ...day, item, a }),
    /** Adds to the impressions of the products that have numbers. @returns how many have. */
    addImpressions: (storeId: string, day: number, names: readonly string[], impressions: number): number =>
      addImpressions.run({ storeId, day, a: impressions, names: JSON.stringify(names) }).changes,
    countRows: (day: CounterDay): number => countRows.get(day) ?? 0,

    /** Rows of a day after an item, in order. */
    listRows: (day: CounterDay, after: number, limit: number): CounterRow[] =>
      rowsAfter.all({ ...day, after, limit: BigInt(limit) }),
    /** Days with rows. */
    listOpenDays(storeId: string, kind: Kind, from: number, to: number): number[] {
      const found: number[] = []
      // Seeks, where DISTINCT would read every row.
      for (let after = from - 1; ; ) {
        const day = nextOpenDay.get(storeId, kind, after) ?? Infinity
        if (day > to) return found
        found.push(day)
        after = day
      }
    },
    /** Days with a column block. */
    listPackedDays: (storeId: string, kind: Kind, from: number, to: number): number[] =>
      packedDays.all(storeId, kind, from, to),
    findBlock: (day: CounterDay): Buffer | undefined => findBlock.get(day),
    setBlock: (day: CounterDay, block: Buffer): void => void setBlock.run({ ...day, pack: block }),
    removeRows: (day: CounterDay, upTo: number): number => removeRows.run({ ...day, upTo }).changes,
    /** Moves the counts of one item to a new one. @returns whether the item had any. */
    renameRow: (day: CounterDay, from: number, to: number): boolean =>
      renameRow.run({ ...day, from, to }).changes > 0,
  }
}
