import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form, type TestApp, testApp } from '../../../support/app.ts'
import { openStore } from '../../../support/storage.ts'
import { waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/export?format=csv'
let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(() => app.close())

const get = (path = PATH, as = token) =>
  app.http.handle(new Request(`http://lookalike.test${path}`, { headers: { authorization: `Bearer ${as}` } }))

const put = (product_id: string, metadata: object, more: object = {}) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id, image_url: app.picture('one', 1), metadata, ...more },
  })

const withFilters = (filters: unknown) => `${PATH}&filters=${encodeURIComponent(JSON.stringify(filters))}`

async function importFile(text: string, as: { token: string; storeId: string }, fields: object = {}) {
  const body = form({ file: new TextEncoder().encode(text), format: 'csv', ...fields })
  const { body: answer } = await app.call('POST', '/v1/products/import', { token: as.token, body })
  return await waitForJob(app, as.storeId, as.token, String(answer['job_id']))
}

/** The metadata of all products as another store has them after an import. */
async function readBack(text: string): Promise<Record<string, unknown>> {
  const other = await openStore(app, 'enterprise', 'two')
  expect(await importFile(text, other)).toMatchObject({ failed: 0 })
  const lines = await (await get('/v1/products/export', other.token)).text()
  return Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ product_id, metadata, additional_image_urls }) => [
        product_id,
        { metadata, additional_image_urls },
      ]),
  )
}

/** Everything that a table might not bring back as it was. */
const HARD: Record<string, Record<string, unknown>> = {
  umlauts: { name: 'Stövel "röd" – Größe 42', brand: 'Müller & Söhne', straße: 'Königsallee' },
  breaks: { name: 'one\ntwo', description: 'a\r\nb', note: '  blanks  ' },
  formulas: { name: '=HYPERLINK("http://x")', sku: '-5', note: '+1', other: '@sum', tab: '\t=1' },
  apostrophes: { name: "'=kept", note: "a;'=b", size: "'90s" },
  types: { price: 9.5, in_stock: false, count: -3, gtin: '4006381333931', text: '5', word: 'true' },
  nothing: { gone: null, empty: '', list: [], object: {} },
  nested: { dimensions: { width: 3, unit: 'cm' }, tags: ['a,b', '=c', 'd"e'], deep: [[1], { a: [null] }] },
  keys: { 'a.b': 1, 'odd;=key': 2, ' blank ': 3, metadata: 4, product_id: 'x', name: 'y' },
}

