import type { Row } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { createAccountReader, type MoveSecrets } from './account-reading.ts'
import type { CapturedRow } from './capture.ts'
import { createItemReader, type JobContents } from './item-reading.ts'
import { findMovedTable, MOVED_TABLES } from './plan.ts'
import { createProductReader } from './product-reading.ts'
import {
  type Cursor,
  formatDelete,
  formatPut,
  hashLine,
  isDelete,
  type Piece,
  type Sum,
} from './row-format.ts'
import { createRowReader, type RowReader } from './row-reading.ts'
import type { Key } from './rows.ts'

export interface ReaderDeps extends MoveSecrets, JobContents {}

export type MoveReader = ReturnType<typeof createMoveReader>

/** Rows that one step looks at, those of other stores included. */
const WINDOW = 500

/**
 * Reads the rows of a store that moves, a line each: `{t: table, put: row}`, or `{t, del: key}` for one that is gone.
 * Each call is one short look at the database; whatever changes between two calls, the capture has noted.
 */
export function createMoveReader(db: Db, deps: ReaderDeps) {
  const readers = new Map<string, RowReader>()
  const products = createProductReader(db)
  const accounts = createAccountReader(db, deps)
  const items = createItemReader(db, deps)

  function readerOf(table: string): RowReader {
    const known = readers.get(table) ?? createRowReader(db, table)
    readers.set(table, known)
    return known
  }

  /** @returns undefined for a row that cannot travel. */
  function complete(storeId: string, table: string, row: Row, key: Key): Row | undefined {
    if (table === 'memberships') return { ...row, account: accounts.read(String(key[0])) }
    if (table === 'job_items') return items.complete(row, key)
    for (const column of findMovedTable(table).sealed ?? []) {
      const sealed = row[column]
      if (!(sealed instanceof Uint8Array)) continue
      const plain = deps.open(storeId, table, row, sealed)
      // Without it a signing secret is nothing; a feed goes on without its login.
      if (plain === undefined && table === 'signing_secrets') return undefined
      row[column] = plain ?? null
    }
    return row
  }

  function format(storeId: string, table: string, row: Row, key: Key): string | undefined {
    const whole = complete(storeId, table, row, key)
    return whole && formatPut(table, whole)
  }

  function walkRows(storeId: string, table: string, after: Key | null, maxBytes: number): Piece {
    const reader = readerOf(table)
    const end = reader.findEnd(storeId, after, WINDOW)
    const lines: string[] = []
    let bytes = 0
    for (const { row, key } of reader.iterate(storeId, after, end)) {
      const line = format(storeId, table, row, key)
      if (line !== undefined) {
        lines.push(line)
        bytes += line.length
      }
      // The statement ends here, and the next step goes on behind this row.
      if (bytes >= maxBytes) return { lines, next: [table, key] }
    }
    return { lines, next: end && [table, end] }
  }

  function readOne(storeId: string, { table, key }: Pick<CapturedRow, 'table' | 'key'>): string | undefined {
    if (table === 'products') {
      const productId = String(key[0])
      return products.readByName(storeId, productId) ?? formatDelete(table, { product_id: productId })
    }
    const reader = readerOf(table)
    const found = reader.find(storeId, key)
    if (found) return format(storeId, table, found.row, found.key)
    const name = reader.translate(storeId, key)
    return name && formatDelete(table, name)
  }

  const pictureFiles = db
    .prepare<[string, Buffer, bigint], Buffer>(`
      SELECT content_hash FROM kept_pictures WHERE store_id = ? AND content_hash > ? ORDER BY content_hash LIMIT ?`)
    .pluck()

  return {
    /**
     * Reads on. Rows come in the order of the tables; products in the order in which they were made, which decides between
     * equal scores.
     *
     * @param after where the last call ended.
     * @param maxBytes is passed by one row at most.
     * @param tables only these.
     */
    walk(
      storeId: string,
      after: Cursor | undefined,
      maxBytes: number,
      tables: readonly string[] = MOVED_TABLES,
    ): Piece {
      const ordered = MOVED_TABLES.filter((table) => tables.includes(table))
      const table = after?.[0] ?? ordered[0]
      if (table === undefined) return { lines: [], next: undefined }
      const place = after?.[1] ?? null
      const piece =
        table === 'products'
          ? products.walk(storeId, place, maxBytes)
          : walkRows(storeId, table, place, maxBytes)
      if (piece.next) return piece
      const following = ordered[ordered.indexOf(table) + 1]
      return { lines: piece.lines, next: following === undefined ? undefined : [following, null] }
    },

    /** Drops what an unfinished walk has left in memory. */
    forget: products.forget,

    /**
     * Rows that have changed, as they are now: those to write in the order of the tables, new products in the order in which they
     * were made, then those that are gone.
     */
    readCaptured(storeId: string, rows: readonly CapturedRow[]): string[] {
      const sorted = sortCaptured(rows, (productId) => products.findId(storeId, productId))
      const lines = (isWanted: (table: string) => boolean) =>
        sorted
          .filter(({ table }) => isWanted(table))
          .map((row) => readOne(storeId, row))
          .filter((line) => line !== undefined)
      const isLast = (table: string) => findMovedTable(table).isLast === true
      const first = lines((table) => !isLast(table))
      const gone = first.filter(isDelete)
      return [...first.filter((line) => !isDelete(line)), ...gone.reverse(), ...lines(isLast)]
    },

    /** Content hashes of kept files in hex, in their order. */
    listPictureFiles: (storeId: string, after: string | undefined, max: number): string[] =>
      pictureFiles
        .all(storeId, Buffer.from(after ?? '', 'hex'), BigInt(max))
        .map((hash) => Buffer.from(hash).toString('hex')),

    /** Content hashes of the kept files that lines name. */
    picturesOf: (lines: readonly string[]): string[] =>
      lines
        .filter((line) => line.startsWith('{"t":"kept_pictures","put"'))
        .map((line) => {
          const { put } = JSON.parse(line) as { put: { content_hash: { base64: string } } }
          return Buffer.from(put.content_hash.base64, 'base64').toString('hex')
        }),

    /** For the digest: rows of a table from behind one key to another, as the two sides must have them alike. */
    *sums(storeId: string, table: string, after: Key | null, end: Key | undefined): Generator<Sum> {
      if (table === 'products') yield* products.sums(storeId, after, end)
      else
        for (const { row, key } of readerOf(table).iterate(storeId, after, end)) {
          const { account: _, ...shown } = (complete(storeId, table, row, key) ?? row) as Row & {
            account?: unknown
          }
          yield { key, sum: hashLine(formatPut(table, shown as Row)) }
        }
    },

    /** Where a step over so many rows ends; undefined at the end of the table. */
    findEnd: (storeId: string, table: string, after: Key | null, rows: number): Key | undefined =>
      table === 'products'
        ? products.findEnd(storeId, after, rows)
        : readerOf(table).findEnd(storeId, after, rows),
  }
}

/** In the order of the tables, and products in the order in which they were made. What does not travel is left out. */
function sortCaptured(
  rows: readonly CapturedRow[],
  findId: (productId: string) => number | undefined,
): CapturedRow[] {
  const placed = rows.flatMap((row) => {
    const table = MOVED_TABLES.indexOf(row.table)
    const made = row.table === 'products' ? findId(String(row.key[0])) : undefined
    return table < 0 ? [] : { row, table, made: made ?? 0 }
  })
  return placed.sort((a, b) => a.table - b.table || a.made - b.made).map(({ row }) => row)
}
