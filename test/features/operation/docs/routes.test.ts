import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DOWNLOAD_FAILURES, ERRORS, type ErrorCode } from '../../../../src/core/errors.ts'
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

function expectPageHeaders(headers: Headers) {
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  for (const rule of [
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ]) {
    expect(policy).toContain(rule)
  }
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
}

describe('GET /docs (contract 8.2)', () => {
  test('200: the API page, with a policy that lets nothing leave the origin', async () => {
    const answer = await page('/docs')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expectPageHeaders(answer.headers)
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
      if (pathname.startsWith('/docs/')) expectPageHeaders(answer.headers)
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

describe('GET /licences (contract 8.2)', () => {
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
    expect(plain.headers.get('vary')).toBe('accept-encoding')
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
    expect(one.body as object).toEqual({ error: 'token_expired', ...ERRORS.token_expired })
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
    for (const accept of ['text/html', 'application/json']) {
      const answer = await app.call('GET', `/errors/${code}`, { headers: { accept } })
      expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
      expect(JSON.stringify(answer.body)).not.toContain('script')
    }
  })
})
