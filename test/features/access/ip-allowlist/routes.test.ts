import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer } from '../../../support/app.ts'
import { addPerson, from, sendSignIn } from '../../../support/people.ts'
import { failWrites } from '../../../support/seed.ts'
import { codeOf, HERE, type ListedStore, listedStore, PATH } from './list.ts'

let store: ListedStore

beforeEach(async () => {
  store = await listedStore()
})
afterEach(() => store.app.close())

const NEVER_MADE = '01900000-0000-7000-8000-ffffffffffff'

describe('POST /v1/security/ip-whitelist (contract 4.12)', () => {
  test('201: the entry in canonical form, with who made it and when', async () => {
    const owner = await store.member('owner')
    const body = { ip_address: HERE, description: 'Office 🏢' }
    const { status, body: entry } = await store.add(body, { as: owner.token })
    expect([status, entry as object]).toEqual([
      201,
      {
        id: expect.stringMatching(/^01900000-/),
        ip_address: `${HERE}/32`,
        description: 'Office 🏢',
        created_at: '2030-01-01T00:00:00.000Z',
        created_by: owner.id,
      },
    ])
  })

  test('201: description may be missing, and a machine grant has no user', async () => {
    await store.add({ ip_address: HERE })
    const { status, body } = await store.add({ ip_address: '203.0.113.0/24' }, { as: store.token })
    expect(status).toBe(201)
    expect(body).toMatchObject({ description: '', created_by: null })
  })

  test.each([
    [HERE, `${HERE}/32`],
    [`${HERE}/32`, `${HERE}/32`],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    [' 203.0.113.8/30 ', '203.0.113.8/30'],
    [`::ffff:${HERE}`, `${HERE}/32`],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ])('%p is kept as %s', async (written, kept) => {
    expect((await store.add({ ip_address: written })).body['ip_address']).toBe(kept)
    expect(await store.list()).toEqual([kept])
    expect(await store.comesIn(HERE)).toEqual([200, undefined])
  })

  test.each([
    ['2001:DB8:0:0::/48', '2001:db8::/48', '2001:db8::9'],
    ['2001:db8::9', '2001:db8::9/128', '2001:db8:0:0:0:0:0:9'],
  ])('%s is kept as %s', async (written, kept, from) => {
    expect((await store.add({ ip_address: written }, { from })).body['ip_address']).toBe(kept)
    expect(await store.comesIn(from)).toEqual([200, undefined])
  })

  test.each([
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['2001:db8::1/32', '2001:db8::/32'],
  ])('%s points into its block, and that block is kept: %s', async (written, canonical) => {
    const inside = { from: String(written.split('/')[0]) }
    const { status, body } = await store.add({ ip_address: written }, inside)
    expect([status, body['ip_address']]).toEqual([201, canonical])
    const again = await store.add({ ip_address: canonical }, inside)
    expect([again.status, again.body['error']]).toEqual([409, 'conflict'])
  })

  test.each<[unknown, string]>([
    [{}, '/ip_address'],
    [{ ip_address: null }, '/ip_address'],
    [{ ip_address: '' }, '/ip_address'],
    [{ ip_address: 'x'.repeat(101) }, '/ip_address'],
    [{ ip_address: 'shop.example' }, '/ip_address'],
    [{ ip_address: '203.0.113.0/33' }, '/ip_address'],
    [{ ip_address: '203.0.113' }, '/ip_address'],
    [{ ip_address: '0313.0.113.9' }, '/ip_address'],
    [{ ip_address: '0xcb007109' }, '/ip_address'],
    [{ ip_address: 'fe80::1%eth0' }, '/ip_address'],
    [{ ip_address: '203.0.113.9:443' }, '/ip_address'],
    [{ ip_address: HERE, description: 'x'.repeat(201) }, '/description'],
    [{ ip_address: HERE, description: 'two\nlines' }, '/description'],
    [{ ip_address: HERE, description: 'half \ud83c' }, '/description'],
    [{ ip_address: HERE, description: 7 }, '/description'],
    [{ ip_address: HERE, force: 'yes' }, '/force'],
  ])('422 for %j, and nothing is listed', async (body, pointer) => {
    const answer = await store.add(body)
    expect(codeOf(answer)).toEqual([422, 'validation_error'])
    expect((answer.body['details'] as { errors: object[] }).errors).toMatchObject([{ pointer }])
    expect(await store.list()).toEqual([])
    expect(store.acts()).toEqual([])
  })

  test('200 characters of description fit, whatever they take in bytes', async () => {
    const { status } = await store.add({ ip_address: HERE, description: '🏢'.repeat(200) })
    expect(status).toBe(201)
  })

  test('409 conflict for the same block, however it is written', async () => {
    await store.add({ ip_address: HERE })
    for (const ip_address of [HERE, `${HERE}/32`, `::ffff:${HERE}`]) {
      const answer = await store.add({ ip_address, force: true }, { as: store.owner.token })
      expect([codeOf(answer), answer.body['details']]).toMatchObject([
        [409, 'conflict'],
        { ip_address: `${HERE}/32` },
      ])
    }
    expect(await store.list()).toEqual([`${HERE}/32`])
  })

  test('409 conflict for the 101st entry; there is room again when one goes', async () => {
    const first = await store.put('203.0.113.0/24')
    for (let n = 1; n < 100; n++) {
      // A sign-in has 60 such requests a minute.
      store.app.clock.advance(1_000)
      expect((await store.add({ ip_address: `10.0.0.${n}` })).status).toBe(201)
    }
    store.app.clock.advance(60_000)
    const answer = await store.add({ ip_address: '10.0.1.1' })
    expect([codeOf(answer), answer.body['details']]).toMatchObject([[409, 'conflict'], { limit: 100 }])
    expect(await store.list()).toHaveLength(100)
    await store.remove(first, '?force=true', { as: store.owner.token })
    expect((await store.add({ ip_address: HERE }, { from: '10.0.0.1' })).status).toBe(201)
  })

  test('409 would_lock_out for a first entry that excludes the caller, unless it is forced', async () => {
    for (const ip_address of ['198.51.100.0/24', '2001:db8::/32']) {
      const refused = await store.add({ ip_address })
      expect([codeOf(refused), refused.body['details']]).toMatchObject([
        [409, 'would_lock_out'],
        { your_address: HERE },
      ])
    }
    expect(await store.list()).toEqual([])
    expect((await store.add({ ip_address: '198.51.100.0/24', force: false })).status).toBe(409)
    const isForced = { ip_address: '198.51.100.0/24', force: true }
    expect((await store.add(isForced, { as: store.owner.token })).status).toBe(201)
    expect(await store.comesIn(HERE)).toEqual([403, 'ip_not_allowed'])
    expect(await store.comesIn('198.51.100.7')).toEqual([200, undefined])
  })

  test('a later entry that does not hold the caller is fine, for another one does', async () => {
    await store.add({ ip_address: HERE })
    expect((await store.add({ ip_address: '198.51.100.0/24' })).status).toBe(201)
  })

  test('403 for a machine grant that forces an entry of a list that is on; without force it may', async () => {
    await store.put(HERE)
    for (const ip_address of ['203.0.113.8', '198.51.100.0/24']) {
      const answer = await store.add({ ip_address, force: true }, { as: store.token })
      expect([codeOf(answer), answer.body['details']]).toMatchObject([
        [403, 'permission_denied'],
        { required: 'person' },
      ])
    }
    expect(await store.list()).toEqual([`${HERE}/32`])
    expect((await store.add({ ip_address: '203.0.113.8' }, { as: store.token })).status).toBe(201)
  })

  describe('a machine grant, on a list that is off', () => {
    const OFFICE = '198.51.100.7'
    const signIn = (email: string, address: string) => sendSignIn(store.app, email, {}, from(address))
    const add = (ip_address: string, force?: boolean) =>
      store.add({ ip_address, ...(force !== undefined && { force }) }, { as: store.token })
    const reasonOf = ({ status, body }: Answer) => [
      status,
      body['error'],
      (body['details'] as { reason?: string } | undefined)?.reason,
    ]

    test('409 would_lock_out without force, also from inside the entry', async () => {
      await signIn(store.owner.email, HERE)
      for (const force of [undefined, false])
        expect(reasonOf(await add(HERE, force))).toEqual([409, 'would_lock_out', 'force_needed'])
      expect([await store.list(), store.acts()]).toEqual([[], []])
    })

    test('409 with force while no owner or admin has signed in from inside it within 24 hours', async () => {
      const nobody = [409, 'would_lock_out', 'nobody_inside']
      expect(reasonOf(await add('198.51.100.0/24', true))).toEqual(nobody)
      const viewer = await store.member('viewer')
      await signIn(viewer.email, OFFICE)
      const stranger = await addPerson(store.app, 'stranger')
      await signIn(stranger.email, OFFICE)
      expect(reasonOf(await add('198.51.100.0/24', true))).toEqual(nobody)
      await signIn(store.owner.email, OFFICE)
      expect(reasonOf(await add(HERE, true))).toEqual(nobody)
      store.app.clock.advance(24 * 3_600_000)
      const machine = await store.app.signToken(
        { sub: store.storeId, jti: 'later', user_type: 'client', generation: 1 },
        3_600,
      )
      const late = await store.add({ ip_address: OFFICE, force: true }, { as: machine })
      expect(reasonOf(late)).toEqual(nobody)
      expect([await store.list(), store.acts()]).toEqual([[], []])
    })

    test('201 with force once one has, and the owners get a mail', async () => {
      const admin = await store.member('admin')
      await signIn(admin.email, OFFICE)
      expect((await add('198.51.100.0/24', true)).status).toBe(201)
      await store.app.settle()
      expect(store.app.mails.map(({ to }) => to)).toContain(store.owner.email)
      expect(await store.comesIn(OFFICE)).toEqual([200, undefined])
    })

    test('cannot take away afterwards what let the owner in', async () => {
      await signIn(store.owner.email, OFFICE)
      const { body } = await add('0.0.0.0/0', true)
      expect((await add(HERE)).status).toBe(201)
      const removed = await store.remove(String(body['id']), '')
      expect(reasonOf(removed)).toEqual([409, 'would_lock_out', 'nobody_inside'])
      expect((await add(OFFICE)).status).toBe(201)
      expect((await store.remove(String(body['id']), '')).status).toBe(200)
      expect(await store.comesIn(OFFICE, store.owner.token)).toEqual([200, undefined])
    })
  })

  test.each(['developer', 'viewer'] as const)('403 for a %s', async (role) => {
    const { token } = await store.member(role)
    const answer = await store.add({ ip_address: HERE }, { as: token })
    expect([codeOf(answer), answer.body['details']]).toMatchObject([
      [403, 'permission_denied'],
      { required: 'security:manage' },
    ])
    expect(await store.list()).toEqual([])
  })

  test('201 for an admin, 403 for an API key with every scope, 401 for nobody', async () => {
    const { token } = await store.member('admin')
    expect((await store.add({ ip_address: HERE }, { as: token })).status).toBe(201)
    const scopes = { products: ['read', 'write', 'delete', 'bulk'], search: ['execute', 'read', 'write'] }
    const { body: key } = await store.call('POST', '/v1/security/api-keys', { name: 'all', scopes })
    expect(codeOf(await store.add({ ip_address: '10.0.0.1' }, { as: String(key['key']) }))).toEqual([
      403,
      'permission_denied',
    ])
    expect(codeOf(await store.app.call('POST', PATH, { body: { ip_address: HERE } }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  test('400, 413 and 415 for bodies that are no JSON of fitting size', async () => {
    const send = (body: string, type: string) =>
      store.app.call('POST', PATH, { token: store.token, body, headers: { 'content-type': type } })
    expect(codeOf(await send('{', 'application/json'))).toEqual([400, 'invalid_json'])
    expect(codeOf(await send(`"${'x'.repeat(1_100_000)}"`, 'application/json'))).toEqual([
      413,
      'payload_too_large',
    ])
    expect(codeOf(await send('ip_address=1.2.3.4', 'application/x-www-form-urlencoded'))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })
})

describe('GET /v1/security/ip-whitelist (contract 4.12)', () => {
  const read = (as?: string) => store.call('GET', PATH, undefined, as === undefined ? {} : { as })

  test('200: the store’s own entries, oldest first; without any the list is off', async () => {
    expect((await read()).body).toEqual({ entries: [], count: 0, enabled: false })
    const { body: first } = await store.add({ ip_address: HERE })
    const { body: second } = await store.add({ ip_address: '10.0.0.0/8', description: 'VPN' })
    await store.app.signIn('two')
    const owner = await store.member('owner', 'two')
    await store.add({ ip_address: '203.0.113.0/24' }, { as: owner.token })
    const { status, body } = await read()
    expect([status, body as object]).toEqual([200, { entries: [first, second], count: 2, enabled: true }])
  })

  test('200 for a developer, 403 for a viewer, 401 for nobody', async () => {
    expect((await read((await store.member('developer')).token)).status).toBe(200)
    expect(codeOf(await read((await store.member('viewer')).token))).toEqual([403, 'permission_denied'])
    expect((await store.app.call('GET', PATH)).status).toBe(401)
  })
})

describe('DELETE /v1/security/ip-whitelist/{id} (contract 4.12)', () => {
  test('200: the entry is gone; without the last one the store may be called from everywhere', async () => {
    const id = await store.put(HERE)
    expect(await store.comesIn('198.51.100.1')).toEqual([403, 'ip_not_allowed'])
    const { status, body } = await store.remove(id)
    expect([status, body as object]).toEqual([200, { status: 'deleted', id }])
    expect(await store.list()).toEqual([])
    expect(await store.comesIn('198.51.100.1')).toEqual([200, undefined])
  })

  test('409 would_lock_out when others stay that do not hold the caller, unless it is forced', async () => {
    const id = await store.put(HERE)
    await store.put('198.51.100.0/24')
    for (const query of ['', '?force=false']) {
      const refused = await store.remove(id, query)
      expect([codeOf(refused), refused.body['details']]).toMatchObject([
        [409, 'would_lock_out'],
        { your_address: HERE },
      ])
    }
    expect((await store.remove(id, '?force=true', { as: store.owner.token })).status).toBe(200)
    expect(await store.comesIn(HERE)).toEqual([403, 'ip_not_allowed'])
  })

  test('200 where another entry holds the caller too', async () => {
    const id = await store.put(HERE)
    await store.put('203.0.113.0/24')
    expect((await store.remove(id)).status).toBe(200)
  })

  test.each([NEVER_MADE, 'x', `${'y'.repeat(300)}`])('404 for the id %s', async (id) => {
    const answer = await store.remove(id)
    expect([codeOf(answer), answer.body['details']]).toMatchObject([
      [404, 'not_found'],
      { resource: 'ip_entry' },
    ])
  })

  test('404 for an entry of another store, as for one that never was', async () => {
    const id = await store.put(HERE)
    await store.app.store('two')
    const other = await store.member('owner', 'two')
    expect(codeOf(await store.remove(id, '?force=true', { as: other.token }))).toEqual([404, 'not_found'])
    expect(await store.list()).toEqual([`${HERE}/32`])
  })

  test('403 for a machine grant that forces it', async () => {
    const id = await store.put(HERE)
    const answer = await store.remove(id, '?force=true')
    expect([codeOf(answer), answer.body['details']]).toMatchObject([
      [403, 'permission_denied'],
      { required: 'person' },
    ])
    expect(await store.list()).toEqual([`${HERE}/32`])
  })

  test('404 the second time', async () => {
    const id = await store.put(HERE)
    await store.remove(id)
    expect(codeOf(await store.remove(id))).toEqual([404, 'not_found'])
  })

  test('422 for a force that is neither true nor false', async () => {
    const answer = await store.remove(await store.put(HERE), '?force=1')
    expect(codeOf(answer)).toEqual([422, 'validation_error'])
    expect((answer.body['details'] as { errors: object[] }).errors).toMatchObject([
      { in: 'query', pointer: '/force' },
    ])
    expect(await store.list()).toEqual([`${HERE}/32`])
  })

  test('403 for a developer and a viewer, 401 for nobody', async () => {
    const id = await store.put(HERE)
    for (const role of ['developer', 'viewer'] as const) {
      const { token } = await store.member(role)
      expect(codeOf(await store.remove(id, '', { as: token }))).toEqual([403, 'permission_denied'])
    }
    expect((await store.app.call('DELETE', `${PATH}/${id}`)).status).toBe(401)
    expect(await store.list()).toEqual([`${HERE}/32`])
  })
})

describe('the audit log', () => {
  test('tells who put which entry on the list and who took it off', async () => {
    const owner = await store.member('owner')
    const { body } = await store.add({ ip_address: HERE, description: 'Office' }, { as: owner.token })
    await store.remove(String(body['id']))
    const details = { id: body['id'], ip_address: `${HERE}/32` }
    const common = { store_id: store.storeId, address: HERE, details }
    expect(store.acts()).toEqual([
      { ...common, action: 'ip_whitelist.added', actor_kind: 'person', user_id: owner.id },
      { ...common, action: 'ip_whitelist.removed', actor_kind: 'machine', user_id: null },
    ])
  })

  test('and the act are one transaction: without the one there is not the other', async () => {
    const id = await store.put(HERE)
    failWrites(store.app, 'INSERT ON audit_events', 'the log is broken')
    expect((await store.add({ ip_address: '10.0.0.0/8' })).status).toBe(500)
    expect((await store.remove(id)).status).toBe(500)
    expect(() => store.app.ipAllowlist.clear(store.storeId)).toThrow('the log is broken')
    expect(await store.list()).toEqual([`${HERE}/32`])
    expect(await store.comesIn(HERE)).toEqual([200, undefined])
    expect(await store.comesIn('10.0.0.1')).toEqual([403, 'ip_not_allowed'])
  })
})