describe('GET /v1/products/export?format=csv (contract 2.13)', () => {
  test('an import gets the same products back', async () => {
    const additional_image_urls = [app.picture('two', 2), app.picture('three', 3)]
    for (const [id, metadata] of Object.entries(HARD)) expect((await put(id, metadata)).status).toBe(201)
    await put('pictures', {}, { additional_image_urls })
    const response = await get()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="products-2030-01-01.csv"')
    const text = await response.text()
    const found = await readBack(text)
    const wanted = Object.entries(HARD).map(([id, metadata]) => [id, { metadata, additional_image_urls: [] }])
    expect(found).toEqual({
      ...Object.fromEntries(wanted),
      pictures: { metadata: {}, additional_image_urls },
    })
    expect(await importFile(text, { token, storeId })).toMatchObject({
      unchanged: Object.keys(HARD).length + 1,
      failed: 0,
    })
  })

  test('an id that begins like a formula comes back, and is no formula in the file', async () => {
    await put('=cmd', { name: 'x' })
    await put("'=cmd", { name: 'y' })
    const text = await (await get()).text()
    expect(text).toContain("\r\n'=cmd,")
    expect(Object.keys(await readBack(text)).sort()).toEqual(["'=cmd", '=cmd'])
  })

  test('has the columns of all fields, and one for the rest', async () => {
    await put('a', { name: 'A', price: 2 })
    await put('b', { name: 'B', 'odd;=key': 1 })
    const [heading, first, second] = (await (await get()).text()).split('\r\n')
    expect(heading).toBe('product_id,image_url,additional_image_urls,metadata.name,metadata.price,metadata')
    const url = app.picture('one', 1)
    expect([first, second]).toEqual([`a,${url},,A,2,`, `b,${url},,B,,"{""odd;'=key"":1}"`])
  })

  test('a key that came after the fields were counted is in the column of the rest', async () => {
    await put('a', { name: 'A' })
    await get()
    await put('b', { name: 'B', colour: 'red' })
    const text = await (await get()).text()
    expect(text).toContain('"{""colour"":""red""}"')
    expect(await readBack(text)).toMatchObject({ b: { metadata: { name: 'B', colour: 'red' } } })
  })

  test('gives the chosen columns in their order, once each', async () => {
    await put('a', { name: 'A', price: 2, size: { eu: 42 } })
    const text = await (await get(`${PATH}&fields=price,product_id,%20metadata.name,name,size,none`)).text()
    expect(text).toBe(
      'metadata.price,product_id,metadata.name,metadata.size,metadata.none\r\n2,a,A,"{""eu"":42}",\r\n',
    )
    const rest = await (await get(`${PATH}&fields=product_id,price,metadata`)).text()
    expect(rest).toContain('a,2,"{""name"":""A"",""size"":{""eu"":42}}"')
  })

  test('gives the products that pass a filter, in both formats', async () => {
    for (const [id, price] of [
      ['b', 1],
      ['a', 2],
      ['c', 3],
    ] as const)
      await put(id, { price })
    const filters = [{ field: 'price', operator: 'gte', value: 2 }]
    const lines = (await (await get(`${withFilters(filters)}&fields=product_id`)).text()).split('\r\n')
    expect(lines).toEqual(['product_id', 'a', 'c', ''])
    const path = withFilters([{ field: 'product_id', operator: 'in', value: ['c', 'b', 'none'] }])
    const json = await (await get(path.replace('format=csv', 'format=ndjson'))).text()
    expect(
      json
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).product_id),
    ).toEqual(['b', 'c'])
    const nothing = [{ field: 'price', operator: 'gt', value: 9 }]
    expect(await (await get(`${withFilters(nothing)}&fields=product_id`)).text()).toBe('product_id\r\n')
  })

  test('a selection leaves out what is deleted meanwhile, and never holds a product of another store', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    for (let n = 0; n < 120; n++) await put(`sku-${String(n).padStart(3, '0')}`, { kind: 'x' })
    const filters = [{ field: 'kind', operator: 'eq', value: 'x' }]
    const path = `${withFilters(filters)}&fields=product_id`
    const reader = (await get(path)).body?.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader?.read())?.value)
    await app.call('DELETE', '/v1/products/sku-119', { token })
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += decoder.decode(read.value)
    }
    expect(text.trim().split('\r\n').length).toBe(120)
    expect(await (await get(path, other.token)).text()).toBe('product_id\r\n')
  })

  test.each([
    ['/v1/products/export?fields=name', 'validation_error'],
    [`${PATH}&vectors=true`, 'validation_error'],
    [`${PATH}&fields=,`, 'validation_error'],
    [`${PATH}&fields=a%0Ab`, 'validation_error'],
    [`${PATH}&fields=${Array.from({ length: 251 }, (_, n) => `k${n}`).join(',')}`, 'validation_error'],
    [`${PATH}&filters=%5B`, 'validation_error'],
    [`${PATH}&filters=5`, 'validation_error'],
    ['/v1/products/export?format=xlsx', 'validation_error'],
    [withFilters([{ field: 'price', operator: 'near', value: 1 }]), 'filter_operator_unknown'],
    [withFilters([{ field: 'price', operator: 'gt', value: 'much' }]), 'filter_type_mismatch'],
  ])('refuses %s', async (path, code) => {
    const response = await get(path)
    const body = (await response.json()) as { error: string }
    expect([response.status, body.error]).toEqual([422, code])
  })

  test('a table that a German spreadsheet saved is read, too', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    const url = app.picture('one', 1)
    const text = `product_id;image_url;metadata.name;metadata.price;metadata.in_stock;metadata\r\na;${url};Größe;9,5;Nein;\r\n`
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'))
    const body = form({ file: bytes, format: 'csv' })
    const { body: answer } = await app.call('POST', '/v1/products/import', { token: other.token, body })
    await waitForJob(app, other.storeId, other.token, String(answer['job_id']))
    const { body: product } = await app.call('GET', '/v1/products/a', { token: other.token })
    expect(product['metadata']).toEqual({ name: 'Größe', price: 9.5, in_stock: false })
  })

  test('a dry run says whose table it is', async () => {
    await put('a', { name: 'A', price: 2 })
    const file = new TextEncoder().encode(await (await get()).text())
    const { body } = await app.call('POST', '/v1/products/import', {
      token,
      body: form({ file, dry_run: 'true' }),
    })
    expect(body).toMatchObject({
      platform: 'lookalike',
      mapping: { product_id: ['product_id'], name: ['metadata.name'], price: ['metadata.price'] },
      unmapped_columns: [],
      diff: { unchanged: 1, changed: 0 },
    })
  })

  test('what stands in the wrong cells is refused with its place', async () => {
    const url = app.picture('one', 1)
    const text = `product_id,image_url,additional_image_urls,metadata.price,metadata\na,${url},5,1,\nb,${url},,much,\nc,${url},,,[1]\n`
    expect(await importFile(text, { token, storeId })).toMatchObject({ succeeded: 0, failed: 3 })
  })

  test('the leading apostrophe of another table stays', async () => {
    const text = `id,image,name\na,${app.picture('one', 1)},'=kept\n`
    await importFile(text, { token, storeId })
    const { body } = await app.call('GET', '/v1/products/a', { token })
    expect(body['metadata']).toEqual({ name: "'=kept" })
  })
})
