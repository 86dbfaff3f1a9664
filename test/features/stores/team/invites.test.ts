import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashSecret } from '../../../../src/core/secrets.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { proxiedApp, refusal } from '../../../support/people.ts'
import {
  addMembership,
  deleteUser,
  insertRows,
  readColumn,
  storeId,
  updateRows,
} from '../../../support/seed.ts'
import { accept, DAY_MS, events, invited, look, newcomer, type Somebody, somebody, tokenOf } from './team.ts'

let app: TestApp
let owner: Somebody

beforeEach(async () => {
  app = proxiedApp()
  for (const name of ['one', 'two']) await app.store(name)
  owner = await somebody(app, 'owner', { one: 'owner' })
})
afterEach(() => app.close())

const invite = (email: string, role = 'viewer', by = owner) =>
  by.send('POST', '/v1/team/invite', { email, role })
const statusOf = async (id: string) => {
  const { body } = await owner.send('GET', '/v1/team/invites')
  return (body['invites'] as { invite_id: string; status: string }[]).find(
    ({ invite_id }) => invite_id === id,
  )?.status
}

describe('POST /v1/team/invite (contract 5.9)', () => {
  test('201: mails a link that works for 7 days, and keeps only its hash', async () => {
    const { status, body } = await invite(' Nora@Shop.Test ', 'developer')
    expect([status, body as object]).toEqual([
      201,
      {
        invite_id: expect.any(String),
        email: 'nora@shop.test',
        role: 'developer',
        is_existing_user: false,
        expires_at: '2030-01-08T00:00:00.000Z',
        email_sent: true,
      },
    ])
    expect(app.mails).toHaveLength(1)
    const [mail] = app.mails
    expect(mail).toMatchObject({ to: 'nora@shop.test', subject: 'You are invited to the store one' })
    const link = /^http:\/\/lookalike\.test\/invite#token=([\w-]{43,})$/m.exec(mail?.text ?? '')
    expect(mail?.text).toContain('owner@people.test invites you to the store one')
    expect(readColumn(app, 'team_invites', 'token_hash')).toEqual([hashSecret(link?.[1] ?? '')])
    expect(events(app, 'invite.%')).toEqual([
      {
        ...{ action: 'invite.created', actor_kind: 'person', user_id: owner.id },
        details: { invite_id: body['invite_id'], email: 'nora@shop.test', role: 'developer' },
      },
    ])
  })

  test('says whether the address has an account', async () => {
    await somebody(app, 'anna', { two: 'owner' })
    expect((await invite('anna@people.test')).body['is_existing_user']).toBe(true)
  })

  test('the mail contains nothing that the person who named the store typed', async () => {
    updateRows(app, 'stores', { name: 'Win a prize at evil.test' }, { slug: 'one' })
    await invite('nora@shop.test')
    expect(JSON.stringify(app.mails)).not.toContain('evil.test')
  })

  test('a super-admin may, without being a member', async () => {
    const root = await somebody(app, 'root', {}, { isSuperAdmin: true })
    expect((await invite('nora@shop.test', 'owner', root)).status).toBe(201)
    const { body } = await look(app, tokenOf(app.mails.at(-1)?.text.match(/\S+#token=\S+/)?.[0]))
    expect(body['status']).toBe('pending')
  })

  test('email_sent is false and accept_url the link when the mail server fails, or when there is none', async () => {
    for (const mailer of [
      { isConfigured: false, send: async () => undefined },
      {
        isConfigured: true,
        send: () => Promise.reject(Object.assign(new Error('No'), { reason: 'refused' })),
      },
    ]) {
      const other = testApp({ mailer })
      await other.store('one')
      const by = await somebody(other, 'owner', { one: 'owner' })
      const { body } = await invite('nora@shop.test', 'viewer', by)
      expect(body['email_sent']).toBe(false)
      expect(body['accept_url']).toMatch(/^http:\/\/lookalike\.test\/invite#token=[\w-]{43,}$/)
      expect((await look(other, tokenOf(body['accept_url']))).status).toBe(200)
      // The list never shows the link.
      const listed = await by.send('GET', '/v1/team/invites')
      expect(JSON.stringify(listed.body)).not.toContain('token')
      expect(listed.body).toMatchObject({ invites: [{ email_sent: false }] })
      await other.close()
    }
  })

  test('409 conflict for oneself and for members, also for a super-admin', async () => {
    await somebody(app, 'anna', { one: 'viewer' })
    const root = await somebody(app, 'root', {}, { isSuperAdmin: true })
    for (const [email, by] of [
      ['OWNER@people.test', owner],
      ['anna@people.test', owner],
      ['root@people.test', root],
    ] as const) {
      expect(refusal(await invite(email, 'viewer', by))).toEqual([409, 'conflict'])
    }
    expect(app.mails).toEqual([])
  })

  test('409 invite_exists while the first is pending, in this store alone; a new one after its end', async () => {
    const { id } = await invited(app, owner, 'nora@shop.test')
    const again = await invite('NORA@shop.test', 'admin')
    expect(refusal(again)).toEqual([409, 'invite_exists'])
    expect(again.body['details']).toMatchObject({ invite_id: id })
    const other = await somebody(app, 'other', { two: 'owner' })
    const body = { email: 'nora@shop.test', role: 'viewer' }
    expect((await other.send('POST', '/v1/team/invite', body, 'two')).status).toBe(201)
    await owner.send('DELETE', `/v1/team/invites/${id}`)
    expect((await invite('nora@shop.test')).status).toBe(201)
    app.clock.advance(7 * DAY_MS)
    const later = await somebody(app, 'later', { one: 'owner' })
    expect((await invite('nora@shop.test', 'viewer', later)).status).toBe(201)
  })

  test('409 conflict when members and open invitations are 200', async () => {
    // Beside the two owners, and one to be invited.
    insertRows(app, 'users', 197, (n) => ({
      ...{ id: `u${n}`, email: `u${n}@people.test`, name: 'n', password_hash: 'h', created_at: 1 },
    }))
    for (let n = 0; n < 197; n++) addMembership(app, `u${n}`, 'one', 'viewer')
    const { id } = await invited(app, owner, 'last@shop.test')
    const full = await invite('nora@shop.test')
    expect(refusal(full)).toEqual([409, 'conflict'])
    expect(full.body['details']).toMatchObject({ limit: 200 })
    const user = { email: 'nora@shop.test', password: 'seven green bottles', full_name: 'Nora' }
    expect(refusal(await owner.send('POST', '/v1/users', user))).toEqual([409, 'conflict'])
    await owner.send('DELETE', `/v1/team/invites/${id}`)
    expect((await invite('nora@shop.test')).status).toBe(201)
  })

  test.each([
    [{ email: 'nobody', role: 'viewer' }, '/email'],
    [{ email: 'müller@shop.test', role: 'viewer' }, '/email'],
    [{ email: `${'x'.repeat(330)}@shop.test`, role: 'viewer' }, '/email'],
    [{ email: 'nora@shop.test', role: 'root' }, '/role'],
    [{ email: 'nora@shop.test' }, '/role'],
    [{ role: 'viewer' }, '/email'],
  ])('422 for %j', async (body, pointer) => {
    const { status, body: answer } = await owner.send('POST', '/v1/team/invite', body)
    expect([status, answer['error']]).toEqual([422, 'validation_error'])
    expect(answer['details']).toMatchObject({ errors: [{ in: 'body', pointer }] })
  })

  test('429 after five invitations of one address by one store within an hour', async () => {
    for (let n = 0; n < 5; n++) {
      const { id } = await invited(app, owner, 'nora@shop.test')
      await owner.send('DELETE', `/v1/team/invites/${id}`)
    }
    expect(refusal(await invite('nora@shop.test'))).toEqual([429, 'rate_limit_exceeded'])
    expect((await invite('bert@shop.test')).status).toBe(201)
  })

  test('Idempotency-Key: the same answer again, and one mail', async () => {
    const send = (role: string) =>
      app.call('POST', '/v1/team/invite', {
        ...{ token: owner.token, headers: { 'idempotency-key': 'k' } },
        body: { email: 'nora@shop.test', role },
      })
    const [first, again] = [await send('viewer'), await send('viewer')]
    expect([again.status, again.body as object]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(app.mails).toHaveLength(1)
    expect(refusal(await send('admin'))).toEqual([422, 'idempotency_key_reused'])
  })
})

describe('GET and DELETE /v1/team/invites (contract 5.9)', () => {
  test('lists the newest first, with the state of each', async () => {
    const gone = await invited(app, owner, 'gone@shop.test')
    app.clock.advance(7 * DAY_MS)
    owner = await somebody(app, 'owner2', { one: 'owner' })
    const cancelled = await invited(app, owner, 'cancelled@shop.test')
    await owner.send('DELETE', `/v1/team/invites/${cancelled.id}`)
    const accepted = await invited(app, owner, 'accepted@shop.test', 'admin')
    expect((await accept(app, newcomer(accepted.token))).status).toBe(200)
    const pending = await invited(app, owner, 'pending@shop.test')
    const { status, body } = await owner.send('GET', '/v1/team/invites')
    expect([status, body['count']]).toEqual([200, 4])
    const rows = body['invites'] as Record<string, unknown>[]
    expect(Object.fromEntries(rows.map((row) => [row['invite_id'], row['status']]))).toEqual({
      [pending.id]: 'pending',
      [accepted.id]: 'accepted',
      [cancelled.id]: 'cancelled',
      [gone.id]: 'expired',
    })
    expect(rows.find(({ status: state }) => state === 'accepted')).toEqual({
      invite_id: accepted.id,
      email: 'accepted@shop.test',
      role: 'admin',
      status: 'accepted',
      is_existing_user: true,
      created_at: '2030-01-08T00:00:00.000Z',
      expires_at: '2030-01-15T00:00:00.000Z',
      accepted_at: '2030-01-08T00:00:00.000Z',
      email_sent: true,
      invited_by: 'owner2@people.test',
    })
  })

  test('cancels a pending one, and no other: its link ends', async () => {
    const { id, token } = await invited(app, owner, 'nora@shop.test')
    const { status, body } = await owner.send('DELETE', `/v1/team/invites/${id}`)
    expect([status, body as object]).toEqual([200, { status: 'cancelled', invite_id: id }])
    const again = await owner.send('DELETE', `/v1/team/invites/${id}`)
    expect(refusal(again)).toEqual([409, 'conflict'])
    expect(again.body['details']).toMatchObject({ status: 'cancelled' })
    expect((await accept(app, newcomer(token))).body['details']).toMatchObject({ status: 'cancelled' })
    expect(events(app, 'invite.%').map(({ action }) => action)).toEqual([
      'invite.cancelled',
      'invite.created',
    ])
  })

  test('404 for an id that is unknown or of another store', async () => {
    const other = await somebody(app, 'other', { two: 'owner' })
    const { id } = await invited(app, other, 'nora@shop.test', 'viewer', 'two')
    for (const wrong of [id, 'unknown', '%00']) {
      const answer = await owner.send('DELETE', `/v1/team/invites/${wrong}`)
      expect(refusal(answer)).toEqual([404, 'not_found'])
    }
    expect((await owner.send('GET', '/v1/team/invites')).body).toMatchObject({ invites: [], count: 0 })
  })

  test('what ended is forgotten 30 days after it could last be accepted', async () => {
    const { token } = await invited(app, owner, 'nora@shop.test')
    app.clock.advance(37 * DAY_MS - 1)
    await app.tidy()
    expect((await look(app, token)).status).toBe(409)
    app.clock.advance(1)
    await app.tidy()
    expect(refusal(await look(app, token))).toEqual([401, 'unauthorized'])
  })

  test('a store keeps 500 that ended', async () => {
    const ended = { store_id: storeId(app, 'one'), email: 'x@shop.test', role: 'viewer' }
    insertRows(app, 'team_invites', 600, (n) => ({
      ...ended,
      id: `old-${String(n).padStart(3, '0')}`,
      token_hash: hashSecret(`${n}`),
      created_at: 1,
      expires_at: 2,
    }))
    const { id } = await invited(app, owner, 'nora@shop.test')
    const { body } = await owner.send('GET', '/v1/team/invites')
    expect(body['count']).toBe(501)
    expect(await statusOf(id)).toBe('pending')
    expect(await statusOf('old-599')).toBe('expired')
    expect(await statusOf('old-099')).toBe(undefined)
  })
})

describe('an invitation ends with its inviter’s right to invite', () => {
  test.each([
    ['is removed', (id: string) => owner.send('DELETE', `/v1/team/members/${id}`)],
    [
      'is no owner any more',
      (id: string) => owner.send('PATCH', `/v1/team/members/${id}`, { role: 'admin' }),
    ],
  ])('who %s', async (_, change) => {
    const boss = await somebody(app, 'boss', { one: 'owner' })
    const { id, token } = await invited(app, boss, 'friend@shop.test', 'owner')
    expect((await change(boss.id)).status).toBe(200)
    expect(await statusOf(id)).toBe('cancelled')
    const answer = await accept(app, newcomer(token))
    expect([...refusal(answer), answer.body['details']]).toEqual([
      ...[409, 'conflict'],
      expect.objectContaining({ status: 'cancelled' }),
    ])
    // The address can be invited anew, and the old link stays dead when its inviter comes back.
    expect((await invite('friend@shop.test')).status).toBe(201)
    await owner.send('PATCH', `/v1/team/members/${boss.id}`, { role: 'owner' })
    expect(await statusOf(id)).toBe('cancelled')
  })

  test('whose account or membership is gone by any other way', async () => {
    const boss = await somebody(app, 'boss', { one: 'owner' })
    const { id, token } = await invited(app, boss, 'friend@shop.test', 'owner')
    deleteUser(app, boss.id)
    expect(await statusOf(id)).toBe('cancelled')
    expect(refusal(await accept(app, newcomer(token)))).toEqual([409, 'conflict'])
  })
})
