import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  getToken,
  PASSWORD,
  type Person,
  proxiedApp,
  refusal,
} from '../../../support/people.ts'

let app: TestApp
let admin: Person
let root: string
let anna: Person

beforeEach(async () => {
  app = proxiedApp({}, { REGISTRATION: 'invite' })
  await app.store('one')
  for (const { id } of app.people.listSuperAdmins(10)) app.people.setSuperAdmin(id, false)
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'developer' }])
})
afterEach(() => app.close())

const NOBODY = '01900000-0000-7000-8000-ffffffffffff'
const call = (method: string, path: string, body?: object, token = root) =>
  app.call(method, `/v1/admin${path}`, { token, ...(body && { body }) })
const setRight = (id: string, is_super_admin: boolean, token = root, password = PASSWORD) =>
  call('PATCH', `/users/${id}`, { is_super_admin, password }, token)
const isSuperAdmin = ({ id }: Person) => app.people.findPerson(id)?.isSuperAdmin

async function readLog(query: string) {
  const { body } = await call('GET', `/audit?${query}`)
  return body['events'] as { actor: object; details: object }[]
}

describe('inviting an address to register', () => {
  test('mails a link, whose code registers, and says so in the log', async () => {
    const answer = await call('POST', '/registrations', { email: ' New@People.test ' })
    expect(answer).toMatchObject({
      status: 201,
      body: { email: 'new@people.test', email_sent: true, invite: null },
    })
    expect(answer.body['expires_at']).toBe('2030-01-08T00:00:00.000Z')
    expect(await readLog('action=account.invited')).toMatchObject([
      { details: { email: 'new@people.test', by_super_admin: true } },
    ])
    const [, invite] = app.mails.at(-1)?.text.match(/^http\S+\/register#([\w-]{20,})$/m) ?? []
    const register = { client_name: 'New', email: 'new@people.test', password: PASSWORD, invite }
    expect((await app.call('POST', '/register', { body: register })).status).toBe(202)
  })

  test('gives the code where no mail leaves', async () => {
    await app.close()
    app = proxiedApp({ mailer: { isConfigured: false, send: () => Promise.reject(new Error('none')) } })
    await app.store('one')
    root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
    const { body } = await call('POST', '/registrations', { email: 'new@people.test' })
    expect(body).toMatchObject({ email_sent: false, invite: expect.stringMatching(/^\S{20,}$/) })
  })

  test.each([
    [{ email: 'anna@people.test' }, 409, 'conflict'],
    [{ email: 'no address' }, 422, 'validation_error'],
    [{}, 422, 'validation_error'],
  ])('refuses %j', async (body, status, code) => {
    expect(refusal(await call('POST', '/registrations', body))).toEqual([status, code])
    expect(app.mails).toEqual([])
  })
})

describe('making a super-admin', () => {
  test('needs a proven account, tells everybody concerned, and ends with the right', async () => {
    expect(await setRight(anna.id, true)).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { reason: 'not_proven' } },
    })
    app.people.provePerson(anna.id, app.clock.now())
    expect(await setRight(anna.id, true)).toMatchObject({ status: 200, body: { is_super_admin: true } })
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject]).sort()).toEqual([
      ['anna@people.test', 'anna@people.test is now a super-admin'],
      ['root@people.test', 'anna@people.test is now a super-admin'],
    ])
    const token = await getToken(app, anna)
    expect((await call('GET', '/plans', undefined, token)).status).toBe(200)
    expect((await setRight(anna.id, false)).status).toBe(200)
    expect(refusal(await call('GET', '/plans', undefined, token))).toEqual([403, 'permission_denied'])
    expect(await readLog(`action=account.super_admin_changed&user_id=${anna.id}`)).toMatchObject([
      { details: { is_super_admin: false, by_super_admin: true, by_user_id: admin.id } },
      { details: { is_super_admin: true, by_super_admin: true, by_user_id: admin.id } },
    ])
  })

  test('asks for the own password and the own code', async () => {
    app.people.provePerson(anna.id, app.clock.now())
    expect(await setRight(anna.id, true, root, 'wrong')).toMatchObject({
      status: 422,
      body: { details: { errors: [{ pointer: '/password', code: 'wrong' }] } },
    })
    await enableTwoFactor(app, root)
    expect(refusal(await setRight(anna.id, true))).toEqual([401, 'requires_2fa'])
    const body = { is_super_admin: true, password: PASSWORD, totp_code: '000000' }
    expect(refusal(await call('PATCH', `/users/${anna.id}`, body))).toEqual([401, 'invalid_2fa'])
    expect(isSuperAdmin(anna)).toBe(false)
  })

  test('never takes the right from the last one, by whichever of two at once', async () => {
    expect(await setRight(admin.id, false)).toMatchObject({
      status: 409,
      body: { details: { reason: 'last_super_admin' } },
    })
    app.people.provePerson(anna.id, app.clock.now())
    await setRight(anna.id, true)
    const token = await getToken(app, anna)
    const answers = await Promise.all([setRight(anna.id, false), setRight(admin.id, false, token)])
    expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true])
    expect(app.people.countSuperAdmins()).toBe(1)
  })

  test.each([
    [NOBODY, { is_super_admin: true, password: PASSWORD }, 404, 'not_found'],
    [NOBODY, { is_super_admin: true }, 422, 'validation_error'],
    [NOBODY, { password: PASSWORD }, 422, 'validation_error'],
    [NOBODY, { is_super_admin: 'yes', password: PASSWORD }, 422, 'validation_error'],
  ])('refuses %s with %j', async (id, body, status, code) => {
    expect(refusal(await call('PATCH', `/users/${id}`, body))).toEqual([status, code])
  })
})

