import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import type { Embedder } from '../../../../src/platform/embedder/embedder.ts'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

let app: TestApp
const opened: TestApp[] = []

beforeEach(() => {
  app = testApp()
})
afterEach(async () => {
  // They share one database, which only the first one may close.
  for (const later of opened.splice(0)) {
    later.modelMoves.stop()
    await later.modelMoves.drain()
  }
  await app.close()
})

/** The same install, started again with another model. */
function restart(embedder: Partial<Embedder> = {}): TestApp {
  const fake = fakeEmbedder()
  const later = testApp({
    db: app.db,
    files: createPictureFiles(app.folder, () => app.ids.uuid()),
    embedder: { ...fake, model: { ...fake.model, id: 'next', hash: 'e'.repeat(64) }, ...embedder },
  })
  for (const [url, bytes] of app.web) later.web.set(url, bytes)
  later.loadIndex()
  opened.push(later)
  return later
}

const tokenFor = (later: TestApp, slug = 'one'): Promise<string> => {
  const { id } = later.db.prepare('SELECT id FROM stores WHERE slug = ?').get(slug) as { id: string }
  return later.signToken({ sub: id, jti: `again-${slug}`, user_type: 'client' }, 3600)
}

const storeOf = (slug = 'one'): string =>
  (app.db.prepare('SELECT id FROM stores WHERE slug = ?').get(slug) as { id: string }).id

/** Does all that is due. */
async function work(later: TestApp): Promise<void> {
  await later.modelMoves.wake()
  await later.modelMoves.drain()
}

