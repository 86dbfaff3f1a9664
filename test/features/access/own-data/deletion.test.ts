import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  type Person,
  refusal,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import {
  countRows,
  insertRow,
  makeSuperAdmin,
  readColumn,
  readRows,
  removeOthers,
  tableNames,
  updateRows,
} from '../../../support/seed.ts'

let app: TestApp
let anna: Person
let token: string
let storeId: string

beforeEach(async () => {
  ;({ app, anna } = await signInWorld([{ store: 'one', role: 'developer', groups: [['products:read']] }]))
  storeId = app.stores.requireBySlug('one').id
  token = await getToken(app, anna)
})
afterEach(() => app.close())

const remove = (more: object = {}, as = token) =>
  app.call('DELETE', '/v1/me', { token: as, body: { password: PASSWORD, email: anna.email, ...more } })
const exists = ({ id }: Person) => countRows(app, 'users', { id }) === 1
const pointers = ({ body }: Answer) =>
  (body['details'] as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => [
    pointer,
    code,
  ])

/** Where a text stands in the database: each table with the column. */
function placesOf(text: string): string[] {
  const holds = (value: unknown) =>
    (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)).includes(text)
  const places = tableNames(app).flatMap((table) =>
    readRows(app, table).flatMap((row) =>
      Object.keys(row).flatMap((column) => (holds(row[column]) ? [`${table}.${column}`] : [])),
    ),
  )
  return [...new Set(places)]
}

