import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { parseCidrs } from '../../../../src/core/networks.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'
import { createPoster } from '../../../../src/platform/outbound/poster.ts'
import { SPECIAL_BLOCKS, threeOf } from '../../../platform/outbound/special-blocks.ts'
import { refusal } from '../../../support/people.ts'
import { DAY_MS, type HookedApp, hookedApp, PRODUCT_EVENTS, SECRET, URL_ONE } from './hooks.ts'

let app: HookedApp

beforeEach(async () => {
  app = await hookedApp()
})
afterEach(() => app.close())

const PATH = '/v1/search/webhooks'
const NOW = '2030-01-01T00:00:00.000Z'

describe('POST /v1/search/webhooks (contract 9.2)', () => {
  test('creates a webhook, and echoes the secret this once', async () => {
    const created = await app.hook({ description: 'for the shop' })
    expect(created).toEqual({
      id: created.id,
      url: URL_ONE,
      events: PRODUCT_EVENTS,
      description: 'for the shop',
      enabled: true,
      created_at: NOW,
      updated_at: NOW,
      secret_hint: '…more',
      secret: SECRET,
      standard_secret: `whsec_${Buffer.from(SECRET).toString('base64')}`,
      api_version: 'v1',
      consecutive_failures: 0,
      last_delivery_at: null,
      last_status: null,
      disabled_reason: null,
    } as object as typeof created)
    for (const path of [PATH, `${PATH}/${created.id}`]) {
      expect(JSON.stringify((await app.send('GET', path)).body)).not.toContain(SECRET)
    }
  })

  test('makes a secret where none is given', async () => {
    const { secret, standard_secret } = await app.hook({ secret: undefined })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(standard_secret).toBe(secret)
  })

  test('takes the opt-in events, each once', async () => {
    const events = ['backup.failed', 'job.completed', 'job.failed', 'plan.limit_near', 'job.failed']
    expect(await app.hook({ events })).toMatchObject({
      events: ['job.completed', 'job.failed', 'plan.limit_near', 'backup.failed'],
    })
  })

  test('never stores or logs the secret in the open', async () => {
    await app.call('POST', PATH, {
      token: app.token,
      headers: { 'idempotency-key': 'k' },
      body: { url: URL_ONE, events: PRODUCT_EVENTS, secret: SECRET },
    })
    expect(app.db.serialize().includes(SECRET)).toBe(false)
    expect(app.db.serialize().includes(Buffer.from(SECRET).toString('base64'))).toBe(false)
  })

  test('a repeated request with one Idempotency-Key makes one webhook and gets the same answer', async () => {
    const headers = { 'idempotency-key': 'k' }
    const body = { url: URL_ONE, events: PRODUCT_EVENTS }
    const create = (more = {}) =>
      app.call('POST', PATH, { token: app.token, headers, body: { ...body, ...more } })
    const first = await create()
    const again = await create()
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await app.ask('GET', PATH)).toHaveLength(1)
    expect(refusal(await create({ url: 'https://hooks.test/two' }))).toEqual([422, 'idempotency_key_reused'])
    await app.ask('DELETE', `${PATH}/${first.body['id']}`)
    expect((await create()).body).toMatchObject({ id: first.body['id'], secret: null })
  })

  test.each<[string, object]>([
    ['an unknown event', { events: ['product.sold'] }],
    ['no event', { events: [] }],
    ['a short secret', { secret: 'x'.repeat(15) }],
    ['a long secret', { secret: 'x'.repeat(129) }],
    ['a secret with a line end', { secret: 'a secret of two\nlines' }],
    ['a secret that is not in base64 as it says', { secret: 'whsec_this is no base64' }],
    ['a long description', { description: 'x'.repeat(201) }],
    ['a URL of the wrong type', { url: 7 }],
    ['a long URL', { url: `https://hooks.test/${'x'.repeat(2_048)}` }],
  ])('422 for %s', async (_, change) => {
    const body = { url: URL_ONE, events: PRODUCT_EVENTS, ...change }
    expect(refusal(await app.send('POST', PATH, body))).toEqual([422, 'validation_error'])
  })

  test('422 url_not_allowed for http', async () => {
    const body = { url: 'http://hooks.test/one', events: PRODUCT_EVENTS }
    expect(refusal(await app.send('POST', PATH, body))).toEqual([422, 'url_not_allowed'])
    const { id } = await app.hook()
    expect(refusal(await app.send('PATCH', `${PATH}/${id}`, { url: body.url }))).toEqual([
      ...[422, 'url_not_allowed'],
    ] as never)
  })

  test('409 conflict for the 21st; a deleted one makes room', async () => {
    const made = []
    for (let n = 0; n < 20; n++) made.push(await app.hook())
    const body = { url: URL_ONE, events: PRODUCT_EVENTS }
    const answer = await app.send('POST', PATH, body)
    expect([...refusal(answer), answer.body['details']]).toEqual([409, 'conflict', { limit: 20 }])
    await app.ask('DELETE', `${PATH}/${made[0]?.id}`)
    await app.hook()
  })
})

