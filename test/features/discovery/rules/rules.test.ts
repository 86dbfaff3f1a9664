import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { refusal } from '../../../support/people.ts'
import { makeKey } from '../widget/widget-shop.ts'

interface Rule {
  id: string
  state: string
  when: object
  then: object[]
  missing: string[]
  faults: { pointer: string; message: string }[]
  uses: number
  clicks: number
  warnings?: string[]
}

let app: TestApp
let token: string
let otherToken: string
let keyId: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn('one')
  otherToken = await app.signIn('two')
  keyId = (await makeKey(app, token)).id
  const body = { product_id: 'mug', image_url: app.picture('mug', 1), metadata: { category: 'Mugs' } }
  await app.call('POST', '/v1/products', { token, body })
})
afterAll(() => app.close())

const call = (method: string, path = '', body?: object, more: { as?: string; ifMatch?: string } = {}) =>
  app.call(method, `/v1/store/rules${path}`, {
    token: more.as ?? token,
    ...(body && { body }),
    ...(more.ifMatch !== undefined && { headers: { 'if-match': more.ifMatch } }),
  })
const pin = (fields: object = {}) => ({ action: 'pin', product_id: 'mug', position: 1, ...fields })
const MUGS = [{ field: 'category', operator: 'eq', value: 'Mugs' }]
const boost = (fields: object = {}) => ({ action: 'boost', filters: MUGS, ...fields })
const rule = (fields: object = {}) => ({ name: 'Mugs', then: [pin()], ...fields })
const list = async (as = token) => (await call('GET', '', undefined, { as })).body['rules'] as Rule[]
async function clear(): Promise<void> {
  for (const { id } of await list()) await call('DELETE', `/${id}`)
}

test('a rule is made, read, replaced and deleted, and its store alone sees it', async () => {
  await clear()
  const when = { words: ['red mug', '"mug"'], category: 'Mugs', key_id: keyId, source: 'text' }
  const made = await call('POST', '', rule({ when, then: [pin(), boost({ strength: 3 })] }))
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Mugs', active: true, state: 'active', when, missing: [], faults: [], uses: 0, clicks: 0 },
  })
  const { id } = made.body
  expect(await call('GET', `/${id}`)).toMatchObject({ status: 200, body: made.body })
  expect(made.headers.get('etag')).toBe((await call('GET', `/${id}`)).headers.get('etag'))
  expect(await list()).toEqual([made.body as unknown as Rule])
  expect(await list(otherToken)).toEqual([])
  for (const [method, body] of [['GET'], ['PUT', rule()], ['DELETE']] as const)
    expect(refusal(await call(method, `/${id}`, body, { as: otherToken }))).toEqual([404, 'not_found'])

  app.clock.advance(1_000)
  const replaced = await call('PUT', `/${id}`, rule({ name: '<b>Sale</b>', active: false }))
  expect(replaced).toMatchObject({
    status: 200,
    body: { id, name: '<b>Sale</b>', active: false, state: 'inactive', when: {}, then: [pin()] },
  })
  expect(replaced.body['created_at']).toBe(made.body['created_at'])
  expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { status: 'deleted', id } })
  for (const [method, body] of [['GET'], ['PUT', rule()], ['DELETE']] as const)
    expect(refusal(await call(method, `/${id}`, body))).toEqual([404, 'not_found'])
  const { body } = await app.call('GET', '/v1/security/audit?limit=3', { token })
  expect((body['events'] as { action: string }[]).map(({ action }) => action)).toEqual([
    ...['search_rule.deleted', 'search_rule.updated', 'search_rule.created'],
  ])
})

test('a rule can be sent back as it was read, unless somebody has changed it', async () => {
  const { headers, body } = await call('POST', '', rule({ then: [pin(), boost()] }))
  const ifMatch = String(headers.get('etag'))
  const same = await call('PUT', `/${body['id']}`, body, { ifMatch })
  expect([same.status, same.headers.get('etag')]).toEqual([200, ifMatch])
  await call('PUT', `/${body['id']}`, { ...body, name: 'Other' }, { ifMatch })
  expect(refusal(await call('PUT', `/${body['id']}`, body, { ifMatch }))).toEqual([409, 'conflict'])
})

