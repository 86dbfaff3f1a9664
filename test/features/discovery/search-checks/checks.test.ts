import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import type { Embedder } from '../../../../src/platform/embedder/embedder.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'

interface Check {
  id: string
  is_waiting: boolean
  last_run: { job_id: string; model: string; passed: boolean; found: object[]; error: object | null } | null
  before: { model: string; passed: boolean } | null
}

let app: TestApp
let token: string
let other: string
/** Called before each text that is embedded. */
let beforeText: () => Promise<void> | void = () => {}
/** The name of the model that answers. */
let model: string

function watchedEmbedder(): Embedder {
  const embedder = fakeEmbedder()
  return {
    ...embedder,
    get model() {
      return { ...embedder.model, id: model }
    },
    async embedText(text, priority) {
      await beforeText()
      return embedder.embedText(text, priority)
    },
  }
}

beforeEach(async () => {
  beforeText = () => {}
  model = 'first'
  app = testApp({ embedder: watchedEmbedder() })
  token = await app.signIn('one')
  other = await app.signIn('two')
  for (const [id, ...axes] of [
    ['a', 1],
    ['b', 1, 2],
    ['c', 3],
  ] as const)
    await add(id, axes)
  await add('theirs', [1], other)
})
afterEach(() => app.close())

const add = (product_id: string, axes: readonly number[], as = token) =>
  app.call('POST', '/v1/products', {
    token: as,
    body: { product_id, image_url: app.picture(product_id, ...axes), metadata: {} },
  })
const call = (method: string, path = '', body?: object, as = token) =>
  app.call(method, `/v1/search/checks${path}`, { token: as, ...(body && { body }) })
const words = (fields: object = {}) => ({
  name: 'Mugs',
  query: '1',
  expect: ['a', 'b'],
  within: 2,
  ...fields,
})
const list = async (as = token) => (await call('GET', '', undefined, as)).body['checks'] as Check[]
const readJob = async (id: unknown, as = token) =>
  (await app.call('GET', `/v1/jobs/${id}`, { token: as })).body
const image = (...axes: number[]) => Buffer.from(pictureBytes(...axes)).toString('base64')

/** Lets the chore run until nothing waits. */
async function runAll(as: readonly string[] = [token]): Promise<void> {
  for (let n = 0; n < 1_000; n++) {
    const waiting = await Promise.all(
      as.map(async (one) => (await list(one)).some((check) => check.is_waiting)),
    )
    if (!waiting.includes(true)) return
    await app.settle()
    app.clock.advance(16_000)
    await app.chores.find(({ name }) => name === 'running saved checks')?.run()
  }
  throw new Error('checks wait for ever')
}

describe('saving a check', () => {
  test('with words or a picture, and deleting it', async () => {
    const made = await call('POST', '', words())
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Mugs', query: '1', expect: ['a', 'b'], within: 2, is_waiting: false, last_run: null },
    })
    expect(
      (await call('POST', '', { name: 'Photo', image: image(3), expect: ['c'], within: 1 })).body,
    ).toMatchObject({
      query: null,
    })
    expect(await list()).toHaveLength(2)
    expect(await list(other)).toEqual([])
    const { id } = made.body
    expect(refusal(await call('DELETE', `/${id}`, undefined, other))).toEqual([404, 'not_found'])
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { status: 'deleted', id } })
    expect(refusal(await call('DELETE', `/${id}`))).toEqual([404, 'not_found'])
  })

  test.each<[string, object, number, string]>([
    ['neither words nor a picture', { query: undefined }, 422, 'validation_error'],
    ['both', { image: 'AAAA' }, 422, 'validation_error'],
    ['blank words', { query: '  ' }, 422, 'validation_error'],
    ['no product', { expect: [] }, 422, 'validation_error'],
    ['a product twice', { expect: ['a', 'a'] }, 422, 'validation_error'],
    ['an unknown product', { expect: ['a', 'nothing'] }, 422, 'validation_error'],
    ["another store's product", { expect: ['theirs'] }, 422, 'validation_error'],
    ['place 0', { within: 0 }, 422, 'validation_error'],
    ['place 101', { within: 101 }, 422, 'validation_error'],
    ['a broken picture', { query: undefined, image: 'AAAA' }, 422, 'image_unreadable'],
    ['no base64', { query: undefined, image: '???' }, 422, 'image_unreadable'],
    ['a large picture', { query: undefined, image: 'A'.repeat(1_400_000) }, 413, 'image_too_large'],
  ])('refuses %s', async (_, fields, status, code) => {
    expect(refusal(await call('POST', '', words(fields)))).toEqual([status, code])
    expect(await list()).toEqual([])
  })

  test('once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' }
    const send = () => app.call('POST', '/v1/search/checks', { token, headers, body: words() })
    const [first, second] = [await send(), await send()]
    expect(second.body).toEqual(first.body)
    expect(await list()).toHaveLength(1)
  })

  test('up to 100, and up to 20 MiB of pictures', async () => {
    for (let n = 0; n < 100; n++) expect((await call('POST', '', words())).status).toBe(201)
    expect(await call('POST', '', words())).toMatchObject({ status: 409, body: { details: { limit: 100 } } })
    const [first] = await list()
    await call('DELETE', `/${first?.id}`)
    app.db.prepare('UPDATE search_checks SET query = NULL, picture = zeroblob(211833)').run()
    const photo = words({ query: undefined, image: image(...Array(40).fill(3)) })
    expect(await call('POST', '', photo)).toMatchObject({
      status: 409,
      body: { details: { limit: 20 * 1024 ** 2 } },
    })
    expect((await call('POST', '', words())).status).toBe(201)
  })
})