describe('GET, PATCH and DELETE of one webhook', () => {
  test('GET lists a bare array, oldest first', async () => {
    const first = await app.hook()
    const second = await app.hook()
    const list = await app.ask<{ id: string }[]>('GET', PATH)
    expect(list.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(await app.ask('GET', `${PATH}/${second.id}`)).toEqual(list[1] as never)
  })

  test('PATCH changes the given fields only', async () => {
    const { id } = await app.hook({ description: 'one' })
    app.clock.advance(1_000)
    const changed = await app.ask('PATCH', `${PATH}/${id}`, {
      url: 'https://hooks.test/two',
      events: ['product.deleted'],
    })
    expect(changed).toMatchObject({
      ...{ url: 'https://hooks.test/two', events: ['product.deleted'], description: 'one', enabled: true },
      updated_at: '2030-01-01T00:00:01.000Z',
    })
    expect(await app.ask('PATCH', `${PATH}/${id}`, { description: null })).toMatchObject({
      description: null,
    })
    expect(await app.ask('PATCH', `${PATH}/${id}`, { enabled: false })).toMatchObject({
      ...{ enabled: false, disabled_reason: 'requested' },
    })
    expect(await app.ask('PATCH', `${PATH}/${id}`, { enabled: true })).toMatchObject({
      ...{ enabled: true, disabled_reason: null },
    })
  })

  test('DELETE ends it: its waiting deliveries are never sent, and its log goes', async () => {
    app.receiver.answer = () => ({ status: 500 })
    const { id } = await app.hook()
    const other = await app.hook({ url: 'https://hooks.test/two' })
    await app.index('p')
    await app.deliver()
    expect(await app.ask('DELETE', `${PATH}/${id}`)).toEqual({ status: 'deleted', id })
    app.posts.length = 0
    await app.pass(DAY_MS)
    expect(new Set(app.posts.map(({ url }) => url))).toEqual(new Set(['https://hooks.test/two']))
    expect(refusal(await app.send('GET', `${PATH}/${id}/deliveries`))).toEqual([404, 'not_found'])
    await app.tidy()
    const left = app.db.prepare<[], string>('SELECT DISTINCT endpoint FROM deliveries').pluck().all()
    expect(left).toEqual([other.id])
    expect(app.db.prepare('SELECT id FROM webhooks').pluck().all()).toEqual([other.id])
  })

  test.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown one, or of another store: 404', async (method) => {
    const { id } = await app.hook()
    const token = await app.signIn('two')
    const body = method === 'PATCH' ? { body: { enabled: false } } : {}
    const foreign = await app.call(method, `${PATH}/${id}`, { token, ...body })
    const unknown = await app.call(method, `${PATH}/none`, { token, ...body })
    expect(refusal(foreign)).toEqual([404, 'not_found'])
    expect(foreign.body).toEqual(unknown.body)
    expect(await app.ask('GET', `${PATH}/${id}`)).toMatchObject({ enabled: true })
  })

  test.each([
    ['POST', 'rotate-secret'],
    ['POST', 'test'],
    ['POST', 'recover'],
    ['GET', 'deliveries'],
  ])('%s …/%s of another store: 404', async (method, end) => {
    const { id } = await app.hook()
    const token = await app.signIn('two')
    const body = end === 'recover' ? { body: { since: '2030-01-01' } } : {}
    expect(refusal(await app.call(method, `${PATH}/${id}/${end}`, { token, ...body }))).toEqual([
      ...[404, 'not_found'],
    ] as never)
  })

  test('each act is in the audit log, without address and secret', async () => {
    const { id } = await app.hook({ url: 'https://hooks.test/one?key=hidden' })
    await app.ask('PATCH', `${PATH}/${id}`, { enabled: false })
    await app.ask('POST', `${PATH}/${id}/rotate-secret`)
    await app.ask('DELETE', `${PATH}/${id}`)
    const { events } = await app.ask<{ events: { action: string }[] }>('GET', '/v1/security/audit')
    expect(events.map(({ action }) => action).slice(0, 4)).toEqual([
      ...['webhook.deleted', 'webhook.secret_rotated', 'webhook.updated', 'webhook.created'],
    ])
    expect(JSON.stringify(events)).not.toContain('hidden')
    expect(JSON.stringify(events)).not.toContain(SECRET)
  })
})

