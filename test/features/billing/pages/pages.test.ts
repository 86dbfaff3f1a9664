import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  proxiedApp,
  refusal,
} from '../../../support/people.ts'
import { countRows, readAudit, updateRows, userId } from '../../../support/seed.ts'

let app: TestApp
let token: string
let path: string
let id: string

beforeEach(async () => {
  app = proxiedApp()
  await app.store('one', 'free')
  token = await getToken(app, await addPerson(app, 'olga', [{ store: 'one', role: 'owner' }]))
  await addPerson(app, 'sam', [], { isSuperAdmin: true })
  await start('premium')
})
afterEach(() => app.close())

async function start(plan_name: string): Promise<void> {
  const { body } = await app.call('POST', '/v1/billing/checkout', { token, body: { plan_name } })
  id = String(body['session_id'])
  path = new URL(String(body['checkout_url'])).pathname
}

const SAM = { email: 'sam@people.test', password: PASSWORD }
const confirm = (body: object, at = path, address = freshAddress()) =>
  app.call('POST', at, { body, headers: from(address) })
const open = async (at: string) => {
  const { status, headers, body } = await app.call('GET', at, { headers: { accept: 'text/html' } })
  return { status, headers, text: String(body['text']) }
}
const planOf = () => app.stores.requireBySlug('one').plan
const sessionsOf = (email: string) => countRows(app, 'sessions', { user_id: userId(app, email) })

describe('the page of a checkout', () => {
  test('says what was asked for, and by whom it is confirmed', async () => {
    const { status, headers, text } = await open(path)
    expect(status).toBe(200)
    for (const part of [
      'A store asks for another plan',
      '<code>one</code>',
      '99.99 USD',
      `lookalike billing confirm ${id}`,
    ])
      expect(text).toContain(part)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-security-policy')).toContain("form-action 'none'")
    expect(text).not.toMatch(/<script>|style=|onclick/)
  })

  test('escapes the name of the store', async () => {
    updateRows(app, 'stores', { name: '<script>alert(1)</script>' })
    expect((await open(path)).text).toContain('&lt;script&gt;')
  })

  test.each([
    ['another code', () => `${path.slice(0, -3)}AAA`],
    ['the code of another checkout', () => path.replace(/[0-9a-f]{4}\./, '0000.')],
    ['the id alone', () => path.replace(/\..*/, '')],
    ['nonsense', () => '/billing/checkout/x'],
  ])('404 for %s, as a page and for the confirmation', async (_words, at) => {
    expect((await open(at())).status).toBe(404)
    expect((await open(at())).text).toContain('This link does not work')
    expect(refusal(await confirm(SAM, at()))).toEqual([404, 'not_found'])
    expect(planOf()).toBe('free')
  })

  test('shows every state', async () => {
    const old = path
    await start('basic')
    expect((await open(old)).text).toContain('This request was replaced')
    await confirm(SAM)
    expect((await open(path)).text).toContain('The plan is changed')
    await start('enterprise')
    app.clock.advance(7 * 86_400_000)
    const { text } = await open(path)
    expect(text).toContain('This request has expired')
    expect(text).not.toContain('<form')
  })

  test('warns of a plan that holds less than the store has', async () => {
    app.setPlan('one', 'enterprise')
    updateRows(app, 'stores', { product_count: 6000 })
    await start('basic')
    expect((await open(path)).text).toContain('The store has 6,000 products and the plan basic holds 5,000.')
  })
})

