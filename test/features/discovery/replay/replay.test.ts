import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addPair, NO_RESULT } from '../../../../src/features/discovery/replay/comparing.ts'
import type { Replay } from '../../../../src/features/discovery/replay/schema.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { refusal } from '../../../support/people.ts'

let app: TestApp
let token: string
let other: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  other = await app.signIn('two')
  for (const [id, ...axes] of PRODUCTS) await add(id, axes)
})
afterEach(() => app.close())

const PRODUCTS = [
  ['a', 1],
  ['b', 1, 2],
  ['c', 3],
] as const

const add = (product_id: string, axes: readonly number[], as = token) =>
  app.call('POST', '/v1/products', {
    token: as,
    body: { product_id, image_url: app.picture(product_id, ...axes), metadata: {} },
  })
const search = async (body: object, as = token) =>
  (await app.call('POST', '/v1/search/text', { token: as, body })).body
const click = (search_id: unknown, product: string, as = token) =>
  app.call('POST', '/v1/search/feedback', {
    token: as,
    body: { search_id, result_product_id: product, action: 'click' },
  })
const start = (settings: object, fields: object = {}, as = token) =>
  app.call('POST', '/v1/search/replay', { token: as, body: { settings, ...fields } })
const show = async (id: unknown, as = token) =>
  (await app.call('GET', `/v1/search/replay/${id}`, { token: as })).body as unknown as Replay
const readJob = async (id: unknown) => (await app.call('GET', `/v1/jobs/${id}`, { token })).body

/** Lets the chore run until a replay is over. */
async function finish(id: unknown, as = token): Promise<Replay> {
  for (let n = 0; n < 3_000; n++) {
    const replay = await show(id, as)
    if (replay.status !== 'processing') return replay
    await app.settle()
    app.clock.advance(16_000)
    await app.chores.find(({ name }) => name === 'replaying searches')?.run()
  }
  throw new Error('the replay never ends')
}

async function replay(settings: object, fields: object = {}, as = token): Promise<Replay> {
  const { status, body } = await start(settings, fields, as)
  expect(status).toBe(202)
  return finish(body['job_id'], as)
}

const countRows = () =>
  app.db
    .prepare('SELECT (SELECT count(*) FROM searches) AS s, (SELECT sum(searches) FROM search_days) AS d')
    .get()

