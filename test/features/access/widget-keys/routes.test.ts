import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Permission } from '../../../../src/core/actor.ts'
import type { WidgetUse } from '../../../../src/features/access/widget-keys/schema.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { updateRows } from '../../../support/seed.ts'
import { codeOf, pointersOf } from '../api-keys/answers.ts'
import { auditOf, breakAuditLog, wholeDatabase } from '../api-keys/evidence.ts'
import { machineToken, signInMember } from '../api-keys/keys.ts'

const PATH = '/v1/security/public-keys'
const NEVER_MADE = '01900000-0000-7000-8000-ffffffffffff'
const WIDGET = { name: 'Shop', origins: ['https://shop.example'] }

let app: TestApp
let storeId: string
/** The machine grant of the store. */
let token: string

beforeEach(async () => {
  app = testApp()
  storeId = (await app.store()).store_id
  token = await machineToken(app, storeId)
})
afterEach(() => app.close())

const create = (body: unknown = WIDGET, as = token) => app.call('POST', PATH, { token: as, body })
const made = async (body: unknown = WIDGET) => (await create(body)).body as { id: string; key: string }
const patch = (id: string, body: unknown) => app.call('PATCH', `${PATH}/${id}`, { token, body })
const read = async (id: string) => (await app.call('GET', `${PATH}/${id}`, { token })).body

