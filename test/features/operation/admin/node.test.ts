import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listSettings, loadConfig } from '../../../../src/config.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person, refusal } from '../../../support/people.ts'

let app: TestApp
let admin: Person
let root: string
let isMailBroken: boolean

beforeEach(async () => {
  isMailBroken = true
  app = testApp({
    mailer: {
      isConfigured: true,
      send: async () => {
        if (isMailBroken) throw Object.assign(new Error('550 no such mailbox'), { reason: 'refused' })
      },
    },
  })
  await app.signIn('one', 'basic')
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
})
afterEach(() => app.close())

const call = (method: string, path: string, token = root) => app.call(method, `/v1/admin${path}`, { token })
const storeId = () => app.stores.requireBySlug('one').id

test('the plans are those of the register, with the stores on each', async () => {
  await app.store('two', 'basic')
  const { body } = await call('GET', '/plans')
  const plans = body['plans'] as Record<string, unknown>[]
  expect(
    plans.map(({ plan_name, price_per_month, max_products, stores }) => [
      plan_name,
      price_per_month,
      max_products,
      stores,
    ]),
  ).toEqual([
    ['free', 0, 50, 0],
    ['basic', 29.99, 5000, 2],
    ['premium', 99.99, 50_000, 0],
    ['enterprise', 299.99, null, 0],
  ])
})

describe('the outbox', () => {
  const write = (to: string) =>
    app.services.outbox.post({ to, subject: 'Choose a new password', text: 'https://x/#token=secret' })

  test('lists the mails that wait, without their texts', async () => {
    for (const to of ['a@shop.test', 'b@shop.test', 'c@shop.test']) await write(to)
    const first = (await call('GET', '/outbox?limit=2')).body
    expect(first).toMatchObject({ count: 2, waiting: 3, is_configured: true })
    expect((first['mails'] as object[])[0]).toEqual({
      ...{ id: expect.any(String), recipient: 'c@shop.test', subject: 'Choose a new password', attempts: 1 },
      ...{ created_at: '2030-01-01T00:00:00.000Z', next_attempt_at: '2030-01-01T00:01:00.000Z' },
      last_error: '550 no such mailbox',
    })
    expect(JSON.stringify(first)).not.toContain('secret')
    const next = (await call('GET', `/outbox?limit=2&cursor=${first['next_cursor']}`)).body
    expect(next).toMatchObject({ mails: [{ recipient: 'a@shop.test' }], next_cursor: null })
  })

  test('sends a mail again, now', async () => {
    await write('a@shop.test')
    const [mail] = (await call('GET', '/outbox')).body['mails'] as { id: string }[]
    const resend = () => call('POST', `/outbox/${mail?.id}/resend`)
    expect((await resend()).body).toEqual({ status: 'waiting', last_error: '550 no such mailbox' })
    isMailBroken = false
    expect((await resend()).body).toEqual({ status: 'delivered', last_error: null })
    expect(refusal(await resend())).toEqual([404, 'not_found'])
    const { body } = await call('GET', '/audit?action=mail.resent')
    expect((body['events'] as { actor: object; details: object }[])[0]).toMatchObject({
      actor: { kind: 'person', id: admin.id },
      details: { mail_id: mail?.id ?? '', sent: true, by_super_admin: true },
    })
  })

  test.each([
    ['/outbox?limit=0', 422, 'validation_error'],
    ['/outbox?cursor=x', 400, 'invalid_cursor'],
  ])('refuses %s', async (path, status, code) => {
    expect(refusal(await call('GET', path))).toEqual([status, code])
  })
})

