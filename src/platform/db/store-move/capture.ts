import type { Db } from '../open.ts'
import { findMovedTable, MOVED_TABLES } from './plan.ts'

/** A row that has changed, or is gone. */
export interface CapturedRow {
  /** Grows with each change of the row. */
  seq: number
  table: string
  /** Values of the key, as this database has them. */
  key: readonly (string | number)[]
}

export type MoveCapture = ReturnType<typeof createCapture>

const PREFIX = 'moving_'

/**
 * Notes which rows of a store change while it moves. Triggers do so, whoever writes: this program, or a command beside it. They
 * stand in the database as long as a move is under way, also over a kill, and cost nothing when there is none.
 *
 * A row is noted once, with the place of its last change, so what waits is never more than what there is.
 */
export function createCapture(db: Db) {
  const count = db.prepare<[string], number>('SELECT count(*) FROM move_changes WHERE store_id = ?').pluck()
  const take = db.prepare<[string, bigint], { seq: number; table: string; key: string }>(`
    SELECT seq, table_name AS "table", row_key AS key FROM move_changes WHERE store_id = ? ORDER BY seq LIMIT ?`)
  const forget = db.prepare<[string, bigint]>('DELETE FROM move_changes WHERE store_id = ? AND seq <= ?')
  const forgetAll = db.prepare<[string]>('DELETE FROM move_changes WHERE store_id = ?')
  const forgetOthers = db.prepare<[string]>(
    'DELETE FROM move_changes WHERE store_id NOT IN (SELECT value FROM json_each(?))',
  )
  const triggers = db
    .prepare<[{ prefix: string }], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, length(@prefix)) = @prefix",
    )
    .pluck()
  const listTriggers = (prefix: string): string[] => triggers.all({ prefix })

  function end(storeId: string): void {
    for (const name of listTriggers(nameTriggers(storeId))) db.exec(`DROP TRIGGER ${name}`)
    forgetAll.run(storeId)
  }

  return {
    /** Begins to note. Call it in the transaction in which the move begins. */
    begin(storeId: string): void {
      end(storeId)
      for (const trigger of buildTriggers(storeId)) db.exec(trigger)
    },

    /** Ends it and forgets what was noted. Without a capture it does nothing. */
    end,

    isOn: (storeId: string): boolean => listTriggers(nameTriggers(storeId)).length > 0,

    /** How many rows wait. */
    count: (storeId: string): number => count.get(storeId) ?? 0,

    /** The oldest first, each row once. */
    take: (storeId: string, max: number): CapturedRow[] =>
      take.all(storeId, BigInt(max)).map(({ seq, table, key }) => ({ seq, table, key: JSON.parse(key) })),

    /** Drops what was taken; a row that has changed again since stays. */
    forget: (storeId: string, upToSeq: number): void => void forget.run(storeId, BigInt(upToSeq)),

    /** Ends every capture but those of these stores: a program of another version may have left one. */
    endOthers(storeIds: readonly string[]): void {
      const kept = storeIds.map(nameTriggers)
      for (const name of listTriggers(PREFIX))
        if (!kept.some((prefix) => name.startsWith(prefix))) db.exec(`DROP TRIGGER ${name}`)
      forgetOthers.run(JSON.stringify(storeIds))
    },
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The beginning of the names of a store's triggers. @throws Error for an id that is no UUID, as it stands in their text. */
function nameTriggers(storeId: string): string {
  if (!UUID.test(storeId)) throw new Error(`${storeId} is not the id of a store`)
  return `${PREFIX}${storeId.replaceAll('-', '')}_`
}

function buildTriggers(storeId: string): string[] {
  const prefix = nameTriggers(storeId)
  /** @param rows a SELECT of the key's JSON, or nothing where the change is another store's. */
  const note = (table: string, rows: string) => `
    INSERT INTO move_changes (store_id, table_name, row_key, seq)
    SELECT '${storeId}', '${table}', row_key, (SELECT coalesce(max(seq), 0) + 1 FROM move_changes)
    FROM (${rows}) WHERE row_key IS NOT NULL
    ON CONFLICT (store_id, table_name, row_key) DO UPDATE SET seq = excluded.seq;`
  const trigger = (name: string, event: string, when: string, body: string) =>
    `CREATE TRIGGER ${prefix}${name} AFTER ${event} WHEN ${when} BEGIN ${body} END`

  const all: string[] = []
  for (const table of MOVED_TABLES) {
    const { key, bytes = [], capturedColumns } = findMovedTable(table)
    const keyOf = (row: 'NEW' | 'OLD') =>
      `json_array(${key.map((column) => (bytes.includes(column) ? `hex(${row}.${column})` : `${row}.${column}`)).join(', ')})`
    const isOurs = (row: 'NEW' | 'OLD') => buildOwnership(table, row, storeId)
    const update = capturedColumns ? `UPDATE OF ${capturedColumns.join(', ')}` : 'UPDATE'
    const changed = key.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ') || '0'
    all.push(
      trigger(
        `${table}_made`,
        `INSERT ON ${table}`,
        isOurs('NEW'),
        note(table, `SELECT ${keyOf('NEW')} AS row_key`),
      ),
      trigger(
        `${table}_changed`,
        `${update} ON ${table}`,
        isOurs('NEW'),
        note(table, `SELECT ${keyOf('NEW')} AS row_key`) +
          note(table, `SELECT ${keyOf('OLD')} AS row_key WHERE ${changed}`),
      ),
      trigger(
        `${table}_gone`,
        `DELETE ON ${table}`,
        isOurs('OLD'),
        note(table, `SELECT ${keyOf('OLD')} AS row_key`),
      ),
    )
  }
  // A picture travels with its product. A product that is gone has told of itself.
  const productOf = (row: 'NEW' | 'OLD') =>
    note(
      'products',
      `SELECT (SELECT json_array(product_id) FROM products WHERE id = ${row}.product) AS row_key`,
    )
  for (const [event, row] of [
    ['INSERT', 'NEW'],
    ['UPDATE', 'NEW'],
    ['DELETE', 'OLD'],
  ] as const)
    all.push(
      trigger(
        `pictures_${event.toLowerCase()}`,
        `${event} ON pictures`,
        `${row}.store_id = '${storeId}'`,
        productOf(row),
      ),
    )
  // An account travels with its membership.
  const memberOf = (id: string) =>
    note(
      'memberships',
      `SELECT json_array(user_id) AS row_key FROM memberships WHERE store_id = '${storeId}' AND user_id = ${id}`,
    )
  const columns = 'email, name, password_hash, verified_at, password_changed_at'
  all.push(
    trigger('users_changed', `UPDATE OF ${columns} ON users`, '1', memberOf('NEW.id')),
    trigger('two_factor_made', 'INSERT ON two_factor', '1', memberOf('NEW.user_id')),
    trigger(
      'two_factor_changed',
      'UPDATE OF sealed_secret, enabled_at ON two_factor',
      '1',
      memberOf('NEW.user_id'),
    ),
    trigger('two_factor_gone', 'DELETE ON two_factor', '1', memberOf('OLD.user_id')),
  )
  return all
}

/** Tables without a column for the store. */
function buildOwnership(table: string, row: 'NEW' | 'OLD', storeId: string): string {
  if (table === 'stores') return `${row}.id = '${storeId}'`
  if (table === 'user_group_members')
    return `(SELECT store_id FROM user_groups WHERE id = ${row}.group_id) = '${storeId}'`
  return `${row}.store_id = '${storeId}'`
}