test('a rule tells what of it does nothing: products, keys and fields that are not there', async () => {
  await clear()
  const { id: gone } = await makeKey(app, token)
  const made = await call(
    'POST',
    '',
    rule({
      when: { key_id: gone },
      then: [
        pin(),
        pin({ product_id: 'vase' }),
        { action: 'bury', filters: [{ field: 'kategory', operator: 'eq', value: 'a' }] },
      ],
    }),
  )
  expect(made.body).toMatchObject({ missing: ['vase'], faults: [] })
  expect(made.body['warnings']).toEqual([expect.stringContaining('then.2.filters: ')])
  await app.call('DELETE', `/v1/security/public-keys/${gone}`, { token })
  // As a later version would read what it does not know any more.
  const actions = JSON.stringify([
    pin(),
    { action: 'hide', filters: [{ field: 'a', operator: 'like', value: 1 }] },
  ])
  app.db.prepare('UPDATE search_rules SET actions = ? WHERE id = ?').run(actions, made.body['id'])
  const [shown] = await list()
  expect(shown?.faults.map(({ pointer }) => pointer)).toEqual(['/when/key_id', '/then/1/filters'])
  expect((await call('GET', `/${made.body['id']}`)).status).toBe(200)
})

test('its state follows the clock, and what is over stays listed', async () => {
  await clear()
  const at = (ms: number) => new Date(app.clock.now() + ms).toISOString()
  await call('POST', '', rule({ when: { from: at(1_000) } }))
  await call('POST', '', rule({ when: { from: at(-2_000), until: at(1_000) } }))
  const states = async () => (await list()).map(({ state }) => state)
  expect(await states()).toEqual(['scheduled', 'active'])
  app.clock.advance(1_000)
  expect(await states()).toEqual(['active', 'ended'])
})

test('the list is paged, oldest first', async () => {
  await clear()
  const made: unknown[] = []
  for (let n = 0; n < 5; n++) made.push((await call('POST', '', rule({ name: `${n}` }))).body['id'])
  const first = await call('GET', '?limit=3')
  const { next_cursor } = first.body
  const last = await call('GET', `?limit=3&cursor=${next_cursor}`)
  expect(last.body['next_cursor']).toBeNull()
  const ids = [first, last].flatMap(({ body }) => (body['rules'] as Rule[]).map(({ id }) => id))
  expect(ids).toEqual(made as string[])
  expect(refusal(await call('GET', '?cursor=AAAA'))).toEqual([400, 'invalid_cursor'])
})

