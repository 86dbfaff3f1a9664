import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readColumn, readRows } from '../../../support/seed.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const PASSWORD = 'a long password'

const setup = (email: string, storeName: string, slug?: string, password = PASSWORD) =>
  app.setup.run({ email, password, storeName, slug })

/** Sets up a store whose name another one may have. */
const another = (email: string, storeName: string) =>
  app.setup.run({ email, password: PASSWORD, storeName, isAnother: true })

interface UserRow {
  id: string
  email: string
  name: string
  password_hash: string
  is_super_admin: number
  verified_at: number | null
}

const users = () => readRows<UserRow>(app, 'users')

async function refused(work: Promise<unknown>, words: string) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect((error as Error).message).toContain(words)
}

describe('setup (contract 8.6): the first store', () => {
  test('its owner is a verified super-admin, later ones are plain; every store is on the enterprise plan', async () => {
    const [first, second] = [await setup('a@shop.test', 'First'), await setup('b@shop.test', 'Second')]
    expect(app.stores.requireBySlug('first')).toEqual({
      id: first.store_id,
      slug: 'first',
      name: 'First',
      plan: 'enterprise',
      suspendedAt: null,
    })
    expect(app.stores.requireBySlug('second').plan).toBe('enterprise')
    expect(users().map(({ email, is_super_admin }) => [email, is_super_admin])).toEqual([
      ['a@shop.test', 1],
      ['b@shop.test', 0],
    ])
    expect(users()[0]).toMatchObject({ name: 'a', verified_at: app.clock.now() })
    expect(second.user_id).not.toBe(first.user_id)
  })

  test('setup makes the super-admin even if somebody registered before it', async () => {
    const body = { client_name: 'Early', email: 'early@shop.test', password: PASSWORD }
    await app.call('POST', '/register', { body })
    app.accounts.verify('early@shop.test')
    const made = await setup('a@shop.test', 'First')
    expect(users().map(({ email, is_super_admin }) => [email, is_super_admin])).toEqual([
      ['early@shop.test', 0],
      ['a@shop.test', 1],
    ])
    expect(app.stores.requireBySlug(made.slug).plan).toBe('enterprise')
  })

  test('another plan may be given, also for the first', async () => {
    const common = { email: 'b@shop.test', password: PASSWORD }
    await app.setup.run({ ...common, storeName: 'First', plan: 'free' })
    await app.setup.run({ ...common, storeName: 'Second', plan: 'premium' })
    expect([app.stores.requireBySlug('first').plan, app.stores.requireBySlug('second').plan]).toEqual([
      'free',
      'premium',
    ])
  })

  test('gives what `--json` prints: client_id is the store, the secret is 256 random bits and is kept hashed only', async () => {
    const made = await setup('a@shop.test', 'First')
    expect(Object.keys(made)).toEqual(['store_id', 'slug', 'client_id', 'client_secret', 'user_id', 'email'])
    expect(made.client_id).toBe(made.store_id)
    expect(Buffer.from(made.client_secret, 'base64url')).toHaveLength(32)
    const everything = ['stores', 'users', 'memberships'].map((table) => JSON.stringify(readRows(app, table)))
    expect(everything.join()).not.toContain(made.client_secret)
    expect(everything.join()).not.toContain(PASSWORD)
    expect(users()[0]?.password_hash).toStartWith('$argon2id$')
  })
})

describe('a second store for the same e-mail', () => {
  test('with the right password belongs to the same user, as owner', async () => {
    const first = await setup('a@shop.test', 'First')
    const second = await setup('A@Shop.TEST', 'Second')
    expect(second.user_id).toBe(first.user_id)
    expect(second.client_secret).not.toBe(first.client_secret)
    const memberships = readRows(app, 'memberships', { user_id: first.user_id }, ['store_id', 'role'])
    expect(memberships).toEqual([first, second].map(({ store_id }) => ({ store_id, role: 'owner' })))
    expect(users()).toHaveLength(1)
  })

  test('with another password is refused, and nothing is made', async () => {
    await setup('a@shop.test', 'First')
    await refused(
      setup('a@shop.test', 'Second', undefined, 'another password'),
      'a@shop.test already has an account, with another password',
    )
    expect(readColumn(app, 'stores', 'slug')).toEqual(['first'])
  })
})

