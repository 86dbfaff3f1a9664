import { afterEach, beforeEach, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { JWT_SECRET, type TestApp, testApp } from '../../../support/app.ts'
import { codeOf } from '../api-keys/answers.ts'

let app: TestApp
beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const works = async (token = '') => codeOf(await app.call('GET', '/v1/products', { token }))

test('a token of the operator acts for one store, for five minutes', async () => {
  const { store_id } = await app.store('one', 'basic')
  const token = (await app.commandTokens.issue(store_id, JWT_SECRET)) ?? ''
  expect(decodeJwt(token)).toMatchObject({
    sub: store_id,
    user_type: 'client',
    plan: 'basic',
    rate_limit: 60,
  })
  expect(await works(token)).toEqual([200, undefined])
  app.clock.advance(299_000)
  expect(await works(token)).toEqual([200, undefined])
  app.clock.advance(1_000)
  expect(await works(token)).toEqual([401, 'token_expired'])
})

test('a new client secret ends it', async () => {
  const { store_id, client_secret } = await app.store()
  const token = (await app.commandTokens.issue(store_id, JWT_SECRET)) ?? ''
  const grant = new URLSearchParams({ grant_type: 'client_credentials', client_id: store_id, client_secret })
  const { body } = await app.call('POST', '/oauth/token', { body: grant })
  const rotated = await app.call('POST', '/v1/security/client-secret/rotate', {
    token: String(body['access_token']),
    body: { client_secret },
  })
  expect(rotated.status).toBe(200)
  expect(await works(token)).toEqual([401, 'unauthorized'])
  expect(await works(await app.commandTokens.issue(store_id, JWT_SECRET))).toEqual([200, undefined])
})

test('a token needs a store and the secret of the service', async () => {
  const { store_id } = await app.store()
  expect(await app.commandTokens.issue('none', JWT_SECRET)).toBeUndefined()
  const forged = await app.commandTokens.issue(store_id, 'another secret, which the service never had')
  expect(await works(forged)).toEqual([401, 'unauthorized'])
})
