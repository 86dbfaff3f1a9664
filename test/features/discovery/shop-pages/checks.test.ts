import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { parseCidrs } from '../../../../src/core/networks.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'
import { createPages } from '../../../../src/platform/outbound/pages.ts'
import { createServers } from '../../../platform/pictures/servers.ts'
import { type Answer, BASE_URL, type TestApp, testApp } from '../../../support/app.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

const MINUTE_MS = 60_000

const servers = createServers()
afterAll(servers.stop)

let app: TestApp
let token: string
let key: { id: string; key: string }
let port: number
/** How the shop answers. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let asked: string[]

const html = (body: string, headers: Record<string, string> = {}) => {
  answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
}
const shopUrl = (path = '/') => `http://shop.test:${port}${path}`
const snippet = (more = '', src = `${BASE_URL}/widget.js`) =>
  `<!doctype html><head></head><script src="${src}" data-key="${key.key}" ${more} async></script>`

const pagesWith = (options: { isOffline?: boolean; totalMs?: number; allow?: string } = {}) =>
  createPages({
    egress: createEgress({
      allowCidrs: parseCidrs(options.allow ?? '127.0.0.1/32'),
      isOffline: options.isOffline ?? false,
      lookup: async (host) => {
        if (host === 'shop.test' || host === 'www.shop.test') return ['127.0.0.1']
        if (host === 'inner.test') return ['10.1.2.3']
        if (host === 'both.test') return ['127.0.0.1', '10.1.2.3']
        throw new Error('no address')
      },
      isOwnAddress: () => false,
    }),
    ...(options.totalMs && { limits: { totalMs: options.totalMs } }),
  })

async function open(pages = pagesWith()): Promise<void> {
  await app?.close()
  app = testApp({ pages })
  token = await app.signIn('one')
  key = await makeKey(app, token, { origins: [`http://shop.test:${port}`] })
}

beforeEach(async () => {
  asked = []
  port = await servers.http((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await open()
})
afterEach(() => app.close())

const check = (url: unknown, id = key.id, as = token) =>
  app.call('POST', `/v1/security/public-keys/${id}/check`, { token: as, body: { url } })
const codeOf = ({ status, body }: Answer) => [
  status,
  body['error'],
  (body['details'] as { reason?: string })?.reason,
]
const FINE = { snippet: true, key_matches: true, origin_listed: true, csp: [], last_seen: null }

describe('POST /v1/security/public-keys/{id}/check', () => {
  test('200: the snippet with the key, from an origin that the key lists', async () => {
    html(snippet())
    const { status, body } = await check(shopUrl())
    expect([status, body as object]).toEqual([200, FINE])
  })

  test('200 for a page without it, and for one with another key or another script', async () => {
    html('<p>Welcome</p>')
    expect((await check(shopUrl())).body).toEqual({ ...FINE, snippet: false, key_matches: false })
    html(snippet().replace(key.key, 'pk_live_other'))
    expect((await check(shopUrl())).body).toEqual({ ...FINE, key_matches: false })
    html(snippet('', 'https://cdn.example/app.js'))
    expect((await check(shopUrl())).body).toEqual({ ...FINE, snippet: false, key_matches: false })
    html(`<!-- ${snippet()} -->`)
    expect((await check(shopUrl())).body).toEqual({ ...FINE, snippet: false, key_matches: false })
  })

  test('200 for a pinned script, and for a service that shops know by another name', async () => {
    html(snippet('', `${BASE_URL}/widget/widget-0123.js`))
    expect((await check(shopUrl())).body).toEqual(FINE)
    html(snippet('', '//search.shop.test/widget.js'))
    expect((await check(shopUrl())).body).toEqual(FINE)
  })

  test('says which directives of headers and meta elements block the widget', async () => {
    html(`<meta http-equiv=content-security-policy content="img-src &#39;self&#39;">${snippet()}`, {
      'content-security-policy': `script-src ${BASE_URL}, connect-src 'none'`,
    })
    expect((await check(shopUrl())).body['csp'] as object).toEqual(['connect-src', 'img-src'])
    html(snippet('nonce="abc"'), { 'content-security-policy': "script-src 'nonce-abc' 'strict-dynamic'" })
    expect((await check(shopUrl())).body['csp'] as object).toEqual([])
    html(snippet('nonce="abd"'), { 'content-security-policy': "script-src 'nonce-abc' 'strict-dynamic'" })
    expect((await check(shopUrl())).body['csp'] as object).toEqual(['script-src'])
    html(snippet(), { 'content-security-policy-report-only': "default-src 'none'" })
    expect((await check(shopUrl())).body['csp'] as object).toEqual([])
  })

  test('judges the origin at the end of redirects', async () => {
    answer = (request, response) =>
      request.headers.host?.startsWith('www.')
        ? response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(snippet())
        : response.writeHead(301, { location: `http://www.shop.test:${port}/home` }).end()
    expect((await check(shopUrl())).body).toEqual({ ...FINE, origin_listed: false })
  })

  test('says when the key was last seen from there', async () => {
    const origin = `http://shop.test:${port}`
    await app.call('POST', '/v1/widget/search/text', {
      body: { query: 'mugs' },
      headers: widgetHeaders(key.key, origin),
    })
    html(snippet())
    const last_seen = new Date(app.clock.now()).toISOString()
    app.clock.advance(1_000)
    expect((await check(shopUrl())).body['last_seen']).toBe(last_seen)
  })

  test('answers facts alone, whatever the page says', async () => {
    html(`<title>SECRET</title><meta name=token content=SECRET>${snippet('data-secret=SECRET')}`, {
      'x-secret': 'SECRET',
      'content-security-policy': 'script-src SECRET',
    })
    const { body } = await check(shopUrl())
    expect(Object.keys(body).sort()).toEqual(['csp', 'key_matches', 'last_seen', 'origin_listed', 'snippet'])
    expect(JSON.stringify(body)).not.toContain('SECRET')
  })

  test('sends no credential and no cookie', async () => {
    let headers: object = {}
    answer = (request, response) => {
      headers = request.headers
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' }).end(snippet())
    }
    await check(shopUrl())
    await check(shopUrl())
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test('404 for a key of another store, before anything is asked', async () => {
    html(snippet())
    const other = await app.signIn('two')
    expect(codeOf(await check(shopUrl(), key.id, other))).toEqual([404, 'not_found', undefined])
    expect(asked).toEqual([])
  })

  test('404 when the key is deleted while the page comes', async () => {
    answer = async (_, response) => {
      await app.call('DELETE', `/v1/security/public-keys/${key.id}`, { token })
      response.writeHead(200, { 'content-type': 'text/html' }).end(snippet())
    }
    expect(codeOf(await check(shopUrl()))).toEqual([404, 'not_found', undefined])
  })

  test.each([{}, { url: '' }, { url: 5 }, { url: `http://a.test/${'x'.repeat(2_100)}` }])(
    '422 for the body %j',
    async (body) => {
      const path = `/v1/security/public-keys/${key.id}/check`
      expect(codeOf(await app.call('POST', path, { token, body }))).toEqual([
        422,
        'validation_error',
        undefined,
      ])
    },
  )

  test.each([
    'ftp://shop.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'shop.test',
    'http://user:secret@shop.test/',
    'http://shop.test\\@evil.test/',
    'http://a..b/',
  ])('422 url_not_allowed for %s', async (url) => {
    expect(codeOf(await check(url))).toEqual([422, 'url_not_allowed', undefined])
  })

  test.each([
    'http://10.0.0.1/',
    'http://inner.test/',
    'http://both.test/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706434/',
    'http://0x0a000001/',
  ])('422 blocked_address for %s', async (url) => {
    expect(codeOf(await check(url))).toEqual([422, 'page_fetch_failed', 'blocked_address'])
  })

  test.each([
    'http://169.254.169.254/latest/',
    'http://inner.test/',
    'file:///etc/passwd',
    'http://u:p@shop.test/',
  ])('a redirect to %s is not followed', async (location) => {
    answer = (_, response) => response.writeHead(302, { location }).end()
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'blocked_address'])
    expect(asked).toEqual(['/'])
  })

  test('more than three redirects', async () => {
    answer = (_, response) => response.writeHead(302, { location: '/again' }).end()
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'too_many_redirects'])
    expect(asked).toHaveLength(4)
  })

  test('a page that is too large, announced or endless', async () => {
    html('x', { 'content-length': String(2 * 1024 * 1024 + 1) })
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'too_large'])
    let isOpen = true
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.on('close', () => {
        isOpen = false
      })
      const more = () => {
        if (isOpen && response.write('<p>'.repeat(20_000))) setImmediate(more)
        else response.once('drain', more)
      }
      more()
    }
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'too_large'])
  })

  test('a page that never ends, or never begins', async () => {
    await open(pagesWith({ totalMs: 150 }))
    answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>')
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'timeout'])
    answer = () => {}
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'timeout'])
  })

  test('a zip bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 32))
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb)
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'not_a_page'])
  })

  test('what is no page, and what answers an error', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<script>')
    expect(codeOf(await check(shopUrl()))).toEqual([422, 'page_fetch_failed', 'not_a_page'])
    answer = (_, response) => response.writeHead(403, { 'content-type': 'text/html' }).end(snippet())
    const refused = await check(shopUrl())
    expect(codeOf(refused)).toEqual([422, 'page_fetch_failed', 'http_status'])
    expect(refused.body['details']).toMatchObject({ upstream_status: 403 })
    expect(codeOf(await check('http://unknown.test/'))).toEqual([422, 'page_fetch_failed', 'dns'])
  })

  test('says that an install is offline', async () => {
    await open(pagesWith({ isOffline: true, allow: '' }))
    const refused = await check('https://shop.test/')
    expect(codeOf(refused)).toEqual([422, 'page_fetch_failed', 'blocked_address'])
    expect(refused.body['message']).toBe('This install is offline; only allowed networks are reachable')
    expect(asked).toEqual([])
  })

  test('429 after six in a minute, for each store', async () => {
    html(snippet())
    for (let n = 0; n < 6; n++) expect((await check(shopUrl())).status).toBe(200)
    const refused = await check(shopUrl())
    expect([refused.status, refused.headers.get('retry-after'), asked.length]).toEqual([429, '60', 6])
    const other = await app.signIn('two')
    const { id } = await makeKey(app, other)
    expect((await check(shopUrl(), id, other)).status).toBe(200)
    app.clock.advance(MINUTE_MS)
    expect((await check(shopUrl())).status).toBe(200)
  })

  test('503 for the third check of a store at a time, whose places come back', async () => {
    let begun = 0
    let finish: () => void = () => {}
    const isOver = new Promise<void>((resolve) => {
      finish = resolve
    })
    let arrived: () => void = () => {}
    const haveArrived = new Promise<void>((resolve) => {
      arrived = resolve
    })
    answer = async (_, response) => {
      if (++begun === 2) arrived()
      await isOver
      response.writeHead(200, { 'content-type': 'text/html' }).end(snippet())
    }
    const running = [check(shopUrl()), check(shopUrl())]
    await haveArrived
    expect(codeOf(await check(shopUrl()))).toEqual([503, 'overloaded', undefined])
    finish()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect((await check(shopUrl())).status).toBe(200)
  })
})

describe('POST /v1/store/check-addresses', () => {
  const add = (product_id: string, metadata: object) =>
    app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url: app.picture(product_id, 1), metadata },
    })
  const tryTemplate = async (product_url_template: unknown) =>
    app.call('POST', '/v1/store/check-addresses', { token, body: { product_url_template } })
  const listOf = (answered: Answer) =>
    Object.values(answered.body) as {
      product_id: string
      url: string
      status: number | null
      failure: object | null
    }[]

  test('200: the addresses of three products that have the keys, with what they answer', async () => {
    for (const n of [1, 2, 3, 4]) await add(`p${n}`, n === 2 ? {} : { sku: `a/${n}` })
    await add('p5', { sku: 'a/5' })
    answer = (request, response) => response.writeHead(request.url?.endsWith('3') ? 404 : 200).end()
    const answered = await tryTemplate(`http://shop.test:${port}/p/{sku}`)
    expect(answered.status).toBe(200)
    expect(listOf(answered)).toEqual(
      (
        [
          ['p1', 1, 200],
          ['p3', 3, 404],
          ['p4', 4, 200],
        ] as const
      ).map(([product_id, n, status]) => ({
        product_id,
        url: shopUrl(`/p/a%2F${n}`),
        status,
        failure: null,
      })),
    )
  })

  test('a path stands below shop_url, and nothing is saved', async () => {
    await add('p1', {})
    answer = (_, response) => response.writeHead(200).end()
    expect(codeOf(await tryTemplate('/p/{product_id}'))).toEqual([422, 'validation_error', undefined])
    await app.call('PATCH', '/v1/store/settings', {
      token,
      body: { shop_url: `http://shop.test:${port}/de` },
    })
    expect(listOf(await tryTemplate('/p/{product_id}'))).toMatchObject([
      { url: shopUrl('/de/p/p1'), status: 200 },
    ])
    const { body } = await app.call('GET', '/v1/store/settings', { token })
    expect(body['product_url_template']).toBeNull()
  })

  test('says why there was no answer', async () => {
    await add('p1', {})
    expect(listOf(await tryTemplate('http://inner.test/{product_id}'))).toMatchObject([
      { status: null, failure: { reason: 'blocked_address' } },
    ])
    answer = (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    expect(listOf(await tryTemplate(`${shopUrl()}{product_id}`))).toMatchObject([
      { status: null, failure: { reason: 'blocked_address' } },
    ])
    const odd = listOf(await tryTemplate('http://shop.test:1/{product_id}'))
    expect(odd).toMatchObject([{ status: null, failure: { reason: 'connect' } }])
  })

  test('[] without a product that has the keys', async () => {
    await add('p1', {})
    expect((await tryTemplate(`${shopUrl()}{sku}`)).body).toEqual([] as never)
  })

  test.each(['', 'shop.test/{sku}', 'http://shop.test/', 'http://{sku}.test/', 5])(
    '422 for %p',
    async (template) => {
      expect(codeOf(await tryTemplate(template))).toEqual([422, 'validation_error', undefined])
    },
  )

  test('422 for a key that is kept from shoppers', async () => {
    await add('p1', { cost: 5 })
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: ['cost'] } })
    expect(codeOf(await tryTemplate(`${shopUrl()}{cost}`))).toEqual([422, 'validation_error', undefined])
    expect(asked).toEqual([])
  })

  test('counts as a check of a page', async () => {
    await add('p1', {})
    html(snippet())
    for (let n = 0; n < 6; n++) expect((await tryTemplate(`${shopUrl()}{product_id}`)).status).toBe(200)
    expect((await check(shopUrl())).status).toBe(429)
    expect((await tryTemplate(`${shopUrl()}{product_id}`)).status).toBe(429)
  })
})
