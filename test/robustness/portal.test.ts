import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, type Service, startService } from './service.ts'

const PASSWORD = 'a long password'
/** The service believes the test about where a request comes from. */
const from = (address: string) => ({ 'x-forwarded-for': address })

let outer: string
let dataDir: string
let service: Service
const log: string[] = []
/** Texts that may stand in no log line and in no file. */
const secrets: string[] = []

/** What the first set-up gave. */
let owner: { token: string; cookie: string }

beforeAll(async () => {
  outer = mkdtempSync(join(tmpdir(), 'lookalike-portal-'))
  dataDir = join(outer, 'data')
  const settings = {
    LOG_LEVEL: 'trace',
    TRUSTED_PROXIES: '127.0.0.1/32',
    FETCH_ALLOW_CIDRS: '127.0.0.1/32',
    OFFLINE: '0',
  }
  service = await startService({ dataDir }, { settings, onLog: (line) => log.push(line) })
}, 60_000)
afterAll(async () => {
  await service?.crash()
  rmSync(outer, { recursive: true, force: true })
})

async function call(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const answer = await fetch(service.address + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = (await answer.json()) as Record<string, unknown>
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  return { status: answer.status, error: json['error'], json, cookie }
}

const codeOf = async (answer: ReturnType<typeof call>) => {
  const { status, error } = await answer
  return [status, error]
}

const ownPage = (more: Record<string, string> = {}) => ({
  ...{ origin: service.address, 'x-requested-with': 'lookalike', cookie: owner.cookie },
  ...more,
})
const bearer = (token = owner.token) => ({ authorization: `Bearer ${token}` })
const refresh = (headers: Record<string, string>) => call('POST', '/portal/session/refresh', headers)

/** Makes a link on the running service, and reads its code. */
const readCode = async () => (await runCommand(dataDir, 'setup-link')).trim().split('#')[1] ?? ''

test('one code makes one owner, and wrong codes stop only those who send them', async () => {
  const [old, code] = [await readCode(), await readCode()]
  const body = { password: PASSWORD, store: 'Robust', code }
  const setUp = (address: string, more: object) =>
    call('POST', '/setup', from(address), { ...body, email: `${address}@shop.test`, ...more })
  expect(await codeOf(setUp('203.0.113.1', { code: old }))).toEqual([401, 'unauthorized'])
  for (let n = 1; n < 10; n++) await setUp('203.0.113.1', { code: `wrong ${n}` })
  expect(await codeOf(setUp('203.0.113.1', {}))).toEqual([429, 'rate_limit_exceeded'])

  const answers = await Promise.all([2, 3, 4, 5].map((n) => setUp(`203.0.113.${n}`, {})))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  const made = answers.find(({ status }) => status === 201)
  owner = { token: String(made?.json['access_token']), cookie: made?.cookie ?? '' }
  expect(await codeOf(setUp('203.0.113.6', {}))).toEqual([409, 'conflict'])
  expect(await readCode().catch(({ message }) => String(message))).toContain('has an owner already')
  secrets.push(code, code.replaceAll('-', ''), owner.cookie.split('=')[1] ?? '', owner.token)
  secrets.push(String(made?.json['client_secret']))
}, 60_000)

test('the cookie works for scripts of our own pages alone', async () => {
  expect(await codeOf(refresh(ownPage()))).toEqual([200, undefined])
  const { origin: _, ...noOrigin } = ownPage()
  const { 'x-requested-with': __, ...noHeader } = ownPage()
  for (const headers of [
    noOrigin,
    noHeader,
    ownPage({ origin: 'https://evil.test' }),
    ownPage({ origin: 'null' }),
    ownPage({ origin: `${service.address}/` }),
    ownPage({ origin: 'http://127.0.0.1' }),
    ownPage({ origin: 'https://evil.test', 'x-forwarded-host': 'evil.test' }),
    ownPage({ host: 'search.test', origin: 'http://evil.test' }),
    ownPage({ 'x-requested-with': 'XMLHttpRequest' }),
  ])
    expect(await codeOf(refresh(headers))).toEqual([403, 'origin_not_allowed'])
  expect(await codeOf(refresh(ownPage({ cookie: `lookalike_session=${'x'.repeat(43)}` })))).toEqual([
    401,
    'unauthorized',
  ])
  expect(await codeOf(call('GET', '/v1/me', { cookie: owner.cookie }))).toEqual([401, 'unauthorized'])
  expect(await codeOf(call('POST', '/oauth/refresh', bearer()))).toEqual([401, 'unauthorized'])
})

/** What a hostile shop answers. */
const PAGES: Record<string, () => Response> = {
  metadata: () => Response.redirect('http://169.254.169.254/latest/meta-data/'),
  file: () => new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } }),
  loop: () => new Response(null, { status: 302, headers: { location: '/loop' } }),
  bomb: () => html(Bun.gzipSync(new Uint8Array(20_000_000)), { 'content-encoding': 'gzip' }),
  endless: () =>
    html(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(60)) })),
  entities: () => html(`<script src="${'&amp;'.repeat(400_000)}">`),
}
const html = (body: ConstructorParameters<typeof Response>[0], headers: Record<string, string> = {}) =>
  new Response(body, { headers: { 'content-type': 'text/html', ...headers } })

