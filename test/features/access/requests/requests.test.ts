import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createCallLog } from '../../../../src/features/access/requests/call-log.ts'
import { openWidgetShop, type WidgetShop, widgetHeaders } from '../../discovery/widget/widget-shop.ts'

const PATH = '/v1/security/requests'

let shop: WidgetShop
let storeId: string

beforeEach(async () => {
  shop = await openWidgetShop()
  storeId = shop.app.stores.requireBySlug('shop').id
})
afterEach(() => shop.app.close())

interface Listed {
  method: string
  path: string
  status: number
  request_id: string
}

/** What happens after an answer comes in a later turn. */
const answered = () => new Promise<void>((done) => setImmediate(done))

async function list(id: string, token = shop.token) {
  await answered()
  return shop.app.call('GET', `${PATH}?key_id=${id}`, { token })
}
const callsOf = async (id: string) => (await list(id)).body['requests'] as Listed[]
const linesOf = async (id: string) =>
  (await callsOf(id)).map(({ method, path, status }) => `${method} ${path} ${status}`)

describe('GET /v1/security/requests', () => {
  test('the calls of an API key, newest first, without their queries', async () => {
    const made = await shop.app.call('POST', '/v1/security/api-keys', {
      token: shop.token,
      body: { name: 'k', scopes: { products: 'read' } },
    })
    const { id, key } = made.body as { id: string; key: string }
    const headers = { 'x-request-id': 'trace-1' }
    await shop.app.call('GET', '/v1/products?q=SECRET', { token: key, headers })
    await shop.app.call('GET', '/v1/products/none?x=SECRET', { token: key })
    await shop.app.call('DELETE', '/v1/products/mug', { token: key })
    const { status, body } = await list(id)
    expect([status, body['count'], JSON.stringify(body).includes('SECRET')]).toEqual([200, 3, false])
    expect(await linesOf(id)).toEqual([
      'DELETE /v1/products/mug 403',
      'GET /v1/products/none 404',
      'GET /v1/products 200',
    ])
    expect((await callsOf(id)).at(-1)).toEqual({
      created_at: new Date(shop.app.clock.now()).toISOString(),
      method: 'GET',
      path: '/v1/products',
      status: 200,
      duration_ms: 0,
      request_id: 'trace-1',
    } as never)
  })

  test('those of a widget key, and of the machine grant by the client_id', async () => {
    await shop.find('text', { query: 'mugs' })
    await shop.call('text', { query: 'mugs' }, widgetHeaders(shop.key, 'https://evil.example'))
    expect(await linesOf(shop.keyId)).toEqual(['POST /v1/widget/search/text 200'])
    const lines = await linesOf(storeId)
    expect(lines[0]).toBe(`GET ${PATH} 200`)
    expect(lines).toContain('POST /v1/security/public-keys 201')
  })

  test('404 for a credential of another store, and for none; 422 without an id', async () => {
    await shop.find('text', { query: 'mugs' })
    const other = await shop.app.signIn('two')
    for (const id of [shop.keyId, storeId, 'none']) expect((await list(id, other)).status).toBe(404)
    expect((await shop.app.call('GET', PATH, { token: shop.token })).status).toBe(422)
  })

  test('memory of a store is forgotten with it', async () => {
    await shop.find('text', { query: 'mugs' })
    await answered()
    shop.app.forgetStore(storeId)
    expect(await linesOf(shop.keyId)).toEqual([])
  })
})

describe('the log of calls', () => {
  const call = (path: string) => ({ method: 'GET', path, status: 200, durationMs: 1, requestId: 'r' })
  function logOf(limits?: Parameters<typeof createCallLog>[1]) {
    const log = createCallLog({ now: () => 0 }, limits)
    const send = (credentialId: string, path: string, store = 's') => {
      const request = new Request('http://a.test/')
      log.name(request, store, credentialId)
      log.add(request, call(path))
    }
    return { log, send, paths: (id: string) => log.list('s', id).map(({ path }) => path) }
  }

  test('keeps the last 200 of a credential', () => {
    const { send, paths } = logOf()
    for (let n = 0; n < 450; n++) send('a', `/${n}`)
    expect(paths('a')).toEqual(Array.from({ length: 200 }, (_, n) => `/${449 - n}`))
  })

  test('beyond the bound of all, forgets the credential that has been silent for longest', () => {
    const { send, paths } = logOf({ perCredentialMax: 3, allMax: 6 })
    for (const id of ['a', 'b', 'a', 'c', 'c', 'c']) send(id, `/${id}`)
    expect([paths('a').length, paths('b').length, paths('c').length]).toEqual([2, 1, 3])
    send('d', '/d')
    expect([paths('a').length, paths('b').length, paths('c').length, paths('d').length]).toEqual([2, 0, 3, 1])
    send('d', '/d')
    expect([paths('a').length, paths('c').length, paths('d').length]).toEqual([0, 3, 2])
  })

  test('a store with many busy credentials pushes out its own calls, and not those of others', () => {
    const { log, send, paths } = logOf({ perCredentialMax: 3, perStoreMax: 6, allMax: 100 })
    send('quiet', '/quiet')
    for (const id of ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'd', 'd']) send(id, `/${id}`, 'busy')
    expect(paths('quiet')).toEqual(['/quiet'])
    expect(['a', 'b', 'c', 'd'].map((id) => log.list('busy', id).length)).toEqual([0, 0, 2, 3])
    // The room of forgotten calls can be used again, up to the same bound.
    send('e', '/e', 'busy')
    expect(['c', 'd', 'e'].map((id) => log.list('busy', id).length)).toEqual([2, 3, 1])
    log.forgetStore('busy')
    for (const id of ['a', 'a', 'a', 'b', 'b', 'b']) send(id, `/${id}`, 'busy')
    expect(['a', 'b'].map((id) => log.list('busy', id).length)).toEqual([3, 3])
  })

  test('so it does beyond the number of credentials', () => {
    const { send, paths } = logOf({ credentialsMax: 2 })
    for (const id of ['a', 'b', 'a', 'c']) send(id, `/${id}`)
    expect([paths('a').length, paths('b').length, paths('c').length]).toEqual([2, 0, 1])
  })

  test('cuts a long path, and leaves out a request without a credential', () => {
    const { log, send, paths } = logOf()
    send('a', `/${'x'.repeat(500)}`)
    expect(paths('a')[0]).toHaveLength(120)
    log.add(new Request('http://a.test/'), call('/'))
    expect(paths('a')).toHaveLength(1)
  })

  test('shows a store only its own', () => {
    const { log, send } = logOf()
    send('a', '/')
    expect(log.list('another', 'a')).toEqual([])
  })
})
