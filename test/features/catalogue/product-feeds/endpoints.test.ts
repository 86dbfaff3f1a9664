import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { countRows } from '../../../support/seed.ts'
import { openShop, type Shop } from './shop.ts'

let at: Shop

beforeEach(async () => {
  at = await openShop()
  at.shop.file = at.table('a')
})
afterEach(() => at.close())

const failureOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  const { errors = [] } = (body['details'] ?? {}) as { errors?: { pointer: string; code: string }[] }
  return [status, body['error'], ...errors.map(({ pointer, code }) => `${pointer} ${code}`)]
}

describe('POST /v1/feeds (contract 2.14)', () => {
  test('answers 201 with the feed, whose first run is due', async () => {
    const { status, body } = await at.call('POST', '', {
      ...{
        url: at.url,
        format: 'csv',
        interval_minutes: 60,
        mapping: { name: 'name' },
        delete_missing: true,
      },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      url: at.url,
      ...{ format: 'csv', interval_minutes: 60, mapping: { name: 'name' }, delete_missing: true },
      ...{ paused: false, status: 'queued', consecutive_failures: 0, last_run: null },
      next_run_at: '2030-01-01T00:00:00.000Z',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:00.000Z',
    })
    await at.settle()
    expect((await at.read(String(body['id']))).last_run?.status).toBe('completed')
  })

  test('has defaults for all but the address', async () => {
    const { body } = await at.call('POST', '', { url: at.url })
    expect(body).toMatchObject({
      format: null,
      interval_minutes: 1_440,
      mapping: null,
      delete_missing: false,
    })
  })

  test.each([
    ['no address', {}, ['/url required']],
    ['too often', { url: 'https://shop.test/', interval_minutes: 59 }, ['/interval_minutes min']],
    ['too rarely', { url: 'https://shop.test/', interval_minutes: 43_201 }, ['/interval_minutes max']],
    ['half a minute', { url: 'https://shop.test/', interval_minutes: 60.5 }, ['/interval_minutes type']],
    ['a format', { url: 'https://shop.test/', format: 'pdf' }, ['/format enum']],
    ['a field', { url: 'https://shop.test/', mapping: { colour: 'x' } }, ['/mapping/colour unknown_field']],
    ['a long address', { url: `https://shop.test/${'x'.repeat(2_048)}` }, ['/url max_length']],
    ['a mask', { url: 'https://***:***@shop.test/' }, ['/url credentials']],
  ])('refuses %s', async (_, body, problems) => {
    expect(failureOf(await at.call('POST', '', body))).toEqual([422, 'validation_error', ...problems])
    expect((await at.call('GET', '')).body).toEqual({ feeds: [], count: 0 })
  })

  test.each([
    'http://10.0.0.1/products.csv',
    'http://169.254.169.254/latest',
    'http://[::1]/products.csv',
    'http://192.168.1.1:8080/',
    'ftp://shop.test/products.csv',
    'file:///etc/passwd',
    'https://shop..test/',
    'https://me:pass\\@10.0.0.1/',
  ])('refuses %s at once', async (url) => {
    expect(failureOf(await at.call('POST', '', { url }))).toEqual([422, 'url_not_allowed'])
  })

  test('honours Idempotency-Key', async () => {
    const send = (url: string) => at.call('POST', '', { url }, { 'idempotency-key': 'one' })
    const first = await send(at.url)
    const again = await send(at.url)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    expect((await at.call('GET', '')).body['count']).toBe(1)
    expect(failureOf(await send(`${at.url}?2`))).toEqual([422, 'idempotency_key_reused'])
  })

  test('a store has 20 feeds at most', async () => {
    for (let n = 0; n < 20; n++) await at.call('POST', '', { url: `https://shop.test/${n}` })
    const { status, body } = await at.call('POST', '', { url: at.url })
    expect([status, body['error'], body['details']]).toEqual([409, 'conflict', { limit: 20 }])
    const { feeds } = (await at.call('GET', '')).body as { feeds: { id: string; url: string }[] }
    expect(feeds.map(({ url }) => url)).toEqual(
      Array.from({ length: 20 }, (_, n) => `https://shop.test/${n}`),
    )
    await at.call('DELETE', `/${feeds[0]?.id}`)
    expect((await at.call('POST', '', { url: at.url })).status).toBe(201)
  })
})

