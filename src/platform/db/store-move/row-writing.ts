import { malformed, type Row } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { findMovedTable } from './plan.ts'
import { INTEGER_MAX, listTypes } from './row-values.ts'
import { shapeOf } from './rows.ts'

/** What only the target can do with a row. */
export interface WriterHooks {
  /** Checks a row as the API would check what it says. @throws UnreadableFile */
  check(table: string, row: Row): void
  /** Seals a plain text for a column of this database. */
  seal(table: string, row: Row, plain: string): Uint8Array
  sealFactor(userId: string, secret: string): Uint8Array
  newId(): string
}

export type RowWriter = ReturnType<typeof createRowWriter>

/** Writes rows of a table over those of the same key, and only over rows of the store. */
export function createRowWriter(db: Db, storeId: string, table: string, hooks: WriterHooks) {
  const plan = findMovedTable(table)
  const shape = shapeOf(db, table)
  const types = listTypes(db, table)
  const hasStore = types.has('store_id')
  const columns = shape.columns
  const value = (column: string) => plan.in?.[column] ?? `@${column}`
  const scoped = buildScope(table)
  const all = hasStore ? ['store_id', ...columns] : [...columns]
  const values = all.map((column) => (column === 'store_id' ? '@store_id' : value(column)))
  const changed = columns.filter((column) => !plan.unique.includes(column))
  const update =
    changed.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE ${scoped}`
  const key = shape.key.map((column) => `${column} = ${value(column)}`)
  const statements = buildStatements()
  const removal = db.prepare<[Row]>(`DELETE FROM ${table} WHERE ${[...key, scoped].join(' AND ')}`)
  const exists = db
    .prepare<[Row], number>(`SELECT 1 FROM ${table} WHERE ${[...key, scoped].join(' AND ')}`)
    .pluck()

  function buildStatements() {
    if (table === 'stores') {
      const set = changed.map((column) => `${column} = @${column}`).join(', ')
      return [db.prepare<[Row]>(`UPDATE stores SET ${set} WHERE id = @store_id AND id = @id`)]
    }
    const insert = `INSERT INTO ${table} (${all.join(', ')}) SELECT ${values.join(', ')}`
    if (!plan.isAppendOnly)
      return [db.prepare<[Row]>(`${insert} WHERE true ON CONFLICT (${plan.unique.join(', ')}) DO ${update}`)]
    // A trigger refuses to write it over. What an address was taken out of follows.
    return [
      db.prepare<[Row]>(`${insert} WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key.join(' AND ')})`),
      db.prepare<[Row]>(
        `UPDATE ${table} SET details = @details WHERE details IS NOT @details AND ${[...key, scoped].join(' AND ')}`,
      ),
    ]
  }

  function bind(row: Row): Row {
    const bound: Row = { store_id: storeId }
    for (const [name, given] of Object.entries(row)) {
      if (!columns.includes(name)) throw malformed(`${table} has no column ${name.slice(0, 64)} that travels`)
      const type = types.get(name)
      if (type === 'INTEGER' && typeof given === 'number') {
        if (!Number.isInteger(given) || Math.abs(given) > INTEGER_MAX)
          throw malformed(`a number in a row of ${table} is too large`)
        bound[name] = BigInt(given) as unknown as number
      } else bound[name] = given
    }
    return bound
  }

  return {
    put(row: Row): void {
      if (Object.keys(row).length !== columns.length) throw malformed(`a row of ${table} lacks columns`)
      const bound = bind(row)
      for (const column of plan.sealed ?? []) {
        const plain = row[column]
        if (typeof plain === 'string') bound[column] = hooks.seal(table, row, plain)
        else if (plain !== null) throw malformed(`a row of ${table} is sealed`)
      }
      let changes = 0
      for (const statement of statements) changes += statement.run(bound).changes
      // Nothing was written: the same row was there, or it is another store's.
      if (changes === 0 && exists.get(bound) === undefined)
        throw malformed(`a row of ${table} belongs to another store`)
    },

    /** A row that is not there is gone already. */
    remove(name: Row): void {
      if (table === 'stores') throw malformed('the store itself cannot go')
      if (Object.keys(name).length !== shape.key.length || shape.key.some((column) => !(column in name)))
        throw malformed(`a row of ${table} is not named`)
      if (plan.isAppendOnly) return
      removal.run(bind(name))
    },
  }
}

/** Whether a row is of the store that arrives. */
function buildScope(table: string): string {
  if (table === 'stores') return 'stores.id = @store_id'
  if (table === 'user_group_members')
    return 'user_group_members.group_id IN (SELECT id FROM user_groups WHERE store_id = @store_id)'
  return `${table}.store_id = @store_id`
}
