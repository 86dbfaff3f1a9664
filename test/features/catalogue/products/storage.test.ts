import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PLANS } from '../../../../src/core/plans.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { listFiles, readState } from '../../../support/state.ts'
import { keptBytes, openStore, putPicture, sized } from '../../../support/storage.ts'

const FREE = PLANS.free.storageBytesMax
const MINUTE = 60_000

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  const store = await openStore(app)
  token = store.token
  storeId = store.storeId
  // Thumbnails count, too; here each byte is counted that a picture takes.
  await app.call('PATCH', '/v1/store/settings', { token, body: { thumbnails: false } })
})
afterEach(() => app.close())

const dataUri = (bytes: Uint8Array) => `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`

const put = (id: string, bytes: Uint8Array<ArrayBuffer>, of = app, as = token) =>
  putPicture(of, as, id, bytes)

const counted = (of = app, id = storeId): number => keptBytes(of, id)
const summed = (of = app): unknown[] =>
  of.db
    .prepare(
      `SELECT id, (SELECT coalesce(sum(bytes), 0) FROM kept_pictures WHERE store_id = stores.id) AS bytes FROM stores ORDER BY id`,
    )
    .all()
const allCounted = (of = app): unknown[] =>
  of.db.prepare('SELECT id, kept_bytes AS bytes FROM stores ORDER BY id').all()

/** Fills the store up but for so many bytes, with a picture that a product uses. */
async function fillUpTo(left: number, of = app, id = storeId, as = token): Promise<void> {
  expect((await put('large', sized(123, 9_999), of, as)).status).toBe(201)
  const size = PLANS.free.storageBytesMax - left - counted(of, id) + 123
  of.db.prepare('UPDATE kept_pictures SET bytes = ? WHERE store_id = ? AND bytes = 123').run(size, id)
  of.db.prepare('UPDATE pictures SET bytes = ? WHERE store_id = ? AND bytes = 123').run(size, id)
  expect(counted(of, id)).toBe(PLANS.free.storageBytesMax - left)
}

async function sweepAfter(ms: number): Promise<void> {
  await app.sweepPictures()
  app.clock.advance(ms)
  await app.sweepPictures()
}

describe('what a store keeps is counted', () => {
  test('bytes of pictures that arrived as files or data URIs, each content once; addresses cost nothing', async () => {
    await put('file', sized(1_000))
    await put('twin', sized(1_000))
    expect(counted()).toBe(1_000)
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'uri', image_url: dataUri(sized(500, 2)) },
    })
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'web', image_url: app.picture('a', 1) },
    })
    expect(counted()).toBe(1_500)
    const { body } = await app.call('GET', '/v1/products/uri', { token })
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'ours', image_url: body['image_url'] },
    })
    expect(counted()).toBe(1_500)
  })

  test('a second store with the same file counts it as well', async () => {
    await put('p', sized(1_000))
    const other = await openStore(app, 'free', 'two')
    await put('p', sized(1_000), app, other.token)
    expect([counted(), counted(app, other.storeId), listFiles(app).length]).toEqual([1_000, 1_000, 1])
  })

  test('the count falls with the file, a minute after the product let it go', async () => {
    await put('p', sized(1_000))
    await put('q', sized(2_000, 2))
    await app.call('DELETE', '/v1/products/p', { token })
    await put('q', sized(300, 3))
    expect([counted(), listFiles(app).length]).toEqual([3_300, 3])
    await sweepAfter(MINUTE - 1)
    expect([counted(), listFiles(app).length]).toEqual([3_300, 3])
    app.clock.advance(1)
    await app.sweepPictures()
    expect([counted(), listFiles(app).length]).toEqual([300, 1])
  })

  test('after any writes the count is the sum of the rows, in every store', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    const { token: mine } = await openStore(app, 'enterprise', 'three')
    for (let n = 0; n < 300; n++) {
      const as = n % 2 ? other.token : mine
      const id = `p${(n * 7) % 11}`
      if (n % 5 === 0) await app.call('DELETE', `/v1/products/${id}`, { token: as })
      else await put(id, sized(50 + ((n * 13) % 17), (n * 3) % 23), app, as)
      if (n % 9 === 0) await app.sweepPictures()
      expect(allCounted()).toEqual(summed())
    }
    await app.sweepPictures()
    await sweepAfter(MINUTE)
    expect(allCounted()).toEqual(summed())
    const used = app.db.prepare(
      "SELECT DISTINCT lower(hex(content_hash)) AS name FROM pictures WHERE image_url LIKE '/pictures/%'",
    )
    expect(listFiles(app)).toEqual((used.all() as { name: string }[]).map(({ name }) => name).sort())
  }, 60_000)
})

