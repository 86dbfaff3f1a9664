import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

/** Asks as a browser does. */
const open = (path: string, headers: Record<string, string> = {}) =>
  app.http.handle(
    new Request(`http://lookalike.test${path}`, { headers: { accept: 'text/html', ...headers } }),
  )

/** Their links may bring a token in the query. */
const LINKS = [
  '/invite',
  '/verify?token=x',
  '/verify/cancel',
  '/unsubscribe',
  '/verify/email',
  '/verify/email/approve',
  '/oauth/password/reset?token=x',
]

const ADDRESSES = [
  '/login',
  '/forgot',
  '/admin',
  '/admin/stores',
  '/portal/select-store',
  '/any-shop/portal',
  '/any-shop/portal/products',
]

describe('the addresses of the portal (contract 5.3)', () => {
  test.each([...ADDRESSES, ...LINKS])(
    '%s: the one document, with a policy that lets nothing run but our files',
    async (path) => {
      const answer = await open(path)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe(LINKS.includes(path) ? 'no-store' : 'no-cache')
      const policy = answer.headers.get('content-security-policy') ?? ''
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
        expect(policy).toContain(rule)
      expect(policy).not.toMatch(/https?:|\*|unsafe/)
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  test('a store that does not exist gets the same document: strangers learn nothing', async () => {
    await app.store('secret-shop')
    const [known, unknown] = await Promise.all(
      ['/secret-shop/portal', '/no-such-shop/portal'].map(async (path) => (await open(path)).text()),
    )
    expect(known).toBe(unknown ?? '')
  })

  test.each(['/any-shop', '/any-shop/portals', '/portal', '/login/more'])(
    '%s leads nowhere',
    async (path) => {
      expect((await open(path)).status).toBe(404)
    },
  )
})

describe('the files of the portal', () => {
  test('the document names its script and its style sheet; both are there, for ever, and from here', async () => {
    const html = await (await open('/login')).text()
    const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(named.map((path) => path.replace(/^.*\./, '')).sort()).toEqual(['css', 'js'])
    expect(html).not.toMatch(/<script>|<style|style=|onload=|https?:\/\/(?!www\.w3\.org)/)
    for (const path of named) {
      const answer = await open(path)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  })

  test('each comes in the encoding that the client takes, and not again to whoever has it', async () => {
    const texts = new Set<string>()
    for (const encoding of ['gzip', '']) {
      const answer = await open('/login', { 'accept-encoding': encoding && `br, ${encoding}` })
      expect(answer.headers.get('content-encoding') ?? '').toBe(encoding)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      texts.add(new TextDecoder().decode(encoding === 'gzip' ? Bun.gunzipSync(bytes) : bytes))
      const again = await open('/login', {
        'accept-encoding': encoding && `br, ${encoding}`,
        'if-none-match': answer.headers.get('etag') ?? '',
      })
      expect(again.status).toBe(304)
    }
    expect(texts.size).toBe(1)
  })

  test.each(['/assets/portal.html', '/assets/no-such.js', '/assets/__proto__', '/assets/..%2Fportal.html'])(
    '%s is no file',
    async (path) => {
      expect((await open(path)).status).toBe(404)
    },
  )
})
