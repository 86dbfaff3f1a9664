import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, getToken, proxiedApp, refusal } from '../../../support/people.ts'

type Kind = 'member of one' | 'member of two' | 'super-admin'

/** One for all tests, which change nothing in it: three stores, each with one product that is named like it. */
let app: TestApp
let tokens: Record<Kind, string>

beforeAll(async () => {
  app = proxiedApp()
  for (const name of ['one', 'two', 'other']) {
    const token = await app.signIn(name)
    const body = { product_id: name, image_url: app.picture(name, 1) }
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
  const admin = (store: string) => ({ store, role: 'admin' as const })
  tokens = {
    'member of one': await getToken(app, await addPerson(app, 'member-of-one', [admin('one')])),
    'member of two': await getToken(app, await addPerson(app, 'member-of-two', ['one', 'two'].map(admin))),
    'super-admin': await getToken(app, await addPerson(app, 'super-admin', [], { isSuperAdmin: true })),
  }
})
afterAll(() => app.close())

/** Sends a request that names a store. */
const call = (token: string, path: string, slug: string) =>
  app.call('GET', path, { token, headers: { 'x-service-active-tenant': slug } })

const STRANGE_SLUGS: [string, string][] = [
  ['empty', ''],
  ['in upper case', 'ONE'],
  ['twice', 'one, one'],
  ['with a second one', 'one,two'],
  ['with a path', 'one/../two'],
  ['percent-encoded', '%6Fne'],
  ['in quotes', '"one"'],
  ['with an accent', 'öne'],
  ['SQL', "' OR slug = 'one"],
  ['a wildcard', '*'],
  ['the word null', 'null'],
  ['a name of every object', '__proto__'],
  ['10 kB long', 'x'.repeat(10_240)],
  ['10 kB that begin right', `one${' x'.repeat(5_120)}`],
]

describe.each<Kind>(['member of one', 'member of two', 'super-admin'])('a header of a %s', (kind) => {
  const token = () => tokens[kind]

  test.each(STRANGE_SLUGS)('that is %s names no store: 403', async (_, slug) => {
    for (const path of ['/v1/products', '/v1/me', '/v1/security/2fa/status'])
      expect(refusal(await call(token(), path, slug))).toEqual([403, 'not_a_member'])
  })

  test('with spaces around its value is fine, for those do not belong to it (RFC 9110 §5.5)', async () => {
    const { status, body } = await call(token(), '/v1/products', '  one ')
    expect([status, body['products']]).toMatchObject([200, [{ product_id: 'one' }]])
  })
})
