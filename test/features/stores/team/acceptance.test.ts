import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  enableTwoFactor,
  freshAddress,
  from,
  PASSWORD,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'
import { readRows, removeMembership, setEmail, updateRows } from '../../../support/seed.ts'
import {
  accept,
  afterAnswers,
  DAY_MS,
  events,
  invited,
  look,
  membershipsOf,
  NEW_PASSWORD,
  newcomer,
  type Somebody,
  somebody,
  tokenOf,
} from './team.ts'

let app: TestApp
let owner: Somebody

beforeEach(async () => {
  app = proxiedApp()
  for (const name of ['one', 'two']) await app.store(name)
  owner = await somebody(app, 'owner', { one: 'owner' })
})
afterEach(() => app.close())

const NORA = 'nora@shop.test'
const login = async (email: string, password: string) =>
  (await sendSignIn(app, email, { password }, from(freshAddress()))).status
const passwordOf = (email: string) =>
  readRows(app, 'users', { email }, ['password_hash', 'name', 'proven_at'])[0]

describe('POST /v1/team/invites/look (contract 5.9)', () => {
  test('shows what a link offers, and changes nothing', async () => {
    const { id, token } = await invited(app, owner, NORA, 'developer')
    for (let n = 0; n < 2; n++) {
      const { status, headers, body } = await look(app, token)
      expect([status, body as object]).toEqual([
        200,
        {
          status: 'pending',
          invite_id: id,
          ...{ email: NORA, role: 'developer', slug: 'one', store_name: 'one', is_existing_user: false },
          invited_by: owner.email,
          expires_at: '2030-01-08T00:00:00.000Z',
        },
      ])
      expect(headers.get('cache-control')).toBe('no-store')
    }
    expect(membershipsOf(app, NORA)).toEqual({})
  })

  test('401 for a token that nobody has, 422 without one, 413 for a body beyond 16 KiB', async () => {
    expect(refusal(await look(app, 'unknown'))).toEqual([401, 'unauthorized'])
    for (const path of ['look', 'accept']) {
      const send = (body: unknown) =>
        app.call('POST', `/v1/team/invites/${path}`, { body, headers: from(freshAddress()) })
      expect(refusal(await send({}))).toEqual([422, 'validation_error'])
      expect(refusal(await send({ token: 'x'.repeat(201) }))).toEqual([422, 'validation_error'])
      expect(refusal(await send({ token: 'x', more: 'x'.repeat(20_000) }))).toEqual([
        413,
        'payload_too_large',
      ])
      expect(refusal(await send('{'))[0]).toBe(415)
    }
  })

  test('429 after ten requests from one address in a minute', async () => {
    const send = () =>
      app.call('POST', '/v1/team/invites/accept', { body: { token: 'x' }, headers: from('192.0.2.1') })
    for (let n = 0; n < 10; n++) expect((await send()).status).toBe(401)
    expect(refusal(await send())).toEqual([429, 'rate_limit_exceeded'])
  })
})

