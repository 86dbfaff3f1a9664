import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CURES } from '../../../../src/core/cures.ts'
import { DOWNLOAD_FAILURES } from '../../../../src/core/download-failures.ts'
import { ERRORS, type ErrorCode } from '../../../../src/core/errors.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

const codes = Object.keys(ERRORS) as ErrorCode[]
const page = (path: string) =>
  app.call('GET', path, { headers: { accept: 'text/html,application/xhtml+xml;q=0.9' } })
const textOf = (answer: { body: Record<string, unknown> }) => String(answer.body['text'])

function expectPageHeaders(headers: Headers, isScripted = false) {
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of [
    "default-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ])
    expect(policy).toContain(rule)
  for (const rule of ["script-src 'self'", "connect-src 'self'"])
    expect(policy.includes(rule)).toBe(isScripted)
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
}

describe('GET /docs (contract 8.2)', () => {
  test('200: the API page, with a policy that lets nothing leave the origin', async () => {
    const answer = await page('/docs')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expectPageHeaders(answer.headers, true)
  })

  test('every file that the page names is there, of the right type, and comes from here', async () => {
    const html = textOf(await page('/docs'))
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('data:'))
    expect(named.length).toBeGreaterThan(3)
    const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', txt: 'text/plain' }
    for (const path of named) {
      const { pathname, host } = new URL(path, 'http://lookalike.test/docs')
      expect([path, host]).toEqual([path, 'lookalike.test'])
      const answer = await app.call('GET', pathname)
      expect([path, answer.status]).toEqual([path, 200])
      const type = types[pathname.split('.').at(-1) ?? '']
      if (type) expect(answer.headers.get('content-type')).toContain(type)
      // The other links lead to pages, which run no script.
      if (type) expectPageHeaders(answer.headers, true)
    }
  })

  test.each([
    '/docs/nothing.js',
    '/docs/constructor',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e%2fmain.ts',
    '/docs/%E0%A4%A',
  ])('%s: 404 not_found', async (path) => {
    const answer = await app.call('GET', path)
    expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
  })
})

describe('GET / (contract 8.2)', () => {
  test('programs get the addresses of the pages, each of which is there', async () => {
    const { status, headers, body } = await app.call('GET', '/', { headers: { accept: '*/*' } })
    expect([status, headers.get('vary')]).toEqual([200, 'accept'])
    const { name, ...addresses } = body
    expect(name).toBe('Lookalike')
    expect(Object.keys(addresses)).toContain('openapi')
    for (const address of Object.values(addresses) as string[])
      expect([address, (await app.call('GET', address)).status]).not.toEqual([address, 404])
  })

  test('a browser is told that nobody owns the install and how to change that, until somebody does', async () => {
    const fresh = testApp()
    const open = () => fresh.call('GET', '/', { headers: { accept: 'text/html' } })
    const before = await open()
    expectPageHeaders(before.headers)
    expect(textOf(before)).toContain('nobody owns it yet')
    expect(textOf(before)).toContain('lookalike setup --email')
    await fresh.store('secret-shop')
    const after = await open()
    expect([after.status, after.headers.get('location')]).toEqual([302, '/login'])
    expect(after.headers.get('vary')).toBe('accept')
    expectPageHeaders(after.headers)
    await fresh.close()
  })

  test('/favicon.ico is the mark of the pages', async () => {
    const answer = await app.call('GET', '/favicon.ico')
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expectPageHeaders(answer.headers)
    expect(textOf(answer)).toStartWith('<svg ')
  })
})

