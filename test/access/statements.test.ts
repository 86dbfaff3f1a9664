import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { memoryDatabase } from '../support/database.ts'
import { addPerson, getToken } from '../support/people.ts'
import { deleteRows, updateRows } from '../support/seed.ts'
import { statementLog } from '../support/statements.ts'

const HOUR_MS = 3_600_000

let app: TestApp
let log: ReturnType<typeof statementLog>
let machine: string

beforeEach(async () => {
  const db = memoryDatabase()
  log = statementLog(db)
  app = testApp({ db })
  machine = await app.signIn('one', 'premium')
})
afterEach(() => app.close())

type Credential = Pick<NonNullable<Parameters<TestApp['call']>[2]>, 'headers' | 'token'>

async function apiKey(): Promise<Credential> {
  const body = { name: 'all', scopes: { products: ['read', 'write'], search: 'execute' } }
  const { body: key } = await app.call('POST', '/v1/security/api-keys', { token: machine, body })
  return { headers: { 'x-api-key': String(key['key']) } }
}

async function member(role: 'owner' | 'viewer'): Promise<Credential> {
  return { token: await getToken(app, await addPerson(app, role, [{ store: 'one', role }])) }
}

/** What a credential's check runs: the statements of a call that runs none of its own. */
async function checkOf(credential: Credential): Promise<string[]> {
  const call = () => app.call('GET', '/v1/products?limit=0', credential)
  // The first call notes the use of the credential, and reads the IP list; the second reads what was noted.
  await call()
  await call()
  return log.during(call)
}

/** Statements that read or write a store's row: the whole row, the count of its bytes, and that of its products, also with others. */
function storeReads(statements: readonly string[]) {
  const ofStores = statements.filter((sql) => /\b(?:FROM|JOIN|UPDATE) stores\b/.test(sql))
  const ofBytes = ofStores.filter((sql) => sql.startsWith('SELECT kept_bytes'))
  const ofProducts = ofStores.filter((sql) => sql.startsWith('SELECT product_count'))
  return {
    rows: ofStores.length - ofBytes.length - ofProducts.length,
    ...{ bytes: ofBytes.length, products: ofProducts.length },
  }
}

describe('the check of a credential', () => {
  /** Whether anything has changed, in another process or in this one. */
  const UNCHANGED = ['PRAGMA data_version', 'SELECT total_changes()'] as const
  const [VERSION, CHANGES] = UNCHANGED

  /**
   * The same after a write, whatever it wrote. A machine and a key look first without a transaction, and again in the one of
   * the reads.
   */
  async function checkAfterWrite(credential: Credential): Promise<string[]> {
    await checkOf(credential)
    updateRows(app, 'stores', { name: 'one' }, { slug: 'one' })
    return log.during(() => app.call('GET', '/v1/products?limit=0', credential))
  }

  test('an API key: one read of key, store and maker', async () => {
    const key = await apiKey()
    expect(await checkOf(key)).toEqual([...UNCHANGED])
    const check = await checkAfterWrite(key)
    expect(check).toEqual([...UNCHANGED, ...UNCHANGED, expect.stringContaining('FROM api_keys')])
  })

  test('a token of the machine grant: one read of store and revocation', async () => {
    expect(await checkOf({ token: machine })).toEqual([...UNCHANGED])
    const check = await checkAfterWrite({ token: machine })
    expect(check).toEqual([...UNCHANGED, ...UNCHANGED, expect.stringContaining('FROM stores')])
  })

  test('a token of an owner: the sign-in, and the person with their stores', async () => {
    const owner = await member('owner')
    expect(await checkOf(owner)).toEqual([VERSION, CHANGES, expect.stringContaining('FROM sessions')])
    const check = await checkAfterWrite(owner)
    expect(check).toEqual([
      VERSION,
      CHANGES,
      expect.stringContaining('FROM sessions'),
      expect.stringContaining('FROM users'),
    ])
  })

  test('a token of a viewer: the groups as well', async () => {
    const viewer = await member('viewer')
    expect(await checkOf(viewer)).toEqual([VERSION, CHANGES, expect.stringContaining('FROM sessions')])
    const check = await checkAfterWrite(viewer)
    expect(check).toEqual([
      VERSION,
      CHANGES,
      expect.stringContaining('FROM sessions'),
      expect.stringContaining('FROM users'),
      expect.stringContaining('FROM user_group_members'),
    ])
  })

  test('is made anew with every request: a lost role, a new plan and a new name count at once', async () => {
    const viewer = await member('viewer')
    await checkOf(viewer)
    updateRows(app, 'stores', { plan: 'free', name: 'Renamed' })
    const { body } = await app.call('GET', '/v1/me', viewer)
    expect(body['active_store']).toMatchObject({ plan: 'free', name: 'Renamed' })
    const found = await app.call('POST', '/v1/search/text', { ...viewer, body: { query: 'red' } })
    expect(found.headers.get('x-ratelimit-limit')).toBe('10')
    deleteRows(app, 'memberships', { role: 'viewer' })
    expect((await app.call('GET', '/v1/products', viewer)).body['error']).toBe('not_a_member')
  })
})

