import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../src/core/clock.ts'
import type { CatalogueReport } from '../../../../src/features/catalogue/report/schema.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { readRows, storeId, updateRows } from '../../../support/seed.ts'
import { startBulk } from '../jobs/jobs.ts'

const DAY_MS = 24 * 60 * MINUTE_MS

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
})
afterEach(() => app.close())

const call = (method: string, path: string, body?: object, as = token) =>
  app.call(method, path, { token: as, ...(body && { body }) })

/** Indexes a product whose picture lies between some axes, and is no other product's file. */
async function put(product_id: string, axes: readonly number[], metadata: object = {}, as = token) {
  const image_url = `https://img.test/${product_id}.jpg`
  app.web.set(
    image_url,
    new Uint8Array([...pictureBytes(...axes), ...new TextEncoder().encode(` ${product_id}`)]),
  )
  expect((await call('POST', '/v1/products', { product_id, image_url, metadata }, as)).status).toBe(201)
}

const read = async (as = token): Promise<CatalogueReport> => {
  const { status, body } = await call('GET', '/v1/catalogue/report', undefined, as)
  expect(status).toBe(200)
  return body as unknown as CatalogueReport
}

async function make(): Promise<CatalogueReport> {
  expect((await call('POST', '/v1/catalogue/report')).status).toBe(202)
  await app.settle()
  return read()
}

/** The ids that a finding names. */
const named = ({ findings }: CatalogueReport, kind: string): string[] =>
  (findings.find((one) => one.kind === kind)?.products ?? []).map(({ product_id }) => product_id)

const NAMED = { name: 'A thing' }