describe('deleting a person', () => {
  const remove = (id: string, confirm: string) => call('DELETE', `/users/${id}`, { confirm })

  test('ends sign-ins and memberships, tells the person, and names the operator in both logs', async () => {
    const token = await getToken(app, anna)
    expect(await remove(anna.id, 'Anna@people.test')).toMatchObject({
      status: 200,
      body: { status: 'deleted', sessions_ended: 1, stores_left: 1 },
    })
    await app.settle()
    expect(app.mails.at(-1)).toMatchObject({ to: 'anna@people.test', subject: 'Your account is deleted' })
    expect((await app.call('GET', '/v1/me', { token })).status).toBe(401)
    expect((await call('GET', `/users/${anna.id}`)).status).toBe(404)
    expect(await readLog(`action=account.deleted&user_id=${anna.id}`)).toMatchObject([
      { details: { by_super_admin: true, by_user_id: admin.id } },
    ])
    const store = app.stores.requireBySlug('one').id
    expect(await readLog(`action=membership.left&store_id=${store}`)).toMatchObject([
      { details: { user_id: anna.id, account_deleted: true, by_super_admin: true } },
    ])
  })

  test('keeps the only owner of a store', async () => {
    const owner = app.people.findPersonByEmail('one@shop.test') as Person
    expect(await remove(owner.id, owner.email)).toMatchObject({
      status: 409,
      body: { details: { reason: 'last_owner', stores: [{ slug: 'one' }] } },
    })
    expect(app.people.findPerson(owner.id)).toBeDefined()
  })

  test('keeps a super-admin, whose right asks for a password', async () => {
    expect(await remove(admin.id, admin.email)).toMatchObject({
      status: 409,
      body: { details: { reason: 'super_admin' } },
    })
  })

  test.each([
    ['another address', () => [anna.id, 'root@people.test'], 422, 'validation_error'],
    ['nobody', () => [NOBODY, 'anna@people.test'], 404, 'not_found'],
  ] as const)('refuses %s', async (_, asked, status, code) => {
    const [id, confirm] = asked() as [string, string]
    expect(refusal(await remove(id, confirm))).toEqual([status, code])
    expect(app.people.findPerson(anna.id)).toBeDefined()
  })
})