async function fill(token: string, count: number, prefix = 'p'): Promise<void> {
  for (let n = 0; n < count; n++) {
    const body = {
      product_id: `${prefix}${n}`,
      image_url: app.picture(`${prefix}${n}`, n),
      metadata: { price: n },
    }
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
}

describe('products of an earlier model', () => {
  test('are embedded again without a request, and found as before', async () => {
    const token = await app.signIn()
    await fill(token, 6)
    const kept = form({ product_id: 'kept', image: pictureBytes(6) })
    expect((await app.call('POST', '/v1/products', { token, body: kept })).status).toBe(201)
    const later = restart()
    const search = async () =>
      later.call('POST', '/v1/search/text', { token: await tokenFor(later), body: { query: '3', limit: 1 } })
    expect((await search()).body['error']).toBe('model_not_ready')
    expect(later.modelMoves.countWaiting(storeOf())).toBe(7)

    await work(later)
    later.clock.advance(3_000)
    expect(later.modelMoves.countWaiting(storeOf())).toBe(0)
    const found = (await search()).body as { results: { product_id: string }[]; total_candidates: number }
    expect(found.results.map(({ product_id }) => product_id)).toEqual(['p3'])
    expect(found.total_candidates).toBe(7)
    expect(later.db.prepare('SELECT count(*) AS n FROM vectors_1').get()).toEqual({ n: 0 })
  })

  test('keep their content and the time of their last change, and lists show a new time of indexing', async () => {
    const token = await app.signIn()
    await fill(token, 1)
    const shownBefore = (await app.call('GET', '/v1/products/p0', { token })).body
    const later = restart()
    later.clock.advance(60_000)
    await work(later)
    const { indexed_at, ...shown } = (
      await later.call('GET', '/v1/products/p0', { token: await tokenFor(later) })
    ).body
    expect(shownBefore).toMatchObject(shown)
    expect(shownBefore['indexed_at']).not.toBe(indexed_at)
  })

  test('appear in the change feed with their origin', async () => {
    const token = await app.signIn()
    await fill(token, 1)
    const later = restart()
    await work(later)
    const feed = (await later.call('GET', '/v1/changes', { token: await tokenFor(later) })).body
    const changes = feed['changes'] as { event: string; origin: string }[]
    expect(changes.map(({ event, origin }) => [event, origin])).toEqual([
      ['product.indexed', 'client'],
      ['product.indexed', 'reembedding'],
    ])
  })

  test('leave alone what waits in a job', async () => {
    const token = await app.signIn()
    await fill(token, 1)
    const later = restart()
    const body = {
      products: [{ product_id: 'p0', image_url: app.picture('p0', 0), metadata: { price: 99 } }],
    }
    const started = await later.call('POST', '/v1/products/bulk', { token: await tokenFor(later), body })
    expect(started.status).toBe(202)
    await work(later)
    later.jobs.wake()
    await later.jobs.drain()
    const shown = await later.call('GET', '/v1/products/p0', { token: await tokenFor(later) })
    expect(shown.body['metadata']).toEqual({ price: 99 })
  })

  test('of several stores take turns', async () => {
    const [one, two] = [await app.signIn('one'), await app.signIn('two')]
    await fill(one, 12, 'a')
    await fill(two, 3, 'b')
    const order: string[] = []
    const later = restart({
      async embedPicture(bytes, options) {
        order.push(options.storeId)
        return fakeEmbedder().embedPicture(bytes, options)
      },
    })
    await work(later)
    expect(order.length).toBe(15)
    const lastOfTwo = order.lastIndexOf(storeOf('two'))
    expect(lastOfTwo).toBeLessThan(8)
  })

  test('are counted for each store alone', async () => {
    const [one, two] = [await app.signIn('one'), await app.signIn('two')]
    await fill(one, 2, 'a')
    await fill(two, 1, 'b')
    const later = restart()
    expect([storeOf('one'), storeOf('two')].map(later.modelMoves.countWaiting)).toEqual([2, 1])
  })
})

describe('a picture that cannot be had', () => {
  test('is tried again after a pause, and holds up no other', async () => {
    const token = await app.signIn()
    await fill(token, 3)
    const url = app.picture('p1', 1)
    const later = restart()
    const bytes = later.web.get(url) as Uint8Array
    later.web.delete(url)
    await work(later)
    later.clock.advance(3_000)
    expect(later.modelMoves.countWaiting(storeOf())).toBe(1)
    const tries = later.downloads.filter((download) => download === url).length
    await work(later)
    expect(later.downloads.filter((download) => download === url).length).toBe(tries)

    later.web.set(url, bytes)
    later.clock.advance(60_000)
    await work(later)
    later.clock.advance(3_000)
    expect(later.modelMoves.countWaiting(storeOf())).toBe(0)
    expect(later.db.prepare('SELECT count(*) AS n FROM reembedding_tries').get()).toEqual({ n: 0 })
  })

  test('is forgotten with its product', async () => {
    const token = await app.signIn()
    await fill(token, 1)
    const later = restart()
    later.web.clear()
    await work(later)
    expect(later.db.prepare('SELECT error, tries FROM reembedding_tries').all()).toEqual([
      { error: 'image_download_failed', tries: 1 },
    ])
    await later.call('DELETE', '/v1/products/p0', { token: await tokenFor(later) })
    expect(later.db.prepare('SELECT count(*) AS n FROM reembedding_tries').get()).toEqual({ n: 0 })
  })
})

describe('a model that is busy or not ready', () => {
  test('costs no product a try', async () => {
    const token = await app.signIn()
    await fill(token, 2)
    let isBusy = true
    const later = restart({
      async embedPicture(bytes, options) {
        if (isBusy) throw new ApiError('overloaded', 'The queue is full')
        return fakeEmbedder().embedPicture(bytes, options)
      },
    })
    await work(later)
    expect(later.db.prepare('SELECT count(*) AS n FROM reembedding_tries').get()).toEqual({ n: 0 })
    isBusy = false
    later.clock.advance(60_000)
    await work(later)
    later.clock.advance(3_000)
    expect(later.modelMoves.countWaiting(storeOf())).toBe(0)
  })

  test('begins nothing before it is ready', async () => {
    const token = await app.signIn()
    await fill(token, 1)
    const later = restart({ status: () => ({ state: 'starting' }) })
    await work(later)
    expect(later.downloads).toEqual([])
  })
})

test('an install whose vectors are all of the present model has nothing to do', async () => {
  const token = await app.signIn()
  await fill(token, 2)
  await app.modelMoves.wake()
  expect(app.modelMoves.countWaiting(storeOf())).toBe(0)
  expect(app.downloads.length).toBe(2)
})
