import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../../../support/app.ts'
import { freshAddress, from, proxiedApp, refusal, sendSignIn } from '../../../support/people.ts'
import { passwordHash, readColumn, readRows } from '../../../support/seed.ts'
import {
  afterAnswers,
  events,
  invited,
  membershipsOf,
  NEW_PASSWORD,
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

const NORA = { email: 'nora@shop.test', password: NEW_PASSWORD, full_name: 'Nora New' }
const create = (more: object = {}, by = owner) => by.send('POST', '/v1/users', { ...NORA, ...more })

describe('POST /v1/users (contract 5.10)', () => {
  test('201: an account for a viewer, who can sign in and counts as not proven', async () => {
    const { status, body } = await create({ email: 'Nora@Shop.test' })
    expect([status, body as object]).toEqual([
      201,
      {
        id: expect.any(String),
        ...{ email: NORA.email, full_name: NORA.full_name, role: 'viewer', groups: [] },
        two_factor_enabled: false,
        last_login_at: null,
        created_at: '2030-01-01T00:00:00.000Z',
      },
    ])
    expect(membershipsOf(app, NORA.email)).toEqual({ one: 'viewer' })
    const signedIn = await sendSignIn(app, NORA.email, { password: NEW_PASSWORD }, from(freshAddress()))
    expect(signedIn.body['redirect']).toBe('/one/portal')
    expect(readColumn(app, 'users', 'proven_at', { email: NORA.email })).toEqual([null])
    expect(events(app, 'member.%')).toEqual([
      {
        ...{ action: 'member.added', actor_kind: 'person', user_id: owner.id },
        details: { id: body['id'], email: NORA.email, role: 'viewer', group_ids: [] },
      },
    ])
  })

  test('takes a role and groups', async () => {
    const made = await owner.send('POST', '/v1/user-groups', { name: 'Readers', permission_names: [] })
    const id = String(made.body['id'])
    const { status, body } = await create({ role: 'developer', group_ids: [id] })
    expect([status, body['role'], body['groups'] as unknown]).toEqual([
      201,
      'developer',
      [{ id, name: 'Readers' }],
    ])
  })

  test('its owner gets a mail with a link that makes the account their own', async () => {
    await create()
    await afterAnswers(app)
    const mail = app.mails.at(-1)
    expect(mail).toMatchObject({ to: NORA.email, subject: 'An account was opened for you' })
    expect(mail?.text).toContain('owner@people.test opened an account')
    expect(mail?.text).not.toContain(NEW_PASSWORD)
    const token = tokenOf(mail?.text.match(/\S+\/oauth\/password\/reset#token=\S+/)?.[0])
    const body = { token, password: 'a password of my own' }
    expect((await app.call('POST', '/oauth/password/reset', { body })).status).toBe(200)
    expect(readColumn(app, 'users', 'proven_at', { email: NORA.email })).toEqual([app.clock.now()])
    expect(membershipsOf(app, NORA.email)).toEqual({ one: 'viewer' })
  })

  test('409 for an address with an account: no password is set, no membership added; also twice at a time', async () => {
    const anna = await somebody(app, 'anna', { two: 'owner' })
    const hashOf = () => passwordHash(app, anna.id)
    const before = hashOf()
    expect(refusal(await create({ email: 'ANNA@people.test' }))).toEqual([409, 'conflict'])
    expect(hashOf()).toEqual(before)
    expect(membershipsOf(app, anna.email)).toEqual({ two: 'owner' })
    const answers = await Promise.all([create(), create()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('409 invite_exists for an address with a pending invitation', async () => {
    await invited(app, owner, NORA.email)
    expect(refusal(await create())).toEqual([409, 'invite_exists'])
  })

  test.each([
    [{ role: 'owner' }, ['/role']],
    [{ role: 'root' }, ['/role']],
    [{ email: 'nobody' }, ['/email']],
    [{ email: 'müller@shop.test', password: 'password123' }, ['/email', '/password']],
    [{ full_name: '' }, ['/full_name']],
    [{ full_name: undefined, password: undefined }, ['/password', '/full_name']],
    [{ password: 'nora@shop.test' }, ['/password']],
    [{ group_ids: ['unknown'] }, ['/group_ids/0']],
  ])('422 for %j, and no account', async (more, pointers) => {
    const { status, body } = await create(more)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    const { errors } = body['details'] as { errors: { pointer: string }[] }
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers)
    expect(membershipsOf(app, NORA.email)).toEqual({})
    expect(JSON.stringify(body)).not.toContain(NEW_PASSWORD)
  })

  test('403 for an admin and everybody below, 201 for a super-admin', async () => {
    for (const role of ['admin', 'developer', 'viewer'] as const) {
      const answer = await create({}, await somebody(app, role, { one: role }))
      expect([...refusal(answer), answer.body['details']]).toEqual([
        ...[403, 'permission_denied'],
        expect.objectContaining({ required: 'team:invite' }),
      ])
    }
    const root = await somebody(app, 'root', {}, { isSuperAdmin: true })
    expect((await create({}, root)).status).toBe(201)
  })

  test('nothing of a password is kept for a repeated request', async () => {
    await app.call('POST', '/v1/users', {
      token: owner.token,
      body: NORA,
      headers: { 'idempotency-key': 'k' },
    })
    expect(readRows(app, 'idempotency_keys')).toEqual([])
  })
})

describe('below /v1/users/ (contract 5.10)', () => {
  const gone = ({ status, body }: Answer) => [status, body['error'], body['replacement']]
  const GONE = [410, 'gone', '/v1/team/members/{id}']

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s answers 410', async (method) => {
    for (const path of ['/v1/users/1', '/v1/users/1/roles', '/v1/users/permissions?x=1']) {
      expect(gone(await owner.send(method, path))).toEqual(GONE)
    }
  })

  test('with a body of any kind, for every credential, and 401 without one', async () => {
    const { client_id, client_secret } = await app.store('three')
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const { body } = await app.call('POST', '/oauth/token', { body: form })
    const token = String(body['access_token'])
    expect(gone(await app.call('PATCH', '/v1/users/1', { token, body: '{' }))).toEqual(GONE)
    expect(gone(await app.call('PUT', '/v1/users/1', { token, body: { role: 'owner' } }))).toEqual(GONE)
    expect(refusal(await app.call('GET', '/v1/users/1'))).toEqual([401, 'unauthorized'])
    const head = await app.http.handle(
      new Request('http://lookalike.test/v1/users/1', {
        method: 'HEAD',
        headers: { authorization: `Bearer ${token}` },
      }),
    )
    expect(head.status).toBe(410)
  })

  test('the list itself is an array, with a slash at its end or without', async () => {
    for (const path of ['/v1/users', '/v1/users/']) {
      const { status, body } = await owner.send('GET', path)
      expect([status, Array.isArray(body)]).toEqual([200, true])
    }
    const answer = await owner.send('DELETE', '/v1/users')
    expect([...refusal(answer), answer.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, POST',
    ])
  })
})
