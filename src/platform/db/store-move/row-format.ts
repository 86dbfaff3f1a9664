import { createHash } from 'node:crypto'
import type { Row } from '../../../core/row-lines.ts'
import { type Key, toJson } from './rows.ts'

/** Where a walk goes on; it goes into JSON. */
export type Cursor = [table: string, after: Key | null]

export interface Piece {
  lines: string[]
  /** undefined at the end. */
  next: Cursor | undefined
}

/** A row, and its part of the sum. */
export interface Sum {
  key: Key
  sum: bigint
}

export function hashLine(line: string): bigint {
  const hash = createHash('sha256').update(line).digest()
  return (hash.readBigUInt64LE(0) << 64n) | hash.readBigUInt64LE(8)
}

export const formatPut = (table: string, row: Row): string =>
  JSON.stringify({
    t: table,
    put: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)])),
  })

export const formatDelete = (table: string, key: Row): string => JSON.stringify({ t: table, del: key })
export const isDelete = (line: string): boolean => /^\{"t":"\w{1,64}","del":/.test(line)