describe('POST /v1/team/invites/accept (contract 5.9)', () => {
  test('makes an account with name, password and membership together, which is proven', async () => {
    const { id, token } = await invited(app, owner, NORA, 'admin')
    const { status, body } = await accept(app, newcomer(token))
    expect([status, body as object]).toEqual([
      200,
      {
        status: 'accepted',
        invite_id: id,
        user_id: expect.any(String),
        ...{ email: NORA, role: 'admin', slug: 'one', store_name: 'one', is_existing_user: false },
        redirect: '/one/portal',
      },
    ])
    expect(membershipsOf(app, NORA)).toEqual({ one: 'admin' })
    expect(passwordOf(NORA)).toMatchObject({ name: 'Nora New', proven_at: app.clock.now() })
    expect(await login(NORA, NEW_PASSWORD)).toBe(200)
    expect(events(app, 'invite.accepted')).toEqual([
      {
        ...{ action: 'invite.accepted', actor_kind: 'anyone', user_id: expect.any(String) },
        details: { invite_id: id, email: NORA, role: 'admin', existing_user: false },
      },
    ])
  })

  test('adds a membership to an existing account, whose name, password and second factor stay', async () => {
    const anna = await somebody(app, 'anna', { two: 'owner' })
    await enableTwoFactor(app, anna.token)
    const before = passwordOf(anna.email)
    const { token } = await invited(app, owner, anna.email, 'viewer')
    const { status, body } = await accept(app, newcomer(token))
    expect([status, body['is_existing_user']]).toEqual([200, true])
    expect(membershipsOf(app, anna.email)).toEqual({ one: 'viewer', two: 'owner' })
    expect(passwordOf(anna.email)).toEqual(before)
    expect(await login(anna.email, NEW_PASSWORD)).toBe(401)
    const signIn = await sendSignIn(app, anna.email, { password: PASSWORD }, from(freshAddress()))
    expect(refusal(signIn)).toEqual([401, 'requires_2fa'])
    // Her present sign-in has the store at once, and now must say for which one she acts.
    expect((await anna.send('GET', '/v1/products')).status).toBe(200)
    const unnamed = await app.call('GET', '/v1/products', { token: anna.token })
    expect(refusal(unnamed)).toEqual([401, 'active_tenant_required'])
  })

  test('works once: of two at a time exactly one wins, for a new account and for an old one', async () => {
    const anna = await somebody(app, 'anna', { two: 'owner' })
    for (const email of [NORA, anna.email]) {
      const { token } = await invited(app, owner, email)
      const answers = await Promise.all([accept(app, newcomer(token)), accept(app, newcomer(token))])
      const [won, lost] = answers.sort((a, b) => a.status - b.status)
      expect([won?.status, lost?.status]).toEqual([200, 409])
      expect(lost?.body['details']).toMatchObject({ status: 'accepted' })
      expect(membershipsOf(app, email)['one']).toBe('viewer')
    }
  })

  test('of an acceptance and a cancellation at a time exactly one wins', async () => {
    const { id, token } = await invited(app, owner, NORA)
    const [accepted, cancelled] = await Promise.all([
      accept(app, newcomer(token)),
      owner.send('DELETE', `/v1/team/invites/${id}`),
    ])
    expect([accepted.status, cancelled.status].sort()).toEqual([200, 409])
    expect(Object.keys(membershipsOf(app, NORA))).toHaveLength(accepted.status === 200 ? 1 : 0)
  })

  test('two stores that invite one new address at a time get one account', async () => {
    const other = await somebody(app, 'other', { two: 'owner' })
    const [one, two] = [await invited(app, owner, NORA), await invited(app, other, NORA, 'admin', 'two')]
    const answers = await Promise.all([accept(app, newcomer(one.token)), accept(app, newcomer(two.token))])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers.map(({ body }) => body['is_existing_user']).sort()).toEqual([false, true])
    expect(membershipsOf(app, NORA)).toEqual({ one: 'viewer', two: 'admin' })
  })

  test.each([
    [{}, ['/full_name', '/password']],
    [{ full_name: 'Nora' }, ['/password']],
    [{ password: NEW_PASSWORD }, ['/full_name']],
    [{ full_name: '  ', password: NEW_PASSWORD }, ['/full_name']],
    [{ full_name: 'No\u0000ra', password: NEW_PASSWORD }, ['/full_name']],
    [{ full_name: 'x'.repeat(101), password: NEW_PASSWORD }, ['/full_name']],
    [{ full_name: 'Nora', password: 'short' }, ['/password']],
    [{ full_name: 'Nora', password: 'password123' }, ['/password']],
    [{ full_name: 'Nora', password: 'nora@shop.test' }, ['/password']],
  ])('422 for a new account with %j; the link stays', async (more, pointers) => {
    const { token } = await invited(app, owner, NORA)
    const { status, body } = await accept(app, { token, ...more })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    const { errors } = body['details'] as { errors: { pointer: string }[] }
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers)
    expect((await accept(app, newcomer(token))).status).toBe(200)
  })

  test('409 for a member, who came in by another way', async () => {
    const { token } = await invited(app, owner, NORA)
    const nora = await somebody(app, 'nora', { one: 'viewer' })
    setEmail(app, nora.id, NORA)
    expect(refusal(await accept(app, { token }))).toEqual([409, 'conflict'])
    expect(membershipsOf(app, NORA)).toEqual({ one: 'viewer' })
  })
})

describe('the states of an invitation, walked with a moved clock', () => {
  const WALKS: Record<string, ('accept' | 'cancel' | 'wait')[]> = {
    pending: [],
    accepted: ['accept'],
    cancelled: ['cancel'],
    expired: ['wait'],
    'accepted, whatever follows': ['accept', 'wait', 'cancel'],
    'cancelled, whatever follows': ['cancel', 'wait', 'accept'],
    'expired, whatever follows': ['wait', 'cancel', 'accept'],
  }

  test.each(Object.entries(WALKS))('%s', async (name, steps) => {
    const { id, token } = await invited(app, owner, NORA)
    // A moment before its end it still works.
    app.clock.advance(7 * DAY_MS - 1)
    owner = await somebody(app, 'owner2', { one: 'owner' })
    updateRows(app, 'team_invites', { invited_by: owner.id })
    for (const step of steps) {
      if (step === 'accept') await accept(app, newcomer(token))
      if (step === 'cancel') await owner.send('DELETE', `/v1/team/invites/${id}`)
      if (step === 'wait') app.clock.advance(1)
    }
    const state = name.split(',')[0] as string
    const { body: list } = await owner.send('GET', '/v1/team/invites')
    expect(list).toMatchObject({ invites: [{ invite_id: id, status: state }] })
    const seen = await look(app, token)
    if (state === 'pending') expect([seen.status, seen.body['status']]).toEqual([200, 'pending'])
    else {
      for (const answer of [seen, await accept(app, newcomer(token))]) {
        expect([...refusal(answer), answer.body['details']]).toEqual([
          ...[409, 'conflict'],
          expect.objectContaining({ status: state }),
        ])
      }
    }
    expect(membershipsOf(app, NORA)).toEqual(state === 'accepted' ? { one: 'viewer' } : {})
  })
})

