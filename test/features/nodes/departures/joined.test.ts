import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createNodeCode } from '../../../../src/core/node-code.ts'
import { createMoveWriter } from '../../../../src/platform/db/store-move/applying.ts'
import { createMoveDigest } from '../../../../src/platform/db/store-move/digest.ts'
import { createMoveReader } from '../../../../src/platform/db/store-move/reading.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { createTargetDouble } from './target-double.ts'

const NEW_URL = 'https://node-2.test'
const KEY = 'k'.repeat(43)

let source: TestApp
let other: TestApp
let target: ReturnType<typeof createTargetDouble>
let storeId: string
let token: string

/** A node whose database takes the rows of a store, and sums them up. */
function createOther() {
  other = testApp()
  const { db, ids } = other.base
  const seal = (plain: string) => new TextEncoder().encode(plain)
  const open = (sealed: Uint8Array) => new TextDecoder().decode(sealed)
  const reader = createMoveReader(db, {
    open: (_store, _table, _row, sealed) => open(sealed),
    openFactor: (_user, sealed) => open(sealed),
    readJobContent: () => undefined,
  })
  const apply = db.transaction((lines: string[]) => {
    createMoveWriter(db, storeId, {
      check() {},
      seal: (_table, _row, plain) => seal(plain),
      sealFactor: (_user, secret) => seal(secret),
      newId: ids.uuid,
    }).apply(lines)
  })
  target = createTargetDouble(NEW_URL)
  target.onRows = (body) => apply(body.split('\n').filter((line) => line !== ''))
  target.sum = () => {
    const digest = createMoveDigest(reader)
    for (const _ of digest.prepare(storeId));
    return digest.read(storeId)
  }
  // A search of the other node is that of its own program; here it has the answer of this one.
  target.searchAnswer = async (body) => {
    const asked = body as { query?: string; product_id?: string; limit: number }
    const searcher = { storeId, isUnlogged: true }
    const common = { limit: asked.limit, fields: [], analytics: false }
    const { search } = source.services
    const found =
      asked.query === undefined
        ? await search.bySimilar(searcher, String(asked.product_id), common)
        : await search.byText(searcher, { ...common, query: asked.query })
    return found.results
  }
}

beforeEach(async () => {
  source = testApp({
    operatorKey: KEY,
    // What waits for searches that are under way comes after the test.
    defer: (work, delayMs) => void (delayMs < 10_000 && setImmediate(work)),
    openNode: () => ({ call: async (method, path, request) => target.serve(method, path, request) }),
  })
  token = await source.signIn()
  storeId = source.stores.requireBySlug('one').id
  createOther()
  other.base.db
    .prepare(
      "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, 'one', 'one', 'enterprise', ?, 1)",
    )
    .run(storeId, Buffer.alloc(32))
})
afterEach(async () => {
  await source.close()
  await other.close()
})

test('while a store moves, no search fails, and each write that was acknowledged is on the other node', async () => {
  const put = (id: string, name: string, axis: number) =>
    source.call('POST', '/v1/products', {
      token,
      body: { product_id: id, image_url: source.picture(id, axis), metadata: { name } },
    })
  for (let n = 0; n < 40; n++) expect((await put(`lamp-${n}`, `Lamp ${n}`, n % 8)).status).toBe(201)
  const own = form({ product_id: 'own', image: pictureBytes(3) })
  expect((await source.call('POST', '/v1/products', { token, body: own })).status).toBe(201)
  const code = createNodeCode(new Uint8Array(10), new Uint8Array(16))
  const path = `/v1/admin/stores/${storeId}/move`
  const begun = await source.call('POST', path, { token: KEY, body: { to: NEW_URL, code } })
  expect(begun.status).toBe(202)

  const told = new Map<string, string>()
  let isOver = false
  const answers = { searches: 0, writes: 0, elsewhere: 0 }
  async function search(): Promise<void> {
    while (!isOver) {
      const { status } = await source.call('POST', '/v1/search/text', { token, body: { query: 'lamp' } })
      expect([200, 421]).toContain(status)
      if (status === 421) return
      answers.searches++
    }
  }
  async function write(worker: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const [id, name] = [`new-${worker}-${n % 7}`, `Chair ${worker} ${n}`]
      const { status } = await put(id, name, n % 8)
      expect([200, 201, 421]).toContain(status)
      if (status === 421) {
        answers.elsewhere++
        return
      }
      answers.writes++
      told.set(id, name)
    }
  }
  async function move(): Promise<void> {
    for (let n = 0; n < 500 && !isOver; n++) {
      source.services.departures?.wake()
      await source.services.departures?.drain()
      await new Promise(setImmediate)
      source.clock.advance(1_000)
      isOver = target.kept.state === 'open' && source.storeRows.findMoved(storeId) !== undefined
    }
  }
  await Promise.all([move(), search(), write(1), write(2)])

  const { body } = await source.call('GET', path, { token: KEY })
  expect(body).toMatchObject({ phase: 'moved', error: null })
  expect(answers.searches).toBeGreaterThan(0)
  expect(answers.writes).toBeGreaterThan(0)
  const stored = other.base.db
    .prepare<[string], { id: string; name: string }>(
      "SELECT product_id AS id, metadata ->> 'name' AS name FROM products WHERE store_id = ?",
    )
    .all(storeId)
  const names = new Map(stored.map(({ id, name }) => [id, name]))
  expect([...names.keys()].filter((id) => id.startsWith('lamp-'))).toHaveLength(40)
  for (const [id, name] of told) expect([id, names.get(id)]).toEqual([id, name])
  expect((await put('late', 'Late', 1)).status).toBe(421)
  // The file that was uploaded came, too.
  expect([...target.kept.pictures.values()]).toEqual([pictureBytes(3)])
}, 30_000)
