import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../../../support/app.ts'
import {
  addPerson,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  type Person,
  refusal,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { makeReadOnly, passwordHash, readAudit } from '../../../support/seed.ts'

const NEW = 'seven green bottles'

let app: TestApp
let anna: Person
let token: string

beforeEach(async () => {
  ;({ app, anna } = await signInWorld([{ store: 'one', role: 'viewer' }]))
  token = await getToken(app, anna)
})
afterEach(() => app.close())

const change = (current_password: unknown, new_password: unknown, of = token) =>
  app.call('POST', '/v1/me/password', { token: of, body: { current_password, new_password } })

const signIn = (password: string) => sendSignIn(app, anna.email, { password }, from(freshAddress()))
const isAlive = async (of: string) => (await app.call('GET', '/v1/me', { token: of })).status === 200

const problems = ({ body }: Answer) =>
  (body['details'] as { errors: { in: string; pointer: string; code: string }[] }).errors

const pointers = (answer: Answer) => problems(answer).map(({ pointer }) => pointer)

describe('POST /v1/me/password (contract 5.5)', () => {
  test('200: the new one works and the old one does not, the other logins end, this one goes on', async () => {
    const others = [await getToken(app, anna), await getToken(app, anna)]
    const bert = await getToken(app, await addPerson(app, 'bert'))
    const answer = await change(PASSWORD, NEW)
    expect([answer.status, answer.body as unknown]).toEqual([
      200,
      { status: 'password_changed', sessions_ended: 2 },
    ])
    expect([await isAlive(token), await isAlive(bert)]).toEqual([true, true])
    for (const other of others) {
      expect(await isAlive(other)).toBe(false)
      expect((await app.call('POST', '/oauth/refresh', { token: other })).status).toBe(401)
    }
    expect(refusal(await signIn(PASSWORD))).toEqual([401, 'unauthorized'])
    expect((await signIn(NEW)).status).toBe(200)
    expect((await app.call('POST', '/oauth/refresh', { token })).status).toBe(200)
  })

  test('the new one is kept as a hash of its own, and nowhere else', async () => {
    const hashOf = () => passwordHash(app, anna.id)
    const before = hashOf()
    const answer = await change(PASSWORD, NEW)
    expect(hashOf()).toStartWith('$argon2id$')
    expect(hashOf()).not.toBe(before)
    expect(JSON.stringify(answer.body)).not.toContain(NEW)
    const logged = readAudit(app)
    expect(JSON.stringify(logged)).not.toContain(NEW)
  })

  test('422 at /current_password for a wrong one: nothing changes', async () => {
    const other = await getToken(app, anna)
    const answer = await change('another password', NEW)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(problems(answer)).toMatchObject([{ in: 'body', pointer: '/current_password' }])
    expect(JSON.stringify(answer.body)).not.toMatch(/another password|seven green/)
    expect(await isAlive(other)).toBe(true)
    expect((await signIn(PASSWORD)).status).toBe(200)
  })

  test.each([
    ['too short', 'nine char'],
    ['too long', 'q'.repeat(1_025)],
    ['far too long', 'q'.repeat(10_000)],
    ['one that everybody tries', 'password123'],
    ['one letter over and over', 'aaaaaaaaaaaa'],
    ['the e-mail address', 'anna@people.test'],
  ])('422 at /new_password for one that is %s: nothing changes', async (_, weak) => {
    const answer = await change(PASSWORD, weak)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(pointers(answer)).toEqual(['/new_password'])
    expect(JSON.stringify(answer.body)).not.toContain(weak)
    expect((await signIn(PASSWORD)).status).toBe(200)
  })

  test('password links that were requested before it stop working', async () => {
    await app.call('POST', '/oauth/password/forgot', { body: { email: anna.email } })
    await app.settle()
    const link = /token=([\w-]+)/.exec(app.mails.at(-1)?.text ?? '')?.[1]
    expect((await change(PASSWORD, NEW)).status).toBe(200)
    const body = { token: link, password: 'ten green bottles' }
    expect(refusal(await app.call('POST', '/oauth/password/reset', { body }))).toEqual([401, 'unauthorized'])
    expect((await signIn(NEW)).status).toBe(200)
  })

  test('of two changes at once exactly one happens', async () => {
    const answers = await Promise.all([change(PASSWORD, NEW), change(PASSWORD, 'ten green bottles')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    const winner = answers[0]?.status === 200 ? NEW : 'ten green bottles'
    expect((await signIn(winner)).status).toBe(200)
  })

  test('a session that was ended meanwhile changes nothing any more', async () => {
    // The hashes before it keep the change waiting, while the session ends.
    const busy = Array.from({ length: 50 }, () => app.passwords.hash('x'))
    const other = await getToken(app, anna)
    const pending = change(PASSWORD, NEW)
    await app.call('DELETE', '/v1/me/sessions', { token: other })
    const { status } = await pending
    await Promise.all(busy)
    expect((await signIn(PASSWORD)).status).toBe(status === 200 ? 401 : 200)
    expect([status, await isAlive(token)]).not.toEqual([200, false])
  })
})

describe('guesses of the current password', () => {
  test('are limited like failed logins: after five 429 too_many_requests, for the right one too', async () => {
    for (let n = 0; n < 5; n++) expect((await change('another password', NEW)).status).toBe(422)
    const answer = await change(PASSWORD, NEW)
    expect(refusal(answer)).toEqual([429, 'too_many_requests'])
    expect(answer.body['details']).toEqual({ retry_after: 900 })
    expect(answer.headers.get('retry-after')).toBe('900')
    app.clock.advance(900_000)
    expect((await change(PASSWORD, NEW)).status).toBe(200)
  })

  test('and failed logins are counted separately: a stranger’s guesses do not block a change of password, nor the reverse', async () => {
    for (let n = 0; n < 5; n++) await signIn('another password')
    expect(refusal(await signIn(PASSWORD))).toEqual([429, 'too_many_requests'])
    expect((await change(PASSWORD, NEW)).status).toBe(200)
    app.clock.advance(900_000)
    for (let n = 0; n < 5; n++) await change('another password', PASSWORD)
    expect((await signIn(NEW)).status).toBe(200)
  })

  test('are limited even while the database cannot be written; a weak new password is refused before the present one is checked', async () => {
    const mend = makeReadOnly(app)
    const [wrong, right] = [await change('another password', 'short'), await change(PASSWORD, 'short')]
    expect(pointers(wrong)).toEqual(['/new_password'])
    expect(pointers(right)).toEqual(['/new_password'])
    expect((await change(PASSWORD, NEW)).status).toBe(503)
    for (let n = 0; n < 5; n++) expect((await change('another password', NEW)).status).toBe(422)
    const refused = [await change('another password', NEW), await change(PASSWORD, NEW)]
    mend()
    expect(refused.map(refusal)).toEqual(Array(2).fill([429, 'too_many_requests']))
  })

  test('of 20 at once exactly five are looked at', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => change('another password', NEW)))
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  test('a weak new password is no guess', async () => {
    for (let n = 0; n < 8; n++) expect((await change(PASSWORD, 'password123')).status).toBe(422)
    expect((await change(PASSWORD, NEW)).status).toBe(200)
  })

  test('another person is not affected', async () => {
    const bert = await getToken(app, await addPerson(app, 'bert'))
    for (let n = 0; n < 6; n++) await change('another password', NEW)
    expect((await change(PASSWORD, NEW, bert)).status).toBe(200)
  })
})

describe('who may not, and bodies that are wrong', () => {
  test('401 for nobody before the body is read; 403 permission_denied for a machine grant and an API key', async () => {
    const body = { current_password: PASSWORD, new_password: NEW }
    expect(refusal(await app.call('POST', '/v1/me/password', { body: '{' }))).toEqual([401, 'unauthorized'])
    const machine = await app.signIn('two')
    const made = await app.call('POST', '/v1/security/api-keys', {
      token: machine,
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    for (const other of [machine, String(made.body['key'])]) {
      const answer = await app.call('POST', '/v1/me/password', { token: other, body })
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
    }
  })

  test.each<[object, string[]]>([
    [{}, ['/current_password', '/new_password']],
    [{ current_password: PASSWORD }, ['/new_password']],
    [{ new_password: NEW }, ['/current_password']],
    [{ current_password: '', new_password: NEW }, ['/current_password']],
    [{ current_password: 1, new_password: null }, ['/current_password', '/new_password']],
    [{ current_password: 'q'.repeat(1_025), new_password: NEW }, ['/current_password']],
  ])('422 for %j with the pointers %j', async (body, expected) => {
    const answer = await app.call('POST', '/v1/me/password', { token, body })
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(pointers(answer).sort()).toEqual(expected)
  })

  test('400 invalid_json, 415 for a form, 413 above 1 MiB', async () => {
    const send = (body: string, type: string) =>
      app.call('POST', '/v1/me/password', { token, body, headers: { 'content-type': type } })
    expect(refusal(await send('{', 'application/json'))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('a=b', 'application/x-www-form-urlencoded'))).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(refusal(await send(`"${'x'.repeat(1_048_577)}"`, 'application/json'))).toEqual([
      413,
      'payload_too_large',
    ])
  })
})
