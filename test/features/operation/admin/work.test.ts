import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person, proxiedApp, refusal } from '../../../support/people.ts'

let app: TestApp
let admin: Person
let root: string
const tokens: string[] = []
let examinations = 0

beforeEach(async () => {
  examinations = 0
  app = proxiedApp({
    async examine() {
      examinations++
      return [
        { name: 'disk', state: 'ok', text: '5 MB are free', cure: null },
        { name: 'mail', state: 'error', text: 'The mail server does not answer', cure: 'Start it' },
      ]
    },
  })
  tokens.splice(0, 2, await app.signIn('one'), await app.signIn('two'))
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
})
afterEach(() => app.close())

const NOBODY = '01900000-0000-7000-8000-ffffffffffff'
const call = (method: string, path: string) => app.call(method, `/v1/admin${path}`, { token: root })
const list = async (path: string, name: string) =>
  (await call('GET', path)).body[name] as { store: { slug: string } }[]
const slugs = (rows: { store: { slug: string } }[]) => rows.map(({ store }) => store.slug)

describe('the jobs of all stores', () => {
  test('are listed newest first, by status, page by page', async () => {
    for (const [n, token] of tokens.entries()) {
      const products = [
        { product_id: 'a', image_url: n === 0 ? app.picture('a', 1) : 'https://img.test/none.jpg' },
      ]
      await app.call('POST', '/v1/products/bulk', { token, body: { products } })
      await app.services.jobs.drain().catch(() => {})
    }
    const jobs = await list('/jobs', 'jobs')
    expect(slugs(jobs)).toEqual(['two', 'one'])
    expect(jobs[0]).toMatchObject({ type: 'bulk_index', total: 1, errors_url: expect.any(String) })
    const first = await call('GET', '/jobs?limit=1')
    expect(slugs(first.body['jobs'] as never)).toEqual(['two'])
    const next = await call('GET', `/jobs?limit=1&cursor=${first.body['next_cursor']}`)
    expect(slugs(next.body['jobs'] as never)).toEqual(['one'])
    expect(next.body['next_cursor']).toBeNull()
    expect(await list('/jobs?status=cancelled', 'jobs')).toEqual([])
  })
})

describe('the deliveries of all stores', () => {
  test('are listed newest first, by state, without what was sent', async () => {
    app.receiver.answer = ({ url }) => ({ status: url.includes('two') ? 400 : 200 })
    for (const [n, token] of tokens.entries()) {
      const url = `https://${n === 0 ? 'one' : 'two'}.test/hook`
      const hook = await app.call('POST', '/v1/search/webhooks', {
        token,
        body: { url, events: ['product.indexed'] },
      })
      await app.call('POST', `/v1/search/webhooks/${hook.body['id']}/test`, { token })
    }
    const all = await list('/deliveries', 'deliveries')
    expect(slugs(all)).toEqual(['two', 'one'])
    expect(JSON.stringify(all)).not.toContain('hook"')
    expect(slugs(await list('/deliveries?state=failed', 'deliveries'))).toEqual(['two'])
    expect(await list('/deliveries?state=pending', 'deliveries')).toEqual([])
    const first = await call('GET', '/deliveries?limit=1')
    const next = await call('GET', `/deliveries?limit=1&cursor=${first.body['next_cursor']}`)
    expect(slugs(next.body['deliveries'] as never)).toEqual(['one'])
  })
})

describe('a waiting mail', () => {
  test('is shown with text and link, and the log says who read it', async () => {
    const id = app.outbox.write({
      to: 'a@b.test',
      subject: 'Hello',
      text: 'Open this:\nhttps://x.test/y?t=1\nBye',
    })
    expect(await call('GET', `/outbox/${id}`)).toMatchObject({
      status: 200,
      body: {
        id,
        recipient: 'a@b.test',
        text: expect.stringContaining('Open this'),
        link: 'https://x.test/y?t=1',
      },
    })
    const { body } = await call('GET', '/audit?action=mail.read')
    expect(body['events']).toMatchObject([
      { actor: { id: admin.id }, details: { mail_id: id, recipient: 'a@b.test' } },
    ])
    expect(refusal(await call('GET', `/outbox/${NOBODY}`))).toEqual([404, 'not_found'])
  })

  test('that is too old is gone', async () => {
    const id = app.outbox.write({ to: 'a@b.test', subject: 'Hello', text: 'x' }, { wantedMs: 1000 })
    app.clock.advance(1001)
    expect(refusal(await call('GET', `/outbox/${id}`))).toEqual([404, 'not_found'])
  })
})

test('the doctor tells what fails, and examines anew for each who asks later', async () => {
  for (const count of [1, 2]) {
    const { body } = await call('GET', '/doctor')
    expect(body).toMatchObject({ is_ok: false, checks: [{ state: 'ok' }, { name: 'mail', state: 'error' }] })
    expect(examinations).toBe(count)
  }
})

test('opening a store is written to its log and to that of the node', async () => {
  const { id } = app.stores.requireBySlug('one')
  expect(await call('POST', `/stores/${id}/open`)).toMatchObject({
    status: 200,
    body: { slug: 'one', until: '2030-01-01T00:30:00.000Z' },
  })
  for (const [query, details] of [
    [`&store_id=${id}`, { by_super_admin: true }],
    ['', { by_super_admin: true, store_id: id, slug: 'one' }],
  ] as const) {
    const { body } = await call('GET', `/audit?action=store.opened_as_operator${query}`)
    expect(body['events']).toMatchObject([{ actor: { id: admin.id }, details }])
  }
  expect(refusal(await call('POST', `/stores/${NOBODY}/open`))).toEqual([404, 'not_found'])
})

test.each([
  ['/jobs?cursor=x', 400, 'invalid_cursor'],
  ['/jobs?status=gone', 422, 'validation_error'],
  ['/jobs?limit=0', 422, 'validation_error'],
  ['/deliveries?cursor=x', 400, 'invalid_cursor'],
  ['/deliveries?state=delivered', 422, 'validation_error'],
])('refuses %s', async (path, status, code) => {
  expect(refusal(await call('GET', path))).toEqual([status, code])
})