describe('GET and POST /v1/catalogue/report (contract 2.15)', () => {
  test('there is none before the first one, and an empty store has nothing to correct', async () => {
    expect(await read()).toEqual({ state: 'none', made_at: null, products: 0, compared: 0, findings: [] })
    expect(await make()).toMatchObject({ state: 'ready', made_at: '2030-01-01T00:00:00.000Z', findings: [] })
  })

  test('names a product whose picture shows another category', async () => {
    for (let n = 0; n < 9; n++) await put(`one-${n}`, [1], { ...NAMED, category: '1' })
    for (let n = 0; n < 9; n++) await put(`two-${n}`, [2], { ...NAMED, category: '2' })
    await put('astray', [2], { name: 'Astray', category: '1' })
    const report = await make()
    expect(report).toMatchObject({ products: 19, compared: 19 })
    expect(report.findings.find(({ kind }) => kind === 'category_mismatch')).toMatchObject({
      count: 1,
      text: 'The picture of 1 product shows another category than theirs.',
      products: [
        {
          product_id: 'astray',
          name: 'Astray',
          reason: 'It is in "1", and its picture looks like "2".',
          data: { category: '1', seems: '2' },
        },
      ],
    })
  })

  test('says nothing of categories that the model cannot tell', async () => {
    // A third of either category looks like the other one.
    for (let n = 0; n < 12; n++) await put(`one-${n}`, [n % 3 === 0 ? 2 : 1], { ...NAMED, category: '1' })
    for (let n = 0; n < 12; n++) await put(`two-${n}`, [n % 3 === 0 ? 1 : 2], { ...NAMED, category: '2' })
    const report = await make()
    expect(report.compared).toBe(24)
    expect(named(report, 'category_mismatch')).toEqual([])
  })

  test('names a product whose picture shows nothing of its colour', async () => {
    for (let n = 0; n < 12; n++) await put(`red-${n}`, [n], { ...NAMED, color_name: 'Red' })
    await put('blue', [1], { ...NAMED, color_name: 'Blue' })
    expect(named(await make(), 'color_mismatch')).toEqual([])
    await put('odd', [3], { ...NAMED, color_name: 'red' })
    updateRows(
      app,
      'pictures',
      { palette: '[{"hex":"#1020c0","share":0.8}]' },
      { image_url: 'https://img.test/odd.jpg' },
    )
    app.loadIndex()
    app.clock.advance(5 * MINUTE_MS)
    const { findings } = await make()
    expect(findings.find(({ kind }) => kind === 'color_mismatch')?.products).toMatchObject([
      { product_id: 'odd', data: { color_name: 'red', shows: 'blue' } },
    ])
  })

  test('names products of different names that share a picture, and calls them no duplicates', async () => {
    await call('PATCH', '/v1/store/settings', { duplicate_threshold: 0.95 })
    const image_url = app.picture('follows', 4)
    for (const name of ['Boots', 'Lamp', 'Mug'])
      await call('POST', '/v1/products', { product_id: name, image_url, metadata: { name } })
    const variants = app.picture('variants', 5)
    for (const size of ['S', 'M', 'L'])
      await call('POST', '/v1/products', {
        product_id: `shirt-${size}`,
        image_url: variants,
        metadata: { name: `Shirt ${size}`, variant_group: 'shirt' },
      })
    const report = await make()
    expect(named(report, 'shared_picture').toSorted()).toEqual(['Boots', 'Lamp', 'Mug'])
    expect(report.findings.map(({ kind }) => kind)).toEqual(['shared_picture'])
  })

  test('names a product with the picture of an older one, where the store wants to know', async () => {
    await put('first', [1], NAMED)
    await put('again', [1], NAMED)
    await put('other', [2], NAMED)
    await call('PATCH', '/v1/store/settings', { duplicate_threshold: 0.95 })
    const report = await make()
    expect(report.findings).toMatchObject([
      {
        kind: 'near_duplicate',
        count: 1,
        products: [{ product_id: 'again', data: { other_product_id: 'first' } }],
      },
    ])
    await call('PATCH', '/v1/store/settings', { duplicate_threshold: null })
    app.clock.advance(5 * MINUTE_MS)
    expect((await make()).findings).toEqual([])
  })

  test('names tiny pictures and products without words', async () => {
    await put('tiny', [1], NAMED)
    await put('mute', [2])
    updateRows(app, 'pictures', { width: 90 }, { image_url: 'https://img.test/tiny.jpg' })
    const report = await make()
    expect(report.findings).toMatchObject([
      { kind: 'tiny_picture', products: [{ product_id: 'tiny', data: { width: 90, height: 480 } }] },
      { kind: 'no_words', products: [{ product_id: 'mute', name: null }] },
    ])
  })

  test('names products whose picture a job could not load, also such as never came', async () => {
    const products = [{ product_id: 'lost', image_url: 'https://img.test/gone.jpg' }]
    await startBulk(app, token, products)
    await app.jobs.drain()
    const report = await make()
    expect(report.findings).toMatchObject([
      {
        kind: 'dead_link',
        text: 'The picture of 1 product could not be loaded.',
        products: [
          { product_id: 'lost', reason: 'The server answered 404', data: { failure: 'http_status' } },
        ],
      },
    ])
  })

  test('names no product of another store, and none that is gone', async () => {
    await put('mute', [2])
    const theirs = await app.signIn('two')
    expect(named(await make(), 'no_words')).toEqual(['mute'])
    expect(await read(theirs)).toMatchObject({ state: 'none', findings: [] })
    await call('DELETE', '/v1/products/mute')
    expect((await read()).findings).toEqual([])
  })

  test('makes a new one every five minutes at most, and keeps the wish until then', async () => {
    await put('mute', [2])
    await make()
    await put('silent', [3])
    app.clock.advance(4 * MINUTE_MS)
    expect(await make()).toMatchObject({ state: 'waiting', products: 1 })
    app.clock.advance(MINUTE_MS)
    await app.tidy()
    expect(await read()).toMatchObject({ state: 'ready', products: 2 })
  })

  test('comes by itself the night after a change, and not without one', async () => {
    await put('mute', [2])
    app.clock.advance(1)
    await app.tidy()
    const first = await read()
    expect(first).toMatchObject({ state: 'ready', products: 1 })
    app.clock.advance(DAY_MS)
    token = await app.signToken({ sub: storeId(app, 'one'), jti: 'later', user_type: 'client' }, 3600)
    await app.tidy()
    expect((await read()).made_at).toBe(first.made_at)
    await put('silent', [3])
    await app.tidy()
    expect((await read()).products).toBe(2)
    await put('third', [4])
    await app.tidy()
    expect((await read()).products).toBe(2)
  })

  test('counts all and names the first 50', async () => {
    for (let n = 0; n < 53; n++) await put(`mute-${n}`, [n])
    const [found] = (await make()).findings
    expect([found?.kind, found?.count, found?.products.length]).toEqual(['no_words', 53, 50])
    expect(found?.text).toBe(
      '53 products have no name, category, brand, description or tags, so words cannot find them.',
    )
    expect(readRows(app, 'catalogue_reports', { store_id: storeId(app, 'one') })).toHaveLength(1)
  })
})
