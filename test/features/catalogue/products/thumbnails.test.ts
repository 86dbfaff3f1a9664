import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { SqliteError } from 'better-sqlite3'
import { HOUR_MS } from '../../../../src/core/clock.ts'
import { ApiError } from '../../../../src/core/errors.ts'
import { PLANS } from '../../../../src/core/plans.ts'
import { hashThumbnail } from '../../../../src/core/thumbnail-hash.ts'
import { createThumbnailAddresses } from '../../../../src/features/catalogue/products/thumbnail-address.ts'
import { createThumbnails } from '../../../../src/features/catalogue/products/thumbnails.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { countRows, updateRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'

const PATH = /^\/thumbnails\/[0-9a-f]{32}\.webp\?until=\d+&sig=[0-9a-f]{32}$/

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  const store = await openStore(app, 'enterprise')
  token = store.token
  storeId = store.storeId
})
afterEach(() => app.close())

const put = (id: string, url = app.picture(id, 1), as = token) =>
  app.call('POST', '/v1/products', { token: as, body: { product_id: id, image_url: url } })

async function urlOf(id: string, as = token): Promise<string | null> {
  const { body } = await app.call('GET', `/v1/products/${id}`, { token: as })
  return body['thumbnail_url'] as string | null
}

const open = (path: string | null) => app.http.handle(new Request(`http://lookalike.test${path}`))
const statusOf = async (path: string | null) => (await open(path)).status
const set = (settings: object) => app.call('PATCH', '/v1/store/settings', { token, body: settings })
const run = (name: string) => app.chores.find((chore) => chore.name === name)?.run()
const stored = () => ({
  rows: countRows(app, 'thumbnails'),
  counted: app.db.prepare('SELECT sum(thumbnail_bytes) FROM stores').pluck().get(),
  summed: app.db.prepare('SELECT coalesce(sum(length(webp)), 0) FROM thumbnails').pluck().get(),
})

async function make(): Promise<void> {
  app.clock.advance(HOUR_MS)
  await run('making thumbnails')
  await app.products.thumbnails.drain()
}

/** Leaves the products as a version without thumbnails had written them. */
function forgetThumbnails(): void {
  app.db.exec('DELETE FROM thumbnails; UPDATE pictures SET thumbnail = -3')
}

