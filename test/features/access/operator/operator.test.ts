import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const PASSWORD = 'a long password'
const HOUR_MS = 3_600_000
const BODY = { client_name: 'Anna’s shop', email: 'anna@shop.test', password: PASSWORD }

async function registered(body: object = {}): Promise<void> {
  const { status } = await app.call('POST', '/register', { body: { ...BODY, ...body } })
  expect(status).toBe(202)
}

const sendSignIn = async (password = PASSWORD) => {
  const { status } = await app.call('POST', '/oauth/login', { body: { email: BODY.email, password } })
  return status
}

const rows = (table: string) => readRows(app, table) as Record<string, unknown>[]

describe('user verify', () => {
  /** What an operator is told who has to choose. */
  const refused = (choice?: { store?: string; id?: string }): string => {
    try {
      app.accounts.verify(BODY.email, choice)
    } catch (error) {
      if (error instanceof OperatorError && error.exitCode === 1) return error.message
      throw error
    }
    throw new Error('It was not refused')
  }
  const idOf = (storeName: string) =>
    String(rows('registrations').find(({ store_name }) => store_name === storeName)?.['id']).slice(-8)

  /** An owner's registration, then a stranger's. */
  async function both(): Promise<void> {
    await registered()
    app.clock.advance(61_000)
    await registered({ client_name: 'Stranger', password: 'the stranger’s password' })
  }

  test('activates the open registration of an address when there is one', async () => {
    await registered()
    expect(app.accounts.verify(' ANNA@shop.test')).toMatchObject({ status: 'verified', slug: 'anna-s-shop' })
    expect(await sendSignIn()).toBe(200)
  })

  test('of several activates none without a choice, and lists them', async () => {
    await both()
    expect(refused()).toBe(
      `anna@shop.test has 2 open registrations. Ask the person which one to activate, and choose it with --id or --store:
  ${idOf('Anna’s shop')}  2030-01-01 00:00:00 UTC  "Anna’s shop"
  ${idOf('Stranger')}  2030-01-01 00:01:01 UTC  "Stranger"`,
    )
    for (const table of ['users', 'stores']) expect(rows(table)).toEqual([])
  })

  test('activates the chosen one, and the password of that one signs in', async () => {
    await both()
    expect(app.accounts.verify(BODY.email, { store: 'Anna’s shop' }).slug).toBe('anna-s-shop')
    expect(await sendSignIn()).toBe(200)
    expect(await sendSignIn('the stranger’s password')).toBe(401)
  })

  test('takes the end of an id or all of it', async () => {
    await both()
    const id = idOf('Anna’s shop')
    expect(() => app.accounts.verify(BODY.email, { id: id.slice(1) })).toThrow('8 characters')
    expect(refused({ id: 'ffffffff' })).toStartWith('No open registration of anna@shop.test matches')
    expect(refused({ id, store: 'Stranger' })).toStartWith('No open registration of anna@shop.test matches')
    expect(app.accounts.verify(BODY.email, { id: id.toUpperCase() }).slug).toBe('anna-s-shop')
  })

  test('activates none when the choice fits several, or not the only one', async () => {
    await registered()
    expect(refused({ store: 'Stranger' })).toContain('"Anna’s shop"')
    await registered()
    expect(refused({ store: 'Anna’s shop' })).toStartWith(
      '2 of the open registrations of anna@shop.test match',
    )
    expect(rows('users')).toEqual([])
  })

  test('is told why an address cannot be activated', async () => {
    expect(() => app.accounts.verify('anna')).toThrow('must be a mail address')
    expect(() => app.accounts.verify('anna@shop.test')).toThrow('has not registered in the last 24 hours')
    await registered()
    app.clock.advance(24 * HOUR_MS)
    expect(() => app.accounts.verify('anna@shop.test')).toThrow('has not registered')
    await registered()
    app.accounts.verify('anna@shop.test')
    expect(() => app.accounts.verify('anna@shop.test')).toThrow('already has an account')
    await expect(app.accounts.invite('anna@shop.test')).rejects.toThrow('already has an account')
  })
})

describe('user verify, of an account', () => {
  test('lets an account that nobody has proven count as proven', async () => {
    await registered()
    app.accounts.verify(BODY.email)
    app.db.prepare('UPDATE users SET proven_at = NULL').run()
    expect(app.accounts.vouch(BODY.email, {})).toBeUndefined()
    expect(rows('users')).toMatchObject([{ proven_at: expect.any(Number) }])
    expect(() => app.accounts.vouch(BODY.email, {})).toThrow('already has an account')
  })

  test('activates a registration', async () => {
    await registered()
    expect(app.accounts.vouch(BODY.email, {})).toBe('anna-s-shop')
  })
})

describe('user super-admin and user delete', () => {
  const OTHER = { client_name: 'Other', email: 'bert@shop.test' }

  beforeEach(async () => {
    await registered()
    app.accounts.verify(BODY.email)
    await registered(OTHER)
    app.accounts.verify(OTHER.email)
    app.db.prepare('UPDATE users SET is_super_admin = 0').run()
  })

  test('gives the right, tells the person by mail, and the last one keeps it', () => {
    expect(app.accounts.setSuperAdminAtCommandLine(BODY.email, true)).toBe(true)
    expect(app.accounts.setSuperAdminAtCommandLine(BODY.email, true)).toBe(false)
    expect(() => app.accounts.setSuperAdminAtCommandLine(BODY.email, false)).toThrow('only super-admin')
    app.accounts.setSuperAdminAtCommandLine(OTHER.email, true)
    expect(app.accounts.setSuperAdminAtCommandLine(BODY.email, false)).toBe(true)
    expect(rows('users').map(({ email, is_super_admin }) => [email, is_super_admin])).toEqual([
      [BODY.email, 0],
      [OTHER.email, 1],
    ])
    expect(
      rows('audit_events').filter(({ action }) => action === 'account.super_admin_changed'),
    ).toHaveLength(3)
  })

  test('refuses an account that nobody has proven, and an address without one', () => {
    app.db.prepare('UPDATE users SET proven_at = NULL').run()
    expect(() => app.accounts.setSuperAdminAtCommandLine(BODY.email, true)).toThrow(
      'lookalike user verify EMAIL',
    )
    expect(() => app.accounts.setSuperAdminAtCommandLine('nobody@shop.test', true)).toThrow('has no account')
    expect(() => app.accounts.deleteAccount('nobody@shop.test', 'nobody@shop.test')).toThrow('has no account')
  })

  test('deletes an account once no store needs it, and its address may register again', async () => {
    const remove = (confirm: string = OTHER.email) => app.accounts.deleteAccount(OTHER.email, confirm)
    expect(() => remove(BODY.email)).toThrow('--confirm')
    expect(() => remove()).toThrow('only owner of other')
    app.accounts.setSuperAdminAtCommandLine(OTHER.email, true)
    expect(() => remove()).toThrow('take that right away first')
    app.accounts.setSuperAdminAtCommandLine(BODY.email, true)
    app.accounts.setSuperAdminAtCommandLine(OTHER.email, false)
    app.db
      .prepare("UPDATE memberships SET role = 'admin' WHERE user_id = (SELECT id FROM users WHERE email = ?)")
      .run(OTHER.email)
    expect(remove()).toEqual({ status: 'deleted', sessions_ended: 0, stores_left: 1 })
    expect(rows('users').map(({ email }) => email)).toEqual([BODY.email])
    await registered(OTHER)
  })
})
