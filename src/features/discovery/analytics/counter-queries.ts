import type { Db } from '../../../platform/db/open.ts'

/** What counters count; the numbers stand in the database. */
export const QUERIES = 1
export const PRODUCTS = 2
export const SESSIONS = 3
export const REGISTERS = 4
export const DURATIONS = 5
export const KINDS = [QUERIES, PRODUCTS, SESSIONS, REGISTERS, DURATIONS] as const
export type Kind = (typeof KINDS)[number]

/** What is counted of one item; each kind gives its measures a meaning of its own. */
export interface Measures {
  a?: number
  b?: number
  c?: number
  d?: number
}

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
  const addNew = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a) VALUES (@storeId, @kind, @day, @item, @a) ON CONFLICT DO NOTHING`)
  const update = db.prepare(`
    UPDATE tallies SET a = a + @a, b = b + @b, c = c + @c, d = d + @d
    WHERE store_id = @storeId AND kind = @kind AND day = @day AND item = @item`)
  const raise = db.prepare(`
    INSERT INTO tallies (store_id, kind, day, item, a) VALUES (@storeId, @kind, @day, @item, @a)
    ON CONFLICT DO UPDATE SET a = excluded.a WHERE excluded.a > a`)
  // One statement for all results of a search.
  const addShown = db.prepare(`
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
    /** Adds to an item of a day. */
    add: ({ a = 0, b = 0, c = 0, d = 0, ...item }: CounterDay & { item: number } & Measures): void =>
      void add.run({ a, b, c, d, ...item }),
    /** Adds to an item that is counted already. @returns whether it is. */
    update: ({ a = 0, b = 0, c = 0, d = 0, ...item }: CounterDay & { item: number } & Measures): boolean =>
      update.run({ a, b, c, d, ...item }).changes > 0,
    /** Adds an item once. @returns whether it is new. */
    addNew: (item: CounterDay & { item: number; a: number }): boolean => addNew.run(item).changes > 0,
    /** Sets `a` to the greater of what it is and what is given. */
    raise: (item: CounterDay & { item: number; a: number }): void => void raise.run(item),
    /** Adds to `a` of products that have numbers. @returns how many have. */
    addShown: (storeId: string, day: number, names: readonly string[], a: number): number =>
      addShown.run({ storeId, day, a, names: JSON.stringify(names) }).changes,
    countRows: (day: CounterDay): number => countRows.get(day) ?? 0,

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
    /** Counts what one item has counted as another, new one. @returns whether there was anything. */
    renameRow: (day: CounterDay, from: number, to: number): boolean =>
      renameRow.run({ ...day, from, to }).changes > 0,
    /** Keeps the names of some numbers for as long as the day is kept. */
    touchItems: ({ storeId, kind, day }: CounterDay, items: readonly number[]): void =>
      void touchItems.run({ storeId, kind, day, items: JSON.stringify(items) }),
  }
}
