import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ApiError } from '../../../../src/core/errors.ts'
import { isInside, parseCidrs, readNetwork } from '../../../../src/core/networks.ts'
import { createAdmission } from '../../../../src/features/access/ip-allowlist/admission.ts'
import { ipAllowlistQueries } from '../../../../src/features/access/ip-allowlist/queries.ts'
import { type Db, openDatabase } from '../../../../src/platform/db/open.ts'
import { createReads } from '../../../../src/platform/db/reads.ts'
import { addPerson, getToken, sendSignIn } from '../../../support/people.ts'
import { codeOf, HERE, type ListedStore, listedStore } from './list.ts'

const ELSEWHERE = '198.51.100.1'
const WORKS: [number, unknown] = [200, undefined]
const REFUSED: [number, unknown] = [403, 'ip_not_allowed']

describe('a store with an IP list (contract 4.12)', () => {
  let store: ListedStore
  beforeEach(async () => {
    store = await listedStore()
  })
  afterEach(() => store.app.close())

  test('answers 403 ip_not_allowed to tokens from elsewhere, with the address that was seen', async () => {
    await store.add({ ip_address: HERE })
    expect(await store.comesIn(HERE)).toEqual(WORKS)
    const refused = await store.call('GET', '/v1/products', undefined, { from: ELSEWHERE })
    expect([codeOf(refused), refused.body['details']]).toMatchObject([REFUSED, { address: ELSEWHERE }])
  })

  test('holds for people and API keys as well', async () => {
    const owner = await store.member('owner')
    const { body } = await store.call('POST', '/v1/security/api-keys', {
      name: 'k',
      scopes: { products: 'read' },
    })
    await store.add({ ip_address: HERE })
    for (const token of [owner.token, String(body['key'])]) {
      expect(await store.comesIn(HERE, token)).toEqual(WORKS)
      expect(await store.comesIn(ELSEWHERE, token)).toEqual(REFUSED)
    }
  })

  test('does not bind another store, nor a person who acts for another one', async () => {
    const other = await store.app.signIn('two')
    const person = await addPerson(store.app, 'both', [
      { store: 'one', role: 'owner' },
      { store: 'two', role: 'owner' },
    ])
    const token = await getToken(store.app, person)
    await store.add({ ip_address: HERE })
    expect(await store.comesIn(ELSEWHERE, other)).toEqual(WORKS)
    const as = (slug: string) =>
      store.app.call('GET', '/v1/products', {
        token,
        headers: { 'x-forwarded-for': ELSEWHERE, 'x-service-active-tenant': slug },
      })
    expect(codeOf(await as('two'))).toEqual(WORKS)
    expect(codeOf(await as('one'))).toEqual(REFUSED)
  })

  test('lets its people sign in from everywhere, for a login belongs to no store', async () => {
    const person = await addPerson(store.app, 'ann', [{ store: 'one', role: 'owner' }])
    await store.add({ ip_address: HERE })
    expect((await sendSignIn(store.app, person.email)).status).toBe(200)
  })

  test.each([
    ['10.0.0.0/30', ['10.0.0.0', '10.0.0.3', '::ffff:10.0.0.2'], ['10.0.0.4', '9.255.255.255', '::10.0.0.1']],
    [
      '2001:db8:1::/48',
      ['2001:db8:1::', '2001:db8:1:ffff:ffff:ffff:ffff:ffff'],
      ['2001:db8:2::', '10.0.0.1'],
    ],
    ['2001:db8::7', ['2001:db8:0::7'], ['2001:db8::8']],
    ['0.0.0.0/0', ['1.2.3.4', '255.255.255.255'], ['2001:db8::1']],
    ['::/0', ['2001:db8::1'], ['1.2.3.4']],
  ])('of %s admits %j and refuses %j', async (network, inside, outside) => {
    await store.put(network)
    for (const from of inside) expect([from, await store.comesIn(from)]).toEqual([from, WORKS])
    for (const from of outside) expect([from, await store.comesIn(from)]).toEqual([from, REFUSED])
  })

  test('is not deceived by a client who claims a listed address in front of the proxy', async () => {
    await store.add({ ip_address: HERE })
    for (const lie of [`${HERE}, ${ELSEWHERE}`, `127.0.0.1, ${HERE}, ${ELSEWHERE}, 127.0.0.1`]) {
      expect(await store.comesIn(lie)).toEqual(REFUSED)
    }
    for (const name of ['x-real-ip', 'forwarded', 'x-client-ip', 'cf-connecting-ip']) {
      const headers = { 'x-forwarded-for': ELSEWHERE, [name]: HERE }
      const answer = await store.app.call('GET', '/v1/products', { token: store.token, headers })
      expect(codeOf(answer)).toEqual(REFUSED)
    }
  })
})

