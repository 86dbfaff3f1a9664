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
  proxiedApp,
  refusal,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { countRows, readAudit, readColumn, readRows, setEmail } from '../../../support/seed.ts'
import { HTML } from '../registration/registering.ts'

const NEW = 'anna@new.test'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let app: TestApp
let anna: Person
let token: string

beforeEach(async () => {
  ;({ app, anna } = await signInWorld([{ store: 'one', role: 'viewer' }]))
  token = await getToken(app, anna)
})
afterEach(() => app.close())

const ask = (email: unknown = NEW, more: object = {}, as = token) =>
  app.call('POST', '/v1/me/email', { token: as, body: { email, password: PASSWORD, ...more } })
const read = async () => (await app.call('GET', '/v1/me/email', { token })).body
const approve = (of: unknown) =>
  app.call('POST', '/verify/email/approve', { body: { token: of }, headers: from(freshAddress()) })
const confirm = (of: unknown, password: unknown = PASSWORD) =>
  app.call('POST', '/verify/email', { body: { token: of, password }, headers: from(freshAddress()) })
const mailsTo = (to: string) => app.mails.filter((mail) => mail.to === to)
const tokenIn = (text = '') => /#token=([\w-]+)/.exec(text)?.[1] ?? 'no link was mailed'
/** The tokens of the last request: for the present address and for the new one. */
const mailed = (to = NEW) => ({
  approval: tokenIn(mailsTo(anna.email).at(-1)?.text),
  confirmation: tokenIn(mailsTo(to).at(-1)?.text),
})
const emailOf = (id = anna.id) => readColumn(app, 'users', 'email', { id })[0]
const isAlive = async (of: string) => (await app.call('GET', '/v1/me', { token: of })).status === 200
const signIn = (email: string, more: object = {}) => sendSignIn(app, email, { ...more }, from(freshAddress()))
const actions = () => readAudit(app).map(({ action }) => action)
const pointers = ({ body }: Answer) =>
  (body['details'] as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => [
    pointer,
    code,
  ])

