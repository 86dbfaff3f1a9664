import { malformed, type Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'

/** The last moment that a date can be; larger numbers are not exact. */
export const INTEGER_MAX = 8.64e15

/** A whole number as SQLite takes it. */
export const whole = (value: number): number => BigInt(value) as unknown as number

/** @throws UnreadableFile for what no column holds. */
export function readValue(value: unknown): Value {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const { base64 } = (value ?? {}) as { base64?: unknown }
  if (typeof value === 'object' && typeof base64 === 'string') return Buffer.from(base64, 'base64')
  throw malformed()
}

interface Column {
  name: string
  type: string
}

/** The declared types of a table's columns. */
export const listTypes = (db: Db, table: string): Map<string, string> =>
  new Map(
    db
      .prepare<[string], Column>('SELECT name, type FROM pragma_table_info(?)')
      .all(table)
      .map(({ name, type }) => [name, type]),
  )