describe('the list in memory', () => {
  let folder: string
  let db: Db
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-ip-allowlist-'))
    db = opened()
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const opened = () => openDatabase(folder)

  function storeOf(connection: Db, id: string) {
    connection
      .prepare(
        `INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, ?, 'free', x'00', 0)`,
      )
      .run(id, id, id)
    return id
  }

  let entries = 0
  const put = (connection: Db, storeId: string, network: string) =>
    ipAllowlistQueries(connection).add({
      id: `entry ${++entries}`,
      storeId,
      network,
      description: '',
      createdAt: 0,
      createdBy: null,
    })

  /** Whether an address is admitted. */
  function asked() {
    const { admit, forgetStore } = createAdmission({
      queries: ipAllowlistQueries(db),
      readDataVersion: createReads(db).readDataVersion,
    })
    const isAdmitted = (storeId: string, address: string): boolean => {
      try {
        admit(storeId, address)
        return true
      } catch (error) {
        if (error instanceof ApiError && error.code === 'ip_not_allowed') return false
        throw error
      }
    }
    return { isAdmitted, forgetStore }
  }

  test('follows what another process adds, removes and empties, at the next call', () => {
    const one = storeOf(db, 'one')
    const { isAdmitted } = asked()
    expect(isAdmitted(one, HERE)).toBe(true)
    const other = opened()
    put(other, one, '10.0.0.0/8')
    expect(isAdmitted(one, HERE)).toBe(false)
    put(other, one, `${HERE}/32`)
    expect(isAdmitted(one, HERE)).toBe(true)
    other.prepare(`DELETE FROM ip_entries WHERE cidr = '${HERE}/32'`).run()
    expect(isAdmitted(one, HERE)).toBe(false)
    expect(ipAllowlistQueries(other).clear(one)).toBe(1)
    expect(isAdmitted(one, HERE)).toBe(true)
    other.close()
  })

  test('is read once: what this process writes counts when it is told to forget', () => {
    const one = storeOf(db, 'one')
    const { isAdmitted, forgetStore } = asked()
    expect(isAdmitted(one, HERE)).toBe(true)
    put(db, one, '10.0.0.0/8')
    forgetStore(one)
    expect(isAdmitted(one, HERE)).toBe(false)
  })

  test('answers as the blocks do, for any list and any addresses, asked again and again', () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.1', '10.0.0.2', '10.1.0.1', '2001:db8::1', '2001:db8:1::1'),
    )
    const block = fc.tuple(address, fc.integer({ min: 0, max: 128 }))
    let stores = 0
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 6 }),
        fc.array(address, { maxLength: 10 }),
        (blocks, calls) => {
          const id = storeOf(db, `store ${++stores}`)
          const written = blocks.map(
            ([start, bits]) => `${start}/${start.includes(':') ? bits : Math.min(bits, 32)}`,
          )
          const networks = new Set(written.map((text) => readNetwork(text) ?? ''))
          for (const network of networks) put(db, id, network)
          const { isAdmitted } = asked()
          const cidrs = parseCidrs(written.join(','))
          for (const from of [...calls, ...calls]) {
            expect(isAdmitted(id, from)).toBe(written.length === 0 || isInside(from, cidrs))
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})
