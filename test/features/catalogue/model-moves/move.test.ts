import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  clean,
  countRows,
  fill,
  finish,
  type Models,
  openInstall,
  search,
  storeOf,
  tokenFor,
  work,
} from './moving.ts'

let app: TestApp
let models: Models

beforeEach(() => {
  ;({ app, models } = openInstall())
})
afterEach(async () => {
  app.modelMoves.stop()
  await app.modelMoves.drain()
  await app.close()
})

describe('a move to another model', () => {
  test('reads the category names with the new model before it switches a store', async () => {
    const texts: [model: string, text: string, at: string][] = []
    models.stand = (name, embedder) => ({
      ...embedder,
      embedText(text, priority) {
        texts.push([name, text, app.models.of(storeOf(app)).embedder.model.id])
        return embedder.embedText(text, priority)
      },
    })
    const token = await app.signIn()
    for (const n of [1, 2]) {
      const body = { product_id: `p${n}`, image_url: app.picture(`p${n}`, n), metadata: { category: `${n}` } }
      expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
    }
    await app.modelMoves.use('next')
    await finish(app)
    expect(texts).toEqual([
      ['next', '1', 'fake'],
      ['next', '2', 'fake'],
    ])
    const body = { image_url: app.picture('query', 2), limit: 1 }
    expect((await app.call('POST', '/v1/search/url', { token, body })).status).toBe(200)
    expect(texts).toHaveLength(2)
  })

  test('embeds what is there, and leaves the way back, which embeds nothing', async () => {
    await fill(app, await app.signIn(), 6)
    models.embedded.length = 0
    const begun = await app.modelMoves.use('next')
    expect(begun).toMatchObject({
      kind: 'use',
      from: 'fake',
      to: 'next',
      state: 'running',
      stores: 1,
      products: 6,
    })
    expect(await search(app, '3')).toEqual(['p3'])
    await finish(app)
    expect(models.embedded).toEqual(Array(6).fill('next'))
    expect(app.modelMoves.status()).toMatchObject({
      in_use: 'next',
      move: { state: 'done', stores: 1, stores_done: 1, products: 6, products_done: 6, failed: 0 },
      former: { name: 'fake' },
    })
    expect(app.models.of(storeOf(app)).embedder.model.id).toBe('next')
    expect(await search(app, '3')).toEqual(['p3'])
    expect([countRows(app, 'vectors_1'), countRows(app, 'store_models')]).toEqual([6, 0])

    models.embedded.length = 0
    expect(await app.modelMoves.back()).toMatchObject({ kind: 'back', from: 'next', to: 'fake' })
    await finish(app)
    expect(models.embedded).toEqual([])
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'fake', former: { name: 'next' } })
    expect(await search(app, '5')).toEqual(['p5'])
  })

  test('leaves the content, the time of change and the ids, and is told like embedding again', async () => {
    const token = await app.signIn()
    await fill(app, token, 1)
    const before = (await app.call('GET', '/v1/products/p0', { token })).body
    app.clock.advance(60_000)
    await app.modelMoves.use('next')
    await finish(app)
    const { indexed_at, ...after } = (
      await app.call('GET', '/v1/products/p0', { token: await tokenFor(app) })
    ).body
    expect(before).toMatchObject(after)
    const feed = (await app.call('GET', '/v1/changes', { token: await tokenFor(app) })).body
    const changes = feed['changes'] as { event: string; origin: string }[]
    expect(changes.map(({ event, origin }) => [event, origin])).toEqual([
      ['product.indexed', 'client'],
      ['product.indexed', 'reembedding'],
    ])
  })

  test('switches a small store while a large one is still embedded', async () => {
    await fill(app, await app.signIn('large'), 40, 'l')
    await fill(app, await app.signIn('small'), 2, 's')
    let left = 20
    const gate = Promise.withResolvers<void>()
    models.stand = (name, embedder) =>
      name !== 'next'
        ? embedder
        : {
            ...embedder,
            async embedPicture(bytes, options) {
              if (left-- <= 0) await gate.promise
              return embedder.embedPicture(bytes, options)
            },
          }
    await app.modelMoves.use('next')
    await app.modelMoves.wake()
    for (let n = 0; n < 2000 && app.modelMoves.status().move?.stores_done === 0; n++) {
      app.clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(app.models.of(storeOf(app, 'small')).embedder.model.id).toBe('next')
    expect(app.models.of(storeOf(app, 'large')).embedder.model.id).toBe('fake')
    expect(await search(app, '1', 'small')).toEqual(['s1'])
    expect(await search(app, '7', 'large')).toEqual(['l7'])
    gate.resolve()
    await finish(app)
    expect(app.modelMoves.status()).toMatchObject({
      in_use: 'next',
      move: { stores_done: 2, products_done: 42 },
    })
  })

  test('goes on for a store while all pictures of another one hang', async () => {
    const [slow, quick] = [await app.signIn('slow'), await app.signIn('quick')]
    await fill(app, slow, 12, 's')
    await fill(app, quick, 12, 'q')
    const never = Promise.withResolvers<never>()
    models.stand = (name, embedder) => ({
      ...embedder,
      embedPicture: (bytes, options) =>
        name === 'next' && options.storeId === storeOf(app, 'slow')
          ? never.promise
          : embedder.embedPicture(bytes, options),
    })
    await app.modelMoves.use('next')
    for (let n = 0; n < 300 && app.modelMoves.status().move?.stores_done === 0; n++) {
      await app.modelMoves.wake()
      app.clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(app.models.of(storeOf(app, 'quick')).embedder.model.id).toBe('next')
    expect(app.models.of(storeOf(app, 'slow')).embedder.model.id).toBe('fake')
    never.reject(new Error('The server has hung up'))
  })

  test('takes in what is added, changed and deleted meanwhile', async () => {
    const token = await app.signIn()
    await fill(app, token, 4)
    await app.modelMoves.use('next')
    await app.call('DELETE', '/v1/products/p0', { token })
    await app.call('PATCH', '/v1/products/p1', { token, body: { image_url: app.picture('other', 6) } })
    await fill(app, token, 1, 'new')
    await finish(app)
    expect(await search(app, '6')).toEqual(['p1'])
    expect((await search(app, '0'))[0]).toBe('new0')
    expect(countRows(app, 'vectors_2')).toBe(4)
    await app.modelMoves.confirm()
    await clean(app)
    expect(countRows(app, 'vectors_1')).toBe(0)
    expect(app.db.prepare('SELECT DISTINCT model, second_model AS second FROM pictures').all()).toEqual([
      { model: 2, second: null },
    ])
  })

  test('takes in what was changed since, on the way back', async () => {
    const token = await app.signIn()
    await fill(app, token, 3)
    await app.modelMoves.use('next')
    await finish(app)
    await app.call('PATCH', '/v1/products/p1', { token, body: { image_url: app.picture('other', 6) } })
    models.embedded.length = 0
    await app.modelMoves.back()
    await finish(app)
    expect(models.embedded).toEqual(['fake'])
    expect(await search(app, '6')).toEqual(['p1'])
  })

  test('names products whose picture cannot be had; they are found by words, and tried on', async () => {
    const token = await app.signIn()
    await fill(app, token, 3)
    const url = app.picture('p1', 1)
    const bytes = app.web.get(url) as Uint8Array
    app.web.delete(url)
    await app.modelMoves.use('next')
    await work(app)
    app.clock.advance(1_000)
    await work(app)
    expect(app.modelMoves.status().move).toMatchObject({
      ...{ state: 'running', failed: 0, products: 3, products_done: 3 },
      problem: expect.stringContaining('is tried again at 20'),
    })
    await finish(app, 1_000)
    expect(app.modelMoves.status().move).toMatchObject({
      state: 'done',
      failed: 1,
      failures: [{ store: 'one', product_id: 'p1', code: 'image_download_failed' }],
    })
    expect(await search(app, 'thing p1', 'one', 3)).toContain('p1')
    expect(app.modelMoves.countWaiting(storeOf(app))).toBe(1)
    // The vector of the former model stays for as long as there is no other.
    await app.modelMoves.confirm()
    await clean(app)
    expect(countRows(app, 'vectors_1')).toBe(1)

    app.web.set(url, bytes)
    app.clock.advance(86_400_000)
    await work(app)
    app.clock.advance(3_000)
    expect(app.modelMoves.countWaiting(storeOf(app))).toBe(0)
    expect([countRows(app, 'vectors_1'), countRows(app, 'reembedding_tries')]).toEqual([0, 0])
  })

  test('takes stores in that are made meanwhile, and does not wait for those that are deleted', async () => {
    await fill(app, await app.signIn('one'), 2)
    await fill(app, await app.signIn('two'), 2, 't')
    await app.modelMoves.use('next')
    const token = await app.signIn('three')
    await fill(app, token, 1, 'n')
    app.db.prepare('DELETE FROM stores WHERE slug = ?').run('two')
    await finish(app)
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'next', move: { stores: 2, products: 3 } })
    expect(await search(app, '0', 'three')).toEqual(['n0'])
  })

  test('moves a store without products, and an install without stores', async () => {
    await app.modelMoves.use('next')
    await finish(app)
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'next', move: { stores: 0 } })
    const token = await app.signIn()
    await app.modelMoves.back()
    await finish(app)
    await fill(app, token, 1)
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'fake', move: { stores: 1, stores_done: 1 } })
    expect(await search(app, '0')).toEqual(['p0'])
  })

  test('tells the time left once its pace is known', async () => {
    await fill(app, await app.signIn(), 60)
    models.stand = (name, embedder) => ({
      ...embedder,
      async embedPicture(bytes, options) {
        if (name === 'next') app.clock.advance(1_000)
        return embedder.embedPicture(bytes, options)
      },
    })
    await app.modelMoves.use('next')
    expect(app.modelMoves.status().move?.eta_seconds).toBeNull()
    const etas: (number | null | undefined)[] = []
    models.stand = (_, embedder) => embedder
    const watch = app.modelMoves.drain()
    await app.modelMoves.wake()
    for (let n = 0; n < 200; n++) {
      etas.push(app.modelMoves.status().move?.eta_seconds)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await watch
    const known = etas.filter((eta): eta is number => typeof eta === 'number')
    expect(known.length).toBeGreaterThan(0)
    expect(Math.max(...known)).toBeLessThan(60)
    await finish(app)
  })
})