describe('e-mail addresses', () => {
  test('are kept in their one form', async () => {
    expect((await setup('  Anna@BÜCHER.example ', 'First')).email).toBe('anna@xn--bcher-kva.example')
  })

  test.each(['', 'a', 'a@b', 'a@b@c.d', 'éva@shop.test'])('%p is refused', (email) =>
    refused(setup(email, 'First'), 'The e-mail address must be a mail address'),
  )
})

describe('passwords follow the rule', () => {
  test.each([
    ['ninechars', 'must have at least 10 characters'],
    ['xy'.repeat(513), 'must have at most 1024 characters'],
    ['password123', 'is one of the most used passwords'],
    ['owner.first@shop.test', 'must not be the e-mail address'],
    ['Garden Centre', 'must not be the e-mail address or the name of the store'],
  ])('%p is refused', (password, words) =>
    refused(setup('owner.first@shop.test', 'Garden centre', undefined, password), `The password ${words}`),
  )

  test('that of a known person need not: it was chosen before', async () => {
    await setup('a@shop.test', 'First')
    expect((await setup('a@shop.test', 'A long password')).slug).toBe('a-long-password')
  })
})

describe('slugs', () => {
  test.each(['ab', 'a1', 'my-shop', 'a--b', '42', 'a'.repeat(40)])('%p may be chosen', async (slug) => {
    expect((await setup('a@shop.test', 'First', slug)).slug).toBe(slug)
  })

  test.each(['', 'a', '-ab', 'ab-', 'Ab', 'a b', 'a_b', 'ä-shop', 'a.b', '../x', 'a'.repeat(41)])(
    '%p is refused: it is no slug',
    (slug) => refused(setup('a@shop.test', 'First', slug), `"${slug}" is not a valid slug`),
  )

  test.each(['admin', 'v1', 'oauth', 'portal', 'docs', 'login'])(
    '%p is refused: it is a path of our own',
    (slug) => refused(setup('a@shop.test', 'First', slug), `The slug "${slug}" is reserved`),
  )

  test('one that is taken is refused', async () => {
    await setup('a@shop.test', 'First', 'shop')
    await refused(setup('b@shop.test', 'Second', 'shop'), 'The slug "shop" is taken')
  })

  test.each([
    ['My Shop', 'my-shop'],
    ['Café  Ünïque!', 'cafe-unique'],
    ['Admin', 'store-admin'],
    ['X', 'store-x'],
    ['日本', 'store'],
    ['!!!', 'store'],
    ['a'.repeat(100), 'a'.repeat(32)],
    [`${'a'.repeat(31)} b`, 'a'.repeat(31)],
  ])('%p gives %p', async (name, slug) => {
    expect((await setup('a@shop.test', name)).slug).toBe(slug)
  })

  test('a name that is taken is refused with the way to another store and to another secret', async () => {
    await setup('a@shop.test', 'My shop')
    const words = 'The store "My shop" exists already (my-shop). --new creates a second one.'
    await refused(setup('a@shop.test', 'My shop'), words)
    await refused(setup('a@shop.test', '  my SHOP '), 'lookalike store new-secret my-shop')
    // Whoever lost the secret may have lost the password, too.
    await refused(setup('a@shop.test', 'My shop', undefined, 'another password'), words)
    expect(app.stores.list().map(({ slug }) => slug)).toEqual(['my-shop'])
    expect((await setup('a@shop.test', 'My shop', 'my-other')).slug).toBe('my-other')
  })

  test('a second store of a name gets a number behind it', async () => {
    const slugs = []
    for (let n = 0; n < 3; n++) slugs.push((await another('a@shop.test', 'My shop')).slug)
    expect(slugs).toEqual(['my-shop', 'my-shop-2', 'my-shop-3'])
  })

  test('of several setups of one name at once each gets a slug of its own', async () => {
    const made = await Promise.all([1, 2, 3, 4].map((n) => another(`owner${n}@shop.test`, 'My shop')))
    expect(made.map(({ slug }) => slug).sort()).toEqual(['my-shop', 'my-shop-2', 'my-shop-3', 'my-shop-4'])
    expect(users().filter(({ is_super_admin }) => is_super_admin === 1)).toHaveLength(1)
  })

  test('a name that everybody takes ends with chance', async () => {
    const slugs = new Set<string>()
    for (let n = 0; n < 24; n++) slugs.add((await another('a@shop.test', 'My shop')).slug)
    expect(slugs.size).toBe(24)
    expect(slugs).toContain('my-shop-20')
    expect([...slugs].filter((slug) => /^my-shop-[0-9a-f]{6}$/.test(slug))).toHaveLength(4)
  })

  test.each(['', '   ', 'x'.repeat(101)])('the name %p is refused', (name) =>
    refused(setup('a@shop.test', name), 'name of 1 to 100 characters'),
  )
})

