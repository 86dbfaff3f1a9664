import { afterEach, beforeEach, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import type { Answer, TestApp } from '../../../support/app.ts'
import { addPerson, freshAddress, from, getToken, proxiedApp } from '../../../support/people.ts'
import { cookieOf, OWN_PAGE, refreshPortal } from '../../../support/portal.ts'
import { readColumn } from '../../../support/seed.ts'

let app: TestApp
let owner: string

beforeEach(async () => {
  app = proxiedApp({ mailer: { isConfigured: false, send: async () => {} } })
  await app.store('one')
  owner = await getToken(app, await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }]))
})
afterEach(() => app.close())

/** Accepts an invitation of an address, as the page of the link does by default. */
async function accept(email: string, headers: Record<string, string> = OWN_PAGE): Promise<Answer> {
  const invited = await app.call('POST', '/v1/team/invite', { token: owner, body: { email, role: 'viewer' } })
  const token = new URL(String(invited.body['accept_url'])).hash.replace('#token=', '')
  return app.call('POST', '/v1/team/invites/accept', {
    body: { token, full_name: 'Ben', password: 'seven green bottles' },
    headers: { ...from(freshAddress()), ...headers },
  })
}

test('a new person who accepts on the page is signed in', async () => {
  const answer = await accept('ben@people.test')
  expect([answer.status, answer.body['is_existing_user']]).toEqual([200, false])
  const { body } = await refreshPortal(app, cookieOf(answer))
  const { sub, memberships } = decodeJwt(String(body['access_token']))
  expect([sub, memberships]).toEqual([
    answer.body['user_id'],
    [expect.objectContaining({ slug: 'one', role: 'viewer' })],
  ])
})

test('one who has an account signs in as ever', async () => {
  await addPerson(app, 'ben')
  app.db.prepare('UPDATE users SET proven_at = created_at').run()
  const answer = await accept('ben@people.test')
  expect([answer.status, answer.body['is_existing_user']]).toEqual([200, true])
  expect(answer.headers.getSetCookie()).toEqual([])
})

test.each([
  ['a program', {}],
  ['a page of another origin', { origin: 'https://evil.example' }],
])('%s gets no cookie, and no sign-in comes of it', async (_who, headers) => {
  const before = readColumn(app, 'sessions', 'id').length
  const answer = await accept('ben@people.test', headers)
  expect(answer.status).toBe(200)
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(readColumn(app, 'sessions', 'id')).toHaveLength(before)
})
