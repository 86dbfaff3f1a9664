import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { SearchRow } from '../../../../src/features/discovery/search/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { refusal } from '../../../support/people.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

interface Row {
  search_id: string
  session: string | null
}
interface Page {
  searches: Row[]
  count: number
  next_cursor: string | null
}

const PAGE_ORIGIN = 'https://www.shop.test'

let app: TestApp
let owner: string
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  owner = await app.signIn('one')
  token = await foreverKey(app, owner)
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

function add(search: Partial<SearchRow> = {}): string {
  const id = app.ids.uuid()
  app.history.add({
    ...{ id, storeId, type: 'text', query: 'mug', parameters: {}, results: ['a', 'b'], topScore: 0.9 },
    ...{ durationMs: 20, isTracked: true, sessionId: null, searchSource: null, createdAt: app.clock.now() },
    ...search,
  })
  return id
}
const widget = { searchSource: { keyId: '01900000-0000-7000-8000-00000000000a', origin: PAGE_ORIGIN } }
const call = (path = '', as = token) => app.call('GET', `/v1/search/history${path}`, { token: as })
const list = async (path = '', as = token) => (await call(path, as)).body as unknown as Page
const ids = async (path = ''): Promise<string[]> =>
  (await list(path)).searches.map(({ search_id }) => search_id)

/** Walks through all pages of a list. */
async function walk(query: string): Promise<{ found: string[]; pages: number }> {
  const found: string[] = []
  for (let [cursor, pages] = ['', 1]; ; pages++) {
    const page = await list(`?${query}${cursor}`)
    found.push(...page.searches.map(({ search_id }) => search_id))
    if (page.next_cursor === null) return { found, pages }
    cursor = `&cursor=${page.next_cursor}`
  }
}

