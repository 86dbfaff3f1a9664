import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PRODUCT_SORTS } from '../../../../src/features/catalogue/products/schema.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { addProducts } from '../../../support/products.ts'
import { statementLog } from '../../../support/statements.ts'

interface Listed {
  product_id: string
  metadata: { name?: string; price?: number }
  updated_at: string
}
interface Page {
  products: Listed[]
  count: number
  total: number
  total_is_exact: boolean
  next_cursor: string | null
}

const N = 55
let app: TestApp
let token: string

const post = (id: string, metadata: object = {}) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id: id, image_url: app.picture('same', 1), metadata },
  })
const list = (query: Record<string, string | number> = {}) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return app.call('GET', `/v1/products?${search}`, { token })
}
const page = async (query: Record<string, string | number> = {}) =>
  (await list(query)).body as unknown as Page
const idsOf = ({ products }: Page) => products.map(({ product_id }) => product_id)

/** All pages from one on; `between` runs before each further page. */
async function pages(
  query: Record<string, string | number>,
  between: () => Promise<unknown> = async () => {},
) {
  const found: Page[] = [await page(query)]
  for (let cursor = found[0]?.next_cursor; cursor; cursor = found.at(-1)?.next_cursor) {
    await between()
    found.push(await page({ ...query, cursor }))
  }
  return found
}

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
  for (let n = 0; n < N; n++) {
    // Several products share a price, a name and a moment; some have neither price nor name.
    await post(`p${String(n).padStart(2, '0')}`, {
      ...(n % 5 !== 0 && { price: n % 7 }),
      ...(n % 6 !== 0 && { name: `Ürn ${n % 4}` }),
      category: n % 2 ? 'Mügs' : 'Lamps',
      brand: n % 3 ? 'ACME' : 'Zed',
    })
    if (n % 10 === 9) app.clock.advance(1_000)
  }
})
afterAll(() => app.close())

