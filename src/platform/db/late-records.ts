import type { Db } from './open.ts'

/** What a restart needs to do a write again. */
export interface LateRecord {
  number: number
  storeId: string
  kind: string
  /** JSON. */
  record: string
}

export type LateRecords = ReturnType<typeof createLateRecords>

/** All SQL of the records of late writes. No call opens a transaction. */
export function createLateRecords(db: Db) {
  const insert = db.prepare('INSERT INTO late_writes (store_id, kind, record) VALUES (?, ?, ?)')
  const removeTo = db.prepare('DELETE FROM late_writes WHERE number <= ?')
  const list = db.prepare<[], LateRecord>(
    'SELECT number, store_id AS storeId, kind, record FROM late_writes ORDER BY number',
  )
  const present = db
    .prepare<[ids: string], string>('SELECT id FROM stores WHERE id IN (SELECT value FROM json_each(?))')
    .pluck()

  return {
    /** @returns the number of the record. */
    add: (storeId: string, kind: string, record: object): number =>
      Number(insert.run(storeId, kind, JSON.stringify(record)).lastInsertRowid),
    /** Deletes the records up to one of them. */
    removeTo: (number: number): void => void removeTo.run(BigInt(number)),
    list: (): LateRecord[] => list.all(),
    /** Those of some stores that exist. */
    findStores: (ids: Iterable<string>): Set<string> => new Set(present.all(JSON.stringify([...ids]))),
  }
}
