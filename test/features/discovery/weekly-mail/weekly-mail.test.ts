import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Mail } from '../../../../src/platform/mail/mailer.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, refusal } from '../../../support/people.ts'
import { readRows } from '../../../support/seed.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** From the start of a test app's clock, which is a Tuesday. */
const UNTIL_MONDAY = 6 * DAY

let app: TestApp
let token: string
let client: { client_id: string; client_secret: string }

beforeEach(async () => {
  app = testApp()
  const { client_id, client_secret } = await app.store('one')
  client = { client_id, client_secret }
  await signIn()
})
afterEach(() => app.close())

/** A token lives for less than a week. */
async function signIn(): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...client })
  token = String((await app.call('POST', '/oauth/token', { body })).body['access_token'])
}

const call = (method: string, path: string, body?: unknown) => app.call(method, path, { token, body })
const setUp = (settings: object) => call('PATCH', '/v1/store/settings', settings)

/** Searches, clicks and buys in the first week. */
async function useShop(): Promise<void> {
  for (const [id, axis, metadata] of [
    ['mug', 1, { name: 'Red mug' }],
    ['vase', 2, { name: 'Vase <b>', in_stock: false }],
  ] as const) {
    await call('POST', '/v1/products', { product_id: id, image_url: app.picture(id, axis), metadata })
  }
  for (const [query, result_product_id] of [
    ['1', 'mug'],
    ['2', 'vase'],
  ]) {
    const { body } = await call('POST', '/v1/search/text', { query })
    const event = { search_id: body['search_id'], result_product_id }
    await call('POST', '/v1/search/feedback', { ...event, action: 'click' })
    await call('POST', '/v1/search/feedback', {
      ...{ ...event, action: 'purchase', order_id: `order-${query}` },
      ...{ order_value: 1_234.5, currency: 'EUR' },
    })
  }
  for (const query of ['zeppelin', 'your account is locked, see evil.example', '<i>3</i>'])
    await call('POST', '/v1/search/text', { query, threshold: 1 })
}

/** Runs the chores as they run in a service. */
async function sendDue(): Promise<Mail[]> {
  const before = app.mails.length
  await app.chores.find(({ name }) => name === 'sending weekly mails')?.run()
  await app.chores.find(({ name }) => name === 'sending mails')?.run()
  return app.mails.slice(before)
}

const tokenOf = ({ unsubscribeUrl = '' }: Mail): string =>
  new URL(unsubscribeUrl).searchParams.get('token') ?? ''

describe('the weekly mail (contract 5.19)', () => {
  test('says on Monday at 7 what was searched for, once, as text and as a page', async () => {
    await useShop()
    app.clock.advance(UNTIL_MONDAY + 7 * HOUR - 1)
    expect(await sendDue()).toEqual([])
    app.clock.advance(1)
    const [mail, ...others] = await sendDue()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: 'one@shop.test', subject: 'one: 5 searches last week' })
    expect(mail?.text).toContain('Searches: 5 (the week before: 0)')
    expect(mail?.text).toContain('Searches with a click: 2 (the week before: 0)')
    expect(mail?.text).toContain('Revenue: €2,469.00 (orders: 2)')
    expect(mail?.text).toContain('- zeppelin (searches: 1)')
    expect(mail?.text).toContain('Sold out, and wanted\n- Vase <b> (clicks: 1)')
    expect(mail?.text).toContain('http://lookalike.test/one/portal/products')
    expect(mail?.html).toContain('<bdi>Vase &lt;b&gt;</bdi>')
    // A stranger types a text for the owners to read.
    expect(mail?.text).not.toContain('evil.example')
    expect(mail?.html).not.toContain('<i>')
    expect(await sendDue()).toEqual([])
    app.clock.advance(DAY)
    expect(await sendDue()).toEqual([])
  })

  test('comes in the language and in the time zone of the store', async () => {
    await setUp({ locale: 'de-AT', time_zone: 'Pacific/Auckland' })
    await useShop()
    // Monday 7:00 in Auckland is Sunday 18:00 in summer.
    app.clock.advance(UNTIL_MONDAY - 6 * HOUR - 1)
    expect(await sendDue()).toEqual([])
    app.clock.advance(1)
    const [mail] = await sendDue()
    expect(mail?.subject).toBe('one: 5 Suchen in der letzten Woche')
    expect(mail?.html).toContain('<html lang="de">')
    expect(mail?.text).toMatch(/Umsatz: €\s2\.469,00 \(Bestellungen: 2\)/)
  })

  test('is late rather than lost, for two days', async () => {
    await useShop()
    app.clock.advance(UNTIL_MONDAY + DAY)
    expect(await sendDue()).toHaveLength(1)
    app.clock.advance(7 * DAY + 2 * DAY)
    expect(await sendDue()).toEqual([])
  })

  test('is not sent where nobody searched, to a suspended store, or where the store wants none', async () => {
    await app.signIn('quiet')
    const held = await app.signIn('held')
    await app.call('POST', '/v1/search/text', { token: held, body: { query: '1' } })
    await useShop()
    app.db.exec("UPDATE stores SET suspended_at = 1 WHERE slug = 'held'")
    await setUp({ weekly_mail: false })
    app.clock.advance(UNTIL_MONDAY + 8 * HOUR)
    expect(await sendDue()).toEqual([])
  })

  test('needs a mail server or the wish of the store', async () => {
    const without = testApp({ mailer: { isConfigured: false, send: () => Promise.reject(new Error()) } })
    const keys = [await without.signIn('silent'), await without.signIn('eager')]
    for (const token of keys) await without.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    await without.call('PATCH', '/v1/store/settings', { token: keys[1] ?? '', body: { weekly_mail: true } })
    without.clock.advance(UNTIL_MONDAY + 8 * HOUR)
    await without.chores.find(({ name }) => name === 'sending weekly mails')?.run()
    expect(without.install.outbox.list().map(({ recipient }) => recipient)).toEqual(['eager@shop.test'])
    await without.close()
  })

  test.each([[{ weekly_mail: 'yes' }], [{ weekly_mail: 1 }]])('the setting refuses %o', async (settings) => {
    expect(refusal(await setUp(settings))).toEqual([422, 'validation_error'])
  })
})