describe('GET /v1/products (contract 2.3)', () => {
  test('200: 20 by default, newest first, with count, total and next_cursor', async () => {
    const first = await page()
    expect([first.count, first.total, first.products.length]).toEqual([20, N, 20])
    expect(first.total_is_exact).toBe(true)
    expect(idsOf(first)[0]).toBe('p54')
    expect(first.next_cursor).toBeString()
  })

  test.each(PRODUCT_SORTS)('sort=%s: pages of 7 hold every product once, in order', async (sort) => {
    const all = (await pages({ sort, limit: 7 })).flatMap(({ products }) => products)
    expect(all.map(({ product_id }) => product_id).sort()).toEqual(
      Array.from({ length: N }, (_, n) => `p${String(n).padStart(2, '0')}`),
    )
    const keys = all.map(({ metadata: { name = '', price }, updated_at }) => {
      if (sort === 'name') return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
      if (sort === 'price_asc') return price ?? Infinity
      if (sort === 'price_desc') return -(price ?? -Infinity)
      return sort === 'oldest' ? Date.parse(updated_at) : -Date.parse(updated_at)
    })
    const sorted = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    expect(keys).toEqual(sorted)
  })

  test.each(PRODUCT_SORTS)(
    'sort=%s: what comes and goes between pages neither repeats nor hides the others',
    async (sort) => {
      let n = 0
      const between = async () => {
        await post(`new-${sort}-${n++}`, { name: `Ürn ${n % 4}`, price: n % 7 })
        if (n > 1) await app.call('DELETE', `/v1/products/new-${sort}-${n - 2}`, { token })
      }
      const ids = (await pages({ sort, limit: 9 }, between)).flatMap(idsOf)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.filter((id) => !id.startsWith('new-')).sort()).toHaveLength(N)
      await app.call('DELETE', `/v1/products/new-${sort}-${n - 1}`, { token })
    },
  )

  test('the product where a page ended may be deleted: the next page goes on behind it', async () => {
    await post('last-of-page', { category: 'x', price: 1 })
    await post('after', { category: 'x', price: 2 })
    await post('before', { category: 'x', price: 0 })
    const first = await page({ category: 'x', sort: 'price_asc', limit: 2 })
    await app.call('DELETE', '/v1/products/last-of-page', { token })
    expect(
      idsOf(await page({ category: 'x', sort: 'price_asc', limit: 2, cursor: String(first.next_cursor) })),
    ).toEqual(['after'])
    for (const id of ['after', 'before']) await app.call('DELETE', `/v1/products/${id}`, { token })
  })

  test('category and brand fit without case and accents, and together', async () => {
    const mugs = await page({ category: 'mugs', limit: 100 })
    expect(mugs.total).toBe(27)
    expect((await page({ category: ' MÜGS ' })).total).toBe(27)
    const both = await page({ category: 'mugs', brand: 'acme', limit: 100 })
    expect(both.total).toBe(Array.from({ length: N }, (_, n) => n).filter((n) => n % 2 && n % 3).length)
    expect((await page({ category: 'mug' })).total).toBe(0)
    expect((await page({ category: '', brand: ' ', q: '' })).total).toBe(N)
  })

  test('q is a part of the name or of the id, without case and accents; % and _ mean themselves', async () => {
    expect(idsOf(await page({ q: 'P07' }))).toEqual(['p07'])
    expect(
      (await page({ q: 'urn 3', limit: 100 })).products.every(({ metadata }) => metadata.name === 'Ürn 3'),
    ).toBe(true)
    expect((await page({ q: 'urn 3' })).total).toBeGreaterThan(0)
    expect([(await page({ q: '%' })).total, (await page({ q: '_' })).total]).toEqual([0, 0])
    await post('ÄPFEL-1')
    expect(idsOf(await page({ q: 'ÄPFEL' }))).toEqual(['ÄPFEL-1'])
    expect(idsOf(await page({ q: 'Äpfel-' }))).toEqual(['ÄPFEL-1'])
    await app.call('DELETE', `/v1/products/${encodeURIComponent('ÄPFEL-1')}`, { token })
  })

  test('updated_since is inclusive and takes any offset', async () => {
    const all = (await page({ sort: 'updated', limit: 100 })).products
    const since = String(all[10]?.updated_at)
    const expected = all.filter(({ updated_at }) => updated_at >= since).length
    expect((await page({ updated_since: since })).total).toBe(expected)
    const shifted = new Date(Date.parse(since) + 7_200_000).toISOString().replace('Z', '+02:00')
    expect((await page({ updated_since: shifted })).total).toBe(expected)
    const raw = await app.call('GET', `/v1/products?updated_since=${shifted}`, { token })
    expect(raw.body['total']).toBe(expected)
    expect((await page({ updated_since: '2999-01-01T00:00:00Z' })).total).toBe(0)
    expect((await page({ updated_since: '2999-01-01' })).total).toBe(0)
  })

  test('status: every product that is listed is indexed; other states are refused', async () => {
    expect((await page({ status: 'indexed' })).total).toBe(N)
    for (const status of ['pending', 'failed']) {
      const { status: code, body } = await app.call('GET', `/v1/products?status=${status}`, { token })
      expect([code, body['message']]).toEqual([422, 'status must be "indexed"'])
    }
  })

  test('the last page has no next_cursor, also when it is full', async () => {
    const exact = await pages({ limit: 11 })
    expect(exact.flatMap(idsOf)).toHaveLength(N)
    expect(exact.at(-1)?.next_cursor).toBeNull()
    expect(exact).toHaveLength(5)
  })

  test('another store has its own list', async () => {
    const other = await app.signIn('two')
    const { body } = await app.call('GET', '/v1/products', { token: other })
    expect(body).toEqual({ products: [], count: 0, total: 0, total_is_exact: true, next_cursor: null })
    const cursor = String((await page()).next_cursor)
    const theirs = await app.call('GET', `/v1/products?cursor=${cursor}`, { token: other })
    expect(theirs.body['products']).toEqual([])
  })

  test.each([
    { limit: 0 },
    { limit: 101 },
    { limit: -1 },
    { limit: 2.5 },
    { limit: 'ten' },
    { limit: '1e1000' },
    { sort: 'best' },
    { sort: '__proto__' },
    { status: 'gone' },
    { updated_since: 'yesterday' },
    { updated_since: '2030-13-01T00:00:00Z' },
    { updated_since: '2030-01-01T00:00:00' },
    { updated_since: '2030-01-01T25:00:00Z' },
    { updated_since: '1/1/2030' },
    { q: 'x'.repeat(201) },
  ])('422 validation_error: %j', async (query) => {
    const { status, body } = await list(query as Record<string, string>)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body).toMatchObject({
      details: { errors: [{ in: 'query', pointer: `/${Object.keys(query)[0]}` }] },
    })
  })

  test('400 invalid_cursor: garbage, another list’s order, changed kinds', async () => {
    const cursor = String((await page({ limit: 5 })).next_cursor)
    const change = (edit: (fields: Record<string, unknown>) => void) => {
      const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString())
      edit(fields)
      return Buffer.from(JSON.stringify(fields)).toString('base64url')
    }
    const bad = [
      '',
      'x',
      'null',
      Buffer.from('null').toString('base64url'),
      Buffer.from('[]').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
      cursor.slice(0, -8),
      change((fields) => delete fields['id']),
      change((fields) => Object.assign(fields, { id: 1.5 })),
      change((fields) => Object.assign(fields, { id: '1 OR 1=1' })),
      change((fields) => Object.assign(fields, { value: 'text' })),
      change((fields) => Object.assign(fields, { value: null })),
      change((fields) => Object.assign(fields, { value: { $gt: 0 } })),
      change((fields) => Object.assign(fields, { sort: 'name' })),
      change((fields) => Object.assign(fields, { sort: 'constructor' })),
    ]
    for (const text of bad) {
      const { status, body } = await list({ cursor: text })
      expect([text, status, body['error']]).toEqual([text, 400, 'invalid_cursor'])
    }
    const elsewhere = await list({ cursor, sort: 'price_asc' })
    expect([elsewhere.status, elsewhere.body['error']]).toEqual([400, 'invalid_cursor'])
  })
})

