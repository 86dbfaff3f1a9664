import { afterEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { readState } from '../../../support/state.ts'

/** Room for 16 blocks of 64 vectors beside the kernel's own memory. Stores share no block. */
const MEMORY = 5 * 65_536
const BLOCKS = 16

const apps: TestApp[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

function makeApp(...args: Parameters<typeof testApp>): TestApp {
  const app = testApp(...args)
  apps.push(app)
  return app
}

const post = async (app: TestApp, token: string, body: Record<string, unknown>) =>
  app.call('POST', '/v1/products', { token, body: { image_url: app.picture('a', 1), ...body } })

const search = async (app: TestApp, token: string) => {
  const { status, body } = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
  return status === 200 ? body['count'] : body['error']
}

/** Signs in to `count` stores, each with one product. @returns their tokens. */
async function fill(app: TestApp, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let n = 0; n < count; n++) {
    const token = await app.signIn(`store-${n}`)
    tokens.push(token)
    expect((await post(app, token, { product_id: 'p' })).status).toBe(201)
  }
  return tokens
}

describe('without room for one more vector (contract 8.3)', () => {
  test('503 storage_full: the numbers, nothing written, nothing downloaded, and readiness stays', async () => {
    const app = makeApp({ vectorMemoryBytesMax: MEMORY })
    await fill(app, BLOCKS)
    const token = await app.signIn('late')
    const before = await readState(app, token)
    app.downloads.length = 0
    const { status, body, headers } = await post(app, token, { product_id: 'p' })
    expect([status, body['error'], headers.get('retry-after')]).toEqual([503, 'storage_full', '60'])
    expect(body['details']).toEqual({ memory_bytes: MEMORY, memory_max_bytes: MEMORY })
    expect(app.downloads).toEqual([])
    expect(await readState(app, token)).toEqual(before)
    expect((await app.call('GET', '/v1/products/p', { token })).status).toBe(404)
    expect((await app.call('GET', '/health/ready', {})).status).toBe(200)
    const demo = await app.call('POST', '/v1/products/demo', { token })
    expect([demo.status, demo.body['error']]).toEqual([503, 'storage_full'])
    expect(await readState(app, token)).toEqual(before)
  })

  test('a store with room in its last block goes on, up to its end', async () => {
    const app = makeApp({ vectorMemoryBytesMax: MEMORY })
    const [token = ''] = await fill(app, BLOCKS)
    const urls = Array.from({ length: 9 }, (_, n) => app.picture(`more-${n}`, n))
    const body = { additional_image_urls: urls }
    for (let n = 0; n < 6; n++)
      expect((await post(app, token, { ...body, product_id: `q${n}` })).status).toBe(201)
    // 61 of 64: three find room, ten do not, and then none of them is written.
    const before = await readState(app, token)
    const refused = await post(app, token, { ...body, product_id: 'big' })
    expect([refused.status, refused.body['error']]).toEqual([503, 'storage_full'])
    expect(await readState(app, token)).toEqual(before)
    for (const id of ['a', 'b', 'c']) expect((await post(app, token, { product_id: id })).status).toBe(201)
    expect((await post(app, token, { product_id: 'd' })).status).toBe(503)
  })

  test('what takes no more than it gives goes on: metadata, replaced pictures, deletions', async () => {
    const app = makeApp({ vectorMemoryBytesMax: MEMORY })
    const tokens = await fill(app, BLOCKS)
    const [token = ''] = tokens
    const urls = Array.from({ length: 8 }, (_, n) => app.picture(`more-${n}`, n))
    for (let n = 0; n < 7; n++) await post(app, token, { product_id: `q${n}`, additional_image_urls: urls })
    const changed = await app.call('PATCH', '/v1/products/p', {
      token,
      body: { metadata: { category: 'Mugs' } },
    })
    expect(changed.status).toBe(200)
    const replaced = [app.picture('new', 3), urls.map((_, n) => app.picture(`new-${n}`, n))] as const
    const put = (more: string[]) => {
      const body = { image_url: replaced[0], additional_image_urls: [...replaced[1], ...more] }
      return app.call('PUT', '/v1/products/q0', { token, body })
    }
    const before = await readState(app, token)
    const refused = await put([app.picture('more', 4)])
    expect([refused.status, refused.body['error']]).toEqual([503, 'storage_full'])
    expect(await readState(app, token)).toEqual(before)
    expect((await put([])).status).toBe(200)
    expect((await app.call('DELETE', '/v1/products/q1', { token })).status).toBe(200)
    expect((await put([app.picture('more', 4)])).status).toBe(200)

    // A block that one store gives back is any store's.
    const late = await app.signIn('late')
    expect((await post(app, late, { product_id: 'p' })).status).toBe(503)
    expect((await app.call('DELETE', '/v1/products/p', { token: tokens[1] as string })).status).toBe(200)
    expect((await post(app, late, { product_id: 'p' })).status).toBe(201)
    expect(await search(app, late)).toBe(1)
  })

  test('of two that arrive together for the last block one wins, and the other leaves nothing', async () => {
    const gate = gatedEmbedder()
    const app = makeApp({ vectorMemoryBytesMax: MEMORY, embedder: gate.embedder })
    await fill(app, BLOCKS - 1)
    const tokens = [await app.signIn('left'), await app.signIn('right')]
    const upload = (token: string, n: number) => {
      const body = form({ product_id: 'p', image: pictureBytes(n) })
      return app.call('POST', '/v1/products', { token, body })
    }
    gate.close()
    const uploads = tokens.map(upload)
    await gate.waited(2)
    gate.open()
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 503])
    const counts = await Promise.all(tokens.map((token) => search(app, token)))
    expect(counts.toSorted()).toEqual([0, 1])
    expect(app.db.prepare('SELECT count(*) AS n FROM products').get()).toEqual({ n: BLOCKS })
    expect(app.db.prepare('SELECT count(*) AS n FROM vectors_1').get()).toEqual({ n: BLOCKS })
  })
})

