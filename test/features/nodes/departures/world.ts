import type { Operator } from '../../../../src/core/audit.ts'
import type { Base } from '../../../../src/features/module.ts'
import { buildDepartures, type DepartureNeeds } from '../../../../src/features/nodes/departures/module.ts'
import { departureQueries } from '../../../../src/features/nodes/departures/queries.ts'
import type {
  CapturedRow,
  MoveCapture,
  MoveDigest,
  MoveGate,
  MoveReader,
  NodeRequest,
} from '../../../../src/features/nodes/departures/world.ts'
import { createSecretBox } from '../../../../src/platform/secret-box.ts'
import { testApp } from '../../../support/app.ts'
import { createTargetDouble, sumOf } from './target-double.ts'

export const NEW_URL = 'https://node-2.test'
export const ORDER = { to: NEW_URL, code: 'a code' }
export const BY: Operator = null

/** The source was killed. */
class Killed extends Error {}

/**
 * A node with a store of small rows, whose changes triggers note; the node that the store moves to; and a kill before or after
 * any request and any transaction of the mover.
 */
export async function departureWorld({ pauseMsMax }: { pauseMsMax?: number } = {}) {
  const app = testApp()
  const { db } = app.base
  const token = await app.signIn()
  const storeId = app.install.stores.requireBySlug('one').id
  db.exec(`
    CREATE TABLE things (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE thing_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL);
    CREATE TABLE thing_state (is_on INTEGER NOT NULL, state TEXT);
    INSERT INTO thing_state VALUES (0, NULL);
    CREATE TRIGGER things_put AFTER INSERT ON things WHEN (SELECT is_on FROM thing_state) BEGIN
      INSERT INTO thing_log (key) VALUES (new.key); END;
    CREATE TRIGGER things_changed AFTER UPDATE ON things WHEN (SELECT is_on FROM thing_state) BEGIN
      INSERT INTO thing_log (key) VALUES (new.key); END;
    CREATE TRIGGER things_gone AFTER DELETE ON things WHEN (SELECT is_on FROM thing_state) BEGIN
      INSERT INTO thing_log (key) VALUES (old.key); END;`)
  const all = <Row>(sql: string, ...values: unknown[]) => db.prepare(sql).all(...values) as Row[]
  const run = (sql: string, ...values: unknown[]) => void db.prepare(sql).run(...values)
  const readRows = () => all<{ key: string; value: string }>('SELECT key, value FROM things')
  const put = (key: string, value: string) =>
    run('INSERT INTO things VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value', key, value)

  const capture: MoveCapture = {
    begin: () => run('UPDATE thing_state SET is_on = 1'),
    end() {
      run('UPDATE thing_state SET is_on = 0')
      run('DELETE FROM thing_log')
    },
    count: () => all('SELECT DISTINCT key FROM thing_log').length,
    take: (_store, max) =>
      all<{ seq: number; table: string; key: string }>(
        `SELECT max(seq) AS seq, 'things' AS "table", key FROM thing_log GROUP BY key ORDER BY 1 LIMIT ?`,
        max,
      ).map((row): CapturedRow => ({ ...row, key: [row.key] })),
    forget: (_store, upTo) => run('DELETE FROM thing_log WHERE seq <= ?', upTo),
    endOthers: (stores) => (stores.length === 0 ? run('UPDATE thing_state SET is_on = 0') : undefined),
  }
  const toLine = (row: object) => JSON.stringify({ t: 'things', put: row })
  const reader: MoveReader = {
    walk(_store, after, maxBytes) {
      const lines: string[] = []
      let [bytes, last] = [0, String(after ?? '')]
      for (const row of all<{ key: string; value: string }>(
        'SELECT * FROM things WHERE key > ? ORDER BY key',
        last,
      )) {
        if (bytes >= maxBytes) return { lines, next: last }
        lines.push(toLine(row))
        bytes += row.value.length
        last = row.key
      }
      return { lines, next: undefined }
    },
    readCaptured: (_store, rows) =>
      rows.map(({ key: [key = ''] }) => {
        const [row] = all<object>('SELECT * FROM things WHERE key = ?', key)
        return row ? toLine(row) : JSON.stringify({ t: 'things', del: { key } })
      }),
    listPictureFiles: (_store, after, max) => PICTURES.filter((hash) => hash > (after ?? '')).slice(0, max),
    picturesOf: () => [],
    forget() {},
  }

  const digest: MoveDigest = {
    *prepare() {},
    *refresh() {},
    touch() {},
    read: () => sumOf(readRows().map(({ key, value }) => [key, value] as const)),
    forget() {},
  }

  const target = createTargetDouble(NEW_URL)
  const mails: string[] = []
  const readState = () => all<{ state: string | null }>('SELECT state FROM thing_state')[0]?.state ?? null
  const queries = departureQueries(db)

  const world = {
    app,
    token,
    db,
    storeId,
    target,
    mails,
    put,
    readRows,
    readState,
    queries,
    /** Called before and after each request of the source; it may throw instead of the answer. */
    onRequest: (_path: string, _when: 'before' | 'after'): void | Promise<void> => {},
    /** Called before and after each transaction. */
    onCommit: (_when: 'before' | 'after'): void => {},
    isModelMoving: false,
    hasWords: true,
    left: [] as string[],
    search: (_body: unknown): { product_id: string; similarity_score: number }[] => [],
    /** Counts on: the source may acknowledge a write now. */
    isWritable: () => [null, 'moving'].includes(readState()) && !node.paused.has(storeId),
    reset,
    start,
    kill,
    carryOn,
    row: () => queries.findLatest(storeId),
    close: app.close,
  }

  function build() {
    const life = new AbortController()
    const paused = new Set<string>()
    let isDead = false
    const demandAlive = () => {
      if (isDead) throw new Killed()
    }
    const gate: MoveGate = {
      async pause(id) {
        demandAlive()
        paused.add(id)
      },
      resume: (id) => void paused.delete(id),
    }
    const base: Base = {
      ...app.base,
      atomically(work) {
        demandAlive()
        world.onCommit('before')
        demandAlive()
        const result = app.base.atomically(work)
        world.onCommit('after')
        demandAlive()
        return result
      },
      defer: (work) => void setImmediate(work),
      reportFault: () => {},
    }
    const needs: DepartureNeeds = {
      ...{ capture, reader, digest, gate, pauseMsMax, stop: life.signal, version: '1', schemaVersion: 62 },
      files: { read: async (hash) => new TextEncoder().encode(hash) },
      secretBox: createSecretBox('a secret for data that is only used in tests', app.ids),
      mailOwners: (_store, write) => void mails.push(write('owner@shop.test').subject),
      leaveStore: (id) => void world.left.push(id),
      countMove: () => {},
      setMoveState: (_store, state) => run('UPDATE thing_state SET state = ?', state),
      search: async (_store, body) => world.search(body),
      isModelMoving: () => world.isModelMoving,
      hasWords: () => world.hasWords,
      drain: () => {},
      findState: (id) => app.base.db && app.install.storeRows.findState(id),
      findMoved: () => undefined,
      countProducts: () => readRows().length,
      readStoredBytes: () => 7,
      listModels: () => [{ id: 'fake', hash: 'ab', dimension: 8 }],
      parseCode: (text) => (text === ORDER.code ? { secret: 'SECRET', fingerprint: 'ab' } : undefined),
      openClient: (_address, signal) => ({
        async call(method, path, request?: NodeRequest) {
          demandAlive()
          await world.onRequest(path, 'before')
          demandAlive()
          signal.throwIfAborted()
          const answer = await target.serve(method, path, request)
          await world.onRequest(path, 'after')
          demandAlive()
          signal.throwIfAborted()
          return answer
        },
      }),
    }
    return {
      ...{ paused, life },
      module: buildDepartures(base, needs),
      die() {
        isDead = true
        life.abort(new Killed())
      },
    }
  }

  let node = build()

  /** Begins anew with an empty store. */
  function reset(): void {
    node.die()
    db.exec(
      'DELETE FROM store_moves; UPDATE thing_state SET is_on = 0, state = NULL; DELETE FROM things; DELETE FROM thing_log',
    )
    Object.assign(target.kept, { state: 'abandoned', lastBatch: 0, opened: 0, announced: 0 })
    target.kept.rows.clear()
    target.kept.pictures.clear()
    mails.length = 0
    world.onRequest = () => {}
    world.onCommit = () => {}
    node = build()
  }

  /** Drops the source where it is, and starts it again on its database. */
  function kill(): void {
    node.die()
  }

  /** Starts a source that was killed. */
  function start() {
    node = build()
    return node.module.service
  }

  /** Goes on, second by second, until the move is over or nothing more happens. */
  async function carryOn(seconds = 3_000): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      node.module.service.wake()
      await node.module.service.drain()
      const row = queries.findLatest(storeId)
      if (node.life.signal.aborted || !row || row.phase === 'moved' || row.isTargetTold) return
      app.clock.advance(1_000)
    }
  }

  return Object.assign(world, {
    service: () => node.module.service,
    module: () => node.module,
  })
}

export const PICTURES = ['aa', 'bb', 'cc'].map((name) => name.repeat(32))
export type DepartureWorld = Awaited<ReturnType<typeof departureWorld>>