describe('the thumbnail of a product', () => {
  test('is there with the product, at an address that needs no credential', async () => {
    await put('a')
    const url = await urlOf('a')
    expect(url).toMatch(PATH)
    const answer = await open(url)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('RIFF....WEBP picture 1 of 192 pixels')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=129600, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  test('is that of its first picture, also where another one matches', async () => {
    const image_url = app.picture('front', 1)
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'a', image_url, additional_image_urls: [app.picture('back', 5)] },
    })
    const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: '5' } })
    const [hit] = body['results'] as { thumbnail_url: string; matched_image: string }[]
    expect(hit?.matched_image).toEndWith('back.jpg')
    expect(await (await open(hit?.thumbnail_url ?? '')).text()).toContain('picture 1 of')
    expect(hit?.thumbnail_url).toBe((await urlOf('a')) ?? '')
  })

  test('goes with the last product that has the picture, and with the picture that is replaced', async () => {
    const url = app.picture('shared', 1)
    await put('a', url)
    await put('b', url)
    const address = await urlOf('a')
    expect(stored().rows).toBe(1)
    await app.call('DELETE', '/v1/products/a', { token })
    expect(await statusOf(address)).toBe(200)
    await put('b', app.picture('other', 2))
    expect(await statusOf(address)).toBe(404)
    expect(await statusOf(await urlOf('b'))).toBe(200)
    await app.call('DELETE', '/v1/products/b', { token })
    expect(stored()).toEqual({ rows: 0, counted: 0, summed: 0 })
  })

  test('stays when its product is written again with the same picture at another address', async () => {
    await put('a', app.picture('one', 1))
    const address = await urlOf('a')
    await put('a', app.picture('two', 1))
    expect(await urlOf('a')).toBe(address)
    expect(await statusOf(address)).toBe(200)
  })

  test('is the store’s own: the same picture of another store has another address, and its own life', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    const url = app.picture('same', 1)
    await put('a', url)
    await put('a', url, other.token)
    const [mine, theirs] = [await urlOf('a'), await urlOf('a', other.token)]
    expect(mine?.slice(0, 44)).not.toBe(theirs?.slice(0, 44) ?? '')
    await app.call('DELETE', '/v1/products/a', { token })
    expect(await statusOf(mine)).toBe(404)
    expect(await statusOf(theirs)).toBe(200)
  })

  test('counts in the storage of the store', async () => {
    await put('a')
    await put('b', app.picture('b', 2))
    const { rows, counted, summed } = stored()
    expect(rows).toBe(2)
    expect(counted).toBe(summed)
    const { body } = await app.call('GET', '/v1/billing/usage', { token })
    expect(body['storage_bytes']).toBe(counted as number)
  })

  test('is missing, and the product there, where it could not be drawn or the storage is full', async () => {
    const undrawn = testApp({
      embedder: {
        ...fakeEmbedder(),
        embedPicture: (bytes, { thumbnail: _, ...options }) => fakeEmbedder().embedPicture(bytes, options),
      },
    })
    const bare = await openStore(undrawn, 'enterprise')
    const image_url = undrawn.picture('a', 1)
    const written = await undrawn.call('POST', '/v1/products', {
      token: bare.token,
      body: { product_id: 'a', image_url },
    })
    expect(written.status).toBe(201)
    const { body } = await undrawn.call('GET', '/v1/products/a', { token: bare.token })
    expect(body['thumbnail_url']).toBeNull()
    undrawn.close()

    app.setPlan('one', 'free')
    updateRows(app, 'stores', { kept_bytes: PLANS.free.storageBytesMax }, { id: storeId })
    expect((await put('full')).status).toBe(201)
    expect(await urlOf('full')).toBeNull()
    updateRows(app, 'stores', { kept_bytes: 0 }, { id: storeId })
    await make()
    expect(await statusOf(await urlOf('full'))).toBe(200)
  })

  test('has an address in results, popular products, top products, dry runs and errors of jobs', async () => {
    await put('a')
    const url = await urlOf('a')
    const search = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    expect(search.body['results']).toMatchObject([{ product_id: 'a', thumbnail_url: url }])
    const search_id = search.body['search_id']
    await app.call('POST', '/v1/search/feedback', {
      token,
      body: { search_id, result_product_id: 'a', action: 'click' },
    })
    const popular = await app.call('GET', '/v1/search/feedback/popular', { token })
    expect(popular.body['products']).toMatchObject([{ product_id: 'a', thumbnail_url: url }])
    const report = await app.call('GET', '/v1/search/analytics', { token })
    expect(report.body['top_products']).toMatchObject([{ product_id: 'a', thumbnail_url: url }])
    const file = `product_id,image_url\na,${app.picture('a', 1)}\nnew,${app.picture('new', 2)}\n`
    const preview = await app.call('POST', '/v1/products/import?dry_run=true', {
      token,
      body: form({ file: new TextEncoder().encode(file) }),
    })
    expect(preview.body['products']).toMatchObject([
      { product_id: 'a', thumbnail_url: url },
      { product_id: 'new', thumbnail_url: null },
    ])
  })
})