describe('402 storage_limit_exceeded', () => {
  test('the last byte fits, the next does not: code, details, and nothing was written', async () => {
    await fillUpTo(1_000)
    expect((await put('fits', sized(1_000))).status).toBe(201)
    const before = await readState(app, token)
    const { status, body } = await put('beyond', sized(50, 2))
    expect([status, body['error'], body['message']]).toEqual([
      402,
      'storage_limit_exceeded',
      'The plan free keeps 500 MB of pictures',
    ])
    expect(body['details']).toMatchObject({ plan_name: 'free', storage_max_bytes: FREE, storage_bytes: FREE })
    app.clock.advance(MINUTE)
    expect(await readState(app, token)).toEqual(before)
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s answers it', async (method) => {
    await fillUpTo(10)
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'p', image_url: app.picture('a', 1) },
    })
    const body = { image_url: dataUri(sized(50)), ...(method === 'POST' && { product_id: 'p' }) }
    const path = method === 'POST' ? '/v1/products' : '/v1/products/p'
    const answer = await app.call(method, path, { token, body })
    expect([answer.status, answer.body['error']]).toEqual([402, 'storage_limit_exceeded'])
  })

  test('the demo catalogue is refused as well', async () => {
    await fillUpTo(10)
    const answer = await app.call('POST', '/v1/products/demo', { token })
    expect([answer.status, answer.body['error']]).toEqual([402, 'storage_limit_exceeded'])
  })

  test('pictures of one product count together, and those of a refused one are gone after a minute', async () => {
    await fillUpTo(1_000)
    const [first, ...others] = [400, 400, 400].map((size, n) => dataUri(sized(size, n)))
    const refused = await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'p', image_url: first, additional_image_urls: others },
    })
    expect([refused.status, refused.body['error']]).toEqual([402, 'storage_limit_exceeded'])
    expect((await app.call('GET', '/v1/products/p', { token })).status).toBe(404)
    expect(counted()).toBeLessThanOrEqual(FREE)
    await sweepAfter(MINUTE)
    expect([counted(), listFiles(app).length]).toEqual([FREE - 1_000, 1])
  })

  test('the model is not asked first', async () => {
    let asked = 0
    const fake = fakeEmbedder()
    const watched = testApp({
      embedder: {
        ...fake,
        embedPicture(...call) {
          asked++
          return fake.embedPicture(...call)
        },
      },
    })
    const store = await openStore(watched)
    await fillUpTo(10, watched, store.storeId, store.token)
    asked = 0
    expect((await put('beyond', sized(50), watched, store.token)).status).toBe(402)
    expect(asked).toBe(0)
    await watched.close()
  })

  test('the product limit and the form of the request come before it', async () => {
    await fillUpTo(10)
    for (let n = 1; n < PLANS.free.productsMax; n++) {
      app.clock.advance(6_001)
      await app.call('POST', '/v1/products', {
        token,
        body: { product_id: `p${n}`, image_url: app.picture('a', 1) },
      })
    }
    expect((await put('beyond', sized(50))).body['error']).toBe('product_limit_exceeded')
    app.clock.advance(6_001)
    const wrong = await app.call('POST', '/v1/products', { token, body: form({ image: sized(50) }) })
    expect(wrong.status).toBe(422)
  })

  test.each(['basic', 'premium', 'enterprise'] as const)('%s holds more', async (plan) => {
    await fillUpTo(0)
    app.setPlan('one', plan)
    expect((await put('p', sized(50))).status).toBe(201)
  })

  test('however many arrive at once, not one byte goes beyond', async () => {
    const gate = gatedEmbedder()
    const busy = testApp({ embedder: gate.embedder })
    const store = await openStore(busy)
    await fillUpTo(1_000, busy, store.storeId, store.token)
    gate.close()
    const sent = Array.from({ length: 8 }, (_, n) =>
      busy.call('POST', '/v1/products', {
        token: store.token,
        body: form({ product_id: `p${n}`, image: sized(300, n) }),
        // Without it each upload would count as the largest one while it is under way.
        headers: { 'content-length': '1000' },
      }),
    )
    await gate.waited(8)
    gate.open()
    const codes = (await Promise.all(sent)).map(({ status }) => status).sort()
    expect(codes).toEqual([201, 201, 201, 402, 402, 402, 402, 402])
    expect(counted(busy, store.storeId)).toBe(FREE - 100)
    await busy.close()
  })
})