test('a check learns facts of a hostile page at most', async () => {
  using shop = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => PAGES[new URL(url).pathname.slice(1)]?.() ?? new Response(null, { status: 404 }),
  })
  const { json } = await call('POST', '/v1/security/public-keys', bearer(), {
    name: 'shop',
    origins: ['https://shop.test'],
  })
  const seen: Record<string, unknown> = {}
  for (const page of Object.keys(PAGES)) {
    const url = `http://127.0.0.1:${shop.port}/${page}`
    const answer = await call('POST', `/v1/security/public-keys/${json['id']}/check`, bearer(), { url })
    seen[page] = answer.error ? (answer.json['details'] as { reason: string }).reason : answer.json
  }
  expect(seen).toEqual({
    metadata: 'blocked_address',
    file: 'blocked_address',
    loop: 'too_many_redirects',
    bomb: 'not_a_page',
    endless: 'too_large',
    entities: { snippet: false, key_matches: false, origin_listed: false, csp: [], last_seen: null },
  })
}, 60_000)

test('a sign-out ends the tokens of every tab and the preview', async () => {
  const key = await call('POST', '/v1/security/public-keys', bearer(), {
    name: 'k',
    origins: ['https://shop.test'],
  })
  const other = String((await refresh(ownPage())).json['access_token'])
  const path = `/v1/security/public-keys/${key.json['id']}/preview`
  const preview = String(
    (await call('POST', path, { ...bearer(other), origin: service.address })).json['key'],
  )
  secrets.push(preview, other)
  const search = (origin: string) =>
    codeOf(call('POST', '/v1/widget/search/text', { 'x-service-key': preview, origin }, { query: 'shoes' }))
  expect(await search(service.address)).toEqual([200, undefined])
  expect(await search('https://evil.test')).toEqual([403, 'origin_not_allowed'])

  expect(await codeOf(call('DELETE', '/portal/session', ownPage()))).toEqual([200, undefined])
  for (const token of [owner.token, other])
    expect(await codeOf(call('GET', '/v1/me', bearer(token)))).toEqual([401, 'unauthorized'])
  expect(await search(service.address)).toEqual([401, 'unauthorized'])
  expect(await codeOf(refresh(ownPage()))).toEqual([401, 'unauthorized'])
})

test('no secret of all this is in the log, or in a file', async () => {
  expect(await service.stop()).toBe(0)
  expect(secrets.every((secret) => secret.length >= 16)).toBe(true)
  expect(log.length).toBeGreaterThan(20)
  const files = (readdirSync(dataDir, { recursive: true }) as string[])
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile())
  const texts = [log.join('\n'), ...files.map((path) => readFileSync(path, 'latin1'))]
  for (const [n, secret] of secrets.entries())
    expect([n, texts.some((text) => text.includes(secret))]).toEqual([n, false])
})