describe('set-plan', () => {
  test('puts a store on a plan', async () => {
    await setup('a@shop.test', 'First')
    app.setPlan('first', 'premium')
    expect(app.stores.requireBySlug('first').plan).toBe('premium')
  })

  test('an unknown store is told', () => {
    expect(() => app.setPlan('nobody', 'free')).toThrow('There is no store "nobody"')
    expect(() => app.stores.requireBySlug('nobody')).toThrow(OperatorError)
  })
})

describe('the list of stores', () => {
  test('names each with plan, products and owners', async () => {
    const second = await setup('b@shop.test', 'Second')
    const first = await setup('a@shop.test', 'First')
    expect(app.stores.list()).toEqual([
      {
        ...{ store_id: first.store_id, slug: 'first', name: 'First', plan: 'enterprise', products: 0 },
        ...{ client_id: first.client_id, owners: ['a@shop.test'] },
        ...{ suspended_at: null, suspended_reason: null, delete_at: null },
      },
      {
        ...{ store_id: second.store_id, slug: 'second', name: 'Second', plan: 'enterprise', products: 0 },
        ...{ client_id: second.client_id, owners: ['b@shop.test'] },
        ...{ suspended_at: null, suspended_reason: null, delete_at: null },
      },
    ])
  })
})

describe('a new secret by the operator', () => {
  const grant = async (client_id: string, client_secret: string) =>
    app.http.handle(
      new Request('http://localhost/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
      }),
    )

  test('ends the old one and its tokens at once, and is recorded', async () => {
    const made = await setup('a@shop.test', 'First')
    const before = (await (await grant(made.client_id, made.client_secret)).json()) as {
      access_token: string
    }
    expect((await app.call('GET', '/v1/products', { token: before.access_token })).status).toBe(200)
    const renewed = app.stores.renewSecret(made.store_id, null)
    expect(renewed).toMatch(/^[\w-]{43}$/)
    expect((await app.call('GET', '/v1/products', { token: before.access_token })).status).toBe(401)
    expect((await grant(made.client_id, made.client_secret)).status).toBe(401)
    expect((await grant(made.client_id, renewed)).status).toBe(200)
    const recorded = readRows(app, 'audit_events', { action: 'client_secret.rotated' }, [
      'actor_kind',
      'store_id',
      'details',
    ])
    expect(recorded).toEqual([{ actor_kind: 'operator', store_id: made.store_id, details: '{}' }])
  })

  test('an unknown store is told', () => {
    expect(() => app.stores.requireBySlug('nobody')).toThrow('There is no store "nobody"')
  })
})
