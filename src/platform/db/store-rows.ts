import { listVectorTables } from './models.ts'
import type { Db } from './open.ts'
import { TABLES } from './tables.ts'

/** The rows that a store has in all tables, as `tables.ts` declares them. */
export interface StoreRows {
  /** Tables with rows of stores, those first whose rows others do not need. The row of the store itself is not among them. */
  tables: readonly string[]
  /**
   * Deletes some rows of a store from a table; of vectors at most 64.
   *
   * @returns how many; 0 when none is left.
   */
  removeSome(table: string, storeId: string, limit: number): number
  /** Deletes what lets people and programs in. Call it in a transaction. */
  removeCredentials(storeId: string): void
}

/** What lets people and programs into a store: a few hundred rows at most, so that they go in one step. */
const CREDENTIAL_TABLES = ['public_keys', 'api_keys', 'memberships']
const CREDENTIALS_STEP = 1_000

/** Left to the sweeper, which deletes each row with its file. */
const SWEPT = ['released_pictures']

/** The tables with rows of stores. Each stands behind those that its rows need, so the order is turned round. */
const ERASED = Object.entries(TABLES)
  .filter(([name, { rows }]) => typeof rows !== 'string' && name !== 'stores' && !SWEPT.includes(name))
  .map(([name]) => name)
  .reverse()

type Remove = (storeId: string, limit: number) => number

export function createStoreRows(db: Db): StoreRows {
  const prepared = new Map<string, Remove>()

  function removeVectors(storeId: string): number {
    let removed = 0
    for (const table of listVectorTables(db)) removed ||= table.removeSome(storeId)
    return removed
  }

  function prepare(table: string): Remove {
    if (table === 'vectors') return removeVectors
    const remove = db.prepare(`DELETE FROM ${table} WHERE ${buildCondition(db, table)}`)
    return (storeId, limit) => remove.run({ storeId, limit: BigInt(limit) }).changes
  }

  function removeSome(table: string, storeId: string, limit: number): number {
    const remove = prepared.get(table) ?? prepare(table)
    prepared.set(table, remove)
    return remove(storeId, limit)
  }

  return {
    tables: ERASED,
    removeSome,
    removeCredentials(storeId) {
      for (const table of CREDENTIAL_TABLES) while (removeSome(table, storeId, CREDENTIALS_STEP) > 0);
    },
  }
}

/** Chooses at most `@limit` rows of `@storeId` by their key. */
function buildCondition(db: Db, table: string): string {
  const key = listKey(db, table)
  const chosen = `SELECT ${key} FROM ${table} WHERE ${buildOwnership(db, table)} LIMIT @limit`
  return `(${key}) IN (${chosen})`
}

/** Whether a row belongs to `@storeId`. */
export function buildOwnership(db: Db, table: string): string {
  const { rows } = TABLES[table] ?? {}
  if (rows === undefined || typeof rows === 'string') throw new Error(`${table} holds no rows of stores`)
  const { column, through } = rows
  if (through === undefined) return `${column} = @storeId`
  return `${column} IN (SELECT ${listKey(db, through)} FROM ${through} WHERE ${buildOwnership(db, through)})`
}

const listKey = (db: Db, table: string): string =>
  db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table)
    .join(', ')
