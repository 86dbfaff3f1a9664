import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

const built = join(import.meta.dir, '../../../../dist/generated/widget')
const manifest = await Bun.file(join(built, 'manifest.json')).json()

const get = (path: string, headers: Record<string, string> = {}) =>
  app.http.handle(new Request(`http://lookalike.test${path}`, { headers }))
const plainBytes = (name: string) => Bun.file(join(built, name)).bytes()

describe('GET /widget.js (contract 8.9)', () => {
  test.each([
    ['', null],
    ['identity', null],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0, *;q=0', null],
    ['*', 'br'],
    ['GZIP', 'gzip'],
  ])('with Accept-Encoding %p the same bytes come with %p', async (accepted, encoding) => {
    const answer = await get('/widget.js', accepted ? { 'accept-encoding': accepted } : {})
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding])
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    const bytes = await answer.bytes()
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? '']
    expect(Buffer.from(decode ? decode(bytes) : bytes).equals(await plainBytes('loader.js'))).toBe(true)
  })

  test('200: for any origin, for five minutes, with a tag that answers 304', async () => {
    const answer = await get('/widget.js', { 'accept-encoding': 'gzip' })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    const etag = answer.headers.get('etag') ?? ''
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get('/widget.js', { 'accept-encoding': 'gzip', 'if-none-match': tags })
      expect([tags, again.status, await again.text(), again.headers.get('etag')]).toEqual([
        tags,
        304,
        '',
        etag,
      ])
    }
    // Another encoding is another body.
    expect((await get('/widget.js', { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('GET /widget/:file (contract 8.9)', () => {
  test('200: the files of this build, for ever; the script names the one that it loads', async () => {
    const script = await (await get('/widget.js')).text()
    expect(script).toContain(manifest.main)
    for (const [name, file] of [
      [manifest.main, 'main.js'],
      [manifest.loader, 'loader.js'],
    ]) {
      const answer = await get(`/widget/${name}`)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      expect(Buffer.from(await answer.bytes()).equals(await plainBytes(file))).toBe(true)
    }
  })

  test.each(['main.js', 'main-0000000000000000.js', 'constructor', '__proto__', '..%2Fwidget.js'])(
    '404: %s',
    async (name) => {
      const answer = await get(`/widget/${name}`)
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, 'not_found'])
    },
  )
})

describe('GET /widget.json (contract 8.9)', () => {
  test('200: what a page needs to pin this version', async () => {
    const { body } = await app.call('GET', '/widget.json')
    const { src, pinned } = body as { src: string; pinned: { src: string; integrity: string } }
    expect(src).toMatch(/^https?:\/\/[^/]+\/widget\.js$/)
    const bytes = await (await get(new URL(pinned.src).pathname)).bytes()
    expect(pinned.integrity).toBe(`sha384-${new Bun.CryptoHasher('sha384').update(bytes).digest('base64')}`)
  })
})