describe('takes the read lock once', () => {
  const addProduct = () =>
    app.call('POST', '/v1/products', {
      token: machine,
      body: { product_id: 'a', image_url: app.picture('a', 1) },
    })

  test.each(['owner', 'viewer'] as const)(
    'for the check of an %s, and once to read a product',
    async (role) => {
      await addProduct()
      const credential = await member(role)
      const read = () => app.call('GET', '/v1/products/a', credential)
      await read()
      expect(await log.aloneDuring(read)).toEqual([expect.stringContaining('FROM products')])
      expect(app.db.inTransaction).toBe(false)
    },
  )

  test.each(['machine', 'key'])(
    'not for a %s that reads a product again: it only looks whether anything has changed',
    async (kind) => {
      await addProduct()
      const credential = kind === 'machine' ? { token: machine } : await apiKey()
      const read = () => app.call('GET', '/v1/products/a', credential)
      await read()
      await read()
      expect(await log.during(read)).toEqual(['PRAGMA data_version', 'SELECT total_changes()'])
    },
  )

  test('and lets go of it when the credential is refused', async () => {
    const { status } = await app.call('GET', '/v1/products', {
      token: machine,
      headers: { 'x-service-active-tenant': 'two' },
    })
    expect([status, app.db.inTransaction]).toEqual([403, false])
  })
})

describe('a store’s row is read once, not at all while nothing changes, and again in a write that follows others', () => {
  test('for an upload by file, beside the count of its bytes before and after the model, and for the thumbnail', async () => {
    const credential = await apiKey()
    const body = () => form({ product_id: 'a', image: pictureBytes(1) })
    await checkOf(credential)
    const statements = await log.during(() =>
      app.call('POST', '/v1/products', { ...credential, body: body() }),
    )
    expect(storeReads(statements)).toEqual({ rows: 1, bytes: 3, products: 3 })
    expect(statements.length).toBeLessThanOrEqual(29)
  })

  test('for an upload by file on a plan without limits, and nothing beside it', async () => {
    app.setPlan('one', 'enterprise')
    const credential = await apiKey()
    await checkOf(credential)
    const body = form({ product_id: 'a', image: pictureBytes(1) })
    const statements = await log.during(() => app.call('POST', '/v1/products', { ...credential, body }))
    expect(storeReads(statements)).toEqual({ rows: 1, bytes: 0, products: 0 })
  })

  test('for an upload by address, beside the count of its bytes for the thumbnail', async () => {
    const credential = await apiKey()
    await checkOf(credential)
    const body = { product_id: 'a', image_url: app.picture('a', 1) }
    const statements = await log.during(() => app.call('POST', '/v1/products', { ...credential, body }))
    expect(storeReads(statements)).toEqual({ rows: 0, bytes: 1, products: 3 })
  })

  test('for a search, which runs one statement beside the check, and the look whether anything has changed', async () => {
    const credential = await apiKey()
    await app.call('POST', '/v1/products', {
      ...credential,
      body: { product_id: 'a', image_url: app.picture('a', 1) },
    })
    const search = () => app.call('POST', '/v1/search/text', { ...credential, body: { query: '1' } })
    const statements = await log.during(search)
    expect(storeReads(statements)).toEqual({ rows: 1, bytes: 0, products: 0 })
    // The first search also reads the settings of the store, its rules and its words, which are then known.
    expect(statements).toHaveLength(11)
    const again = await log.during(search)
    expect(storeReads(again).rows).toBe(0)
    expect(again.filter((sql) => /data_version|total_changes/.test(sql))).toHaveLength(4)
    expect(again.length).toBeLessThan(7)
  })

  test('for the demo catalogue', async () => {
    const credential = await apiKey()
    await checkOf(credential)
    const statements = await log.during(() => app.call('POST', '/v1/products/demo', credential))
    // Each product of a group looks whether its author may still write it, after the writes before it.
    expect(storeReads(statements).rows).toBe(40)
  })
})

test('the use of an API key is noted once a minute', async () => {
  const credential = await apiKey()
  await checkOf(credential)
  app.clock.advance(HOUR_MS)
  const call = () => app.call('GET', '/v1/products?limit=0', credential)
  const writes = (statements: string[]) =>
    statements.filter((sql) => sql.startsWith('UPDATE api_keys')).length
  expect([writes(await log.during(call)), writes(await log.during(call))]).toEqual([1, 0])
})
