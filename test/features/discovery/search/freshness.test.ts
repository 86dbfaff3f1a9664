import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { createVectorTable } from '../../../../src/platform/vectors/vec0.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION } from '../../../support/embedder.ts'
import { onlyStoreId } from '../../../support/seed.ts'

const open: TestApp[] = []
const folders: string[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function started(dataDir?: string): TestApp {
  const app = dataDir === undefined ? testApp() : testApp({ db: openDatabase(dataDir) })
  open.push(app)
  app.loadIndex()
  return app
}

interface Result {
  product_id: string
  similarity_score: number
}
const textSearch = async (app: TestApp, token: string, query: string) => {
  const { body } = await app.call('POST', '/v1/search/text', {
    token,
    body: { query, limit: 100, category_boost: 0 },
  })
  return body['results'] as Result[]
}

const axes = fc.array(fc.nat(6), { minLength: 1, maxLength: 3 })
const step = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    id: fc.nat(6),
    axes,
    more: fc.array(axes, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('delete' as const), id: fc.nat(6) }),
  fc.record({ kind: fc.constant('price' as const), id: fc.nat(6), price: fc.nat(9) }),
)

describe('a write that was acknowledged counts from the next search on', () => {
  test('any sequence of writes: the search shows exactly what a simple model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), axes, async (steps, query) => {
        const app = testApp()
        const token = await app.signIn()
        const model = new Map<string, { axes: number[][]; price?: number }>()
        for (const step of steps) {
          const id = `p${step.id}`
          if (step.kind === 'put') {
            const urls = [step.axes, ...step.more].map((a) => app.picture(`v-${a.join('-')}`, ...a))
            const body = { image_url: urls[0], additional_image_urls: urls.slice(1) }
            const { status } = await app.call('PUT', `/v1/products/${id}`, { token, body })
            expect(status).toBe(model.has(id) ? 200 : 201)
            model.set(id, { axes: [step.axes, ...step.more] })
          } else if (step.kind === 'delete') {
            const { status } = await app.call('DELETE', `/v1/products/${id}`, { token })
            expect(status).toBe(model.delete(id) ? 200 : 404)
          } else {
            const body = { metadata: { price: step.price } }
            const { status } = await app.call('PATCH', `/v1/products/${id}`, { token, body })
            const known = model.get(id)
            expect(status).toBe(known ? 200 : 404)
            if (known) known.price = step.price
          }
        }
        const cosine = (a: number[], b: number[]) => {
          const [x, y] = [new Set(a), new Set(b)]
          return [...x].filter((axis) => y.has(axis)).length / Math.sqrt(x.size * y.size)
        }
        const score = (given: number[][]) =>
          Math.max(...given.map((a) => 1 / (1 + Math.exp(-10 * (cosine(a, query) - 0.7)))))
        const found = await textSearch(app, token, query.join(' '))
        expect(new Set(found.map(({ product_id }) => product_id))).toEqual(new Set(model.keys()))
        for (const { product_id, similarity_score } of found) {
          expect(similarity_score).toBeCloseTo(score(model.get(product_id)?.axes ?? []), 3)
        }
        const { body } = await app.call('POST', '/v1/search/text', {
          token,
          body: { query: 'x', price_min: 5, limit: 100 },
        })
        expect((body['results'] as Result[]).map(({ product_id }) => product_id).sort()).toEqual(
          [...model]
            .filter(([, { price }]) => price !== undefined && price >= 5)
            .map(([id]) => id)
            .sort(),
        )
        const vectors = app.db.prepare('SELECT count(*) AS n FROM vectors_1').get() as { n: number }
        expect(vectors.n).toBe([...model.values()].flatMap((product) => product.axes).length)
        await app.close()
      }),
      { numRuns: 25 },
    )
  }, 60_000)
})

