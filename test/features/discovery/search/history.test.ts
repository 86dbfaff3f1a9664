import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createSearchHistory } from '../../../../src/features/discovery/search/history.ts'
import { searchQueries } from '../../../../src/features/discovery/search/queries.ts'
import { createLateWrites } from '../../../../src/platform/db/late-writes.ts'
import { createWriteBehind } from '../../../../src/platform/db/write-behind.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { failWrites, onlyStoreId } from '../../../support/seed.ts'

interface Recorded {
  id: string
  store_id: string
  type: string
  query: string | null
  parameters: string
  results: string
  top_score: number | null
  duration_ms: number
  is_tracked: number
  created_at: number
}

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn()
  for (const [product_id, ...axes] of [
    ['a', 1],
    ['b', 1, 2],
    ['c', 2],
  ] as [string, ...number[]][]) {
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url: app.picture(product_id, ...axes) },
    })
  }
})
afterEach(() => app.close())

const rows = () => app.db.prepare('SELECT * FROM searches ORDER BY id').all() as Recorded[]
const text = (body: object) =>
  app.call('POST', '/v1/search/text', { token, body: { category_boost: 0, ...body } })

describe('search history (contract 3.7: search_id)', () => {
  test('every search is kept under its search_id with the ids of its page, best first', async () => {
    const { body } = await text({
      query: ' 1 ',
      limit: 2,
      threshold: 0.01,
      tags: ['home'],
      category: '',
      price_min: -1,
    })
    const found = (await text({ query: '2' })).body
    app.history.flush()
    const [first, second] = rows()
    expect(first).toMatchObject({
      id: String(body['search_id']),
      type: 'text',
      query: '1',
      is_tracked: 1,
      created_at: app.clock.now(),
    })
    expect(JSON.parse(first?.parameters ?? '')).toEqual({
      asked: { category_boost: 0, threshold: 0.01 },
      limit: 2,
      threshold: 0.01,
      tags: ['home'],
      category: '',
      price_min: -1,
      category_boost: 0,
      offset: 0,
      cutoff: 'none',
      second_look: true,
      exact: false,
    })
    expect(JSON.parse(second?.results ?? '')).toEqual(
      (found['results'] as { product_id: string }[]).map(({ product_id }) => product_id),
    )
    expect(second?.top_score).toBe(
      (found['results'] as { similarity_score: number }[])[0]?.similarity_score ?? null,
    )
  })

  test('a picture is not kept: neither its bytes, nor its address, nor its vector', async () => {
    const data = `data:image/jpeg;base64,${Buffer.from(pictureBytes(1)).toString('base64')}`
    await app.call('POST', '/v1/search/url', { token, body: { image_url: data } })
    await app.call('POST', '/v1/search/url', { token, body: { image_url: app.picture('secret-name', 1) } })
    await app.call('POST', '/v1/search/url', { token, body: { vector: [0, 0.125, 0, 0, 0, 0, 0, 0] } })
    await app.call('POST', '/v1/search', { token, body: form({ image: pictureBytes(2), limit: '1' }) })
    app.history.flush()
    expect(rows().map(({ type, query }) => [type, query])).toEqual([
      ['url', null],
      ['url', null],
      ['url', null],
      ['upload', null],
    ])
    const kept = JSON.stringify(rows())
    for (const trace of ['base64', 'secret-name', '0.125', 'picture:']) expect(kept).not.toContain(trace)
    expect(JSON.parse(rows()[3]?.parameters ?? '')).toEqual({
      limit: 1,
      offset: 0,
      cutoff: 'none',
      second_look: true,
      exact: false,
      category_boost: 0.1,
    })
  })

  test('analytics: false is marked, and kept all the same', async () => {
    const { body } = await text({ query: '1', analytics: false })
    app.history.flush()
    expect(rows()).toMatchObject([{ id: String(body['search_id']), is_tracked: 0 }])
  })

  test('a search without results has no top score', async () => {
    await text({ query: '1', category: 'none' })
    app.history.flush()
    expect(rows()).toMatchObject([{ results: '[]', top_score: null }])
  })

  test('searches are written together by one call that is scheduled with the first of them', async () => {
    await text({ query: '0' })
    // One for the searches, one for the requests that the plan counts.
    expect(app.scheduled).toHaveLength(2)
    for (let n = 1; n < 5; n++) await text({ query: `${n}` })
    expect(app.scheduled).toHaveLength(2)
    expect(rows()).toEqual([])
    for (const write of app.scheduled.splice(0)) write()
    expect(rows()).toHaveLength(5)
    await text({ query: '1' })
    expect(app.scheduled).toHaveLength(2)
    for (const write of app.scheduled.splice(0)) write()
    expect(rows()).toHaveLength(6)
  })

  test('searching goes on when the history cannot be written', async () => {
    const mend = failWrites(app, 'INSERT ON searches')
    await text({ query: '1' })
    app.history.flush()
    expect((await text({ query: '1' })).status).toBe(200)
    mend()
    app.history.flush()
    expect(rows()).toHaveLength(1)
  })
})