describe('a start with more vectors than find room (contract 8.3)', () => {
  test('serves every store that fits, and all but the searches of the one that does not', async () => {
    const roomy = makeApp()
    await fill(roomy, BLOCKS + 1)
    const app = makeApp({ db: roomy.db, vectorMemoryBytesMax: MEMORY })
    expect([app.loadIndex(), app.hasWholeIndex()]).toEqual([BLOCKS, true])
    const stores = Array.from({ length: BLOCKS + 1 }, (_, n) => app.stores.requireBySlug(`store-${n}`).id)
    const tokens = await Promise.all(
      stores.map((sub) => app.signToken({ sub, jti: sub, user_type: 'client' }, 3600)),
    )
    const found = await Promise.all(tokens.map((token) => search(app, token)))
    expect(found).toEqual([...Array<number>(BLOCKS).fill(1), 'storage_full'])
    const [first = '', last = ''] = [tokens[0], tokens.at(-1)]
    const byProduct = await app.call('POST', '/v1/search/url', { token: last, body: { product_id: 'p' } })
    expect([byProduct.status, byProduct.body['error']]).toEqual([503, 'storage_full'])
    expect((await app.call('GET', '/v1/products/p', { token: last })).status).toBe(200)
    expect((await app.call('GET', '/v1/products', { token: last })).body['total']).toBe(1)
    expect((await app.call('GET', '/health/ready', {})).status).toBe(200)

    expect((await app.call('DELETE', '/v1/products/p', { token: first })).status).toBe(200)
    app.forgetStore(stores.at(-1) as string)
    expect(await search(app, last)).toBe(1)
    expect(await search(app, first)).toBe(0)
  })

  test('a store that does not fit as a whole leaves its room to the others', async () => {
    const roomy = makeApp()
    const [token = ''] = await fill(roomy, 1)
    const urls = Array.from({ length: 9 }, (_, n) => roomy.picture(`more-${n}`, n))
    for (let n = 0; n < BLOCKS * 7; n++) {
      expect((await post(roomy, token, { product_id: `q${n}`, additional_image_urls: urls })).status).toBe(
        201,
      )
    }
    const small = await roomy.signIn('small')
    await post(roomy, small, { product_id: 'p' })
    const app = makeApp({ db: roomy.db, vectorMemoryBytesMax: MEMORY })
    expect(app.loadIndex()).toBeGreaterThan(0)
    const search = async (slug: string) => {
      const sub = app.stores.requireBySlug(slug).id
      const as = await app.signToken({ sub, jti: sub, user_type: 'client' }, 3600)
      return (await app.call('POST', '/v1/search/text', { token: as, body: { query: '1' } })).status
    }
    expect([await search('store-0'), await search('small')]).toEqual([503, 200])
  })
})