describe('an account whose mailbox nobody has proven', () => {
  /** Asks for a new password as the person in front of the mailbox does. */
  async function resetByMail(email: string) {
    await afterAnswers(app)
    const mail = app.mails.findLast(({ to, subject }) => to === email && subject === 'Choose a new password')
    const token = tokenOf(mail?.text.match(/\S+#token=\S+/)?.[0])
    const answer = await app.call('POST', '/oauth/password/reset', {
      body: { token, password: NEW_PASSWORD },
    })
    expect(answer.status).toBe(200)
  }

  async function byProgram(email: string): Promise<void> {
    const body = { client_name: 'Theirs', email, password: 'a long evil password' }
    await app.call('POST', '/register', { body, headers: from(freshAddress()) })
    const token = tokenOf(app.mails.at(-1)?.text.match(/\S+\/verify#token=\S+/)?.[0])
    expect((await app.call('GET', `/verify?token=${token}`)).status).toBe(200)
  }

  async function byOwnerOfTwo(email: string): Promise<void> {
    const other = await somebody(app, 'other', { two: 'owner' })
    const body = { email, full_name: 'Nora', password: 'a long evil password' }
    expect((await other.send('POST', '/v1/users', body, 'two')).status).toBe(201)
  }

  /** The link did not go by mail: whoever invites sees it, and takes it. */
  async function byInviterOfTwo(email: string): Promise<void> {
    const { id, token } = await invited(
      app,
      await somebody(app, 'other', { two: 'owner' }),
      email,
      'admin',
      'two',
    )
    updateRows(app, 'team_invites', { email_sent: 0, is_proof: 0 }, { id })
    const body = { token, full_name: 'Not Nora', password: 'a long evil password' }
    expect((await accept(app, body)).status).toBe(200)
  }

  test.each([
    ['opened by a program', byProgram],
    ['made by an owner', byOwnerOfTwo],
    ['made by a link that its inviter saw, where mails are sent', byInviterOfTwo],
  ])('%s: joins only after its owner has set a new password by mail', async (_, open) => {
    await open(NORA)
    expect(await login(NORA, 'a long evil password')).toBe(200)
    const { token } = await invited(app, owner, NORA, 'owner')
    const before = membershipsOf(app, NORA)
    const refused = await accept(app, { token, full_name: 'Nora', password: NEW_PASSWORD })
    expect(refusal(refused)).toEqual([403, 'account_not_verified'])
    expect(refused.body['details']).toMatchObject({ required: 'password_reset', email_sent: true })
    expect(membershipsOf(app, NORA)).toEqual(before)
    await resetByMail(NORA)
    expect((await accept(app, { token })).status).toBe(200)
    expect(membershipsOf(app, NORA)).toEqual({ ...before, one: 'owner' })
    expect(await login(NORA, 'a long evil password')).toBe(401)
    expect(await login(NORA, NEW_PASSWORD)).toBe(200)
  })

  test('also when it belongs to no store any more', async () => {
    await byOwnerOfTwo(NORA)
    removeMembership(app, NORA)
    const { token } = await invited(app, owner, NORA)
    expect(refusal(await accept(app, { token }))).toEqual([403, 'account_not_verified'])
  })

  test('counts as proven without a mail server: there the person who invites vouches', async () => {
    const other = proxiedApp({ mailer: { isConfigured: false, send: async () => undefined } })
    for (const name of ['one', 'two']) await other.store(name)
    const both = await somebody(other, 'both', { one: 'owner', two: 'owner' })
    for (const [store, role] of [
      ['one', 'admin'],
      ['two', 'viewer'],
    ]) {
      const { body } = await both.send('POST', '/v1/team/invite', { email: NORA, role }, store)
      expect((await accept(other, newcomer(tokenOf(body['accept_url'])))).status).toBe(200)
    }
    expect(membershipsOf(other, NORA)).toEqual({ one: 'admin', two: 'viewer' })
    await other.close()
  })

  test('a person learns by mail that a link joined a store with their account which did not come by mail', async () => {
    const anna = await somebody(app, 'anna', { two: 'owner' })
    const { id, token } = await invited(app, owner, anna.email)
    updateRows(app, 'team_invites', { email_sent: 0 }, { id })
    await accept(app, { token })
    await afterAnswers(app)
    expect(app.mails.at(-1)).toMatchObject({
      to: anna.email,
      subject: 'You are now a member of the store one',
    })
  })
})
