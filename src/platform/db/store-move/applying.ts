import { malformed, type Row } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { createAccountWriter } from './account-writing.ts'
import { MOVED_TABLES } from './plan.ts'
import { createProductWriter } from './product-writing.ts'
import { readValue } from './row-values.ts'
import { createRowWriter, type RowWriter, type WriterHooks } from './row-writing.ts'

/** What a batch has changed. */
export interface Applied {
  rows: number
  /** Products that were written. */
  written: Set<string>
  /** Products that are gone. */
  gone: Set<string>
  /** Pictures that are gone, by their ids here. */
  dropped: number[]
}

export type MoveWriter = ReturnType<typeof createMoveWriter>

const LINE_CHARS_MAX = 32 * 1024 * 1024

/**
 * Writes the rows of a store that is arriving, under the id that it has everywhere. Each line may come again: what is there
 * already is written over. Whoever sends them may want to harm other stores here, so a row only ever touches rows of this store.
 */
export function createMoveWriter(db: Db, storeId: string, hooks: WriterHooks) {
  const writers = new Map<string, RowWriter>()
  const products = createProductWriter(db, storeId)
  const accounts = createAccountWriter(db, storeId, hooks)

  function writerOf(table: string): RowWriter {
    const known = writers.get(table) ?? createRowWriter(db, storeId, table, hooks)
    writers.set(table, known)
    return known
  }

  function put(table: string, row: Row, applied: Applied): void {
    const { pictures, account, ...rest } = row as Row & { pictures?: unknown; account?: unknown }
    if ((pictures === undefined) === (table === 'products')) throw malformed('a product without pictures')
    if ((account === undefined) === (table === 'memberships')) throw malformed('a member without an account')
    hooks.check(table, rest)
    if (table === 'memberships') accounts.put(rest, account)
    const productId = String(rest['product_id'])
    if (table === 'products' && products.isRemade(productId, rest['vector_id'] ?? null))
      remove(table, { product_id: productId }, applied)
    writerOf(table).put(rest)
    if (table !== 'products') return
    products.putPictures(productId, pictures, applied.dropped)
    applied.written.add(productId)
    applied.gone.delete(productId)
  }

  function remove(table: string, key: Row, applied: Applied): void {
    if (table === 'products') {
      const productId = String(key['product_id'])
      products.removeVectors(productId, applied.dropped)
      applied.written.delete(productId)
      applied.gone.add(productId)
    }
    writerOf(table).remove(key)
  }

  function applyLine(text: string, applied: Applied): void {
    const { t: table, put: row, del: key } = readLine(text)
    try {
      if (row) put(table, row, applied)
      else if (key) remove(table, key, applied)
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)) throw error
      throw malformed(`a row of ${table} does not fit into its table (${(error as Error).message})`)
    }
    applied.rows++
  }

  return {
    /** Deletes the accounts that came with the store, which never opens. Call it in a transaction. */
    dropPeople: accounts.drop,

    /**
     * Writes lines in their order. Call it in a transaction, which its errors must roll back.
     *
     * @throws UnreadableFile for a line that no source writes, or that would touch what is not this store's.
     */
    apply(lines: readonly string[]): Applied {
      const applied: Applied = { rows: 0, written: new Set(), gone: new Set(), dropped: [] }
      for (const line of lines) applyLine(line, applied)
      return applied
    },

    /** Forgets which accounts came with the store: from now on they are accounts like all others here. */
    settle: accounts.settle,
  }
}

interface Line {
  t: string
  put?: Row | undefined
  del?: Row | undefined
}

function readLine(text: string): Line {
  if (text.length > LINE_CHARS_MAX) throw malformed('a line is too long')
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw malformed('a line is no JSON')
  }
  const { t, put, del, ...more } = (read ?? {}) as Record<string, unknown>
  if (typeof t !== 'string' || !MOVED_TABLES.includes(t) || Object.keys(more).length > 0)
    throw malformed('a line names a table that does not travel')
  if ((put === undefined) === (del === undefined)) throw malformed()
  return {
    t,
    put: put === undefined ? undefined : readRow(put),
    del: del === undefined ? undefined : readRow(del),
  }
}

function readRow(value: unknown): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed()
  const row: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value)) row[name] = name === 'pictures' ? of : readValue(of)
  return row as Row
}