describe('restart', () => {
  test('a second program over the same file answers identically', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'lookalike-restart-'))
    folders.push(dataDir)
    const first = started(dataDir)
    const token = await first.signIn()
    const random = fc.sample(axes, { seed: 11, numRuns: 60 })
    for (const [n, a] of random.entries()) {
      const body = {
        product_id: `p${n}`,
        image_url: first.picture(`v${n}`, ...a),
        additional_image_urls: n % 3 ? [] : [first.picture(`w${n}`, n % 7)],
        metadata: { category: n % 2 ? 'Mugs' : 'Lamps', price: n },
      }
      await first.call('POST', '/v1/products', { token, body })
    }
    for (let n = 0; n < 60; n += 4) await first.call('DELETE', `/v1/products/p${n}`, { token })
    for (let n = 1; n < 60; n += 4) {
      await first.call('PATCH', `/v1/products/p${n}`, {
        token,
        body: { image_url: first.picture(`x${n}`, n % 7, 1) },
      })
    }
    const bodies = random.flatMap((a) => [
      { query: a.join(' '), limit: 100 },
      { query: `mug ${a.join(' ')}`, limit: 7, offset: 3, price_min: 20, explain: true },
      { query: a.join(' '), category: 'lamps', cutoff: 'auto' },
    ])
    const answers = async (app: TestApp) => {
      const found = []
      for (const body of bodies) {
        const { body: answer } = await app.call('POST', '/v1/search/text', { token, body })
        found.push({ ...answer, search_id: undefined })
      }
      for (let n = 1; n < 60; n += 7) {
        const { body: answer } = await app.call('POST', '/v1/search/url', {
          token,
          body: { product_id: `p${n}` },
        })
        found.push({ ...answer, search_id: undefined })
      }
      return found
    }
    const before = await answers(first)
    first.history.flush()
    first.db.close()
    open.splice(open.indexOf(first), 1)
    rmSync(first.folder, { recursive: true, force: true })

    const second = started(dataDir)
    const after = await answers(second)
    expect(after).toEqual(before)
    expect(after.some((answer) => (answer as { count?: number }).count === 45)).toBe(true)
  })

  test('the index is the database’s: every arena score is that of sqlite-vec', async () => {
    const app = started()
    const token = await app.signIn()
    const random = fc.sample(axes, { seed: 12, numRuns: 40 })
    for (const [n, a] of random.entries()) {
      await app.call('POST', '/v1/products', {
        token,
        body: { product_id: `p${n}`, image_url: app.picture(`v${n}`, ...a) },
      })
    }
    const id = onlyStoreId(app)
    const table = createVectorTable(app.db, 'vectors_1', DIMENSION)
    for (const query of fc.sample(axes, { seed: 13, numRuns: 20 })) {
      const vector = new Float32Array(DIMENSION)
      for (const axis of query) vector[axis] = 1
      const exact = table.nearest(id, vector, 40)
      const { body } = await app.call('POST', '/v1/search/text', {
        token,
        body: { query: query.join(' '), limit: 40, category_boost: 0, explain: true },
      })
      const cosines = (body['results'] as { explain: { cosine: number } }[]).map(
        ({ explain }) => explain.cosine,
      )
      expect(cosines).toHaveLength(40)
      for (const [n, cosine] of cosines.entries()) expect(cosine).toBeCloseTo(exact[n]?.score as number, 4)
    }
  })
})

/** A service that has started again with some products and has loaded its vectors alone. */
async function restarted(products: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'lookalike-words-'))
  folders.push(dataDir)
  const first = started(dataDir)
  const token = await first.signIn()
  for (let n = 1; n <= products; n++) {
    const metadata = { name: n === 1 ? 'Green teapot' : `Plain mug ${n}` }
    const body = { product_id: `p${n}`, image_url: first.picture('v', n), metadata }
    expect((await first.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
  first.history.flush()
  first.db.close()
  open.splice(open.indexOf(first), 1)
  rmSync(first.folder, { recursive: true, force: true })

  const second = testApp({ db: openDatabase(dataDir) })
  open.push(second)
  for (const _ of second.loadingIndex());
  const find = async (query: string) => {
    const answer = await second.call('POST', '/v1/search/text', { token, body: { query, explain: true } })
    const [hit] = answer.body['results'] as { explain: { legs: { keyword: number } } }[]
    return { warnings: answer.body['warnings'], keyword: hit?.explain.legs.keyword }
  }
  return { second, token, find }
}

test('a search answers while words are still being read after a start, and says so', async () => {
  const { second, find } = await restarted(65)
  expect(await find('teapot 1')).toEqual({
    ...{
      keyword: 0,
      warnings: expect.arrayContaining([expect.stringContaining('some are not found by name yet')]),
    },
  })
  await second.productIndex.readWordsInTurns()
  const { warnings, keyword } = await find('teapot 1')
  expect(warnings).toBeUndefined()
  expect(keyword).toBeGreaterThan(0)
})

test('a search by picture says that the first hits do not vote yet, as long as they cannot', async () => {
  const { second, token } = await restarted(65)
  const warn = async (body: object) =>
    (
      await second.call('POST', '/v1/search/url', {
        token,
        body: { vector: [0, 1, 0, 0, 0, 0, 0, 0], ...body },
      })
    ).body['warnings']
  expect(await warn({})).toEqual([expect.stringContaining('do not vote for words yet')])
  expect(await warn({ second_look: false })).toBeUndefined()
  await second.productIndex.readWordsInTurns()
  expect(await warn({})).toBeUndefined()
})

test('a store of few pictures is searched by all its words from its first search on', async () => {
  const { second, find } = await restarted(64)
  // Until somebody searches it, its words take no memory.
  await second.productIndex.readWordsInTurns()
  expect(second.productIndex.listUnreadStores(0)).toHaveLength(1)
  const { warnings, keyword } = await find('teapot 1')
  expect(warnings).toBeUndefined()
  expect(keyword).toBeGreaterThan(0)
  expect(second.productIndex.listUnreadStores(0)).toEqual([])
})
