import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../src/core/clock.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, enableTwoFactor, getToken, PASSWORD, refusal } from '../../../support/people.ts'
import { countRows, readRows } from '../../../support/seed.ts'

let app: TestApp
let machine: string
let owner: string
beforeEach(async () => {
  app = testApp()
  machine = await app.signIn('one')
  owner = await getToken(app, { email: 'one@shop.test' })
})
afterEach(() => app.close())

const call = (method: string, token: string, body?: unknown) =>
  app.call(method, '/v1/store', { token, ...(body !== undefined && { body }) })

describe('the name of a store (contract 4.14)', () => {
  test('is read and changed, and everything that shows it follows', async () => {
    const before = { id: expect.any(String), slug: 'one', name: 'one', plan: 'enterprise' }
    expect(await call('GET', machine)).toMatchObject({ status: 200, body: before })
    const renamed = await call('PATCH', machine, { name: '  Neuer Name ' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...before, name: 'Neuer Name' }])
    expect((await call('GET', owner)).body).toEqual(renamed.body)
    const me = await app.call('GET', '/v1/me', { token: owner })
    expect([me.body['active_store'], me.body['memberships']]).toMatchObject([
      { name: 'Neuer Name', slug: 'one' },
      [{ name: 'Neuer Name' }],
    ])
    const login = await app.call('POST', '/oauth/login', {
      body: { email: 'one@shop.test', password: PASSWORD },
    })
    expect(login.body).toMatchObject({ client_name: 'Neuer Name' })
    const invited = { email: 'ben@people.test', role: 'viewer' }
    await app.call('POST', '/v1/team/invite', { token: owner, body: invited })
    const token = app.mails.at(-1)?.text.match(/#token=(\S+)/)?.[1]
    const look = await app.call('POST', '/v1/team/invites/look', { body: { token } })
    expect(look.body).toMatchObject({ store_name: 'Neuer Name', slug: 'one' })
  })

  test('leaves both names in the log, and a change of nothing leaves none', async () => {
    await call('PATCH', owner, { name: 'Two' })
    await call('PATCH', owner, { name: ' Two ' })
    await call('PATCH', owner, {})
    const { body } = await app.call('GET', '/v1/security/audit?action=store.renamed', { token: owner })
    expect(body['events']).toMatchObject([{ details: { before: 'one', after: 'Two' } }])
    expect(body['events']).toHaveLength(1)
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(101) }, 'at most 100'],
    [{ naem: 'Two' }, "did you mean 'name'?"],
    [{ slug: 'two' }, 'stays'],
    [{ plan: 'premium' }, '/v1/billing/checkout'],
  ])('refuses %j with a cure', async (body, words) => {
    const answer = await call('PATCH', owner, body)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['message']).toContain(words)
    expect((await call('GET', owner)).body).toMatchObject({ name: 'one', slug: 'one', plan: 'enterprise' })
  })
})

describe('the deletion of a store by its owner (contract 4.14)', () => {
  const remove = (token: string, body: object = {}) =>
    call('DELETE', token, { confirm: 'one', password: PASSWORD, ...body })

  test('suspends it at once and deletes it after 7 days', async () => {
    const { status, body } = await remove(owner)
    expect([status, body]).toEqual([
      200,
      {
        ...{
          id: expect.any(String),
          slug: 'one',
          name: 'one',
          plan: 'enterprise',
          status: 'deletion_planned',
        },
        ...{ suspended_at: '2030-01-01T00:00:00.000Z', delete_at: '2030-01-08T00:00:00.000Z' },
      },
    ])
    expect(refusal(await call('GET', machine))).toEqual([403, 'store_suspended'])
    expect(refusal(await remove(owner))).toEqual([403, 'store_suspended'])
    const events = readRows(app, 'audit_events', { action: 'store.deletion_planned' }, [
      'actor_kind',
      'details',
    ])
    expect(events).toEqual([{ actor_kind: 'person', details: '{"delete_at":"2030-01-08T00:00:00.000Z"}' }])
    await app.settle()
    expect(app.mails).toMatchObject([
      { to: 'one@shop.test', text: expect.stringContaining('An owner has planned the deletion') },
    ])
    app.clock.advance(7 * DAY_MS)
    await app.tidy()
    expect(countRows(app, 'stores')).toBe(0)
  })

  test('needs the slug and the password, and the code of a second factor', async () => {
    for (const body of [{ confirm: 'two' }, { password: 'another password' }]) {
      expect(refusal(await remove(owner, body))).toEqual([422, 'validation_error'])
    }
    const phone = await enableTwoFactor(app, owner)
    expect(refusal(await remove(owner))).toEqual([401, 'requires_2fa'])
    expect(refusal(await remove(owner, { totp_code: '000000' }))).toEqual([401, 'invalid_2fa'])
    expect((await call('GET', machine)).status).toBe(200)
    app.clock.advance(30_000)
    expect((await remove(owner, { totp_code: phone.code() })).status).toBe(200)
  })

  test('is for owners who have signed in alone', async () => {
    const admin = await getToken(app, await addPerson(app, 'adam', [{ store: 'one', role: 'admin' }]))
    for (const token of [machine, admin])
      expect(refusal(await remove(token))).toEqual([403, 'permission_denied'])
    await app.store('two')
    const stranger = await getToken(app, { email: 'two@shop.test' })
    expect(refusal(await remove(stranger))).toEqual([422, 'validation_error'])
  })
})

describe('the name of a person (contract 5.5)', () => {
  const change = (body: object) => app.call('PATCH', '/v1/me', { token: owner, body })

  test('changes', async () => {
    const { status, body } = await change({ full_name: ' Anna Müller ' })
    expect([status, body['user']]).toEqual([200, expect.objectContaining({ name: 'Anna Müller' })])
    expect((await app.call('GET', '/v1/me', { token: owner })).body).toEqual(body)
    const members = await app.call('GET', '/v1/team/members', { token: owner })
    expect(members.body['members']).toMatchObject([{ full_name: 'Anna Müller' }])
    const { body: log } = await app.call('GET', '/v1/security/audit?action=account.renamed', { token: owner })
    expect(log['events']).toMatchObject([{ action: 'account.renamed', details: {} }])
  })

  test.each([
    [{ full_name: '' }, 'full_name'],
    [{ full_name: 'a\nb' }, 'full_name'],
    [{ name: 'Anna' }, "did you mean 'full_name'?"],
    [{ email: 'x@y.test' }, 'POST /v1/me/email'],
  ])('refuses %j with a cure', async (body, words) => {
    const answer = await change(body)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['message']).toContain(words)
  })
})