describe('an address', () => {
  test('that was altered leads nowhere', async () => {
    await put('a')
    const url = (await urlOf('a')) as string
    const [, hash = '', until = '', sig = ''] =
      /thumbnails\/(.+)\.webp\?until=(\d+)&sig=(.+)$/.exec(url) ?? []
    const other = (text: string) => (text.startsWith('0') ? '1' : '0') + text.slice(1)
    const paths = [
      `/thumbnails/${other(hash)}.webp?until=${until}&sig=${sig}`,
      `/thumbnails/${hash}.webp?until=${Number(until) + 12}&sig=${sig}`,
      `/thumbnails/${hash}.webp?until=0${until}&sig=${sig}`,
      `/thumbnails/${hash}.webp?until=${until}&sig=${other(sig)}`,
      `/thumbnails/${hash}.webp?until=${until}&sig=${sig.toUpperCase()}`,
      `/thumbnails/${hash}.webp?until=${until}`,
      `/thumbnails/${hash}.webp?sig=${sig}`,
      `/thumbnails/${hash}.webp`,
      `/thumbnails/${hash}?until=${until}&sig=${sig}`,
      `/thumbnails/${'x'.repeat(5_000)}?until=${until}&sig=${sig}`,
    ]
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 404])
    expect(await statusOf(url)).toBe(200)
  })

  test('stays the same for half a day, and holds for 24 to 36 hours', async () => {
    await put('a')
    const first = await urlOf('a')
    // The clock of the tests begins at midnight.
    app.clock.advance(12 * HOUR_MS - 1)
    expect(await urlOf('a')).toBe(first)
    app.clock.advance(1)
    const second = await urlOf('a')
    expect(second).not.toBe(first)
    app.clock.advance(24 * HOUR_MS - 1)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    app.clock.advance(1)
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
  })

  test('is hashed and signed once in half a day', () => {
    const clock = { now: () => 1_000 }
    const addresses = createThumbnailAddresses(Buffer.alloc(32, 1), clock)
    let hashed = 0
    const hash = () => {
      hashed++
      return hashThumbnail('store', { contentHash: Buffer.alloc(32) })
    }
    const first = addresses.of(7, hash)
    expect(addresses.of(7, hash)).toBe(first)
    expect(hashed).toBe(1)
    expect(createThumbnailAddresses(Buffer.alloc(32, 2), clock).of(7, hash)).not.toBe(first)
  })

  test('of a thumbnail that cannot be read is one without a thumbnail', () => {
    const addresses = createThumbnailAddresses(Buffer.alloc(32), app.clock)
    const faults: unknown[] = []
    const thumbnails = createThumbnails({
      queries: {
        find: () => {
          throw new SqliteError('malformed', 'SQLITE_CORRUPT')
        },
      } as never,
      addresses,
      isWanted: () => true,
      storeRows: { readStoredBytes: () => 0, findStore: () => undefined },
      plans: PLANS,
      reportFault: (error) => void faults.push(error),
    })
    const path = addresses.of(1, () => Buffer.alloc(16))
    const [, name = '', until = '', sig = ''] =
      /thumbnails\/(.+)\?until=(\d+)&sig=(.+)$/.exec(path ?? '') ?? []
    expect(thumbnails.open(name, { until, sig })).toBeUndefined()
    expect(faults).toHaveLength(1)
  })
})

describe('a store that wants no thumbnails', () => {
  test('has none from then on, and gets its storage back', async () => {
    await put('a')
    const url = await urlOf('a')
    expect((await set({ thumbnails: false })).body['thumbnails']).toBe(false)
    expect(await urlOf('a')).toBeNull()
    expect(await statusOf(url)).toBe(404)
    await put('b', app.picture('b', 2))
    await run('deleting unwanted thumbnails')
    expect(stored()).toEqual({ rows: 0, counted: 0, summed: 0 })
    await make()
    expect(stored().rows).toBe(0)
  })

  test('has them again once it wants them', async () => {
    await put('a')
    await set({ thumbnails: false })
    await run('deleting unwanted thumbnails')
    await put('b', app.picture('b', 2))
    await set({ thumbnails: true })
    await make()
    expect([await statusOf(await urlOf('a')), await statusOf(await urlOf('b'))]).toEqual([200, 200])
  })

  test('does not take those of another store along', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    await put('a')
    await put('a', app.picture('a', 1), other.token)
    await set({ thumbnails: false })
    await run('deleting unwanted thumbnails')
    expect(await statusOf(await urlOf('a', other.token))).toBe(200)
  })
})