describe('the line of waiting searches', () => {
  const logged: { lost: number }[] = []
  const faults: unknown[] = []
  let scheduled: (() => void)[]
  let history: ReturnType<typeof createSearchHistory>
  /** The ids of the searches that were added. */
  let shown: string[]

  beforeEach(() => {
    logged.length = 0
    shown = []
    scheduled = []
    faults.length = 0
    const options = {
      db: app.db,
      name: 'searches',
      log: { error: (fields: { lost: number }) => void logged.push(fields) },
      defer: (callback: () => void) => void scheduled.push(callback),
      reportFault: (error: unknown) => void faults.push(error),
    }
    history = createSearchHistory({
      queries: searchQueries(app.db, () => 1),
      clock: app.clock,
      days: 90,
      replaceKeystroke: () => undefined,
      takeUnmet: () => undefined,
      recordSearch() {},
      countRules() {},
      writes: createLateWrites({ ...options, writes: createWriteBehind(options) }),
    })
  })

  function add(n: number): void {
    const storeId = onlyStoreId(app)
    const row = {
      type: 'text' as const,
      query: null,
      parameters: {},
      results: [],
      topScore: null,
      durationMs: 1,
      sessionId: null,
      searchSource: null,
    }
    for (let i = 0; i < n; i++) {
      const id = app.ids.uuid()
      shown.push(id)
      history.add({ ...row, id, storeId, isTracked: true, createdAt: i })
    }
  }

  test('never holds 200: the two-hundredth writes them all', () => {
    add(199)
    expect(rows()).toHaveLength(0)
    add(1)
    expect(rows()).toHaveLength(200)
    add(1_500)
    expect(rows()).toHaveLength(1_600)
    for (const callback of scheduled) callback()
    expect(rows()).toHaveLength(1_700)
    history.flush()
    expect([rows().length, logged.length]).toEqual([1_700, 0])
  })

  test('a search is found while its group waits for a disk that takes nothing, and when it is written', () => {
    add(2)
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    let isFull = true
    const [storeId, ids] = [onlyStoreId(app), [...shown]]
    history.enqueue({
      storeId,
      kind: 'event',
      toRecord: () => ({}),
      write() {
        if (isFull) throw full
      },
    })
    history.flush()
    expect(rows()).toEqual([])
    expect(ids.map((id) => history.find(storeId, id)?.id)).toEqual(ids)
    isFull = false
    history.flush()
    expect(rows().map(({ id }) => id)).toEqual(ids)
    expect(ids.map((id) => history.find(storeId, id)?.id)).toEqual(ids)
  })

  test('a failed write is logged once with the number of searches that were lost; the next ones are kept', () => {
    const mend = failWrites(app, 'INSERT ON searches')
    add(3)
    history.flush()
    history.flush()
    expect(logged).toMatchObject([{ lost: 3, err: { message: 'broken' } }])
    expect(faults).toMatchObject([{ message: 'broken' }])
    mend()
    add(2)
    for (const callback of scheduled) callback()
    expect(rows()).toHaveLength(2)
  })
})

describe('SEARCH_HISTORY_DAYS', () => {
  const DAY = 86_400_000

  /** Writes so many searches of so many days ago, as they lie in the database. */
  function past(of: TestApp, count: number, days: number): void {
    const { id: storeId } = of.db.prepare('SELECT id FROM stores').get() as { id: string }
    const insert = of.db.prepare(`
      INSERT INTO searches (id, store_id, type, parameters, results, duration_ms, is_tracked, created_at)
      VALUES (?, ?, 'text', '{}', '[]', 1, 1, ?)`)
    of.db.transaction(() => {
      for (let n = 0; n < count; n++) insert.run(of.ids.uuid(), storeId, BigInt(of.clock.now() - days * DAY))
    })()
  }
  const count = (of: TestApp) => of.db.prepare('SELECT count(*) FROM searches').pluck().get()

  test('searches are kept for 90 days, to the millisecond', async () => {
    past(app, 2, 90)
    past(app, 1, 0)
    await app.tidy()
    expect(count(app)).toBe(3)
    app.clock.advance(1)
    await app.tidy()
    expect(count(app)).toBe(1)
  })

  test('or for as many as the setting says', async () => {
    const short = testApp({}, { SEARCH_HISTORY_DAYS: '1' })
    await short.store()
    past(short, 3, 1.5)
    past(short, 4, 0.5)
    await short.tidy()
    expect(count(short)).toBe(4)
    await short.close()
  })

  test('thousands go in small steps, with other work in between', async () => {
    past(app, 2_050, 100)
    past(app, 10, 1)
    const seen: unknown[] = []
    let isOver = false
    const look = () => {
      if (isOver) return
      seen.push(count(app))
      setImmediate(look)
    }
    setImmediate(look)
    await app.tidy()
    isOver = true
    expect(count(app)).toBe(10)
    expect(new Set(seen).size).toBeGreaterThan(8)
  })
})