describe('the search log (contract 3.15)', () => {
  test('shows each search with its first result, its source and its clicks', async () => {
    const body = { product_id: 'a', image_url: app.picture('a', 1), metadata: { name: 'Red mug' } }
    await app.call('POST', '/v1/products', { token, body })
    const { id: key_id, key } = await makeKey(app, owner, { origins: [PAGE_ORIGIN] })
    const id = add({ searchSource: { keyId: key_id, origin: PAGE_ORIGIN }, sessionId: 'anna' })
    const event = { search_id: id, result_product_id: 'a', action: 'click' }
    await app.call('POST', '/v1/search/feedback', { token, body: event })
    const headers = widgetHeaders(key, PAGE_ORIGIN)
    await app.call('POST', '/v1/widget/search/feedback', { headers, body: event })
    const row = {
      ...{ search_id: id, created_at: '2030-01-01T00:00:00.000Z', type: 'text', source: 'widget', key_id },
      ...{ origin: PAGE_ORIGIN, query: 'mug', count: 2, top_score: 0.9, query_time_ms: 20, clicks: 1 },
      first: {
        ...{ product_id: 'a', name: 'Red mug', image_url: app.picture('a', 1) },
        thumbnail_url: expect.stringMatching(/^\/thumbnails\/[0-9a-f]+\.webp\?/),
      },
    }
    const { searches } = await list()
    expect(searches).toMatchObject([row])
    expect(searches[0]?.session).toMatch(/^[0-9a-f]{24}$/)
    expect((await call(`/${id}`)).body).toMatchObject({
      ...row,
      ...{ is_tracked: true, replaced_by: null, parameters: {} },
      results: [row.first, { product_id: 'b', name: null, image_url: null, thumbnail_url: null }],
      feedback: [
        { action: 'click', product_id: 'a', position: 1, source: 'api', counts: true },
        { action: 'click', product_id: 'a', position: 1, source: 'widget', counts: false },
      ],
    })
  })

  test('a search of this moment is in it', async () => {
    const made = await app.call('POST', '/v1/search/text', { token, body: { query: 'boots' } })
    expect(await ids()).toEqual([String(made.body['search_id'])])
  })

  test('lists what analytics count: no batch, nothing untracked, no keystroke that was replaced', async () => {
    add({ type: 'batch' })
    const silent = add({ isTracked: false })
    const key = add({ query: 'mu', sessionId: 's' })
    const whole = add({ query: 'mug', sessionId: 's' })
    expect(await ids()).toEqual([whole])
    expect((await call(`/${silent}`)).body).toMatchObject({ is_tracked: false })
    expect((await call(`/${key}`)).body).toMatchObject({ replaced_by: whole })
  })

  test('filters by type, source, emptiness, session, words and time, alone and together', async () => {
    const text = add({ query: 'Größe CAFÉ', sessionId: 's1' })
    app.clock.advance(60_000)
    const upload = add({ type: 'upload', query: null, sessionId: 's2', ...widget })
    app.clock.advance(60_000)
    const empty = add({ results: [], sessionId: 's2' })
    const later = add({ results: [], parameters: { offset: 20 }, query: 'boots' })
    expect(await ids('?type=upload')).toEqual([upload])
    expect(await ids('?type=url')).toEqual([])
    expect(await ids('?source=widget')).toEqual([upload])
    expect(await ids('?source=api')).toEqual([later, empty, text])
    expect(await ids('?zero_results=true')).toEqual([empty])
    expect(await ids('?zero_results=false')).toEqual([later, upload, text])
    expect(await ids('?session_id=s2')).toEqual([empty, upload])
    expect(await ids(`?session_of=${upload}`)).toEqual([empty, upload])
    expect(await ids(`?session_of=${later}`)).toEqual([])
    expect(await ids(`?session_of=${upload}&session_id=s1`)).toEqual([])
    expect(await ids('?session_id=s2&type=text')).toEqual([empty])
    expect(await ids(`?q=${encodeURIComponent('größe  cafe')}`)).toEqual([text])
    expect(await ids('?q=oot')).toEqual([later])
    expect(await ids('?since=2030-01-01T00:01:00Z&until=2030-01-01T00:02:00Z')).toEqual([upload])
    expect(await ids('?zero_results=true&source=widget')).toEqual([])
    expect(await ids('?zero_results=true&session_id=s2&q=mug&type=text')).toEqual([empty])
  })

  test('pages show every search once, newest first, also those of one millisecond', async () => {
    const made: string[] = []
    for (let n = 0; n < 30; n++) {
      made.unshift(add({ type: n % 3 ? 'text' : 'url', query: `q${n}`, ...(n % 2 ? widget : {}) }))
      if (n % 7 === 0) app.clock.advance(1)
    }
    for (const limit of [1, 4, 29, 30, 50]) expect((await walk(`limit=${limit}`)).found).toEqual(made)
    const urls = made.filter((_, n) => (29 - n) % 3 === 0)
    expect((await walk('limit=3&type=url')).found).toEqual(urls)
  })

  test('a page looks at 300 searches: with a rare word it is empty and goes on', async () => {
    const rare = add({ query: 'zeppelin' })
    app.clock.advance(1)
    for (let n = 0; n < 1_250; n++) add({ query: `mug ${n}` })
    const first = await list('?q=zeppelin')
    expect(first).toMatchObject({ searches: [], count: 0, next_cursor: expect.any(String) })
    expect(await walk('q=zeppelin')).toEqual({ found: [rare], pages: 5 })
  })

  test('what an index has in its order is found at once, however rare', async () => {
    const rare = add({ type: 'url', query: null, ...widget })
    const empty = add({ results: [] })
    app.clock.advance(1)
    for (let n = 0; n < 1_250; n++) add({ query: `mug ${n}` })
    expect(await ids('?type=url')).toEqual([rare])
    expect(await ids('?source=widget')).toEqual([rare])
    expect(await ids('?zero_results=true')).toEqual([empty])
  })

  test('each list comes from an index in its order', async () => {
    const asked: string[] = []
    const prepare = app.db.prepare.bind(app.db)
    app.db.prepare = ((sql: string) => {
      asked.push(sql)
      return prepare(sql)
    }) as typeof app.db.prepare
    for (const filter of ['', '?type=url&source=api', '?zero_results=true', '?session_id=s'])
      await list(filter)
    const walks = asked.filter((sql) => sql.includes('burst_searches'))
    expect(walks).toHaveLength(4)
    for (const sql of walks) {
      const plan = prepare(`EXPLAIN QUERY PLAN ${sql.replace(/@\w+/g, '1')}`).all() as { detail: string }[]
      const steps = plan.map(({ detail }) => detail).filter((step) => step.includes('searches'))
      expect(
        steps.filter(
          (step) =>
            !/^(SEARCH searches USING INDEX searches_(kind|empty|session) .*created_at|SEARCH burst_searches)/.test(
              step,
            ),
        ),
      ).toEqual([])
      // Only what happened in the same millisecond is sorted.
      expect(plan.some(({ detail }) => detail.includes('USE TEMP B-TREE FOR ORDER BY'))).toBe(false)
    }
  })

  test('the session is told by a text that differs between stores and does not show it', async () => {
    const [one, other] = [add({ sessionId: 'anna' }), add({ sessionId: 'bob', type: 'upload' })]
    const { searches } = await list()
    expect(new Set(searches.map(({ session }) => session)).size).toBe(2)
    expect(JSON.stringify(searches)).not.toContain('anna')
    expect(JSON.stringify([(await call(`/${one}`)).body, (await call(`/${other}`)).body])).not.toMatch(
      /anna|bob/,
    )
    const second = await foreverKey(app, await app.signIn('two'))
    add({ sessionId: 'anna', storeId: app.stores.requireBySlug('two').id })
    const elsewhere = (await list('', second)).searches
    expect(elsewhere).toHaveLength(1)
    expect(searches.map(({ session }) => session)).not.toContain(elsewhere[0]?.session ?? null)
  })

  test('of another store: an empty list, 404, and no session to follow', async () => {
    const id = add({ sessionId: 'anna' })
    const second = await foreverKey(app, await app.signIn('two'))
    expect((await call('', second)).body).toMatchObject({ searches: [], next_cursor: null })
    expect((await call(`?session_of=${id}`, second)).body).toMatchObject({ searches: [] })
    expect(refusal(await call(`/${id}`, second))).toEqual([404, 'not_found'])
  })

  test('an erased session leaves it', async () => {
    const id = add({ sessionId: 'anna' })
    await app.call('DELETE', '/v1/search/sessions/anna', { token })
    expect(await ids()).toEqual([])
    expect(refusal(await call(`/${id}`))).toEqual([404, 'not_found'])
  })

  test('refuses what it does not know', async () => {
    const batch = add({ type: 'batch' })
    expect(refusal(await call(`/${batch}`))).toEqual([404, 'not_found'])
    expect(refusal(await call('/nonsense'))).toEqual([404, 'not_found'])
    for (const query of [
      'type=batch',
      'source=shop',
      'limit=51',
      'since=2030-02-30',
      'q=',
      'zero_results=maybe',
    ])
      expect([query, ...refusal(await call(`?${query}`))]).toEqual([query, 422, 'validation_error'])
    for (const value of [
      { list: 'audit', id: 'x' },
      { list: 'searches', at: 'x', id: 'y' },
    ]) {
      const cursor = Buffer.from(JSON.stringify(value)).toString('base64url')
      expect(refusal(await call(`?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
    }
    expect((await call('?typ=url')).body).toMatchObject({ warnings: [expect.stringContaining("'type'")] })
  })
})
