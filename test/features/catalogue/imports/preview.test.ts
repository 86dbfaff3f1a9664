import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { strToU8 } from 'fflate'
import { form, type TestApp, testApp } from '../../../support/app.ts'
import { openStore } from '../../../support/storage.ts'
import { waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/import'
let app: TestApp
let token: string
let storeId: string

beforeAll(() => {
  app = testApp()
})
beforeEach(async () => {
  ;({ token, storeId } = await openStore(app, 'enterprise', app.newSlug()))
})
afterAll(() => app.close())

const HEAD = 'id,image,name,price,Fabric,Tax class'
const table = (...rows: string[]) => [HEAD, ...rows].join('\n')
const send = (content: string, more: Record<string, string> = {}) =>
  app.call('POST', PATH, { token, body: form({ ...more, file: Uint8Array.from(strToU8(content)) }) })
const preview = async (content: string) => (await send(content, { dry_run: 'true' })).body
const settle = async (content: string) => {
  const { body } = await send(content)
  return waitForJob(app, storeId, token, String(body['job_id']))
}
const warningsOf = (body: Record<string, unknown>) => body['warnings'] as string[]

test('a dry run holds the file against the store: new, changed, unchanged and gone', async () => {
  const [a, b] = [app.picture('a', 1), app.picture('b', 2)]
  const before = table(`1,${a},Red mug,10`, `2,${a},Blue mug,11`, `3,${a},Sofa,200`, `4,${a},Lamp,30`)
  expect((await preview(before))['diff']).toEqual({ new: 4, changed: 0, unchanged: 0, gone: 0 })
  expect(await settle(before)).toMatchObject({ succeeded: 4 })
  expect((await preview(before))['diff']).toEqual({ new: 0, changed: 0, unchanged: 4, gone: 0 })

  // A price, a picture, a wrong row of a product that is there, a new one, and the same id again.
  const after = table(
    `1,${a},Red mug,12`,
    `2,${b},Blue mug,11`,
    `3,,Sofa,200`,
    `5,${a},Chair,90`,
    `5,${a},Chair,91`,
  )
  const { diff, invalid } = await preview(after)
  expect(invalid).toBe(1)
  expect(diff).toEqual({ new: 1, changed: 2, unchanged: 0, gone: 1 })
  expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(4)
})

test('neither the products of another store nor those of the demo are gone', async () => {
  const other = await openStore(app, 'enterprise', 'other')
  const theirs = { token: other.token, body: { product_id: 'x', image_url: app.picture('x', 1) } }
  expect((await app.call('POST', '/v1/products', theirs)).status).toBe(201)
  expect((await app.call('POST', '/v1/products/demo', { token })).status).toBe(200)
  const file = table(`x,${app.picture('a', 1)},Mug,10`)
  expect((await preview(file))['diff']).toEqual({ new: 1, changed: 0, unchanged: 0, gone: 0 })
})

test('columns that nothing reads and that may say something come with an example', async () => {
  const a = app.picture('a', 1)
  const { losses, unmapped_columns } = await preview(
    table(`1,${a},Shirt,10,${'Cotton '.repeat(40)},`, `2,${a},Sock,5,,`, `3,${a},Scarf,20,Wool,`),
  )
  expect(unmapped_columns).toEqual(['Fabric', 'Tax class'])
  expect(losses).toEqual([{ field: 'Fabric', count: 2, example: 'Cotton '.repeat(40).slice(0, 100) }])
})

test('a dry run says when results would lead nowhere, and prices would have no currency', async () => {
  const file = table(`1,${app.picture('a', 1)},Mug,10`)
  const hints = async (content: string) =>
    warningsOf(await preview(content)).filter((warning) => warning.includes('PATCH /v1/store/settings'))
  expect(await hints(file)).toEqual([
    expect.stringContaining('results will not be links'),
    expect.stringContaining('prices are shown without one'),
  ])
  const facts = {
    shop_url: 'https://shop.example',
    product_url_template: '/products/{product_id}',
    currency: 'EUR',
  }
  expect((await app.call('PATCH', '/v1/store/settings', { token, body: facts })).status).toBe(200)
  expect(await hints(file)).toEqual([])
  const own = `id,image,name,price,url\n1,${app.picture('a', 1)},Mug,10 EUR,https://shop.example/1\n`
  const cleared = { product_url_template: null, currency: null }
  expect((await app.call('PATCH', '/v1/store/settings', { token, body: cleared })).status).toBe(200)
  expect(await hints(own)).toEqual([])
})

test('each warning of a dry run has a code and its numbers', async () => {
  const found = await preview(`id,image,fabric\n1,${app.picture('a', 1)},Wool\n`)
  const findings = found['findings'] as { code: string; text: string; data: object }[]
  expect(findings.map(({ text }) => text)).toEqual(warningsOf(found))
  expect(findings).toMatchObject([
    { code: 'fields_without_column', data: { fields: ['name', 'price', 'category'], products: 1 } },
    { code: 'results_without_links', data: {} },
  ])
})

test('what a dry run calls unchanged is what the import leaves unchanged', async () => {
  expect((await app.call('POST', '/v1/products/demo', { token })).status).toBe(200)
  const { body } = await app.call('GET', '/v1/products?limit=1', { token })
  const [demo] = body['products'] as { product_id: string; image_url: string; metadata: object }[]
  const a = app.picture('a', 1)
  const own = {
    product_id: 'own',
    image_url: a,
    metadata: { name: 'Mug', tags: ['x', 'y'], size: { cm: 3 } },
  }
  const lines = (...products: object[]) => products.map((product) => JSON.stringify(product)).join('\n')
  expect(await settle(lines(own))).toMatchObject({ succeeded: 1 })

  const { product_id, metadata } = demo as NonNullable<typeof demo>
  // The same product with its keys in another order, and one in the place of a product of the demo.
  const again = { ...own, metadata: { size: { cm: 3 }, tags: ['x', 'y'], name: 'Mug' } }
  const file = lines(again, { product_id, image_url: a, metadata }, { ...own, product_id: 'new' })
  expect((await preview(file))['diff']).toMatchObject({ new: 1, changed: 1, unchanged: 1 })
  expect(await settle(file)).toMatchObject({ succeeded: 2, unchanged: 1 })
  expect((await preview(file))['diff']).toMatchObject({ new: 0, changed: 0, unchanged: 3 })
})