describe('POST /v1/me/email (contract 5.12)', () => {
  test('202: a link to each address, and nothing changes yet', async () => {
    const answer = await ask(' ANNA@new.TEST ')
    expect([answer.status, answer.body as unknown]).toEqual([
      202,
      {
        status: 'confirmation_required',
        message: expect.stringContaining('We sent a mail to each of the two addresses'),
        email_sent: true,
        expires_at: '2030-01-02T00:00:00.000Z',
      },
    ])
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [anna.email, 'Approve your new e-mail address'],
      [NEW, 'Confirm your new e-mail address'],
    ])
    expect(mailsTo(anna.email)[0]?.text).toContain(NEW)
    expect(mailsTo(NEW)[0]?.text).not.toContain(anna.email)
    expect(emailOf()).toBe(anna.email)
    expect(await read()).toEqual({
      email: anna.email,
      pending: {
        ...{ new_email: NEW, approved: false, confirmed: false },
        ...{ requested_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-02T00:00:00.000Z' },
      },
    })
    expect(actions()).toContain('account.email_change_requested')
    const rows = JSON.stringify(readRows(app, 'audit_events'))
    expect(rows).not.toContain(NEW)
  })

  test('an address with an account gets the same answer, and its owner a notice without a link', async () => {
    const bert = await addPerson(app, 'bert')
    const answers = [await ask(NEW), await ask(bert.email)]
    expect(answers[1]).toMatchObject({ status: 202, body: answers[0]?.body })
    expect(Object.keys(answers[1]?.body ?? {})).toEqual(Object.keys(answers[0]?.body ?? {}))
    const [notice] = mailsTo(bert.email)
    expect(notice?.subject).toBe('You already have an account with this address')
    expect(notice?.text).not.toMatch(/#token=/)
    // Whoever asks learns nothing by approving either.
    const { approval } = mailed()
    expect((await approve(approval)).body).toEqual({ status: 'waiting' })
    expect(await read()).toMatchObject({ pending: { approved: true, confirmed: false } })
    expect([emailOf(), emailOf(bert.id)]).toEqual([anna.email, bert.email])
  })

  test('without a mail server the request waits, and the outbox has the links', async () => {
    const mute = proxiedApp({ mailer: { isConfigured: false, send: async () => undefined } })
    await mute.store('one')
    const carl = await addPerson(mute, 'carl')
    const as = await getToken(mute, carl)
    const { body } = await mute.call('POST', '/v1/me/email', {
      token: as,
      body: { email: NEW, password: PASSWORD },
    })
    expect([body['email_sent'], body['message']]).toEqual([false, expect.stringContaining('the operator')])
    expect(mute.outbox.list().map(({ recipient, text }) => [recipient, tokenIn(text ?? '').length])).toEqual([
      [carl.email, 43],
      [NEW, 43],
    ])
    await mute.close()
  })

  test('a new request takes the place of the one before, whose links end', async () => {
    await ask('first@new.test')
    const first = mailed('first@new.test')
    await ask(NEW)
    expect(refusal(await approve(first.approval))).toEqual([401, 'unauthorized'])
    expect(refusal(await confirm(first.confirmation))).toEqual([401, 'unauthorized'])
    expect(await read()).toMatchObject({ pending: { new_email: NEW } })
  })

  test.each([
    ['no address', { email: undefined }, [['/email', 'required']]],
    ['a number', { email: 7 }, [['/email', 'type']]],
    ['no @', { email: 'anna' }, [['/email', 'pattern']]],
    ['letters that imitate others', { email: 'аnna@new.test' }, [['/email', 'pattern']]],
    ['the present address', { email: 'Anna@People.test' }, [['/email', 'same']]],
    ['a wrong password', { password: 'another password' }, [['/password', 'wrong']]],
    ['no password', { password: undefined }, [['/password', 'required']]],
    ['a code that is none', { totp_code: '12345' }, [['/totp_code', 'pattern']]],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await ask(NEW, body)
    expect([answer.status, pointers(answer)]).toEqual([422, expected])
    expect([app.mails, (await read())['pending']]).toEqual([[], null])
  })

  test('429 too_many_requests after five wrong passwords, also for the right one, for a quarter of an hour', async () => {
    for (let n = 0; n < 5; n++) expect((await ask(NEW, { password: 'wrong password' })).status).toBe(422)
    expect(refusal(await ask())).toEqual([429, 'too_many_requests'])
    // The same budget as for a new password.
    const body = { current_password: PASSWORD, new_password: 'seven green bottles' }
    expect(refusal(await app.call('POST', '/v1/me/password', { token, body }))).toEqual([
      429,
      'too_many_requests',
    ])
    app.clock.advance(15 * 60_000)
    expect((await ask()).status).toBe(202)
  })

  test('429 rate_limit_exceeded: five requests of one person in an hour, and five that name one address', async () => {
    for (let n = 0; n < 5; n++) expect((await ask(`n${n}@new.test`)).status).toBe(202)
    expect(refusal(await ask())).toEqual([429, 'rate_limit_exceeded'])
    const others = await Promise.all(
      ['b', 'c', 'd', 'e', 'f', 'g'].map(async (name) => getToken(app, await addPerson(app, name))),
    )
    const statuses: number[] = []
    for (const other of others) statuses.push((await ask(NEW, {}, other)).status)
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
    app.clock.advance(HOUR_MS - 1)
    expect((await ask('later@new.test')).status).toBe(429)
  })

  test('with a second factor: 401 without and with a wrong code, and a right one works once', async () => {
    const authenticator = await enableTwoFactor(app, token)
    expect(refusal(await ask())).toEqual([401, 'requires_2fa'])
    expect(refusal(await ask(NEW, { totp_code: authenticator.code(5) }))).toEqual([401, 'invalid_2fa'])
    const both = { totp_code: authenticator.code(1), recovery_code: authenticator.recoveryCodes[0] }
    expect(refusal(await ask(NEW, both))).toEqual([400, 'credential_ambiguous'])
    // A refusal by the work itself uses up no code.
    const code = authenticator.code(1)
    expect(pointers(await ask(anna.email, { totp_code: code }))).toEqual([['/email', 'same']])
    expect((await ask(NEW, { totp_code: code })).status).toBe(202)
    expect(refusal(await ask(NEW, { totp_code: code }))).toEqual([401, 'invalid_2fa'])
    expect((await ask(NEW, { recovery_code: authenticator.recoveryCodes[0] })).status).toBe(202)
  })

  test('five wrong codes lock, and the tenth in all warns the person', async () => {
    await enableTwoFactor(app, token)
    for (let n = 0; n < 5; n++) expect((await ask(NEW, { totp_code: '000000' })).status).toBe(401)
    expect(refusal(await ask(NEW, { totp_code: '000000' }))).toEqual([429, 'too_many_requests'])
    app.clock.advance(30 * 60_000)
    for (let n = 0; n < 5; n++) await ask(NEW, { totp_code: '000000' })
    await app.settle()
    expect(mailsTo(anna.email).map(({ subject }) => subject)).toEqual(['Someone knows your password'])
  })

  test('400, 413 and 415', async () => {
    const send = (body: string, type = 'application/json') =>
      app.call('POST', '/v1/me/email', { token, body, headers: { 'content-type': type } })
    expect(refusal(await send('{'))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('email=a', 'text/plain'))).toEqual([415, 'unsupported_media_type'])
    expect(refusal(await send(' '.repeat(1024 * 1024 + 1)))).toEqual([413, 'payload_too_large'])
  })
})