describe('POST /v1/security/public-keys (contract 4.11)', () => {
  test('201: the key, for everything at the plan’s rate; no cache may keep it', async () => {
    const { status, headers, body } = await create()
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as never,
      name: 'Shop',
      key: expect.stringMatching(/^pk_live_[0-9A-Za-z]{38}$/) as never,
      prefix: String(body['key']).slice(0, 12),
      origins: ['https://shop.example'],
      rate_per_minute: null,
      allowed: ['text', 'upload', 'url', 'feedback'],
      forced_filters: null,
      created_at: new Date(app.clock.now()).toISOString(),
      seen: [],
      refused_today: 0,
    })
  })

  test('201: origins in the form that browsers send, each once; uses in their order, each once', async () => {
    const { body } = await create({
      name: 'n',
      origins: ['HTTPS://Shop.Example:443/', 'https://shop.example', 'https://müller.example'],
      allowed: ['feedback', 'text', 'feedback'],
      rate_per_minute: 100_000,
      forced_filters: null,
    })
    expect(body).toMatchObject({
      origins: ['https://shop.example', 'https://xn--mller-kva.example'],
      allowed: ['text', 'feedback'],
      rate_per_minute: 100_000,
    })
  })

  test('201 with 20 origins, one request a minute, and a rate of null', async () => {
    const origins = Array.from({ length: 20 }, (_, n) => `https://a${n}.example`)
    expect((await create({ name: 'n', origins, rate_per_minute: 1 })).body).toMatchObject({
      origins,
      rate_per_minute: 1,
    })
    expect((await create({ ...WIDGET, rate_per_minute: null })).body['rate_per_minute']).toBeNull()
  })

  test('422 for no fields', async () => {
    expect(pointersOf(await create({}))).toEqual([422, '/name', '/origins'])
  })

  test('422 says how an origin is written, and repeats nothing that came', async () => {
    const { body } = await create({ ...WIDGET, origins: ['https://SECRET@shop.example'] })
    expect(body['message']).toBe(
      'origins.0 must be an exact origin: scheme, host and an optional port, such as https://shop.example; no path, no wildcard',
    )
  })

  test('400 and 415 for a body that cannot be read', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(codeOf(await app.call('POST', PATH, { token, body: '{', headers }))).toEqual([400, 'invalid_json'])
    expect(codeOf(await app.call('POST', PATH, { token, body: '{}' }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('409 conflict for the 101st key of a store, until one is deleted; other stores are not concerned', async () => {
    const { id } = await made()
    for (let n = 1; n < 100; n++) await made()
    const refused = await create()
    expect([codeOf(refused), refused.body['details']]).toEqual([[409, 'conflict'], { limit: 100 }])
    expect(app.widgetKeys.count(storeId)).toBe(100)
    const other = await machineToken(app, (await app.store('two')).store_id)
    expect((await create(WIDGET, other)).status).toBe(201)
    await app.call('DELETE', `${PATH}/${id}`, { token })
    expect((await create()).status).toBe(201)
  })
})

describe('GET /v1/security/public-keys', () => {
  test('200: the store’s own keys, oldest first, with their values', async () => {
    const first = await made()
    const second = await made({ ...WIDGET, name: 'other' })
    await create(WIDGET, await machineToken(app, (await app.store('two')).store_id))
    const { status, body } = await app.call('GET', PATH, { token })
    expect([status, body as object]).toEqual([200, { public_keys: [first, second], count: 2 }])
    expect(await read(first.id)).toEqual(first)
  })

  test('200 with none', async () => {
    expect((await app.call('GET', PATH, { token })).body).toEqual({ public_keys: [], count: 0 })
  })
})

describe('PATCH /v1/security/public-keys/{id}', () => {
  test.each<[object, object]>([
    [{ name: 'renamed' }, { name: 'renamed' }],
    [{ origins: ['https://OTHER.example/'] }, { origins: ['https://other.example'] }],
    [{ rate_per_minute: 9 }, { rate_per_minute: 9 }],
    [{ rate_per_minute: null }, { rate_per_minute: null }],
    [{ allowed: ['url', 'text'] }, { allowed: ['text', 'url'] }],
    [{ forced_filters: null }, {}],
    [{}, {}],
  ])('200 for %j: that changes, the rest stays', async (body, change) => {
    const before = await made({ ...WIDGET, rate_per_minute: 5 })
    const answer = await patch(before.id, body)
    expect([answer.status, answer.body as object]).toEqual([200, { ...before, ...change }])
    expect(await read(before.id)).toEqual({ ...before, ...change })
  })
})

describe('a developer whose groups permit less (contract 4.11: nobody grants what they lack)', () => {
  /** What a group permits, the uses of a widget key, and what is lacking for them. */
  const LACKING: [groups: Permission[][], uses: WidgetUse[], lacking: Permission][] = [
    [[['products:read']], ['text'], 'search:execute'],
    [[['products:read']], ['upload'], 'search:execute'],
    [[['products:read']], ['url'], 'search:execute'],
    [[['products:read']], ['feedback'], 'search:write'],
    [[['products:read']], ['feedback', 'url'], 'search:execute'],
    [[['search:read', 'search:execute']], ['text', 'feedback'], 'search:write'],
    [[['search:write']], ['feedback', 'upload'], 'search:execute'],
    [[[]], ['text', 'upload', 'url', 'feedback'], 'search:execute'],
  ]
  const HOLDING: [groups: Permission[][], uses: WidgetUse[]][] = [
    [[['search:execute']], ['text', 'upload', 'url']],
    [[['search:write']], ['feedback']],
    [
      [['search:write'], ['search:execute']],
      ['text', 'upload', 'url', 'feedback'],
    ],
    [[], ['text', 'upload', 'url', 'feedback']],
  ]
  const developer = async (groups: Permission[][]) =>
    (await signInMember(app, { store: 'one', role: 'developer', groups })).token
  const change = (id: string, body: unknown, as: string) =>
    app.call('PATCH', `${PATH}/${id}`, { token: as, body })
  const denied = (answer: Answer) => [...codeOf(answer), answer.body['details']]

  test.each(LACKING)(
    'in groups %j: 403 for a new key for %j, naming %s',
    async (groups, allowed, required) => {
      const answer = await create({ ...WIDGET, allowed }, await developer(groups))
      expect(denied(answer)).toEqual([403, 'permission_denied', { required }])
      expect(app.widgetKeys.count(storeId)).toBe(0)
    },
  )

  test('403 where nothing is said, which means every use', async () => {
    const answer = await create(WIDGET, await developer([['search:execute']]))
    expect(denied(answer)).toEqual([403, 'permission_denied', { required: 'search:write' }])
  })

  test.each(LACKING)(
    'in groups %j: 403 for any change of a key for %j, naming %s, and nothing changes',
    async (groups, allowed, required) => {
      const before = await made({ ...WIDGET, allowed })
      const as = await developer(groups)
      for (const body of [{ origins: ['https://mine.example'] }, { rate_per_minute: 9 }, { name: 'mine' }]) {
        expect(denied(await change(before.id, body, as))).toEqual([403, 'permission_denied', { required }])
      }
      expect(await read(before.id)).toEqual(before)
    },
  )

  test('403 for granting a use that the developer lacks, and for changing a key that has one', async () => {
    const as = await developer([['search:execute']])
    const own = await made({ ...WIDGET, allowed: ['text'] })
    const mightier = await made({ ...WIDGET, allowed: ['text', 'feedback'] })
    const refused = [
      await change(own.id, { allowed: ['text', 'feedback'] }, as),
      await change(mightier.id, { allowed: ['text'], origins: ['https://mine.example'] }, as),
    ]
    for (const answer of refused) {
      expect(denied(answer)).toEqual([403, 'permission_denied', { required: 'search:write' }])
    }
    expect([await read(own.id), await read(mightier.id)]).toMatchObject([
      { allowed: ['text'] },
      { allowed: ['text', 'feedback'], origins: WIDGET.origins },
    ])
  })

  test.each(HOLDING)('in groups %j makes and changes keys for %j', async (groups, allowed) => {
    const as = await developer(groups)
    const { status, body } = await create({ ...WIDGET, allowed }, as)
    expect([status, body['allowed']]).toEqual([201, allowed])
    const changed = await change(String(body['id']), { origins: ['https://b.example'], allowed }, as)
    expect([changed.status, changed.body['origins']]).toEqual([200, ['https://b.example']])
  })

  test('revokes every key: a leaked one must not wait for somebody with more rights', async () => {
    const { id } = await made()
    const answer = await app.call('DELETE', `${PATH}/${id}`, { token: await developer([[]]) })
    expect([answer.status, app.widgetKeys.count(storeId)]).toEqual([200, 0])
  })

  test('gets 404 for another store’s key and 422 for a bad field before 403 for a missing permission', async () => {
    const as = await developer([[]])
    const strangers = await machineToken(app, (await app.store('two')).store_id)
    const foreign = (await create(WIDGET, strangers)).body
    expect(codeOf(await change(String(foreign['id']), { name: 'mine' }, as))).toEqual([404, 'not_found'])
    expect(pointersOf(await create({ ...WIDGET, origins: ['*'] }, as))).toEqual([422, '/origins/0'])
  })
})

describe('DELETE /v1/security/public-keys/{id}', () => {
  test('200 deleted, and it is gone', async () => {
    const { id } = await made()
    const { status, body } = await app.call('DELETE', `${PATH}/${id}`, { token })
    expect([status, body as object]).toEqual([200, { status: 'deleted', id }])
    expect(codeOf(await app.call('DELETE', `${PATH}/${id}`, { token }))).toEqual([404, 'not_found'])
    expect(app.widgetKeys.count(storeId)).toBe(0)
  })
})

describe('another store’s key, one that never was, and no id at all read the same: 404', () => {
  test.each<[string, unknown]>([
    ['GET', undefined],
    ['PATCH', { name: 'mine' }],
    ['DELETE', undefined],
  ])('%s', async (method, body) => {
    const strangers = await machineToken(app, (await app.store('two')).store_id)
    const foreign = (await create(WIDGET, strangers)).body
    const answers: Answer[] = []
    for (const id of [String(foreign['id']), NEVER_MADE, 'no-id']) {
      answers.push(await app.call(method, `${PATH}/${id}`, { token, body }))
    }
    for (const answer of answers) {
      expect([codeOf(answer), answer.body['details']]).toEqual([
        [404, 'not_found'],
        { resource: 'public_key' },
      ])
      expect(answer.body).toEqual(answers[0]?.body as never)
    }
    expect((await app.call('GET', `${PATH}/${foreign['id']}`, { token: strangers })).body).toEqual(foreign)
  })
})

describe('the audit log', () => {
  test('has a row for every act that changed something, with who did it, and no secret', async () => {
    const { userId, token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    const created = (await create(WIDGET, developer)).body
    const path = `${PATH}/${created['id']}`
    await app.call('PATCH', path, { token: developer, body: { name: 'n', allowed: ['text'] } })
    await app.call('PATCH', path, { token: developer, body: {} })
    await app.call('DELETE', path, { token })
    const rows = auditOf(app, 'public_key')
    expect(rows.map(({ action, actor_kind, user_id }) => [action, actor_kind, user_id])).toEqual([
      ['public_key.created', 'person', userId],
      ['public_key.updated', 'person', userId],
      ['public_key.deleted', 'machine', null],
    ])
    expect(rows[1]?.details).toMatchObject({ id: created['id'], name: 'n', changed: ['name', 'allowed'] })
    expect(JSON.stringify(rows)).not.toContain(String(created['key']).slice(12))
  })

  test('and the act are one: without its row nothing is created, changed or deleted', async () => {
    const { id } = await made()
    const before = await read(id)
    breakAuditLog(app)
    const statuses = [
      await create(),
      await patch(id, { name: 'x' }),
      await app.call('DELETE', `${PATH}/${id}`, { token }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([500, 500, 500])
    expect((await app.call('GET', PATH, { token })).body).toEqual({ public_keys: [before], count: 1 })
  })
})

test('a key stands in the database once, as itself, so that it can be shown again; the audit log never has it', async () => {
  const { id, key } = await made()
  await patch(id, { name: 'renamed' })
  expect(wholeDatabase(app).split(key.slice(12))).toHaveLength(2)
  expect(JSON.stringify(auditOf(app, ''))).not.toContain(key.slice(12))
})

test('of a key of an earlier version only the hash is kept: it works, and its value reads null', async () => {
  const { id, key, ...rest } = await made()
  updateRows(app, 'public_keys', { key: null }, { id })
  expect(await read(id)).toEqual({ id, ...rest, key: null })
  expect(app.widgetKeys.admit(key, 'https://shop.example', 'text')).toMatchObject({ keyId: id })
})

describe('forced filters (contract 4.11)', () => {
  const FILTERS = { must: [{ field: 'category', operator: 'eq', value: 'Shoes' }] }

  test('are kept as they came, shown, changed and taken away; the audit log names them', async () => {
    const { id } = await made({ ...WIDGET, forced_filters: FILTERS })
    expect((await read(id))['forced_filters']).toEqual(FILTERS)
    expect((await patch(id, { name: 'renamed' })).body['forced_filters']).toEqual(FILTERS)
    const list = [{ field: 'brand', operator: 'ne', value: 'Acme' }]
    expect((await patch(id, { forced_filters: list })).body['forced_filters']).toEqual(list)
    expect((await patch(id, { forced_filters: null })).body['forced_filters']).toBeNull()
    expect(auditOf(app, 'public_key').map(({ details }) => details['forced_filters'])).toEqual([
      FILTERS,
      FILTERS,
      list,
      undefined,
    ])
  })

  const BAD: [what: string, filters: unknown, code: string, pointer: string][] = [
    ['text', 'category', 'validation_error', '/forced_filters'],
    ['an empty list', [], 'validation_error', '/forced_filters'],
    ['an empty group', {}, 'validation_error', '/forced_filters'],
    [
      'an unknown operator',
      [{ field: 'a', operator: 'like', value: 1 }],
      'filter_operator_unknown',
      '/forced_filters/0/operator',
    ],
    [
      'a value of the wrong type',
      [{ field: 'price', operator: 'gt', value: [1] }],
      'filter_type_mismatch',
      '/forced_filters/0/value',
    ],
    ['an unknown word in a group', { must: [], may: [] }, 'validation_error', '/forced_filters/may'],
    [
      'more than 4,000 characters',
      [{ field: 'sku', operator: 'in', value: Array.from({ length: 600 }, (_, n) => `sku-${n}`) }],
      'validation_error',
      '/forced_filters',
    ],
  ]

  test.each(BAD)(
    '422 for %s, in a new key and in a change, and nothing changes',
    async (_what, forced_filters, code, pointer) => {
      const { id } = await made({ ...WIDGET, forced_filters: FILTERS })
      for (const answer of [
        await create({ ...WIDGET, forced_filters }),
        await patch(id, { forced_filters }),
      ]) {
        const { errors, pointer: place } = answer.body['details'] as {
          errors?: { pointer: string }[]
          pointer?: string
        }
        expect([...codeOf(answer), place ?? errors?.[0]?.pointer]).toEqual([422, code, pointer])
      }
      expect([app.widgetKeys.count(storeId), (await read(id))['forced_filters']]).toEqual([1, FILTERS])
    },
  )
})