describe('the security overview', () => {
  test('counts the webhooks that are on and those that fail', async () => {
    const read = async () => (await app.ask<{ webhooks: object }>('GET', '/v1/security/overview')).webhooks
    expect(await read()).toEqual({ active: 0, failing: 0 })
    await app.hook()
    const off = await app.hook()
    await app.ask('PATCH', `${PATH}/${off.id}`, { enabled: false })
    expect(await read()).toEqual({ active: 1, failing: 0 })
    app.receiver.answer = () => ({ status: 500 })
    await app.index('p')
    await app.deliver()
    expect(await read()).toEqual({ active: 1, failing: 1 })
    const { recommendations } = await app.ask<{ recommendations: { code: string }[] }>(
      ...(['GET', '/v1/security/overview'] as const),
    )
    expect(recommendations.map(({ code }) => code)).toContain('webhooks_failing')
  })
})

test('the addresses of the shared corpus are refused when a webhook names them', async () => {
  // With the egress that the service uses.
  const egress = createEgress({ allowCidrs: [], isOffline: false, isTlsRequired: true })
  const strict = await hookedApp({ poster: createPoster({ egress }) })
  const hosts = SPECIAL_BLOCKS.flatMap(threeOf).map((host) => (host.includes(':') ? `[${host}]` : host))
  const urls = [...hosts.map((host) => `https://${host}/`), ...ODD_URLS]
  const wrong: string[] = []
  for (const url of urls) {
    const { status, body } = await strict.send('POST', PATH, { url, events: PRODUCT_EVENTS })
    if (status !== 422 || body['error'] !== 'url_not_allowed') wrong.push(`${url}: ${status}`)
  }
  expect(wrong).toEqual([])
  expect(urls.length).toBeGreaterThan(120)
  await strict.hook({ url: 'https://1.1.1.1/hook' })
  await strict.close()
})