describe('an address that leads nowhere', () => {
  test('a browser gets a page with the one that is nearly the same, and a next step', async () => {
    const answer = await page('/errrs')
    expect(answer.status).toBe(404)
    expectPageHeaders(answer.headers)
    expect(textOf(answer)).toContain('Did you mean <a href="/errors">')
    for (const path of ['/', '/docs', '/docs/guide', '/errors/not_found'])
      expect(textOf(answer)).toContain(`href="${path}"`)
    // A path with a parameter cannot be opened.
    expect(textOf(await page('/v1/product/sku-1'))).not.toContain('Did you mean')
  })

  test('nothing of the address is in the page', async () => {
    expect(textOf(await page('/%3Cscript%3Ealert(1)%3C/script%3E'))).not.toContain('alert')
  })

  test('a browser that opens a part of the API learns what it would take', async () => {
    const answer = await page('/v1/products')
    expect(answer.status).toBe(401)
    expectPageHeaders(answer.headers)
    expect(textOf(answer)).toContain('No credential was sent')
    expect(textOf(answer)).toContain('href="/errors/unauthorized"')
  })

  test.each([
    ['a program that takes everything', {}],
    ['a program that sends a credential', { accept: 'text/html', authorization: 'Bearer nothing' }],
    ['a program that sends a key', { accept: 'text/html', 'x-api-key': 'sk_live_nothing' }],
  ])('%s gets JSON', async (_, headers) => {
    const answer = await app.call('GET', '/v1/products', { headers: headers as Record<string, string> })
    expect([answer.status, answer.body['error']]).toEqual([401, 'unauthorized'])
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  test('a request with a body gets JSON as well, whatever it accepts', async () => {
    const answer = await app.call('POST', '/nowhere', { headers: { accept: 'text/html' } })
    expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
  })
})

describe('every page stands in one frame', () => {
  test.each([
    '/',
    '/nowhere',
    '/docs/guide',
    '/docs/guide/access',
    '/errors',
    '/errors/conflict',
    '/licences',
  ])('%s: mark, name, links and a way back', async (path) => {
    const html = (await (
      await app.http.handle(new Request(`http://x${path}`, { headers: { accept: 'text/html' } }))
    ).text()) as string
    expect(html).toContain('<a class="brand" href="/">')
    for (const link of ['/docs', '/docs/guide', '/errors', '/licences'])
      expect(html).toContain(`href="${link}"`)
    expect(html.match(/<main/g)).toHaveLength(1)
    expect(html).toContain('rel="icon" href="data:image/svg+xml,')
  })
})

describe('GET /licences (contract 8.2)', () => {
  test('a browser gets an overview, which leads to the whole text', async () => {
    const answer = await page('/licences')
    expectPageHeaders(answer.headers)
    expect(answer.headers.get('vary')).toBe('accept, accept-encoding')
    expect(textOf(answer)).toContain('href="/licences.txt"')
    for (const name of ['libvips', 'Bun', 'onnxruntime', 'better-sqlite3'])
      expect(textOf(answer)).toMatch(new RegExp(`<li>${name}`))
    const whole = await app.call('GET', '/licences.txt', { headers: { accept: 'text/html' } })
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(textOf(whole)).toStartWith('Lookalike: licences and notices\n')
  })

  const get = (encoding?: string) =>
    app.http.handle(
      new Request('http://localhost/licences', { headers: encoding ? { 'accept-encoding': encoding } : {} }),
    )

  test('200: the whole text, packed for who takes gzip, and plain for others', async () => {
    const packed = await get('br, gzip;q=0.8')
    expect([packed.status, packed.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    const plain = await get()
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null])
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(plain.headers.get('vary')).toBe('accept, accept-encoding')
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
    expect(plain.headers.get('content-security-policy')).not.toContain('script-src')
    const text = await plain.text()
    expect(text).toStartWith('Lookalike: licences and notices\n')
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.arrayBuffer()))).toBe(text)
  })

  test('gzip with a quality of 0 is not taken', async () => {
    expect((await get('gzip;q=0, identity')).headers.get('content-encoding')).toBeNull()
  })
})

describe('GET /errors and /errors/<code> (contract 7.3)', () => {
  test('JSON by default: the whole register, and one row of it', async () => {
    const all = await app.call('GET', '/errors')
    expect([all.status, all.body as object]).toEqual([200, ERRORS])
    expect(all.headers.get('vary')).toBe('accept')
    const one = await app.call('GET', '/errors/token_expired', { headers: { accept: 'application/json' } })
    const told = { error: 'token_expired', ...ERRORS.token_expired, operator: CURES.token_expired }
    expect(one.body as object).toEqual(told)
    expect(one.headers.get('vary')).toBe('accept')
  })

  test('a page for browsers: the list links every code', async () => {
    const answer = await page('/errors')
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('vary')).toBe('accept')
    expectPageHeaders(answer.headers)
    for (const code of codes) expect(textOf(answer)).toContain(`href="/errors/${code}"`)
  })

  test.each(codes)('/errors/%s: a page with its status, meaning and advice', async (code) => {
    const answer = await page(`/errors/${code}`)
    expect(answer.status).toBe(200)
    expectPageHeaders(answer.headers)
    const text = textOf(answer)
    expect(text).toContain(`<h1><code>${code}</code></h1>`)
    expect(text).toContain(`HTTP ${ERRORS[code].status}`)
    const plain = text
      .replaceAll(/<\/?code>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&')
    for (const sentence of [ERRORS[code].meaning, ERRORS[code].advice])
      expect(plain).toContain(sentence.replaceAll('`', ''))
    expect(text).not.toContain('`')
  })

  test('/errors/url_not_allowed: the settings that cure it, an example, and the endpoints that answer it', async () => {
    const text = textOf(await page('/errors/url_not_allowed'))
    for (const { line } of CURES.url_not_allowed ?? []) expect(text).toContain(`<code>${line}</code>`)
    expect(text).toContain('&quot;help&quot;: &quot;/errors/url_not_allowed&quot;')
    expect(text).toContain('<a href="/docs#/Search/searchByUrl"><code>POST /v1/search/url</code></a>')
    expect(textOf(await page('/errors/internal_error'))).toMatch(/\d+ endpoints can answer it/)
  })

  test('/errors/image_download_failed: every reason with its cause and cure, as a page and as JSON', async () => {
    const text = textOf(await page('/errors/image_download_failed')).replaceAll(/<\/?code>/g, '')
    for (const [reason, { cause, cure }] of Object.entries(DOWNLOAD_FAILURES)) {
      for (const shown of [reason, cause, cure])
        expect(text).toContain(`<td>${shown.replaceAll('`', '')}</td>`)
    }
    const { body } = await app.call('GET', '/errors/image_download_failed')
    expect(body['reasons']).toEqual(DOWNLOAD_FAILURES)
  })

  test.each([
    'nothing',
    'toString',
    '__proto__',
    'constructor',
    'not_found.html',
    '%3Cscript%3E',
    '%E0%A4%A',
  ])('/errors/%s: 404 not_found', async (code) => {
    const answer = await app.call('GET', `/errors/${code}`)
    expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
    expect(JSON.stringify(answer.body)).not.toContain('script')
    const shown = await page(`/errors/${code}`)
    expect(shown.status).toBe(404)
    expect(textOf(shown)).toContain('<h1>There is nothing at this address</h1>')
    expect(textOf(shown)).not.toContain('<script')
  })
})
