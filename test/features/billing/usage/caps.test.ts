import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one', 'enterprise')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const FULL = {
  error: 'product_limit_exceeded',
  details: {
    ...{ plan_name: 'free', max_products: 50, products_count: 50 },
    upgrade_url: 'http://lookalike.test/billing/plans',
  },
}

const put = (method: string, path: string, body: unknown) => app.call(method, path, { token, body })
const picture = () => app.picture('any', 1)
const count = () => countRows(app, 'products')

/** Fills the store up to a number of products, and moves it to the plan `free`. */
async function fill(products: number): Promise<void> {
  for (let n = 0; n < products; n++) {
    await put('POST', '/v1/products', { product_id: `p${n}`, image_url: picture() })
  }
  app.setPlan('one', 'free')
}

/** Lets a minute pass, because the plan `free` has ten requests a minute. */
const wait = () => app.clock.advance(60_000)

describe('a full store', () => {
  test.each([
    ['POST', '/v1/products', () => ({ product_id: 'new', image_url: picture() })],
    ['PUT', '/v1/products/new', () => ({ image_url: picture() })],
    ['POST', '/v1/products', () => form({ product_id: 'new', image: pictureBytes(2) })],
    ['POST', '/v1/products/demo', () => undefined],
  ])('refuses a new product: %s %s', async (method, path, body) => {
    await fill(50)
    const answer = await put(method, path, body())
    expect([answer.status, answer.body as object]).toEqual([402, expect.objectContaining(FULL)])
    expect(count()).toBe(50)
  })

  test('changes, finds and deletes what it has, and takes a new one for each that goes', async () => {
    await fill(50)
    expect((await put('PATCH', '/v1/products/p1', { metadata: { name: 'x' } })).status).toBe(200)
    expect((await put('PUT', '/v1/products/p1', { image_url: picture() })).status).toBe(200)
    expect((await put('POST', '/v1/search/text', { query: '1' })).body['count']).toBe(20)
    expect((await put('DELETE', '/v1/products/p1', undefined)).status).toBe(200)
    expect((await put('POST', '/v1/products', { product_id: 'new', image_url: picture() })).status).toBe(201)
    expect(count()).toBe(50)
  })

  test('that moved to a smaller plan keeps everything, and refuses new ids until it is below the cap', async () => {
    await fill(52)
    const add = () => put('POST', '/v1/products', { product_id: 'new', image_url: picture() })
    expect((await add()).body).toMatchObject({ details: { products_count: 52 } })
    for (const id of ['p0', 'p1']) await put('DELETE', `/v1/products/${id}`, undefined)
    expect((await add()).status).toBe(402)
    await put('DELETE', '/v1/products/p2', undefined)
    expect((await add()).status).toBe(201)
    expect(count()).toBe(50)
  })
})

describe('writes at the same time', () => {
  test('never exceed the cap: one at a time, by multipart, by bulk, by import and by the demo', async () => {
    await fill(45)
    const csv = (from: number) =>
      new TextEncoder().encode(
        `id,image\n${Array.from({ length: 5 }, (_, n) => `i${from + n},${picture()}`).join('\n')}\n`,
      )
    const answers = await Promise.all([
      put('POST', '/v1/products', { product_id: 'a', image_url: picture() }),
      put('PUT', '/v1/products/b', { image_url: picture() }),
      put('POST', '/v1/products', form({ product_id: 'c', image: pictureBytes(2) })),
      put('POST', '/v1/products/bulk', {
        products: Array.from({ length: 10 }, (_, n) => ({ product_id: `k${n}`, image_url: picture() })),
      }),
      put('POST', '/v1/products/import', form({ file: csv(0) })),
    ])
    for (const { body } of answers) {
      if (typeof body['job_id'] === 'string') await app.jobs.waitUntilOver(storeId, body['job_id'])
    }
    expect(count()).toBe(50)
    wait()
    const jobs = (await put('GET', '/v1/jobs', undefined)).body['jobs'] as Record<string, number>[]
    const written = jobs.reduce((sum, { succeeded = 0 }) => sum + succeeded, 0)
    const single = answers.slice(0, 3).filter(({ status }) => status === 201).length
    expect(45 + written + single).toBe(50)
  })

  test('of a bulk take the places in the order of the request', async () => {
    await fill(47)
    const products = Array.from({ length: 6 }, (_, n) => ({ product_id: `k${n}`, image_url: picture() }))
    const { body } = await put('POST', '/v1/products/bulk', { products })
    await app.jobs.waitUntilOver(storeId, String(body['job_id']))
    const job = (await put('GET', `/v1/jobs/${body['job_id']}`, undefined)).body
    expect(job).toMatchObject({ status: 'completed', succeeded: 3, failed: 3 })
    expect(job['errors']).toEqual(
      [3, 4, 5].map((index) => expect.objectContaining({ index, ...FULL, product_id: `k${index}` })),
    )
  })

  test('of the demo beside a sync leave the store at its cap', async () => {
    await fill(5)
    const answers = await Promise.all([
      put('POST', '/v1/products/demo', undefined),
      ...Array.from({ length: 8 }, (_, n) =>
        put('POST', '/v1/products', { product_id: `s${n}`, image_url: picture() }),
      ),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status === 500)).toEqual([])
    expect(count()).toBeLessThanOrEqual(50)
  })
})