describe('the host of an address (contract 9.2)', () => {
  const ADDRESSES: Record<string, string[]> = {
    'public.test': ['1.1.1.1'],
    'inside.test': ['10.0.0.1', '10.0.0.2'],
    'mixed.test': ['10.0.0.1', '1.1.1.1'],
    'private.test': ['192.168.0.1'],
  }
  const openDoored = (allowed: string) => {
    const egress = createEgress({
      allowCidrs: parseCidrs(allowed),
      ...{ isOffline: false, isTlsRequired: true, setting: 'WEBHOOK_ALLOW_CIDRS' },
      lookup: async (host) => ADDRESSES[host] ?? Promise.reject(new Error('ENOTFOUND')),
    })
    return hookedApp({ poster: createPoster({ egress }) })
  }
  const WARNING = 'the host gone.test was not found; nothing arrives until its name leads to an address'

  test.each<[allowed: string, url: string, outcome: string]>([
    ['', 'https://public.test/', 'made'],
    ['', 'https://private.test/', 'refused'],
    ['', 'https://gone.test/', 'warned'],
    ['', 'http://public.test/', 'refused'],
    ['10.0.0.0/8', 'http://inside.test:8080/', 'made'],
    ['10.0.0.0/8', 'http://public.test/', 'refused'],
    ['10.0.0.0/8', 'http://mixed.test/', 'refused'],
    ['10.0.0.0/8', 'http://private.test/', 'refused'],
    ['10.0.0.0/8', 'http://gone.test/', 'warned'],
    ['10.0.0.0/8', 'https://public.test/', 'made'],
  ])('with WEBHOOK_ALLOW_CIDRS=%p %s is %s', async (allowed, url, outcome) => {
    const doored = await openDoored(allowed)
    try {
      const made = await doored.send('POST', PATH, { url, events: PRODUCT_EVENTS })
      const { id } = await doored.hook({ url: 'https://1.1.1.1/' })
      const moved = await doored.send('PATCH', `${PATH}/${id}`, { url })
      for (const answer of [made, moved]) {
        if (outcome === 'refused') expect(refusal(answer)).toEqual([422, 'url_not_allowed'])
        else
          expect([answer.status, answer.body['url'], answer.body['warnings']]).toEqual([
            ...[200, url, outcome === 'warned' ? [WARNING] : undefined],
          ])
      }
      const kept = await doored.ask<{ url: string; warnings?: unknown }[]>('GET', PATH)
      expect(kept.map((webhook) => webhook.url).includes(url)).toBe(outcome !== 'refused')
      expect(kept.some(({ warnings }) => warnings !== undefined)).toBe(false)
    } finally {
      await doored.close()
    }
  })

  test('a caller who loses the right while the host is looked up changes nothing', async () => {
    let atLookup = async (): Promise<void> => {}
    const egress = createEgress({
      ...{ allowCidrs: [], isOffline: false, isTlsRequired: true },
      async lookup() {
        await atLookup()
        return ['1.1.1.1']
      },
    })
    const doored = await hookedApp({ poster: createPoster({ egress }) })
    try {
      const { id } = await doored.hook({ url: 'https://1.1.1.1/' })
      const list = () => doored.db.prepare('SELECT id, url FROM webhooks').all()
      const before = list()
      const body = new URLSearchParams({ token: doored.token })
      atLookup = async () => void (await doored.call('POST', '/oauth/revoke', { body }))
      const late = { url: 'https://late.test/', events: PRODUCT_EVENTS }
      const answers = await Promise.all([
        doored.send('POST', PATH, late),
        doored.send('PATCH', `${PATH}/${id}`, { url: late.url }),
      ])
      expect(answers.map(refusal)).toEqual([
        [401, 'unauthorized'],
        [401, 'unauthorized'],
      ])
      expect(list()).toEqual(before)
    } finally {
      await doored.close()
    }
  })

  test.each([
    ['http://localhost:9000/', 'WEBHOOK_ALLOW_CIDRS=127.0.0.0/8'],
    ['http://10.0.0.7/', 'WEBHOOK_ALLOW_CIDRS=10.0.0.7/32'],
    ['http://public.test/', 'its network in WEBHOOK_ALLOW_CIDRS'],
  ])('%s is refused with the setting that allows it, and with the inbox', async (url, cure) => {
    const doored = await openDoored('')
    try {
      const { status, body } = await doored.send('POST', PATH, { url, events: PRODUCT_EVENTS })
      expect([status, body['error']]).toEqual([422, 'url_not_allowed'])
      expect(body['message']).toContain(cure)
      expect(body['message']).toContain('`lookalike inbox`')
    } finally {
      await doored.close()
    }
  })
})

const ODD_URLS = [
  'https://localhost/',
  'https://a.localhost/',
  'https://localhost./',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://user:password@hooks.test/',
  'https://hooks.test:8443/',
  'http://hooks.test/',
  'ftp://hooks.test/',
  'file:///etc/passwd',
  'gopher://hooks.test/',
  'javascript:alert(1)',
  '//hooks.test/',
  'hooks.test',
  'https:/hooks.test',
  'https://hooks.test\\@127.0.0.1/',
]