describe('POST /billing/checkout/{token}', () => {
  test('a super-admin confirms with the password, and stays signed in nowhere', async () => {
    const answer = await confirm({ ...SAM, is_paid: true })
    expect([answer.status, answer.body as object]).toEqual([
      200,
      {
        status: 'completed',
        plan_name: 'premium',
        invoice_number: '2030-0001',
        invoice_url: expect.stringContaining('http://lookalike.test/billing/invoices/'),
      },
    ])
    expect([planOf(), sessionsOf('sam@people.test')]).toEqual(['premium', 0])
    expect(readAudit(app, 'billing.checkout_confirmed')).toMatchObject([
      { actor_kind: 'person', user_id: userId(app, 'sam@people.test') },
    ])
  })

  test('again answers that it was confirmed before; several at a time confirm once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => confirm(SAM)))
    expect(answers.map(({ body }) => body['status']).sort()).toEqual([
      'already_completed',
      'already_completed',
      'completed',
    ])
    expect(countRows(app, 'invoices')).toBe(1)
  })

  test('needs the code of a super-admin who has a second factor', async () => {
    const { code, recoveryCodes } = await enableTwoFactor(app, await getToken(app, SAM))
    app.clock.advance(60_000)
    expect(refusal(await confirm(SAM))).toEqual([401, 'requires_2fa'])
    expect(refusal(await confirm({ ...SAM, totp_code: '000000' }))).toEqual([401, 'invalid_2fa'])
    const both = { ...SAM, totp_code: code(), recovery_code: recoveryCodes[0] }
    expect(refusal(await confirm(both))).toEqual([400, 'credential_ambiguous'])
    expect((await confirm({ ...SAM, totp_code: code() })).body).toMatchObject({ status: 'completed' })
    await start('basic')
    expect((await confirm({ ...SAM, recovery_code: recoveryCodes[0] })).body).toMatchObject({
      status: 'completed',
    })
  })

  test('403 for the store’s own owner, which stands in the audit log of the store', async () => {
    const answer = await confirm({ email: 'olga@people.test', password: PASSWORD })
    expect([...refusal(answer), answer.body['details']]).toEqual([
      403,
      'permission_denied',
      { required: 'super_admin' },
    ])
    expect(planOf()).toBe('free')
    expect(sessionsOf('olga@people.test')).toBe(1)
    expect(readAudit(app, 'billing.confirmation_refused')).toMatchObject([{ store_id: expect.any(String) }])
  })

  test('401 for a wrong password; five lock the address out here and at the sign-in', async () => {
    const wrong = { ...SAM, password: 'wrong password' }
    for (let n = 0; n < 5; n++) expect(refusal(await confirm(wrong))).toEqual([401, 'unauthorized'])
    expect(refusal(await confirm(SAM))).toEqual([429, 'too_many_requests'])
    const login = await app.call('POST', '/oauth/login', { body: SAM, headers: from(freshAddress()) })
    expect(refusal(login)).toEqual([429, 'too_many_requests'])
    expect(planOf()).toBe('free')
  })

  test('429 for too many tries from one address, before the body is read', async () => {
    const address = freshAddress()
    const nobody = (n: number) => ({ email: `n${n}@people.test`, password: 'x' })
    for (let n = 0; n < 10; n++) await confirm(nobody(n), path, address)
    expect(refusal(await confirm(SAM, path, address))).toEqual([429, 'rate_limit_exceeded'])
  })

  test('403 account_not_verified for a registration that waits for its link', async () => {
    const body = { client_name: 'Two', email: 'new@people.test', password: 'seven green bottles' }
    await app.call('POST', '/register', { body, headers: from(freshAddress()) })
    const answer = await confirm({ email: body.email, password: body.password })
    expect(refusal(answer)).toEqual([403, 'account_not_verified'])
  })

  test('409 for a request that has expired or was replaced, before a code is used up', async () => {
    const { code } = await enableTwoFactor(app, await getToken(app, SAM))
    app.clock.advance(60_000)
    const old = path
    await start('basic')
    const totp_code = code()
    expect(refusal(await confirm({ ...SAM, totp_code }, old))).toEqual([409, 'conflict'])
    expect((await confirm({ ...SAM, totp_code })).status).toBe(200)
    token = await getToken(app, { email: 'olga@people.test' })
    await start('enterprise')
    app.clock.advance(7 * 86_400_000)
    expect(refusal(await confirm({ ...SAM, totp_code: code() }))).toEqual([409, 'conflict'])
  })

  test('refuses a form of another page, a long body, and what is no sign-in', async () => {
    const form = await app.call('POST', path, {
      body: new URLSearchParams(SAM),
      headers: from(freshAddress()),
    })
    expect(refusal(form)).toEqual([415, 'unsupported_media_type'])
    expect(refusal(await confirm({ ...SAM, note: 'x'.repeat(17_000) }))).toEqual([413, 'payload_too_large'])
    expect(refusal(await confirm({ email: SAM.email }))).toEqual([422, 'validation_error'])
    expect(refusal(await confirm({ ...SAM, is_paid: 'yes' }))).toEqual([422, 'validation_error'])
  })

  test('a super-admin who owns the store is the operator, and may confirm', async () => {
    const answer = await confirm({ email: 'one@shop.test', password: PASSWORD })
    expect(answer.body).toMatchObject({ status: 'completed' })
  })
})

describe('the page of an invoice', () => {
  const invoicePath = async () => {
    const { body } = await confirm(SAM)
    return new URL(String(body['invoice_url'])).pathname
  }

  test('shows what is owed, to whom and for what', async () => {
    const { status, text } = await open(await invoicePath())
    expect(status).toBe(200)
    for (const part of [
      'Invoice 2030-0001',
      'To be paid',
      'plan premium',
      '99.99 USD',
      '2030-01-01 to 2030-02-01',
      'The operator of http://lookalike.test',
    ])
      expect(text).toContain(part)
  })

  test('is gone after a week, and for a link that was changed', async () => {
    const at = await invoicePath()
    for (const wrong of [
      `${at.slice(0, -3)}AAA`,
      at.replace(/\.\d+\./, '.9999999999999.'),
      '/billing/invoices/x',
    ])
      expect([wrong, (await open(wrong)).status]).toEqual([wrong, 404])
    app.clock.advance(7 * 86_400_000)
    const { status, text } = await open(at)
    expect(status).toBe(404)
    expect(text).toContain('This link has expired')
  })
})

test('the page of the plans lists every plan', async () => {
  const { status, text } = await open('/billing/plans')
  expect(status).toBe(200)
  for (const part of ['free', '29.99 USD', '50,000', 'unlimited', '10 GB']) expect(text).toContain(part)
})
