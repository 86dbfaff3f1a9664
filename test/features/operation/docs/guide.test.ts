import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

const PAGES = {
  '/docs/guide': 'Guide',
  '/docs/guide/access': 'Access',
  '/docs/guide/indexing': 'Indexing a catalogue',
  '/docs/guide/webhooks': 'Changes and webhooks',
  '/docs/guide/widget': 'Shop widget',
  '/docs/guide/service': 'Run it as a service behind TLS in ten minutes',
  '/docs/guide/operating': 'Operating',
  '/docs/guide/nodes': 'More than one node',
  '/docs/guide/watching': 'Watch it',
  '/docs/guide/reference': 'Reference',
  '/docs/guide/contract': 'Contract',
  '/docs/guide/maintaining': 'Maintaining',
  '/docs/guide/changelog': 'Changelog',
}

const get = async (path: string) => {
  const answer = await app.call('GET', path, { headers: { accept: 'text/html' } })
  return { ...answer, html: String(answer.body['text']) }
}

const targetsIn = (html: string) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = '']) => path)

describe.each(Object.entries(PAGES))('GET %s (contract 8.2)', (path, title) => {
  test('200: a page with its title, which names every other', async () => {
    const { status, headers, html } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toContain(`<title>${title} · Lookalike</title>`)
    expect(html).toContain(`<h1>${title}</h1>`)
    expect(html).toContain(`<a href="${path}" aria-current="page">${title}</a>`)
    for (const other of Object.keys(PAGES)) expect(html).toContain(`<a href="${other}"`)
  })

  test('is cached for an hour, runs one script of its origin and lets nothing leave it', async () => {
    const { headers, html } = await get(path)
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(html.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="/docs/guide.js" defer>'])
    expect(html.match(/<style|\s(?:style|on\w+)="/)).toBeNull()
  })

  test('every link leads to a page or a heading that is there', async () => {
    const { html } = await get(path)
    for (const target of targetsIn(html).filter((href) => !/^(?:data|https):/.test(href))) {
      const url = new URL(target, `http://lookalike.test${path}`)
      const page = url.pathname === path ? { status: 200, html } : await get(url.pathname)
      expect([target, page.status]).toEqual([target, 200])
      if (url.hash) expect([target, page.html.includes(`id="${url.hash.slice(1)}"`)]).toEqual([target, true])
    }
  })
})

describe('GET /docs/guide/<name>', () => {
  test.each([
    'nothing',
    'README',
    'index',
    'contract.md',
    'contract.html',
    'constructor',
    '__proto__',
    '..%2f..%2fpackage.json',
    '%E0%A4%A',
  ])('%s: 404 not_found', async (name) => {
    const { status, body } = await app.call('GET', `/docs/guide/${name}`)
    expect([status, body['error']]).toEqual([404, 'not_found'])
    const shown = await app.call('GET', `/docs/guide/${name}`, { headers: { accept: 'text/html' } })
    expect([shown.status, String(shown.body['text']).includes('nothing at this address')]).toEqual([
      404,
      true,
    ])
  })

  test('POST: 405 method_not_allowed with Allow', async () => {
    const { status, body, headers } = await app.call('POST', '/docs/guide/contract')
    expect([status, body['error'], headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD'])
  })
})

test('each picture of the guide is there and stays in caches, and none is left over', async () => {
  const shown = new Set<string>()
  for (const path of Object.keys(PAGES))
    for (const [, picture = ''] of (await get(path)).html.matchAll(/<img src="([^"]+)"/g)) shown.add(picture)
  for (const picture of shown) {
    const { status, headers } = await app.call('GET', picture)
    expect([picture, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      ...[picture, 200, 'image/webp'],
      'public, max-age=31536000, immutable',
    ])
  }
  const plain = [...shown].map((path) => path.replace(/^\/docs\/guide\/|-[0-9a-f]{16}(?=\.webp$)/g, ''))
  const folder = join(import.meta.dir, '../../../../src/guide/pictures')
  expect(plain.toSorted()).toEqual(readdirSync(folder).toSorted())
  expect(plain.length).toBeGreaterThan(0)
})

test('the API page, the document and the errors lead to the guide', async () => {
  expect((await get('/errors')).html).toContain('href="/docs/guide"')
  expect((await get('/errors/gone')).html).toContain('href="/docs/guide"')
  const { body } = await app.call('GET', '/openapi.json')
  expect(JSON.stringify(body['info'])).toContain('(/docs/guide)')
})