describe('in a large store', () => {
  let large: TestApp
  let log: ReturnType<typeof statementLog>
  let access: string

  const call = (method: string, path: string, body?: unknown) =>
    large.call(method, path, { token: access, ...(body !== undefined && { body }) })
  const find = async (q: string) => {
    const { body } = await call('GET', `/v1/products?${new URLSearchParams({ q, sort: 'oldest' })}`)
    return body as unknown as Page
  }

  beforeAll(async () => {
    const db = memoryDatabase()
    log = statementLog(db)
    large = testApp({ db })
    access = await large.signIn('one', 'enterprise')
    const { id } = large.stores.requireBySlug('one')
    addProducts(
      db,
      id,
      Array.from({ length: 10_001 }, (_, n) => ({ id: `Fill-${n}`, name: `Füllung ${n % 50}` })),
    )
  })
  afterAll(() => large.close())

  test('a page takes the same few statements, however many products it has', async () => {
    const of = async (path: string) =>
      (await log.during(() => call('GET', path))).filter((sql) => /product/.test(sql)).length
    // The number of all, the range, the products with their pictures.
    expect([await of('/v1/products?limit=1'), await of('/v1/products?limit=100')]).toEqual([3, 3])
  })

  test('total is 10000 and not exact above 10,000 matches, and exact without a filter', async () => {
    expect(await find('llung')).toMatchObject({ count: 20, total: 10_000, total_is_exact: false })
    expect(await find('llung 49')).toMatchObject({ count: 20, total: 200, total_is_exact: true })
    const all = await call('GET', '/v1/products?limit=1')
    expect(all.body).toMatchObject({ total: 10_001, total_is_exact: true })
  })

  test('q follows every write at once', async () => {
    const ids = async (q: string) => idsOf(await find(q))
    const image_url = large.picture('same', 1)
    const metadata = { name: 'Grüne "Vase" 100%_' }
    await call('POST', '/v1/products', { product_id: 'Vase-Ä', image_url, metadata })
    for (const q of ['grune', 'VASE', '"vase"', '0%_', 'vase-Ä', ' ne  "va']) {
      expect([q, await ids(q)]).toEqual([q, ['Vase-Ä']])
    }
    for (const q of ['vase-ä', 'vase-a', '0%x', 'va_e', 'vase*', 'grüne OR', '0%_\0']) {
      expect([q, await ids(q)]).toEqual([q, []])
    }
    await call('PATCH', `/v1/products/${encodeURIComponent('Vase-Ä')}`, { metadata: { name: 'Krug' } })
    expect([await ids('grune'), await ids('krug'), await ids('vase-')]).toEqual([
      ...[[], ['Vase-Ä']],
      ['Vase-Ä'],
    ])
    await call('PUT', `/v1/products/${encodeURIComponent('Vase-Ä')}`, { image_url })
    expect([await ids('krug'), await ids('vase-')]).toEqual([[], ['Vase-Ä']])
    await call('DELETE', `/v1/products/${encodeURIComponent('Vase-Ä')}`)
    expect(await ids('vase-')).toEqual([])
  })

  test('the demo catalogue comes and goes with its number and its words', async () => {
    const total = async () => (await call('GET', '/v1/products?limit=1')).body['total']
    await call('POST', '/v1/products/demo')
    expect([await total(), (await find('coquelicot')).total]).toEqual([10_041, 1])
    await call('POST', '/v1/products/demo')
    expect(await total()).toBe(10_041)
    await call('DELETE', '/v1/products/demo')
    expect([await total(), (await find('coquelicot')).total]).toEqual([10_001, 0])
  })

  test('another store sees nothing of it', async () => {
    const other = await large.signIn('two')
    for (const query of ['', 'q=llung', 'q=ll', 'category=x&q=fill']) {
      const { body } = await large.call('GET', `/v1/products?${query}`, { token: other })
      expect(body).toMatchObject({ products: [], total: 0, total_is_exact: true, next_cursor: null })
    }
  })
})