describe('DELETE /v1/me (contract 5.14)', () => {
  test('200: the account is gone with every sign-in, and the mail says so', async () => {
    const other = await getToken(app, anna)
    const answer = await remove({ email: ' Anna@People.test ' })
    expect([answer.status, answer.body as unknown]).toEqual([
      200,
      { status: 'deleted', sessions_ended: 2, stores_left: 1 },
    ])
    for (const of of [token, other]) {
      expect((await app.call('GET', '/v1/me', { token: of })).status).toBe(401)
      expect((await app.call('POST', '/oauth/refresh', { token: of })).status).toBe(401)
    }
    expect(refusal(await sendSignIn(app, anna.email, {}, from(freshAddress())))).toEqual([
      401,
      'unauthorized',
    ])
    expect(refusal(await remove())).toEqual([401, 'unauthorized'])
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [anna.email, 'Your account is deleted'],
    ])
  })

  test('nothing in the database names the person any more: the id stays in the log alone, the address nowhere', async () => {
    await enableTwoFactor(app, token)
    await app.call('POST', '/oauth/password/forgot', { body: { email: anna.email } })
    await app.settle()
    await app.call('POST', '/register', {
      body: { client_name: 'Again', email: anna.email, password: PASSWORD },
      headers: from(freshAddress()),
    })
    const key = { name: 'sync', scopes: { products: ['read'] } }
    await app.call('POST', '/v1/security/api-keys', { token, body: key })
    app.record({
      ...{ action: 'account.verified', actorKind: 'anyone', storeId, userId: anna.id, keyId: null },
      ...{ details: { email: anna.email, proven: true }, clientInfo: null },
    })
    app.outbox.write({ to: anna.email, subject: 'Waits', text: 'for the mail server' })
    // As of a store that came in a file, which she has not joined.
    await app.store('two')
    const { id: two } = app.stores.requireBySlug('two')
    insertRow(app, 'awaited_people', { store_id: two, email: anna.email, kind: 'api_key', of_id: 'k' })
    expect(placesOf(anna.id)).toContain('two_factor.user_id')
    expect(placesOf(anna.email)).toEqual(expect.arrayContaining(['registrations.email', 'outbox.recipient']))
    await app.twoFactor.reset(anna.email)
    token = await getToken(app, anna)
    expect((await remove()).status).toBe(200)
    await app.settle()
    expect(placesOf(anna.id).sort()).toEqual(['audit_events.details', 'audit_events.user_id'])
    // Counts of requests by address end by themselves within the hour.
    expect(placesOf(anna.email)).toEqual(['throttle_events.key'])
    app.clock.advance(2 * 3_600_000)
    await app.tidy()
    expect(placesOf(anna.email)).toEqual([])
    expect(readColumn(app, 'audit_events', 'details', { action: 'account.verified' })[0]).toBe(
      JSON.stringify({ proven: true, email_of: anna.id }),
    )
  })

  test('the log of the store records the departure, the log of the person the deletion', async () => {
    await remove()
    const events = ['membership.left', 'account.deleted'].flatMap((action) =>
      readRows(app, 'audit_events', { action }, ['action', 'store_id', 'actor_kind', 'user_id', 'details']),
    )
    const who = { actor_kind: 'person', user_id: anna.id }
    expect(events).toEqual([
      {
        ...{ ...who, action: 'membership.left', store_id: storeId },
        details: '{"role":"developer","account_deleted":true}',
      },
      { ...who, action: 'account.deleted', store_id: null, details: '{"sessions_ended":1}' },
    ])
  })

  test('API keys of the person stay in the list as those of a former member, and have no rights', async () => {
    const body = { name: 'sync', scopes: { products: ['read'] } }
    const made = (await app.call('POST', '/v1/security/api-keys', { token, body })).body
    await remove()
    const use = await app.call('GET', '/v1/products', { headers: { 'x-api-key': String(made['key']) } })
    expect(refusal(use)).toEqual([403, 'permission_denied'])
    const owner = await getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
    const listed = await app.call('GET', `/v1/security/api-keys/${made['id']}`, { token: owner })
    expect(listed.body).toMatchObject({ maker: 'former_member', created_by: null, effective_scopes: {} })
  })

  test('409 for the last owner, naming every such store; then 200 once each has another', async () => {
    await app.store('two')
    await app.store('three')
    const owner = await addPerson(app, 'owner', [
      { store: 'two', role: 'owner' },
      { store: 'three', role: 'owner' },
      { store: 'one', role: 'owner' },
    ])
    for (const slug of ['two', 'three']) removeOthers(app, owner.id, slug)
    const as = await getToken(app, owner)
    const answer = await remove({ email: owner.email }, as)
    expect(refusal(answer)).toEqual([409, 'conflict'])
    expect(answer.body['details']).toEqual({
      reason: 'last_owner',
      stores: ['three', 'two'].map((slug) => ({ id: app.stores.requireBySlug(slug).id, slug, name: slug })),
    })
    expect(exists(owner)).toBe(true)
    await addPerson(app, 'heir', [
      { store: 'two', role: 'owner' },
      { store: 'three', role: 'owner' },
    ])
    expect((await remove({ email: owner.email }, as)).body).toMatchObject({ stores_left: 3 })
    expect(exists(owner)).toBe(false)
  })

  test('409 for the last super-admin', async () => {
    updateRows(app, 'users', { is_super_admin: 0 })
    makeSuperAdmin(app, anna.id)
    const answer = await remove()
    expect([refusal(answer), answer.body['details']]).toEqual([
      [409, 'conflict'],
      { reason: 'last_super_admin' },
    ])
    await addPerson(app, 'second', [], { isSuperAdmin: true })
    expect((await remove()).status).toBe(200)
  })

  test.each([
    ['no address', { email: undefined }, [['/email', 'required']]],
    ['another address', { email: 'bert@people.test' }, [['/email', 'wrong']]],
    ['no password', { password: undefined }, [['/password', 'required']]],
    ['a wrong password', { password: 'another password' }, [['/password', 'wrong']]],
  ])('422 for %s: nothing is deleted', async (_, body, expected) => {
    const answer = await remove(body)
    expect([answer.status, pointers(answer)]).toEqual([422, expected])
    expect([exists(anna), (await app.call('GET', '/v1/me', { token })).status]).toEqual([true, 200])
  })

  test('with a second factor: 401 without and with a wrong code, 200 with a right one', async () => {
    const authenticator = await enableTwoFactor(app, token)
    expect(refusal(await remove())).toEqual([401, 'requires_2fa'])
    expect(refusal(await remove({ totp_code: authenticator.code(5) }))).toEqual([401, 'invalid_2fa'])
    const both = { totp_code: authenticator.code(1), recovery_code: 'aaaaa-aaaaa' }
    expect(refusal(await remove(both))).toEqual([400, 'credential_ambiguous'])
    expect((await remove({ recovery_code: authenticator.recoveryCodes[0] })).status).toBe(200)
  })

  test('429 after five wrong passwords', async () => {
    for (let n = 0; n < 5; n++) await remove({ password: 'another password' })
    expect(refusal(await remove())).toEqual([429, 'too_many_requests'])
    expect(exists(anna)).toBe(true)
  })

  test('400, 413 and 415', async () => {
    const send = (body: string, type = 'application/json') =>
      app.call('DELETE', '/v1/me', { token, body, headers: { 'content-type': type } })
    expect(refusal(await send('{'))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('x', 'text/plain'))).toEqual([415, 'unsupported_media_type'])
    expect(refusal(await send(' '.repeat(1024 * 1024 + 1)))).toEqual([413, 'payload_too_large'])
  })

  test('of two at once exactly one happens', async () => {
    const answers = await Promise.all([remove(), remove()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  test('every column that names a person lets the person go', () => {
    const tables = tableNames(app)
    const keys = tables.flatMap((table) =>
      readRows<{ table: string; on_delete: string }>(app, `pragma_foreign_key_list('${table}')`).map(
        (key) => ({ ...key, of: table }),
      ),
    )
    const toPeople = keys.filter((key) => key.table === 'users')
    expect(toPeople.length).toBeGreaterThan(5)
    expect(toPeople.filter(({ on_delete }) => !['CASCADE', 'SET NULL'].includes(on_delete))).toEqual([])
  })
})