describe('running the checks', () => {
  test('finds the place of each expected product, as a search would, and leaves no trace', async () => {
    await call('POST', '', words({ expect: ['b', 'a', 'c'] }))
    await call('POST', '', words())
    await call('POST', '', { name: 'Photo', image: image(3), expect: ['c'], within: 1 })
    await app.call('DELETE', '/v1/products/b', { token })
    const started = await call('POST', '/run')
    expect(started).toMatchObject({ status: 202, body: { status: 'processing', total: 3 } })
    await runAll()
    const { job_id } = started.body
    expect((await list()).map(({ last_run }) => last_run)).toMatchObject([
      {
        job_id,
        passed: false,
        found: [
          { product_id: 'b', rank: null },
          { product_id: 'a', rank: 1 },
          { product_id: 'c', rank: 2 },
        ],
      },
      {
        passed: false,
        found: [
          { product_id: 'a', rank: 1 },
          { product_id: 'b', rank: null },
        ],
      },
      { passed: true, found: [{ product_id: 'c', rank: 1 }], error: null },
    ])
    expect((await call('GET')).body['passed']).toBe(1)
    expect(await readJob(job_id)).toMatchObject({
      ...{ type: 'search_checks', status: 'completed', total: 3, succeeded: 3, failed: 0 },
    })
    app.services.history.flush()
    expect(app.db.prepare('SELECT count(*) AS n FROM searches').get()).toEqual({ n: 0 })
    expect(app.db.prepare('SELECT count(*) AS n FROM search_days').get()).toEqual({ n: 0 })
  })

  test('ranks by a picture as a search with the picture does', async () => {
    await call('POST', '', { name: 'Photo', image: image(2), expect: ['a', 'b', 'c'], within: 1 })
    await call('POST', '/run')
    await runAll()
    const { body } = await app.call('POST', '/v1/search/url', {
      token,
      body: { image: image(2), limit: 100 },
    })
    const ranks = (body['results'] as { product_id: string }[]).map(({ product_id }, n) => [
      product_id,
      n + 1,
    ])
    const [check] = await list()
    const found = check?.last_run?.found as { product_id: string; rank: number }[]
    expect(found.map(({ product_id, rank }) => [product_id, rank])).toEqual(
      ranks.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
  })

  test('is refused without checks and during another run', async () => {
    expect(refusal(await call('POST', '/run'))).toEqual([409, 'conflict'])
    await call('POST', '', words())
    const answers = await Promise.all([call('POST', '/run'), call('POST', '/run')])
    const [first, second] = answers.toSorted((a, b) => a.status - b.status)
    expect(second).toMatchObject({ status: 409, body: { details: { job_id: first?.body['job_id'] } } })
    await runAll()
    expect((await call('POST', '/run')).status).toBe(202)
  })

  test('gives turns to two stores with 100 checks each, one check at a time', async () => {
    const order: string[] = []
    let running = 0
    beforeText = async () => {
      expect(++running).toBe(1)
      await Bun.sleep(0)
      running--
    }
    for (const [as, expected] of [
      [token, 'a'],
      [other, 'theirs'],
    ] as const)
      for (let n = 0; n < 100; n++) await call('POST', '', words({ query: `${n}`, expect: [expected] }), as)
    const jobs = await Promise.all(
      [token, other].map(async (as) => (await call('POST', '/run', undefined, as)).body),
    )
    const finish = app.db.prepare('SELECT store_id FROM search_checks WHERE last_run_at = ? ORDER BY id')
    for (let n = 0; n < 200; n++) {
      app.clock.advance(1_100)
      await Promise.all([app.settle(), app.settle()])
      for (const row of finish.all(app.clock.now()) as { store_id: string }[]) order.push(row.store_id)
    }
    expect(order).toHaveLength(200)
    expect(order.every((store, n) => store !== order[n - 1])).toBe(true)
    for (const [n, job] of jobs.entries())
      expect(await readJob(job['job_id'], n === 0 ? token : other)).toMatchObject({
        status: 'completed',
        succeeded: 100,
      })
  })

  test('goes on after the program was killed, and runs no check twice', async () => {
    await app.close()
    const db = memoryDatabase()
    const close = db.close.bind(db)
    let embedded = 0
    beforeText = () => void embedded++
    app = testApp({ db, embedder: watchedEmbedder() })
    token = await app.signIn('one')
    await add('a', [1])
    for (let n = 1; n <= 3; n++) await call('POST', '', words({ query: `${n}`, expect: ['a'] }))
    const { job_id } = (await call('POST', '/run')).body
    await app.settle()
    expect((await list()).map(({ is_waiting }) => is_waiting)).toEqual([false, true, true])
    app = testApp({ db, embedder: watchedEmbedder() })
    app.loadIndex()
    await runAll()
    expect(embedded).toBe(3)
    expect(await readJob(job_id)).toMatchObject({ status: 'completed', succeeded: 3 })
    db.close = close
  })

  test('is cancelled with its job, and leaves out a check that is deleted', async () => {
    for (let n = 1; n <= 3; n++) await call('POST', '', words({ query: `${n}` }))
    const { job_id } = (await call('POST', '/run')).body
    const [first] = await list()
    await call('DELETE', `/${first?.id}`)
    expect(await readJob(job_id)).toMatchObject({ cancelled: 1, status: 'processing' })
    await app.call('POST', `/v1/jobs/${job_id}/cancel`, { token })
    await runAll()
    expect(await readJob(job_id)).toMatchObject({ status: 'cancelled', cancelled: 3, succeeded: 0 })
    expect((await list()).map(({ last_run }) => last_run)).toEqual([null, null])
  })

  test('waits while the store is suspended', async () => {
    await call('POST', '', words())
    await call('POST', '/run')
    const { id } = app.stores.requireBySlug('one')
    app.stores.suspend(id, 'Unpaid', null)
    const run = () => app.chores.find(({ name }) => name === 'running saved checks')?.run()
    await app.settle()
    await run()
    app.stores.resume(id, null)
    expect((await list()).map(({ is_waiting }) => is_waiting)).toEqual([true])
    await runAll()
  })

  test('tries again when the service is too busy, and says why a search failed', async () => {
    await call('POST', '', words())
    const { job_id } = (await call('POST', '/run')).body
    const failures = [new ApiError('overloaded', 'Busy'), new ApiError('image_unreadable', 'Broken')]
    beforeText = () => {
      const failure = failures.shift()
      if (failure) throw failure
    }
    await app.settle()
    expect((await list()).map(({ is_waiting }) => is_waiting)).toEqual([true])
    await runAll()
    expect((await list())[0]?.last_run).toMatchObject({
      ...{ passed: false, found: [], error: { error: 'image_unreadable', message: 'Broken' } },
    })
    expect(await readJob(job_id)).toMatchObject({ status: 'failed', failed: 1 })
  })
})

describe('a change of model', () => {
  const idOf = (slug: string) => app.stores.requireBySlug(slug).id
  const runChore = () => app.chores.find(({ name }) => name === 'running saved checks')?.run()
  /** Has another model answer, as the end of a move does. */
  function move(to: string, slug = 'one'): void {
    model = to
    app.services.checkMoves.onStoreMoved(idOf(slug))
  }
  const runsOf = async () =>
    (await list()).map(({ last_run, before }) => [
      ...[last_run?.model, last_run?.passed],
      ...[before?.model, before?.passed],
    ])

  test('shows how each check stood with the model before, until a third one answers', async () => {
    await call('POST', '', words())
    await call('POST', '', words({ expect: ['a'] }))
    app.services.checkMoves.onStoreMoving(idOf('one'))
    await runAll()
    expect(await runsOf()).toEqual([
      ['first', true, undefined, undefined],
      ['first', true, undefined, undefined],
    ])
    expect((await call('GET')).body).toMatchObject({ passed: 2, before: null })
    await app.call('DELETE', '/v1/products/b', { token })
    move('second')
    await app.settle()
    await runAll()
    const moved = [
      ['second', false, 'first', true],
      ['second', true, 'first', true],
    ]
    expect(await runsOf()).toEqual(moved)
    await call('POST', '', words({ expect: ['c'] }))
    await call('POST', '/run')
    await runAll()
    expect(await runsOf()).toEqual([...moved, ['second', true, undefined, undefined]])
    expect((await call('GET')).body).toMatchObject({
      ...{ count: 3, passed: 2, before: { model: 'first', passed: 2, total: 2 } },
    })
    move('third')
    await app.settle()
    await runAll()
    expect(await runsOf()).toEqual([
      ['third', false, 'second', false],
      ['third', true, 'second', true],
      ['third', true, 'second', true],
    ])
  })

  test('runs by itself, in the name of the service, and a switch may wait for the run before it', async () => {
    const { onStoreMoving, isChecking } = app.services.checkMoves
    const store = idOf('one')
    onStoreMoving(store)
    expect(isChecking(store)).toBe(false)
    await call('POST', '', words())
    onStoreMoving(store)
    expect(isChecking(store)).toBe(true)
    expect(isChecking(idOf('two'))).toBe(false)
    const { body } = await app.call('GET', '/v1/jobs', { token })
    expect(body['jobs']).toMatchObject([{ type: 'search_checks', total: 1, started_by: null }])
    await runAll()
    expect(isChecking(store)).toBe(false)
  })

  test.each<[string, () => void]>([
    ['the store is suspended', () => app.stores.suspend(idOf('one'), 'Unpaid', null)],
    ['ten minutes are over', () => app.clock.advance(10 * 60_000)],
  ])('waits for no run before it once %s', async (_, happen) => {
    await call('POST', '', words())
    app.services.checkMoves.onStoreMoving(idOf('one'))
    happen()
    expect(app.services.checkMoves.isChecking(idOf('one'))).toBe(false)
  })

  test('runs the checks after a start with another model, or a crash in the middle of a move', async () => {
    await app.close()
    const db = memoryDatabase()
    const close = db.close.bind(db)
    db.close = () => db
    app = testApp({ db, embedder: watchedEmbedder() })
    token = await app.signIn('one')
    await add('a', [1])
    await call('POST', '', words({ expect: ['a'] }))
    await call('POST', '/run')
    await runAll()
    model = 'second'
    app = testApp({ db, embedder: watchedEmbedder() })
    app.loadIndex()
    await runChore()
    await runAll()
    expect(await runsOf()).toMatchObject([['second', expect.any(Boolean), 'first', true]])
    db.close = close
  })

  test('in the middle of a run has each check say which model answered it', async () => {
    for (const query of ['1', '2', '3']) await call('POST', '', words({ query, expect: ['a'] }))
    await call('POST', '/run')
    let asked = 0
    beforeText = () => {
      if (++asked === 2) move('second')
    }
    await runAll()
    // The one that was being answered is asked again, and the first one after the run.
    expect((await list()).map(({ last_run }) => last_run?.model)).toEqual(['first', 'second', 'second'])
    app.clock.advance(5_000)
    await runChore()
    await runAll()
    expect(await runsOf()).toMatchObject([
      ['second', true, 'first', true],
      ['second', true, undefined, undefined],
      ['second', true, undefined, undefined],
    ])
  })

  test('is shown to the operator, store by store', async () => {
    const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
    const ask = (query = '') => app.call('GET', `/v1/admin/models/checks${query}`, { token: root })
    expect((await ask()).body).toEqual({ stores: [], count: 0, next_cursor: null })
    await call('POST', '', words())
    await call('POST', '', words({ expect: ['theirs'] }), other)
    app.services.checkMoves.onStoreMoving(idOf('one'))
    await runAll()
    await app.call('DELETE', '/v1/products/b', { token })
    move('second')
    await app.settle()
    await runAll()
    const first = await ask('?limit=1')
    expect(first.body['stores']).toEqual([
      {
        store: { id: idOf('one'), slug: 'one', name: 'one' },
        ...{ model: 'second', passed: 0, total: 1, is_waiting: false },
        before: { model: 'first', passed: 1, total: 1 },
      },
    ])
    const second = await ask(`?cursor=${first.body['next_cursor']}`)
    expect(second.body).toMatchObject({
      stores: [{ store: { slug: 'two' }, model: null, passed: 0, total: 1, before: null }],
      next_cursor: null,
    })
    expect(refusal(await ask('?cursor=x'))).toEqual([400, 'invalid_cursor'])
    expect(refusal(await ask('?limit=101'))).toEqual([422, 'validation_error'])
    expect(refusal(await app.call('GET', '/v1/admin/models/checks', { token }))).toEqual([
      403,
      'permission_denied',
    ])
  })
})