describe('in a full store', () => {
  test('what needs no room goes on: reading, searching, metadata, addresses, content that it keeps', async () => {
    await put('p', sized(100))
    await fillUpTo(0)
    const web = app.picture('a', 1)
    app.clock.advance(MINUTE)
    const calls: [string, string, object?][] = [
      ['GET', '/v1/products/p'],
      ['POST', '/v1/search/text', { query: '1' }],
      ['POST', '/v1/search/url', { image: Buffer.from(pictureBytes(3)).toString('base64') }],
      ['PATCH', '/v1/products/p', { metadata: { name: 'new' } }],
      ['POST', '/v1/products', { product_id: 'web', image_url: web }],
      ['POST', '/v1/products', { product_id: 'twin', image_url: dataUri(sized(100)) }],
    ]
    for (const [method, path, body] of calls) {
      const answer = await app.call(method, path, { token, ...(body && { body }) })
      expect([method, path, answer.status < 300 || answer.body]).toEqual([method, path, true])
    }
  })

  test('an update that needs no more space than it frees is accepted; one that needs more is refused', async () => {
    await put('p', sized(1_000))
    await fillUpTo(0)
    expect((await put('p', sized(1_001, 2))).status).toBe(402)
    expect((await put('p', sized(1_000, 3))).status).toBe(200)
    await sweepAfter(MINUTE)
    expect(counted()).toBe(FREE)
    expect((await put('p', sized(999, 4))).status).toBe(200)
  })

  test('after a smaller plan: less is welcome, the same again is not, and a picture that another product uses frees nothing', async () => {
    await put('p', sized(1_000))
    await put('q', sized(1_000))
    await put('r', sized(1_000, 5))
    app.setPlan('one', 'basic')
    app.db
      .prepare(
        'UPDATE kept_pictures SET bytes = ? WHERE bytes = 1000 AND content_hash <> (SELECT content_hash FROM pictures ORDER BY id DESC LIMIT 1)',
      )
      .run(3 * FREE)
    app.setPlan('one', 'free')
    expect((await put('r', sized(999, 6))).status).toBe(200)
    expect((await put('r', sized(999, 7))).status).toBe(402)
    // q still uses what p would let go.
    expect((await put('p', sized(500, 8))).status).toBe(402)
    await app.call('DELETE', '/v1/products/q', { token })
    expect((await put('p', sized(500, 8))).status).toBe(200)
    await sweepAfter(MINUTE)
    expect(counted()).toBe(999 + 500)
    expect((await put('new', sized(10_000, 9))).status).toBe(201)
  })

  test('deleting is always possible, and a minute later there is room', async () => {
    await fillUpTo(0)
    expect((await put('p', sized(50))).status).toBe(402)
    expect((await app.call('DELETE', '/v1/products/large', { token })).status).toBe(200)
    await sweepAfter(MINUTE)
    expect(counted()).toBe(0)
    expect((await put('p', sized(50))).status).toBe(201)
  })

  test('replacing one picture again and again keeps the last minute only', async () => {
    let most = 0
    for (let n = 0; n < 60; n++) {
      expect((await put('p', sized(1_000, n))).status).toBeLessThan(300)
      await app.sweepPictures()
      most = Math.max(most, listFiles(app).length)
    }
    // Ten requests a minute, the one in use, and the seconds between two sweeps.
    expect(most).toBeLessThanOrEqual(13)
  })
})