describe('a replay', () => {
  test('makes searches by words and by products again, and tells what would move', async () => {
    const { search_id, results } = await search({ query: '1' })
    const [first, second] = (results as { similarity_score: number }[]).map((hit) => hit.similarity_score)
    const threshold = ((first ?? 0) + (second ?? 0)) / 2
    await click(search_id, 'b')
    await click(search_id, 'b')
    await click(search_id, 'a')
    await app.call('GET', '/v1/products/a/similar', { token })
    app.services.history.flush()
    const rows = countRows()
    const { settings, total, result } = await replay({ threshold })
    expect({ settings, total }).toEqual({ settings: { threshold }, total: 2 })
    expect(result).toMatchObject({ searches: 2, changed: 1, clicks: { rise: 0, fall: 1, same: 1 } })
    expect(result.examples).toContainEqual({
      query: '1',
      product_id: null,
      before: ['a', 'b', 'c'],
      after: ['a'],
    })
    expect((await replay({ threshold: 1 })).result).toMatchObject({
      ...{ changed: 2, changed_top: 2 },
      examples: expect.arrayContaining([{ query: null, product_id: 'a', before: ['b', 'c'], after: [] }]),
    })
    app.services.history.flush()
    expect(countRows()).toEqual(rows)
  })

  test('changes nothing with the settings as they are, and leaves alone what a search named itself', async () => {
    await search({ query: '1', threshold: 0 })
    await search({ query: '2' })
    expect((await replay({})).result).toMatchObject({ searches: 2, changed: 0, changed_top: 0, examples: [] })
    const { result } = await replay({ search_defaults: { threshold: 1 } })
    expect(result.examples.map(({ query }) => query)).toEqual(['2'])
    // null is the default of the service, whatever the store says.
    const patch = { search_defaults: { threshold: 1 } }
    await app.call('PATCH', '/v1/store/settings', { token, body: patch })
    expect((await replay({ threshold: null })).result).toMatchObject({ changed_top: 1 })
  })

  test('takes the newest searches, none of another store, no second page and no batch', async () => {
    await search({ query: '3' })
    await search({ query: '2' })
    await search({ query: '1', limit: 1, offset: 1 })
    await search({ query: '1', analytics: false })
    await search({ query: '9' }, other)
    expect((await replay({ threshold: 1 }, { last: 1 })).result.examples).toMatchObject([{ query: '2' }])
    expect((await replay({ threshold: 1 })).total).toBe(2)
  })

  test('of an empty log is over at once', async () => {
    const { body, status } = await start({ threshold: 0.9 })
    expect([status, body['total']]).toEqual([202, 0])
    expect(await show(body['job_id'])).toMatchObject({ status: 'completed', total: 0, result: NO_RESULT })
    expect(await readJob(body['job_id'])).toMatchObject({ type: 'search_replay', status: 'completed' })
  })

  test('runs alone in its store, and is cancelled with its job', async () => {
    for (const query of ['1', '2', '3']) await search({ query })
    const { body } = await start({ threshold: 0.9 })
    expect(await start({})).toMatchObject({ status: 409, body: { details: { job_id: body['job_id'] } } })
    expect((await start({}, {}, other)).status).toBe(202)
    await app.call('POST', `/v1/jobs/${body['job_id']}/cancel`, { token })
    const next = await start({})
    expect(next.status).toBe(202)
    expect(await show(body['job_id'])).toMatchObject({ status: 'cancelled' })
    expect(await readJob(body['job_id'])).toMatchObject({ status: 'cancelled' })
    expect((await finish(next.body['job_id'])).status).toBe('completed')
  })

  test('goes on after the program was killed, and counts no search twice', async () => {
    await app.close()
    const db = memoryDatabase()
    const close = db.close.bind(db)
    app = testApp({ db })
    token = await app.signIn('one')
    for (const [id, ...axes] of PRODUCTS) await add(id, axes)
    for (const query of ['1', '2', '3']) await search({ query })
    const { body } = await start({ threshold: 1 })
    await app.settle()
    expect((await show(body['job_id'])).result.searches).toBe(1)
    app = testApp({ db })
    app.loadIndex()
    expect((await finish(body['job_id'])).result.searches).toBe(3)
    expect(await readJob(body['job_id'])).toMatchObject({ status: 'completed', succeeded: 3, failed: 0 })
    db.close = close
  })

  test('counts as failed what cannot be searched any more', async () => {
    await app.call('GET', '/v1/products/c/similar', { token })
    await search({ query: '1' })
    app.services.history.flush()
    await app.call('DELETE', '/v1/products/c', { token })
    const { job_id, result } = await replay({})
    expect(result.searches).toBe(1)
    expect(await readJob(job_id)).toMatchObject({ status: 'completed', succeeded: 1, failed: 1 })
  })

  test.each<[string, unknown]>([
    ['an unknown setting', { settings: { treshold: 0.5 } }],
    ['an unknown default', { settings: { search_defaults: { cutof: 'auto' } } }],
    ['a value out of bounds', { settings: { threshold: 2 } }],
    ['no settings', {}],
    ['no search', { settings: {}, last: 0 }],
    ['too many searches', { settings: {}, last: 1_001 }],
  ])('refuses %s', async (what, body) => {
    const answer = await app.call('POST', '/v1/search/replay', { token, body: body as object })
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    if (what.startsWith('an unknown')) expect(JSON.stringify(answer.body)).toContain('did you mean')
  })

  test('is shown to its store alone, and ten are kept', async () => {
    const ids: unknown[] = []
    for (let n = 0; n < 12; n++) ids.push((await replay({ threshold: n / 100 })).job_id)
    const { body } = await app.call('GET', '/v1/search/replay', { token })
    expect((body['replays'] as Replay[]).map(({ job_id }) => job_id)).toEqual(
      ids.slice(2).toReversed() as string[],
    )
    expect(refusal(await app.call('GET', `/v1/search/replay/${ids[11]}`, { token: other }))).toEqual([
      404,
      'not_found',
    ])
    expect((await app.call('GET', '/v1/search/replay', { token: other })).body['count']).toBe(0)
  })
})

describe('comparing', () => {
  test('counts clicks by where their products stand, and shows the strongest examples', () => {
    const pair = (n: number, before: string[], after: string[], clicked: string[] = []) => ({
      ...{ query: `${n}`, productId: null, before, after, clicked },
    })
    let result = addPair(NO_RESULT, pair(0, ['a', 'b', 'c'], ['a', 'c', 'd'], ['a', 'b', 'c', 'd', 'gone']))
    expect(result).toMatchObject({ searches: 1, changed: 0, changed_top: 1 })
    expect(result.clicks).toMatchObject({ rise: 2, fall: 1, same: 2 })
    expect(result.clicks.gain).toBeCloseTo((1 / 2 - 1 / 3 - 1 / 2 + 1 / 3) / 5, 4)
    for (let n = 1; n < 30; n++) result = addPair(result, pair(n, ['a'], ['a', 'b']))
    result = addPair(result, pair(30, ['a'], ['b']))
    result = addPair(result, pair(30, ['a'], ['c']))
    expect(result).toMatchObject({ searches: 32, changed: 2, changed_top: 32 })
    expect(result.examples).toHaveLength(20)
    expect(result.examples[0]).toMatchObject({ query: '30', after: ['b'] })
  })
})