describe('user name and password of an address', () => {
  const secret = () => at.url.replace('//', '//me:topsecret@')

  test('are sent to the shop, sealed at rest, and shown nowhere', async () => {
    const { id } = await at.add({ url: secret() })
    expect(at.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:topsecret').toString('base64')}`,
    )
    const shown = [
      await at.call('GET', ''),
      await at.call('GET', `/${id}`),
      await at.call('PATCH', `/${id}`, {}),
    ]
    for (const { body } of shown) expect(JSON.stringify(body)).not.toContain('topsecret')
    expect((await at.read(id)).url).toBe(at.url.replace('//', '//***:***@'))
    expect(Buffer.from(at.app.db.serialize()).includes('topsecret')).toBe(false)
  })

  test('stay when the masked address comes back, even with another path', async () => {
    const { id } = await at.add({ url: secret() })
    const url = `${(await at.read(id)).url}?v=2`
    expect((await at.call('PATCH', `/${id}`, { url })).body['url']).toBe(url)
    await at.run(id)
    expect(at.requests.at(-1)?.headers.authorization).toStartWith('Basic ')
    expect(at.requests.at(-1)?.url).toBe('/products.csv?v=2')
  })

  test('never follow to another server', async () => {
    const { id } = await at.add({ url: secret() })
    for (const url of [
      'https://***:***@thief.test/',
      at.url.replace('//', '//***:***@').replace(/:\d+/, ':1'),
    ])
      expect(failureOf(await at.call('PATCH', `/${id}`, { url }))).toEqual([
        422,
        'validation_error',
        '/url credentials',
      ])
    await at.call('PATCH', `/${id}`, { url: at.url })
    await at.run(id)
    expect(at.requests.at(-1)?.headers.authorization).toBeUndefined()
  })
})

describe('PATCH and DELETE', () => {
  test('absent fields stay, and null removes', async () => {
    const mapping = { name: ['name'] }
    const { id } = await at.add({ format: 'csv', mapping })
    at.app.clock.advance(1_000)
    const first = await at.call('PATCH', `/${id}`, { delete_missing: true })
    expect(first.body).toMatchObject({
      ...{ url: at.url, format: 'csv', mapping, delete_missing: true },
      updated_at: '2030-01-01T00:00:01.000Z',
    })
    const second = await at.call('PATCH', `/${id}`, { format: null, mapping: null })
    expect(second.body).toMatchObject({ format: null, mapping: null, delete_missing: true })
  })

  test('PATCH refuses what POST refuses', async () => {
    const { id } = await at.add()
    const cases: [Record<string, unknown>, unknown[]][] = [
      [{ url: 'http://10.0.0.1/' }, [422, 'url_not_allowed']],
      [{ interval_minutes: 1 }, [422, 'validation_error', '/interval_minutes min']],
      [{ mapping: { colour: 'x' } }, [422, 'validation_error', '/mapping/colour unknown_field']],
    ]
    for (const [patch, failure] of cases) {
      expect(failureOf(await at.call('PATCH', `/${id}`, patch))).toEqual(failure)
    }
    expect((await at.read(id)).url).toBe(at.url)
  })

  test('a paused feed runs only when somebody asks, and goes on when it is started again', async () => {
    const { id } = await at.add()
    const due = (await at.read(id)).next_run_at
    expect((await at.call('PATCH', `/${id}`, { paused: true })).body).toMatchObject({
      ...{ paused: true, status: 'waiting', next_run_at: null },
    })
    at.app.clock.advance(3 * 86_400_000)
    await at.settle()
    expect([at.requests.length, (await at.read(id)).status]).toEqual([1, 'waiting'])

    at.shop.file = at.table('a', 'b')
    expect(await at.run(id)).toMatchObject({ paused: true, next_run_at: null, status: 'waiting' })
    expect([at.requests.length, at.list()]).toEqual([2, ['a', 'b']])

    at.app.clock.advance(3 * 86_400_000)
    await at.call('PATCH', `/${id}`, { paused: false })
    await at.settle()
    const { next_run_at, paused } = await at.read(id)
    expect([at.requests.length, paused, String(next_run_at) > String(due)]).toEqual([3, false, true])
  })

  test('a deleted feed is gone at once, also in the middle of a run', async () => {
    const { answer } = at.shop
    const asked = Promise.withResolvers<() => void>()
    at.shop.answer = (request, response) => asked.resolve(() => answer(request, response))
    const { body } = await at.call('POST', '', { url: at.url })
    const go = await asked.promise
    expect((await at.call('DELETE', `/${body['id']}`)).body).toEqual({ status: 'deleted', id: body['id'] })
    expect((await at.call('GET', `/${body['id']}`)).status).toBe(404)
    go()
    await at.app.feeds.drain()
    await at.app.tidy()
    expect(at.list()).toEqual([])
    for (const table of ['feeds', 'feed_products', 'jobs']) expect(countRows(at.app, table)).toBe(0)
  })

  test('a feed goes with its store', async () => {
    await at.add()
    at.app.db.prepare('DELETE FROM stores WHERE id = ?').run(at.storeId)
    at.app.forgetStore(at.storeId)
    for (const table of ['feeds', 'feed_products']) expect(countRows(at.app, table)).toBe(0)
    at.app.feeds.wake()
    await at.app.feeds.drain()
  })
})

