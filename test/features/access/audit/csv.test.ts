import { afterEach, beforeEach, expect, test } from 'bun:test'
import { BASE_URL, type TestApp, testApp } from '../../../support/app.ts'
import { machineToken } from '../api-keys/keys.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await machineToken(app, (await app.store()).store_id)
})
afterEach(() => app.close())

const makeKey = (name: string) =>
  app.call('POST', '/v1/security/api-keys', { token, body: { name, scopes: { products: 'read' } } })

async function download(query = '') {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await app.http.handle(
    new Request(`${BASE_URL}/v1/security/audit?format=csv${query}`, { headers }),
  )
  return { answer, lines: (await answer.text()).split('\r\n') }
}

test('all events as one file, over many pages, newest first', async () => {
  const { body } = await makeKey('k')
  for (let n = 0; n < 205; n++) {
    const path = `/v1/security/api-keys/${body['id']}`
    await app.call('PATCH', path, { token, body: { name: `k${n}` } })
  }
  const count = app.db.prepare('SELECT count(*) FROM audit_events').pluck().get() as number
  const { answer, lines } = await download()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
  expect(lines[0]).toBe(
    'created_at,action,meaning,actor_kind,actor_id,actor_name,ip_address,request_id,details,id',
  )
  expect(count).toBeGreaterThan(200)
  expect(lines.filter((line) => line !== '')).toHaveLength(count + 1)
})

test('filters count, and a bad one is refused with its code', async () => {
  await makeKey('a')
  const { lines } = await download('&action=api_key.created')
  expect(lines).toHaveLength(3)
  const bad = await app.call('GET', '/v1/security/audit?format=csv&since=2030-02-31', { token })
  expect([bad.status, bad.body['error']]).toEqual([422, 'validation_error'])
  expect((await app.call('GET', '/v1/security/audit?format=xml', { token })).status).toBe(422)
})

test('no cell runs as a formula', async () => {
  app.db.prepare('UPDATE stores SET name = ?').run('=HYPERLINK("http://evil.example")')
  await makeKey('a')
  const { lines } = await download('&action=api_key.created')
  expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
})