test('health tells readiness, waiting work and disk', async () => {
  await app.store('two')
  app.stores.suspend(storeId(), 'Unpaid', null)
  const { status, body } = await call('GET', '/health')
  expect(status).toBe(200)
  expect(body).toEqual({
    status: 'ready',
    checks: {
      ...{ database: { ok: true }, vectors: { ok: true }, model: { ok: true }, disk: { ok: true } },
      backup: { ok: true },
    },
    ...{ version: expect.any(String), schema: expect.any(Number), uptime_seconds: 0 },
    memory_bytes: expect.any(Number),
    disk: { free_share: 0.5, database_bytes: expect.any(Number) },
    stores: { active: 1, suspended: 1, deletion_planned: 0 },
    jobs: { running: 0, items_waiting: 0 },
    webhooks: { backlog: 0 },
    mails: { waiting: 1, is_configured: true },
  })
})

describe('the settings', () => {
  const ENV = {
    JWT_SECRET: 'canary-canary-canary-canary-canary',
    SMTP_URL: 'smtps://canary:p@canary@mail.test:465',
    MAIL_FROM: 'shop@shop.test',
    PORT: '9000',
  }

  test('are shown with their sources, and no secret among them', async () => {
    const flags = { 'log-level': 'silent' }
    const env = { ...ENV, REGISTRATION_FILE: '/run/registration' }
    const config = loadConfig(env, flags, () => 'invite')
    const own = testApp({
      db: app.db,
      clock: app.clock,
      ids: app.ids,
      settings: listSettings(config, env, flags),
    })
    const { body } = await own.call('GET', '/v1/admin/settings', { token: root })
    expect(JSON.stringify(body)).not.toContain('canary')
    const settings = body['settings'] as { name: string; value: unknown; source: string }[]
    const shown = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]))
    expect(shown).toMatchObject({
      JWT_SECRET: [null, 'environment'],
      SMTP_URL: ['smtps://***@mail.test:465', 'environment'],
      REGISTRATION: ['invite', 'file'],
      LOG_LEVEL: ['silent', 'flag'],
      PORT: [9000, 'environment'],
      HOST: ['127.0.0.1', 'default'],
      MODEL_DIR: ['', 'default'],
    })
  })

  test('a secret that is not set shows as empty', () => {
    const shown = listSettings(loadConfig({})).find(({ name }) => name === 'JWT_SECRET')
    expect(shown).toEqual({ name: 'JWT_SECRET', value: '', source: 'default' })
  })
})

describe('the log of the node', () => {
  test('holds what concerns no store, by action and by person', async () => {
    app.stores.suspend(storeId(), 'Unpaid', null)
    const read = async (query: string) =>
      ((await call('GET', `/audit${query}`)).body['events'] as { action: string }[]).map(
        ({ action }) => action,
      )
    expect(await read('')).toEqual(['login.succeeded'])
    expect(await read('?action=login.succeeded')).toEqual(['login.succeeded'])
    expect(await read('?action=login.failed')).toEqual([])
    expect(await read(`?user_id=${admin.id}`)).toEqual(['login.succeeded'])
    expect(await read('?user_id=nobody')).toEqual([])
    expect(await read(`?store_id=${storeId()}`)).toEqual([
      'store.suspended',
      'store.plan_changed',
      'store.created',
    ])
    expect(await read(`?store_id=${storeId()}&action=store.created`)).toEqual(['store.created'])
  })

  test('is read page by page', async () => {
    await getToken(app, admin)
    const first = (await call('GET', '/audit?limit=1')).body
    const next = (await call('GET', `/audit?limit=1&cursor=${first['next_cursor']}`)).body
    expect([first['count'], next['count'], next['next_cursor']]).toEqual([1, 1, null])
  })

  test.each([
    ['/audit?limit=0', 422, 'validation_error'],
    ['/audit?action=nothing', 422, 'validation_error'],
    ['/audit?cursor=x', 400, 'invalid_cursor'],
  ])('refuses %s', async (path, status, code) => {
    expect(refusal(await call('GET', path))).toEqual([status, code])
  })
})

test.each(['plans', 'outbox', 'health', 'settings', 'audit', 'stores', 'users', 'registrations'])(
  'GET /v1/admin/%s is not for an owner',
  async (path) => {
    const owner = await getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
    expect(refusal(await call('GET', `/${path}`, owner))).toEqual([403, 'permission_denied'])
  },
)