describe('POST /v1/feeds/{id}/run', () => {
  test('answers 202 with the feed, and 409 while a run is in progress', async () => {
    const { id } = await at.add()
    const { status, body } = await at.call('POST', `/${id}/run`)
    expect([status, body['id'], body['status']]).toEqual([202, id, 'queued'])
    expect(failureOf(await at.call('POST', `/${id}/run`))).toEqual([409, 'conflict'])
    await at.settle()
    expect((await at.call('POST', `/${id}/run`, {})).status).toBe(202)
  })

  test('force_delete needs a feed that deletes', async () => {
    const { id } = await at.add()
    expect(failureOf(await at.call('POST', `/${id}/run`, { force_delete: true }))).toEqual([409, 'conflict'])
  })

  test('refuses a wrong body', async () => {
    const { id } = await at.add()
    expect(failureOf(await at.call('POST', `/${id}/run`, { full: 'yes' }))).toEqual([
      422,
      'validation_error',
      '/full type',
    ])
  })
})

test('a feed of another store does not exist', async () => {
  const { id } = await at.add()
  const token = await at.app.signIn('two')
  const calls: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { interval_minutes: 60 }],
    ['DELETE', ''],
    ['POST', '/run'],
  ]
  for (const [method, path, body] of calls) {
    const answer = await at.app.call(method, `/v1/feeds/${id}${path}`, {
      token,
      ...(body !== undefined && { body }),
    })
    expect([answer.status, answer.body['details']]).toEqual([404, { resource: 'feed' }])
  }
  expect((await at.app.call('GET', '/v1/feeds', { token })).body).toEqual({ feeds: [], count: 0 })
})

test('an install that is offline pulls from allowed networks alone', async () => {
  const { createEgress } = await import('../../../../src/platform/outbound/egress.ts')
  const { createFileDownloads } = await import('../../../../src/platform/outbound/downloads.ts')
  const egress = createEgress({ allowCidrs: [], isOffline: true })
  const files = { create: () => Promise.reject(new Error('nothing is written')), remove: async () => {} }
  const downloads = createFileDownloads({ egress, files, ids: at.app.ids })
  const off = await openShop({ downloads })
  const { status, body } = await off.call('POST', '', { url: 'https://shop.test/products.csv' })
  expect([status, body['error']]).toEqual([422, 'url_not_allowed'])
  expect(body['message']).toContain('offline')
  await off.close()
})
