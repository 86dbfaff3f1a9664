import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { confirm, PASSWORD, registered, rows, sendSignIn, verify } from '../registration/registering.ts'

const NEW_PASSWORD = 'another long password'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

/** The token of the link for a new password in the last mail. */
const newPasswordToken = (): string =>
  /\/oauth\/password\/reset#token=([\w-]+)\n/.exec(app.mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

const reset = (token: string) =>
  app.call('POST', '/oauth/password/reset', { body: { token, password: NEW_PASSWORD } })

/** Everything that a stranger creates after opening an account: a key, an IP list, a client secret and a second factor. */
async function settleIn() {
  const token = String((await sendSignIn(app)).body['access_token'])
  const key = await app.call('POST', '/v1/security/api-keys', {
    token,
    body: { name: 'k', scopes: { products: ['read'] } },
  })
  const secret = await app.call('POST', '/v1/security/client-secret/rotate', { token, body: {} })
  await app.call('POST', '/v1/security/ip-whitelist', { token, body: { ip_address: '127.0.0.1' } })
  expect((await app.call('POST', '/v1/security/2fa/setup', { token })).status).toBe(200)
  return { token, key: String(key.body['key']), secret: String(secret.body['client_secret']) }
}

async function grant(client_secret: string): Promise<number> {
  const client_id = String(rows(app, 'stores')[0]?.['id'])
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  return (await app.call('POST', '/oauth/token', { body })).status
}

const list = async (token: string): Promise<number> =>
  (await app.call('GET', '/v1/products', { token })).status

test('the link in the mail about an account that a stranger opened ends all that the stranger made', async () => {
  await verify(app, await registered(app))
  await app.settle()
  const link = newPasswordToken()
  const made = await settleIn()
  expect([await list(made.key), await grant(made.secret)]).toEqual([200, 200])
  expect((await reset(link)).status).toBe(200)
  expect([await list(made.token), await list(made.key), await grant(made.secret)]).toEqual([401, 401, 401])
  expect(['api_keys', 'ip_entries', 'two_factor'].map((table) => rows(app, table).length)).toEqual([0, 0, 0])
  expect((await sendSignIn(app, NEW_PASSWORD)).status).toBe(200)
  expect(rows(app, 'audit_events').map(({ action }) => action)).toContain('account.taken_over')
})

test('of an account that was opened with its password the same link sets a password, and nothing else ends', async () => {
  await confirm(app, await registered(app), PASSWORD)
  await app.settle()
  const link = newPasswordToken()
  const made = await settleIn()
  expect((await reset(link)).status).toBe(200)
  expect([await list(made.token), await list(made.key), await grant(made.secret)]).toEqual([401, 200, 200])
})

test('a forgotten password of an account that is not proven costs no keys', async () => {
  await verify(app, await registered(app))
  await app.settle()
  const made = await settleIn()
  await app.call('POST', '/oauth/password/forgot', { body: { email: 'anna@shop.test' } })
  await app.settle()
  expect((await reset(newPasswordToken())).status).toBe(200)
  expect([await list(made.key), await grant(made.secret)]).toEqual([200, 200])
})