describe('the two links (contract 5.12)', () => {
  test.each(['approval first', 'confirmation first'])(
    'both, %s: the address changes with the second',
    async (order) => {
      const other = await getToken(app, anna)
      await ask()
      const { approval, confirmation } = mailed()
      const steps = [() => approve(approval), () => confirm(confirmation)]
      if (order === 'confirmation first') steps.reverse()
      const [first, second] = [await steps[0]?.(), await steps[1]?.()]
      expect([first?.status, first?.body]).toEqual([200, { status: 'waiting' }])
      expect([second?.status, second?.body]).toEqual([200, { status: 'email_changed' }])
      expect(emailOf()).toBe(NEW)
      expect([await isAlive(token), await isAlive(other)]).toEqual([true, false])
      expect([(await signIn(anna.email)).status, (await signIn(NEW)).status]).toEqual([401, 200])
      expect(await read()).toEqual({ email: NEW, pending: null })
      await app.settle()
      const notice = mailsTo(anna.email).at(-1)
      expect([notice?.subject, notice?.text.includes(NEW)]).toEqual(['Your e-mail address has changed', true])
      expect(actions()).toContain('account.email_changed')
      // Both links are used up.
      expect([(await approve(approval)).status, (await confirm(confirmation)).status]).toEqual([401, 401])
    },
  )

  test('an unproven address is proven afterwards: the mailbox and the password were shown together', async () => {
    const provenAt = () => readColumn(app, 'users', 'proven_at', { id: anna.id })[0]
    expect(provenAt()).toBeNull()
    await ask()
    await approve(mailed().approval)
    await confirm(mailed().confirmation)
    expect(provenAt()).toBe(app.clock.now())
  })

  test('the sign-in that asked may have ended: then every sign-in ends', async () => {
    const other = await getToken(app, anna)
    await ask(NEW, {}, other)
    await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: other }) })
    await approve(mailed().approval)
    await confirm(mailed().confirmation)
    expect([await isAlive(token), await isAlive(other)]).toEqual([false, false])
  })

  test('links for a new password to the former address end', async () => {
    await app.call('POST', '/oauth/password/forgot', { body: { email: anna.email } })
    await app.settle()
    const reset = tokenIn(mailsTo(anna.email).at(-1)?.text)
    await ask()
    await approve(mailed().approval)
    await confirm(mailed().confirmation)
    const body = { token: reset, password: 'seven green bottles' }
    expect(refusal(await app.call('POST', '/oauth/password/reset', { body }))).toEqual([401, 'unauthorized'])
  })

  test('the log keeps no former address', async () => {
    const { client_name, email, password } = {
      client_name: 'Two',
      email: 'carl@two.test',
      password: PASSWORD,
    }
    await app.call('POST', '/register', { body: { client_name, email, password } })
    const verification = tokenIn(mailsTo(email).at(-1)?.text)
    await app.call('POST', '/verify', { body: { token: verification, password } })
    const as = await getToken(app, { email })
    await ask(NEW, {}, as)
    await approve(tokenIn(mailsTo(email).findLast(({ subject }) => subject.startsWith('Approve'))?.text))
    await confirm(mailed().confirmation)
    const events = readAudit(app, 'account.verified')
    expect(events.map(({ details, user_id }) => [details, user_id])).toEqual([
      [{ proven: true, email_of: events[0]?.user_id }, expect.any(String)],
    ])
    expect(JSON.stringify(readRows(app, 'audit_events'))).not.toContain(email)
    // The used link of the registration tells nothing any more.
    expect((await app.call('GET', `/verify?token=${verification}`)).status).toBe(401)
  })

  test.each([
    ['the moment before 24 hours are over', DAY_MS - 1, 200],
    ['after 24 hours', DAY_MS, 401],
  ])('%s', async (_, age, status) => {
    await ask()
    const { approval, confirmation } = mailed()
    app.clock.advance(age)
    expect([(await approve(approval)).status, (await confirm(confirmation)).status]).toEqual([status, status])
    expect(emailOf()).toBe(status === 200 ? NEW : anna.email)
    await app.tidy()
    expect(countRows(app, 'email_changes')).toBe(0)
  })

  test('401 with the same words for a wrong password and for a link that does not exist', async () => {
    await ask()
    const { approval, confirmation } = mailed()
    const wrong = await confirm(confirmation, 'another password')
    const none = await confirm('nothing')
    expect([refusal(wrong), wrong.body]).toEqual([[401, 'unauthorized'], none.body])
    // The one for the present address is no confirmation, and the other one no approval.
    expect((await confirm(approval)).body).toEqual(none.body)
    expect((await approve(confirmation)).status).toBe(401)
    expect((await confirm(confirmation)).status).toBe(200)
  })

  test('the fifth wrong password ends the link for the new address, also many at once', async () => {
    await ask()
    const { approval, confirmation } = mailed()
    await Promise.all(Array.from({ length: 8 }, () => confirm(confirmation, 'another password')))
    expect(readColumn(app, 'email_changes', 'wrong_passwords')[0]).toBe(5)
    expect((await confirm(confirmation)).status).toBe(401)
    await approve(approval)
    expect(emailOf()).toBe(anna.email)
  })

  test('409 if somebody gets an account with the address meanwhile: nothing changes, and the request is gone', async () => {
    await ask()
    const { approval, confirmation } = mailed()
    await approve(approval)
    await addPerson(app, 'bert')
    setEmail(app, 'bert@people.test', NEW)
    expect(refusal(await confirm(confirmation))).toEqual([409, 'conflict'])
    expect([emailOf(), (await read())['pending']]).toEqual([anna.email, null])
    expect(refusal(await confirm(confirmation))).toEqual([401, 'unauthorized'])
  })

  test('409 also for the present address, if the new one had been confirmed before', async () => {
    await ask()
    const { approval, confirmation } = mailed()
    await confirm(confirmation)
    await addPerson(app, 'bert')
    setEmail(app, 'bert@people.test', NEW)
    expect(refusal(await approve(approval))).toEqual([409, 'conflict'])
    expect(emailOf()).toBe(anna.email)
  })

  test('of two people who want one address, the first gets it', async () => {
    const bert = await addPerson(app, 'bert')
    const ofBert = await getToken(app, bert)
    await ask()
    const one = mailed()
    await ask(NEW, {}, ofBert)
    const other = {
      approval: tokenIn(mailsTo(bert.email).at(-1)?.text),
      confirmation: tokenIn(mailsTo(NEW).at(-1)?.text),
    }
    await Promise.all([approve(one.approval), approve(other.approval)])
    const answers = await Promise.all([confirm(one.confirmation), confirm(other.confirmation)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect([emailOf(), emailOf(bert.id)].filter((email) => email === NEW)).toHaveLength(1)
  })

  test.each(['/verify/email', '/verify/email/approve'])('%s: 422, 413, 415, and the page', async (path) => {
    const send = (body: unknown, headers: Record<string, string> = {}) =>
      app.call('POST', path, { body, headers: { ...from(freshAddress()), ...headers } })
    expect(pointers(await send({}))[0]).toEqual(['/token', 'required'])
    expect(refusal(await send('{', { 'content-type': 'application/json' }))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('x', { 'content-type': 'text/plain' }))).toEqual([
      415,
      'unsupported_media_type',
    ])
    const big = { token: 'x', password: 'x'.repeat(20_000) }
    expect(refusal(await send(big))).toEqual([413, 'payload_too_large'])
    const page = await app.http.handle(new Request(`http://lookalike.test${path}`, { headers: HTML }))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await page.text()).toContain('id="portal"')
  })

  test('429: ten tries a minute from one network address', async () => {
    const headers = from(freshAddress())
    const send = () => app.call('POST', '/verify/email/approve', { body: { token: 'x' }, headers })
    for (let n = 0; n < 10; n++) expect((await send()).status).toBe(401)
    expect(refusal(await send())).toEqual([429, 'rate_limit_exceeded'])
  })
})

describe('cancelling (contract 5.12)', () => {
  const cancel = () => app.call('DELETE', '/v1/me/email', { token })

  test('both links end; again it is harmless', async () => {
    await ask()
    const { approval, confirmation } = mailed()
    expect((await cancel()).body).toEqual({ status: 'cancelled', cancelled: true })
    expect([(await approve(approval)).status, (await confirm(confirmation)).status]).toEqual([401, 401])
    expect((await cancel()).body).toEqual({ status: 'cancelled', cancelled: false })
    expect(actions().filter((action) => action === 'account.email_change_cancelled')).toHaveLength(1)
  })

  test('a new password cancels it, changed or set by a link', async () => {
    await ask()
    const first = mailed()
    const body = { current_password: PASSWORD, new_password: 'seven green bottles' }
    expect((await app.call('POST', '/v1/me/password', { token, body })).status).toBe(200)
    expect((await approve(first.approval)).status).toBe(401)
    await ask(NEW, { password: 'seven green bottles' })
    const second = mailed()
    await app.accounts.resetPassword(anna.email, PASSWORD)
    expect((await approve(second.approval)).status).toBe(401)
    expect((await confirm(second.confirmation)).status).toBe(401)
  })
})