describe('pictures of an earlier version', () => {
  test('get their thumbnails, those that were uploaded and those of other hosts', async () => {
    await put('linked')
    await app.call('POST', '/v1/products', {
      token,
      body: form({ product_id: 'kept', image: pictureBytes(3) }),
    })
    const urls = [await urlOf('linked'), await urlOf('kept')]
    forgetThumbnails()
    expect(await urlOf('linked')).toBeNull()
    await make()
    expect([await urlOf('linked'), await urlOf('kept')]).toEqual(urls)
    expect(stored().counted).toBe(stored().summed)
  })

  test('that cannot be read are tried three times, an hour apart, and hold nobody else up', async () => {
    const url = app.picture('gone', 1)
    await put('gone', url)
    await put('good', app.picture('good', 2))
    forgetThumbnails()
    app.web.delete(url)
    await make()
    expect([await urlOf('gone'), await statusOf(await urlOf('good'))]).toEqual([null, 200])
    for (let tries = 0; tries < 4; tries++) await make()
    expect(countRows(app, 'pictures', { thumbnail: 0 })).toBe(1)
    app.picture('gone', 1)
    await make()
    expect(await urlOf('gone')).toBeNull()
  })

  test('are tried again for a month, ever more seldom, where the network failed', async () => {
    let details: object = { reason: 'dns' }
    let hasNetwork = true
    let tries = 0
    const cut = testApp({
      fetcher: {
        async fetch() {
          if (hasNetwork) return pictureBytes(1)
          tries++
          throw new ApiError('image_download_failed', 'no network', { details: { ...details } })
        },
      },
    })
    const store = await openStore(cut, 'enterprise')
    const body = { product_id: 'a', image_url: 'https://img.test/a.jpg' }
    await cut.call('POST', '/v1/products', { token: store.token, body })
    cut.db.exec('DELETE FROM thumbnails; UPDATE pictures SET thumbnail = -3')
    hasNetwork = false
    const pass = async (hours: number): Promise<number> => {
      const before = tries
      for (let n = 0; n < hours; n++) {
        cut.clock.advance(HOUR_MS)
        await cut.chores.find(({ name }) => name === 'making thumbnails')?.run()
        await cut.products.thumbnails.drain()
      }
      return tries - before
    }
    const state = () => cut.db.prepare('SELECT thumbnail FROM pictures').pluck().get()
    expect(await pass(3)).toBe(3)
    const firstDays = await pass(72)
    expect(firstDays).toBeGreaterThanOrEqual(5)
    expect(firstDays).toBeLessThanOrEqual(8)
    expect(await pass(10 * 24)).toBe(10)
    expect(Number(state())).toBeLessThan(-8)
    const rest = await pass(40 * 24)
    expect([rest > 10, rest < 30, state()]).toEqual([true, true, 0])

    cut.db.exec('UPDATE pictures SET thumbnail = -6')
    details = { reason: 'http_status', upstream_status: 404 }
    await pass(24)
    expect(state()).toBe(0)
    cut.db.exec('UPDATE pictures SET thumbnail = -1')
    details = { reason: 'http_status', upstream_status: 503 }
    await pass(1)
    expect(state()).toBe(-4)
    hasNetwork = true
    await pass(2)
    expect([state(), countRows(cut, 'thumbnails')]).toEqual([1, 1])
    await cut.close()
  })

  test('wait without losing a try while the model is overloaded', async () => {
    let isBusy = true
    const embedder = fakeEmbedder()
    const busy = testApp({
      embedder: {
        ...embedder,
        seePicture: (bytes, options) =>
          isBusy ? Promise.reject(new ApiError('overloaded', 'busy')) : embedder.seePicture(bytes, options),
      },
    })
    const store = await openStore(busy, 'enterprise')
    await busy.call('POST', '/v1/products', {
      token: store.token,
      body: { product_id: 'a', image_url: busy.picture('a', 1) },
    })
    busy.db.exec('DELETE FROM thumbnails; UPDATE pictures SET thumbnail = -3')
    const wake = async () => {
      busy.clock.advance(2 * HOUR_MS)
      await busy.chores.find(({ name }) => name === 'making thumbnails')?.run()
      await busy.products.thumbnails.drain()
    }
    for (let tries = 0; tries < 5; tries++) await wake()
    expect(countRows(busy, 'pictures', { thumbnail: -3 })).toBe(1)
    isBusy = false
    await wake()
    expect(countRows(busy, 'pictures', { thumbnail: 1 })).toBe(1)
    busy.close()
  })
})