describe('POST /unsubscribe', () => {
  /** The mails of the first week, to two owners. */
  async function readMails(): Promise<Mail[]> {
    await addPerson(app, 'bert', [{ store: 'one', role: 'owner' }])
    await addPerson(app, 'carl', [{ store: 'one', role: 'admin' }])
    await useShop()
    app.clock.advance(UNTIL_MONDAY + 8 * HOUR)
    return sendDue()
  }
  const recipients = (mails: readonly Mail[]) => mails.map(({ to }) => to).sort()

  test('ends the mails of one owner, by the click of a mail program or of the page, and takes it back', async () => {
    const mails = await readMails()
    expect(recipients(mails)).toEqual(['bert@people.test', 'one@shop.test'])
    const own = mails.find(({ to }) => to === 'bert@people.test') as Mail
    const click = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    const path = new URL(own.unsubscribeUrl ?? '').pathname + new URL(own.unsubscribeUrl ?? '').search
    for (const _ of [1, 2]) {
      const { status, headers, body } = await app.call('POST', path, { body: click })
      expect([status, body, headers.get('cache-control')]).toEqual([
        200,
        { status: 'unsubscribed' },
        'no-store',
      ])
    }
    app.clock.advance(7 * DAY)
    expect(recipients(await sendDue())).toEqual(['one@shop.test'])
    const again = { token: tokenOf(own), wants_mail: true }
    expect((await app.call('POST', '/unsubscribe', { body: again })).body).toEqual({ status: 'subscribed' })
    await signIn()
    await useShop()
    app.clock.advance(7 * DAY)
    expect(recipients(await sendDue())).toEqual(['bert@people.test', 'one@shop.test'])
  })

  test('opening the link ends nothing: programs that look for viruses open it, too', async () => {
    const [mail] = await readMails()
    const path = `/unsubscribe?token=${tokenOf(mail as Mail)}`
    for (const method of ['GET', 'HEAD']) expect((await app.call(method, path)).status).toBe(200)
    expect(readRows(app, 'weekly_mail_leavers', {})).toEqual([])
  })

  test('refuses what is no link of ours, and leaves everything as it is', async () => {
    const [mail] = await readMails()
    const good = tokenOf(mail as Mail)
    const post = (body: unknown, headers = {}) => app.call('POST', '/unsubscribe', { body, headers })
    const changed = good.slice(0, -2) + (good.endsWith('AA') ? 'BB' : 'AA')
    for (const token of [changed, good.slice(0, 40), 'x', '../..'])
      expect(refusal(await post({ token }))).toEqual([401, 'unauthorized'])
    expect(refusal(await post({}))).toEqual([422, 'validation_error'])
    expect(refusal(await post({ token: 'x'.repeat(201) }))).toEqual([422, 'validation_error'])
    expect(refusal(await post('{', { 'content-type': 'application/json' }))).toEqual([400, 'invalid_json'])
    expect(readRows(app, 'weekly_mail_leavers', {})).toEqual([])
  })

  test('a link outlives its person and its store without harm', async () => {
    const mails = await readMails()
    const own = mails.find(({ to }) => to === 'bert@people.test') as Mail
    app.db.exec("DELETE FROM users WHERE email = 'bert@people.test'")
    expect((await app.call('POST', '/unsubscribe', { body: { token: tokenOf(own) } })).status).toBe(200)
    expect(readRows(app, 'weekly_mail_leavers', {})).toEqual([])
  })
})