describe('bad input', () => {
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ field: 'price', operator: 'gt', value: n }))
  const then = (...actions: object[]) => ({ then: actions })

  test.each<[string, object, string]>([
    ['no action', { then: [] }, '/then'],
    ['21 actions', { then: Array(21).fill(pin()) }, '/then'],
    ['position 0', then(pin({ position: 0 })), '/then/0/position'],
    ['position 101', then(pin({ position: 101 })), '/then/0/position'],
    ['position 10,000', then(pin({ position: 10_000 })), '/then/0/position'],
    ['a pin without a place', then({ action: 'pin', product_id: 'mug' }), '/then/0/position'],
    ['a pin with a filter', then(pin({ filters: MUGS })), '/then/0/filters'],
    ['a boost without a filter', then({ action: 'boost' }), '/then/0/filters'],
    ['a boost of everything', then(boost({ filters: [] })), '/then/0/filters'],
    ['a boost of one product id', then(boost({ product_id: 'mug' })), '/then/0/product_id'],
    ['strength 4', then(boost({ strength: 4 })), '/then/0/strength'],
    ['a hiding with a strength', then({ action: 'hide', filters: MUGS, strength: 1 }), '/then/0/strength'],
    ['101 conditions', then(pin(), boost({ filters: conditions(101) })), '/then/1/filters'],
    ['no words', { when: { words: [] } }, '/when/words'],
    ['a blank entry', { when: { words: ['mug', ' '] } }, '/when/words/1'],
    ['an entry of signs', { when: { words: ['"!"'] } }, '/when/words/0'],
    [
      'an entry of 21 words',
      { when: { words: [Array.from('abcdefghijklmnopqrstu').join(' ')] } },
      '/when/words/0',
    ],
    ['an entry of 1,000 words', { when: { words: ['mug '.repeat(1_000)] } }, '/when/words/0'],
    ['51 entries', { when: { words: Array(51).fill('mug') } }, '/when/words'],
    ['a time without its zone', { when: { from: '2030-01-01T00:00:00' } }, '/when/from'],
    ['a day that does not exist', { when: { from: '2030-02-30T00:00:00Z' } }, '/when/from'],
    [
      'an end at its beginning',
      { when: { from: '2030-01-01T01:00:00+01:00', until: '2030-01-01T00:00:00Z' } },
      '/when/until',
    ],
    ['an unknown key', { when: { key_id: 'nobody' } }, '/when/key_id'],
    ['an unknown source', { when: { source: 'voice' } }, '/when/source'],
    ['a name of two lines', { name: 'a\nb' }, '/name'],
  ])('refuses %s', async (_, fields, pointer) => {
    const answer = await call('POST', '', rule(fields))
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    const { errors } = answer.body['details'] as { errors: { pointer: string }[] }
    expect(errors[0]?.pointer).toBe(pointer)
  })

  test.each<[string, object, string]>([
    ['an action', then(pin({ action: 'boots' })), "did you mean 'boost'"],
    ['a field', { activ: false }, "did you mean 'active'"],
    ['a condition', { when: { word: ['mug'] } }, "did you mean 'words'"],
    ['a field of an action', then(pin({ postion: 2 })), "did you mean 'position'"],
  ])('names %s that was meant', async (_, fields, advice) => {
    const answer = await call('POST', '', rule(fields))
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(String(answer.body['message'])).toContain(advice)
  })

  test('tells the place of a fault in a filter', async () => {
    const filters = { must: [{ field: 'price', operator: 'above', value: 1 }] }
    const answer = await call('POST', '', rule(then(pin(), boost({ filters }))))
    expect(refusal(answer)).toEqual([422, 'filter_operator_unknown'])
    expect(answer.body['details']).toMatchObject({ pointer: '/then/1/filters/must/0/operator' })
  })

  test("refuses another store's key", async () => {
    const answer = await call('POST', '', rule({ when: { key_id: keyId } }), { as: otherToken })
    expect(refusal(answer)).toEqual([422, 'validation_error'])
  })

  test('refuses the 501st rule, and more bytes than a store may have', async () => {
    await clear()
    const { body } = await call('POST', '', rule())
    const fill = app.db.prepare(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
      INSERT INTO search_rules SELECT 'r' || i, store_id, name, active, conditions, key_id, starts_at, ends_at,
        CASE ? WHEN '' THEN actions ELSE ? END, created_at, updated_at FROM n JOIN search_rules ON id = ?`)
    fill.run('', '', body['id'])
    expect(await call('POST', '', rule())).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { limit: 500 } },
    })
    expect((await call('PUT', `/${body['id']}`, rule({ name: 'Still' }))).status).toBe(200)
    expect((await call('GET', '?limit=500')).body['count']).toBe(500)
    app.db.prepare("DELETE FROM search_rules WHERE id LIKE 'r%'").run()
    const long = JSON.stringify([
      boost({ filters: [{ field: 'a', operator: 'eq', value: 'a'.repeat(9_000) }] }),
    ])
    fill.run(long, long, body['id'])
    app.db.prepare("DELETE FROM search_rules WHERE id = 'r1'").run()
    expect(await call('POST', '', rule())).toMatchObject({
      status: 409,
      body: { details: { limit_bytes: 4194304 } },
    })
    app.db.prepare("DELETE FROM search_rules WHERE id LIKE 'r%'").run()
  })
})

describe('what is counted', () => {
  async function search(body: object = {}): Promise<string> {
    const answer = await app.call('POST', '/v1/search/text', { token, body: { query: '1', ...body } })
    return String(answer.body['search_id'])
  }
  const storeId = () => app.stores.requireBySlug('one').id
  const note = (searchId: string, id: string) =>
    app.history.noteActed(storeId(), searchId, [{ rule: { id, name: 'Mugs' }, productIds: ['mug', 'gone'] }])
  const click = (search_id: string, body: object = {}) =>
    app.call('POST', '/v1/search/feedback', {
      token,
      body: { search_id, result_product_id: 'mug', action: 'click', ...body },
    })
  const counts = async (id: string) => {
    const { body } = await call('GET', `/${id}`)
    return [body['uses'], body['clicks']]
  }

  test('are the searches in which a rule acted, and the clicks on what it moved', async () => {
    await clear()
    const id = String((await call('POST', '', rule({ active: false }))).body['id'])
    const other = String((await call('POST', '', rule({ active: false }))).body['id'])
    const first = await search()
    note(first, id)
    await click(first)
    await click(first)
    expect([await counts(id), await counts(other)]).toEqual([
      [1, 1],
      [0, 0],
    ])
    // The row is written by now.
    app.clock.advance(60_000)
    await click(first)
    await click(await search({ rules: false }))
    expect(await counts(id)).toEqual([1, 2])
    const untracked = await search({ analytics: false })
    note(untracked, id)
    await click(untracked)
    expect(await counts(id)).toEqual([1, 2])
    await call('PUT', `/${id}`, rule({ name: 'Other', active: false }))
    expect(await counts(id)).toEqual([1, 2])
  })

  test('of a rule that is deleted meanwhile, nothing', async () => {
    const id = String((await call('POST', '', rule())).body['id'])
    const searchId = await search()
    note(searchId, id)
    await call('DELETE', `/${id}`)
    expect((await click(searchId)).status).toBe(201)
    await list()
    expect(app.db.prepare('SELECT count(*) FROM search_rule_counts WHERE rule_id = ?').pluck().get(id)).toBe(
      0,
    )
  })
})