describe('the former model', () => {
  test('stays for a week, and its vectors are deleted then', async () => {
    await fill(app, await app.signIn(), 70)
    await app.modelMoves.use('next')
    await finish(app)
    app.clock.advance(6 * 86_400_000)
    await work(app)
    await clean(app)
    expect(countRows(app, 'vectors_1')).toBe(70)
    app.clock.advance(86_400_000)
    await work(app)
    await clean(app)
    expect(countRows(app, 'vectors_1')).toBe(0)
    expect(app.modelMoves.status().former).toBeNull()
    expect(app.modelMoves.back()).rejects.toThrow('no former model')
  })

  test('is given up for a third one, whose move waits until its vectors are gone', async () => {
    await fill(app, await app.signIn(), 3)
    await app.modelMoves.use('next')
    await finish(app)
    await app.modelMoves.use('third')
    expect(app.modelMoves.status()).toMatchObject({
      former: null,
      move: { problem: expect.stringContaining('earlier') },
    })
    await finish(app)
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'third', former: { name: 'next' } })
    expect(await search(app, '2')).toEqual(['p2'])
    expect(['vectors_1', 'vectors_2', 'vectors_3'].map((table) => countRows(app, table))).toEqual([0, 3, 3])
  })

  test('stays when the way back to it is cancelled', async () => {
    await fill(app, await app.signIn(), 3)
    await app.modelMoves.use('next')
    await finish(app)
    const { former } = app.modelMoves.status()
    await app.modelMoves.back()
    expect(await app.modelMoves.cancel()).toMatchObject({ state: 'cancelled' })
    await clean(app)
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'next', former })
    expect(countRows(app, 'vectors_1')).toBe(3)
    models.embedded.length = 0
    await app.modelMoves.back()
    await finish(app)
    expect(app.modelMoves.status().in_use).toBe('fake')
    expect(models.embedded).toEqual([])
  })

  test('ends its processes, and the one that came does not', async () => {
    const closed: string[] = []
    await app.close()
    ;({ app, models } = openInstall())
    models.stand = (name, embedder) => ({ ...embedder, close: async () => void closed.push(name) })
    await fill(app, await app.signIn(), 1)
    await app.modelMoves.use('next')
    await finish(app)
    await app.settle()
    expect(app.models.listRunning().map(({ embedder }) => embedder.model.id)).toEqual(['next'])
    await app.modelMoves.back()
    await finish(app)
    await app.settle()
    expect(closed).toEqual(['next'])
  })
})
