import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDatabase } from '../../../../src/platform/db/open.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { statementLog } from '../../../support/statements.ts'

let folder: string
let app: TestApp
let token: string
let log: ReturnType<typeof statementLog>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-kept-'))
  const db = openDatabase(folder)
  log = statementLog(db)
  app = testApp({ db })
  token = await app.signIn()
  await put({ name: 'Hat', price: 5 })
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const put = (metadata: object, as = token) =>
  app.call('POST', '/v1/products', {
    token: as,
    body: { product_id: 'hat', image_url: app.picture('hat', 1), metadata },
  })
const read = (as = token) => app.call('GET', '/v1/products/hat', { token: as })
const metadata = async (as = token) => (await read(as)).body['metadata']

/** Writes as another process does. */
function writeElsewhere(work: (db: Db) => void): void {
  const other = openDatabase(folder)
  try {
    work(other)
  } finally {
    other.close()
  }
}

test('a product that is read again costs no statement but the looks for changes', async () => {
  const first = await read()
  const statements = await log.during(async () => expect((await read()).body).toEqual(first.body))
  expect(new Set(statements)).toEqual(new Set(['PRAGMA data_version', 'SELECT total_changes()']))
})

test('a change of any kind is in the next answer', async () => {
  expect(await metadata()).toEqual({ name: 'Hat', price: 5 })
  await app.call('PATCH', '/v1/products/hat', { token, body: { metadata: { price: 6 } } })
  expect(await metadata()).toEqual({ name: 'Hat', price: 6 })
  await put({ name: 'Cap' })
  expect(await metadata()).toEqual({ name: 'Cap' })
  await app.call('DELETE', '/v1/products/hat', { token })
  expect((await read()).status).toBe(404)
  expect((await read()).status).toBe(404)
  await put({ name: 'Hat' })
  expect(await metadata()).toEqual({ name: 'Hat' })
})

test('two stores with the same product id get their own, in any order', async () => {
  const other = await app.signIn('two')
  expect((await read(other)).status).toBe(404)
  await put({ name: 'Theirs' }, other)
  for (let n = 0; n < 2; n++) {
    expect(await metadata()).toEqual({ name: 'Hat', price: 5 })
    expect(await metadata(other)).toEqual({ name: 'Theirs' })
  }
})

test('a write and a deletion by another process are in the next answer', async () => {
  await read()
  writeElsewhere((db) => db.prepare(`UPDATE products SET metadata = '{"name":"Elsewhere"}'`).run())
  expect(await metadata()).toEqual({ name: 'Elsewhere' })
  writeElsewhere((db) => db.prepare('DELETE FROM products').run())
  expect((await read()).status).toBe(404)
})

test('a token that another process ends opens nothing, not even what is kept', async () => {
  await read()
  writeElsewhere((db) => db.prepare('UPDATE stores SET suspended_at = 1').run())
  expect((await read()).status).toBe(403)
})

test('what a transaction wrote before it was undone is never shown', async () => {
  const { storeId } = app.db.prepare('SELECT id AS storeId FROM stores').get() as { storeId: string }
  await read()
  const write = app.db.transaction(() => {
    app.db.prepare(`UPDATE products SET metadata = '{"name":"Never"}'`).run()
    expect(app.products.find(storeId, 'hat').metadata).toEqual({ name: 'Never' })
    throw new Error('undone')
  })
  expect(write).toThrow('undone')
  expect(await metadata()).toEqual({ name: 'Hat', price: 5 })
})
