import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../../src/core/clock.ts'
import { buildOwnership } from '../../../../src/platform/db/store-rows.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken } from '../../../support/people.ts'
import { countRows, failWrites, readColumn } from '../../../support/seed.ts'
import { listFiles } from '../../../support/state.ts'
import { countLeft, dumpStore, fillStore, STORE_TABLES } from '../../../support/store-rows.ts'

let app: TestApp
let root: string
let doomed: string
let other: string
let tokens: Record<string, string>

beforeEach(async () => {
  app = testApp()
  tokens = { doomed: await app.signIn('doomed'), other: await app.signIn('other') }
  doomed = app.stores.requireBySlug('doomed').id
  other = app.stores.requireBySlug('other').id
  root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
})
afterEach(() => app.close())

const erase = async () => app.chores.find(({ name }) => name === 'deleting stores')?.run()
const plan = () =>
  app.call('DELETE', `/v1/admin/stores/${doomed}`, { token: root, body: { confirm: 'doomed' } })
const upload = (store: string, product_id: string, axis: number) =>
  app.call('POST', '/v1/products', {
    token: tokens[store] ?? '',
    body: form({ product_id, image: pictureBytes(axis) }),
  })

describe('a store whose time is over', () => {
  test('leaves no row in any table, and another store is as it was', async () => {
    for (const id of [doomed, other]) fillStore(app.db, id, 25)
    // Deleted with its kept pictures, and therefore not counted here.
    const tables = STORE_TABLES.filter((table) => table !== 'released_pictures')
    expect(Object.keys(countLeft(app.db, doomed))).toEqual(expect.arrayContaining(tables))
    await plan()
    const before = dumpStore(app.db, other)
    app.clock.advance(7 * DAY_MS - 1)
    await erase()
    expect(Object.keys(countLeft(app.db, doomed))).toEqual(expect.arrayContaining(tables))

    app.clock.advance(1)
    await erase()
    expect(countLeft(app.db, doomed)).toEqual({})
    expect(dumpStore(app.db, other)).toEqual(before)
    const chunks = readColumn(app, 'vectors_1_chunks', 'DISTINCT partition00')
    expect(chunks).toEqual([other])
    expect(app.db.pragma('foreign_key_check')).toEqual([])
  })

  test('takes along the files that no other store keeps, and the files of its jobs', async () => {
    await upload('doomed', 'own', 1)
    await upload('doomed', 'shared', 2)
    await upload('other', 'shared', 2)
    expect(listFiles(app)).toHaveLength(2)
    fillStore(app.db, doomed, 1)
    const job = readColumn(app, 'jobs', 'job_id', { store_id: doomed })[0]
    const jobFile = join(app.workFolder, 'jobs', String(job))
    await Bun.write(jobFile, 'pictures')
    await plan()
    app.clock.advance(7 * DAY_MS)
    await erase()
    expect(existsSync(jobFile)).toBe(false)
    await app.sweepPictures()
    app.clock.advance(60_000)
    await app.sweepPictures()
    expect(listFiles(app)).toHaveLength(1)
    expect(countRows(app, 'released_pictures')).toBe(0)
    const token = await app.signToken({ sub: other, jti: 'j', user_type: 'client', generation: 1 }, 3600)
    const { body } = await app.call('GET', '/v1/products/shared', { token })
    const path = new URL(String(body['image_url'])).pathname
    expect((await app.call('GET', path)).status).toBe(200)
  })

  test('frees its slug, and its credentials are those of nobody', async () => {
    const key = await app.call('POST', '/v1/security/api-keys', {
      token: tokens['doomed'] ?? '',
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    await plan()
    app.clock.advance(7 * DAY_MS)
    const token = await app.signToken({ sub: doomed, jti: 'j', user_type: 'client', generation: 1 }, 3600)
    await erase()
    expect((await app.call('GET', '/v1/products', { token })).body['error']).toBe('unauthorized')
    const headers = { 'x-api-key': String(key.body['key']) }
    expect((await app.call('GET', '/v1/products', { headers })).body['error']).toBe('unauthorized')
    expect((await app.store('doomed')).slug).toBe('doomed')
  })

  test('is in the log of the node, with who asked for it', async () => {
    await plan()
    app.clock.advance(7 * DAY_MS)
    await erase()
    const again = await getToken(app, { email: 'root@people.test' })
    const { body } = await app.call('GET', '/v1/admin/audit?action=store.deleted', { token: again })
    expect(body['events']).toEqual([
      expect.objectContaining({
        action: 'store.deleted',
        details: { store_id: doomed, slug: 'doomed', name: 'doomed', by_user_id: expect.any(String) },
      }),
    ])
  })

  test('is not deleted if it was resumed in time', async () => {
    await upload('doomed', 'own', 1)
    await plan()
    await app.call('POST', `/v1/admin/stores/${doomed}/resume`, { token: root })
    app.clock.advance(8 * DAY_MS)
    await erase()
    expect(app.storeRows.countProducts(doomed)).toBe(1)
  })

  test('goes on from where a fault stopped it', async () => {
    fillStore(app.db, doomed, 25)
    await plan()
    app.clock.advance(7 * DAY_MS)
    const mend = failWrites(app, 'DELETE ON products', 'a fault')
    // It is told in the log, and other stores are deleted meanwhile.
    await erase()
    expect(app.storeRows.findStore(doomed)).toBeUndefined()
    expect(countLeft(app.db, doomed)).toHaveProperty('products', 25)
    mend()
    await erase()
    expect(countLeft(app.db, doomed)).toEqual({})
  })

  test('leaves nothing in memory', async () => {
    await upload('doomed', 'own', 1)
    const { productIndex } = app.services
    expect(productIndex.getWhole().findStore(doomed)).toBeDefined()
    await plan()
    app.clock.advance(7 * DAY_MS)
    await erase()
    expect(productIndex.getWhole().findStore(doomed)).toBeUndefined()
  })
})

/** Tables that an index finds no rows of a store in. What waits to be written is at most 1,000 rows of all stores. */
const WALKED: readonly string[] = ['vectors', 'late_writes']

test('every table is searched for the rows of a store by an index', () => {
  const plans = STORE_TABLES.filter((table) => !WALKED.includes(table)).map((table) => {
    const steps = app.db
      .prepare<{ storeId: string }, { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${buildOwnership(app.db, table)}`,
      )
      .all({ storeId: 'any' })
    return [table, steps.map(({ detail }) => detail).filter((detail) => /^SCAN/.test(detail))]
  })
  expect(plans.filter(([, scans]) => scans?.length)).toEqual([])
})
