import { randomUUID } from 'node:crypto'
import type { Row } from '../../../../src/core/row-lines.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { createMoveWriter } from '../../../../src/platform/db/store-move/applying.ts'
import { createCapture } from '../../../../src/platform/db/store-move/capture.ts'
import { createMoveDigest } from '../../../../src/platform/db/store-move/digest.ts'
import { MOVED_TABLES } from '../../../../src/platform/db/store-move/plan.ts'
import { createMoveReader } from '../../../../src/platform/db/store-move/reading.ts'
import type { Cursor } from '../../../../src/platform/db/store-move/row-format.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { fillStore } from '../../../support/store-rows.ts'

export const STORE = '01a21cf4-a459-73d7-961a-e9d4db4b0ab1'
export const OTHER = '01a21cf4-a459-73d7-961a-e9d4db4b0ab2'
const MODEL = { id: 'fake', hash: 'f'.repeat(64), dimension: 8 }

/** A sealed text of one node opens on no other. */
const seal = (node: string, plain: string) => Buffer.from(`${node}:${plain}`)
function open(node: string, sealed: Uint8Array): string | undefined {
  const text = Buffer.from(sealed).toString()
  return text.startsWith(`${node}:`) ? text.slice(node.length + 1) : undefined
}

export type Node = ReturnType<typeof createNode>

/** A database of a node, and its side of a move. */
export function createNode(name: string) {
  const db = memoryDatabase({ model: MODEL, since: 1 })
  const capture = createCapture(db)
  const reader = createMoveReader(db, {
    open: (_store, _table, _row, sealed) => open(name, sealed),
    openFactor: (_user, sealed) => open(name, sealed),
    readJobContent: () => '{"product_id":"from a file"}',
  })
  const digest = createMoveDigest(reader)
  const write = (storeId = STORE) =>
    createMoveWriter(db, storeId, {
      check() {},
      seal: (_table, _row, plain) => seal(name, plain),
      sealFactor: (_user, secret) => seal(name, secret),
      newId: randomUUID,
    })
  return {
    ...{ name, db, capture, reader, digest, write },
    sealHere: (plain: string) => seal(name, plain),
    addStore(storeId = STORE, slug = storeId): void {
      db.prepare(`
        INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, 'A shop', 'free', ?, 1)`).run(
        storeId,
        slug,
        Buffer.alloc(32),
      )
    },
    apply: (lines: readonly string[], storeId = STORE) => db.transaction(() => write(storeId).apply(lines))(),
    /** All that travels, in lines without accounts, sorted. */
    dump(storeId = STORE): string[] {
      const lines: string[] = []
      let cursor: Cursor | undefined
      do {
        const piece = reader.walk(storeId, cursor, 1_000_000)
        lines.push(...piece.lines)
        cursor = piece.next
      } while (cursor)
      return lines
        .map((line) => {
          const { t, put } = JSON.parse(line) as { t: string; put: Row }
          const { account: _, ...row } = put
          return JSON.stringify({ t, row })
        })
        .sort()
    },
    sums(storeId = STORE) {
      for (const _ of digest.prepare(storeId));
      return digest.read(storeId)
    },
  }
}

/** The one user gets an id as the program makes them, wherever it stands. */
function renameUser(db: Db, id: string, password: string): void {
  db.pragma('foreign_keys = OFF')
  const before = db.prepare<[], string>('SELECT id FROM users').pluck().get()
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of tables) {
    const columns = db
      .prepare<[string], string>(`SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = 'users'`)
      .pluck()
      .all(table)
    for (const column of columns)
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(id, before)
  }
  db.prepare('UPDATE users SET id = ?, password_hash = ?').run(id, password)
  db.pragma('foreign_keys = ON')
}

/** A store with rows in every table. */
export function createFullNode(name: string, rows = 5): Node {
  const node = createNode(name)
  node.addStore()
  fillStore(node.db, STORE, rows)
  const password = `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(40)}`
  renameUser(node.db, randomUUID(), password)
  // By way of numbers that no page has.
  node.db.prepare('UPDATE widget_page_days SET page = -page - 1').run()
  node.db.prepare('UPDATE widget_page_days SET page = (SELECT min(id) FROM widget_pages) - page - 1').run()
  for (let n = 0; n < rows; n++)
    node.db
      .prepare(
        "INSERT INTO audit_events (id, store_id, action, actor_kind, details, created_at) VALUES (?, ?, 'a', 'person', '{}', ?)",
      )
      .run(randomUUID(), STORE, Date.now())
  node.db.prepare('UPDATE signing_secrets SET sealed = ?').run(node.sealHere('a signing secret'))
  node.db.prepare('UPDATE feeds SET credentials = ?').run(node.sealHere('me:secret'))
  return node
}

/** Copies everything in steps, with what happens in between. */
export function copy(from: Node, to: Node, meanwhile: () => void = () => {}, bytes = 2_000): void {
  let cursor: Cursor | undefined
  do {
    const piece = from.reader.walk(STORE, cursor, bytes)
    to.apply(piece.lines)
    cursor = piece.next
    meanwhile()
  } while (cursor)
}

/** Sends what the capture has noted until nothing is left. */
export function catchUp(from: Node, to: Node, max = 7): void {
  for (;;) {
    const rows = from.capture.take(STORE, max)
    if (rows.length === 0) return
    from.digest.touch(STORE, rows)
    to.apply(from.reader.readCaptured(STORE, rows))
    from.capture.forget(STORE, rows.at(-1)?.seq ?? 0)
  }
}

export const tablesIn = (lines: readonly string[]): string[] => {
  const found = new Set(lines.map((line) => String(JSON.parse(line).t)))
  return MOVED_TABLES.filter((table) => found.has(table))
}

export const listTriggers = (db: Db): string[] =>
  db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'moving%'")
    .pluck()
    .all()
