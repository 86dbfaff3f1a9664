import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PERMISSIONS, type Permission, type Role } from '../../../../src/core/actor.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import { addPerson, fingerprint, getToken, join, proxiedApp, refusal } from '../../../support/people.ts'
import {
  deleteRows,
  deleteStore,
  deleteUser,
  makeSuperAdmin,
  removeMembership,
  setRole,
} from '../../../support/seed.ts'

const STORES = ['one', 'two', 'other'] as const

let app: TestApp
let machine: string

/** Three stores, each with one product that is named like it. */
beforeEach(async () => {
  app = proxiedApp()
  for (const name of STORES) {
    const token = await app.signIn(name)
    if (name === 'one') machine = token
    const body = { product_id: name, image_url: app.picture(name, 1) }
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
})
afterEach(() => app.close())

/** Sends a request that names a store, or none. */
const call = (token: string, path: string, slug?: string) =>
  app.call('GET', path, {
    token,
    ...(slug !== undefined && { headers: { 'x-service-active-tenant': slug } }),
  })

/** The store whose products are answered, or why none. */
function storeOf({ status, body }: Answer): unknown {
  if (status !== 200) return `${status} ${body['error']}`
  const products = body['products'] as { product_id: string }[]
  return products.map(({ product_id }) => product_id).join()
}

type Kind = 'member of one' | 'member of two' | 'member of none' | 'super-admin'

async function tokenFor(kind: Kind | `super-admin, member of ${'one' | 'two'}`): Promise<string> {
  const stores = kind.endsWith('two') ? ['one', 'two'] : kind.endsWith('one') ? ['one'] : []
  const places = kind.endsWith('none') ? [] : stores.map((store) => ({ store, role: 'admin' as const }))
  const isSuperAdmin = kind.startsWith('super-admin')
  return getToken(app, await addPerson(app, kind.replaceAll(/\W+/g, '-'), places, { isSuperAdmin }))
}

const NAME_IT = '401 active_tenant_required'
const FOREIGN = '403 not_a_member'

describe('the acting store of a call (contract 4.7)', () => {
  // Who calls, and what comes of: no header, its first store, its second, one of others, one that does not exist.
  test.each<[Parameters<typeof tokenFor>[0], ...expected: string[]]>([
    ['member of one', 'one', 'one', FOREIGN, FOREIGN, FOREIGN],
    ['member of two', NAME_IT, 'one', 'two', FOREIGN, FOREIGN],
    ['member of none', FOREIGN, FOREIGN, FOREIGN, FOREIGN, FOREIGN],
    ['super-admin', NAME_IT, 'one', 'two', 'other', FOREIGN],
    ['super-admin, member of one', 'one', 'one', 'two', 'other', FOREIGN],
    // Exempt from the header; his oldest store is meant.
    ['super-admin, member of two', 'one', 'one', 'two', 'other', FOREIGN],
  ])(
    'of a %s: %s without header; %s, %s, %s, %s for its own, the next, another’s, nobody’s',
    async (kind, ...expected) => {
      const token = await tokenFor(kind)
      const slugs = [undefined, 'one', 'two', 'other', 'nobody']
      const answers = await Promise.all(slugs.map((slug) => call(token, '/v1/products', slug)))
      expect(answers.map(storeOf)).toEqual(expected)
    },
  )

  test('the 401 of a missing header asks to pass it, is never token_expired, and helps a program by its details', async () => {
    const answer = await call(await tokenFor('member of two'), '/v1/products')
    expect(answer.body).toEqual({
      error: 'active_tenant_required',
      message: expect.stringContaining('X-Service-Active-Tenant'),
      details: { header: 'X-Service-Active-Tenant' },
    })
  })

  test('a store of others and one that does not exist are the same to the byte', async () => {
    const token = await tokenFor('member of one')
    const answers = [await call(token, '/v1/products', 'other'), await call(token, '/v1/products', 'nobody')]
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
  })

  test('machine grants and API keys act for their own store alone, named or not', async () => {
    const made = await app.call('POST', '/v1/security/api-keys', {
      token: machine,
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    for (const token of [machine, String(made.body['key'])]) {
      const slugs = [undefined, 'one', 'two', 'nobody', '']
      const answers = await Promise.all(slugs.map((slug) => call(token, '/v1/products', slug)))
      expect(answers.map(storeOf)).toEqual(['one', 'one', FOREIGN, FOREIGN, FOREIGN])
    }
  })
})

describe('calls that concern the person', () => {
  const activeOf = ({ status, body }: Answer): unknown =>
    status === 200
      ? ((body['active_store'] as { slug: string } | null)?.slug ?? 'none')
      : `${status} ${body['error']}`

  test.each<[Parameters<typeof tokenFor>[0], ...expected: string[]]>([
    ['member of one', 'one', 'one', FOREIGN, FOREIGN, FOREIGN],
    ['member of two', 'none', 'one', 'two', FOREIGN, FOREIGN],
    ['member of none', 'none', FOREIGN, FOREIGN, FOREIGN, FOREIGN],
    ['super-admin', 'none', 'one', 'two', 'other', FOREIGN],
    ['super-admin, member of one', 'one', 'one', 'two', 'other', FOREIGN],
    ['super-admin, member of two', 'none', 'one', 'two', 'other', FOREIGN],
  ])('/v1/me of a %s needs no store: %s; named: %s, %s, %s, %s', async (kind, ...expected) => {
    const token = await tokenFor(kind)
    const slugs = [undefined, 'one', 'two', 'other', 'nobody']
    const answers = await Promise.all(slugs.map((slug) => call(token, '/v1/me', slug)))
    expect(answers.map(activeOf)).toEqual(expected)
    expect((await call(token, '/v1/me/sessions')).status).toBe(200)
  })

  test.each<[Parameters<typeof tokenFor>[0], ...expected: string[]]>([
    ['member of one', '200', '200', FOREIGN],
    ['member of two', NAME_IT, '200', FOREIGN],
    ['member of none', '200', FOREIGN, FOREIGN],
    ['super-admin', '200', '200', '200'],
    ['super-admin, member of one', '200', '200', '200'],
    ['super-admin, member of two', '200', '200', '200'],
  ])(
    '/v1/security/2fa/* of a %s: %s without header, %s for its own store, %s for another’s',
    async (kind, ...expected) => {
      const token = await tokenFor(kind)
      const slugs = [undefined, 'one', 'other']
      const answers = await Promise.all(slugs.map((slug) => call(token, '/v1/security/2fa/status', slug)))
      expect(
        answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body['error']}`)),
      ).toEqual(expected)
    },
  )
})

describe('the IP list of a store (contract 4.12)', () => {
  test('closes the store to a member elsewhere, but not their own account', async () => {
    const person = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    const token = await getToken(app, person)
    const body = { ip_address: '203.0.113.7', force: true }
    expect((await app.call('POST', '/v1/security/ip-whitelist', { token, body })).status).toBe(201)
    const codeAt = async (path: string, slug?: string) => refusal(await call(token, path, slug)).join(' ')
    expect(await codeAt('/v1/products')).toBe('403 ip_not_allowed')
    expect(await codeAt('/v1/me/sessions', 'one')).toBe('403 ip_not_allowed')
    expect((await call(token, '/v1/me/sessions')).status).toBe(200)
    expect((await call(token, '/v1/security/2fa/status')).status).toBe(200)
    const ended = await app.call('DELETE', '/v1/me/sessions', { token })
    expect(ended.status).toBe(200)
  })
})

describe('what counts is what is true now, not what the token says', () => {
  test('a membership that was taken away is gone with the next call', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    const token = await getToken(app, anna)
    expect(storeOf(await call(token, '/v1/products'))).toBe('one')
    removeMembership(app, anna.id)
    for (const slug of [undefined, 'one'])
      expect(storeOf(await call(token, '/v1/products', slug))).toBe(FOREIGN)
  })

  test('with one of two taken away no header is needed any more; with one more it is', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'viewer' }])
    const token = await getToken(app, anna)
    join(app, anna.id, { store: 'two', role: 'viewer' })
    expect(storeOf(await call(token, '/v1/products'))).toBe(NAME_IT)
    const { store_id } = { store_id: app.stores.requireBySlug('one').id }
    removeMembership(app, anna.id, store_id)
    expect(storeOf(await call(token, '/v1/products'))).toBe('two')
  })

  test('another role has other rights with the next call', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    const token = await getToken(app, anna)
    const remove = () => app.call('DELETE', '/v1/products/nothing', { token })
    expect((await remove()).status).toBe(404)
    setRole(app, anna.id, 'viewer')
    const answer = await remove()
    expect(refusal(answer)).toEqual([403, 'permission_denied'])
    expect(answer.body['message']).toBe('Missing required permission: products:delete')
    expect(answer.body['details']).toEqual({ required: 'products:delete' })
  })

  test('a former super-admin may act for no foreign store', async () => {
    const root = await addPerson(app, 'root', [], { isSuperAdmin: true })
    const token = await getToken(app, root)
    expect(storeOf(await call(token, '/v1/products', 'other'))).toBe('other')
    makeSuperAdmin(app, root.id, false)
    expect(storeOf(await call(token, '/v1/products', 'other'))).toBe(FOREIGN)
  })

  test('a token of a person who was deleted, or of a store that was, has ended', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    const token = await getToken(app, anna)
    deleteUser(app, anna.id)
    deleteStore(app, 'one')
    for (const ended of [token, machine])
      expect(refusal(await call(ended, '/v1/products'))).toEqual([401, 'unauthorized'])
  })
})

describe('roles and groups (contract 4.8)', () => {
  const everything = [...PERMISSIONS]
  const ofViewer = ['products:read', 'search:execute', 'search:read']
  const ofDeveloper = everything.filter((permission) => permission !== 'products:delete')
  const reader: Permission[] = ['products:read']
  const deleter: Permission[] = ['products:delete', 'products:read']

  test.each<[Role, Permission[][], readonly string[]]>([
    ['owner', [], everything],
    ['owner', [reader], everything],
    ['owner', [[]], everything],
    ['admin', [], everything],
    ['admin', [reader], everything],
    ['developer', [], ofDeveloper],
    ['developer', [reader], reader],
    ['developer', [reader, deleter, ['search:write']], ['products:read', 'products:delete', 'search:write']],
    ['developer', [[]], []],
    ['viewer', [], ofViewer],
    ['viewer', [deleter], ['products:read', 'products:delete']],
    ['viewer', [[], ['search:execute']], ['search:execute']],
  ])('%s with the groups %j: %j', async (role, groups, expected) => {
    const token = await getToken(app, await addPerson(app, 'anna', [{ store: 'one', role, groups }]))
    const { body } = await call(token, '/v1/me')
    expect(body['permissions']).toEqual(everything.filter((permission) => expected.includes(permission)))
    const remove = await app.call('DELETE', '/v1/products/nothing', { token })
    expect(remove.status).toBe(expected.includes('products:delete') ? 404 : 403)
    const list = await call(token, '/v1/products')
    expect(list.status).toBe(expected.includes('products:read') ? 200 : 403)
  })

  test('groups give no power over the store, and take none', async () => {
    const powers = { owner: 9, admin: 6, developer: 3, viewer: 1 } as const
    for (const [role, count] of Object.entries(powers)) {
      const places = [{ store: 'one', role: role as Role, groups: [everything] }]
      const token = await getToken(app, await addPerson(app, role, places))
      expect((await call(token, '/v1/me')).body['powers']).toHaveLength(count)
    }
  })

  test('groups of one store say nothing in another', async () => {
    const anna = await addPerson(app, 'anna', [
      { store: 'one', role: 'viewer', groups: [everything] },
      { store: 'two', role: 'viewer' },
    ])
    const token = await getToken(app, anna)
    expect((await call(token, '/v1/me', 'one')).body['permissions']).toEqual(everything)
    expect((await call(token, '/v1/me', 'two')).body['permissions']).toEqual(ofViewer)
  })

  test('the role is that of the acting store', async () => {
    const anna = await addPerson(app, 'anna', [
      { store: 'one', role: 'owner' },
      { store: 'two', role: 'viewer' },
    ])
    const token = await getToken(app, anna)
    const remove = (slug: string) =>
      app.call('DELETE', '/v1/products/nothing', { token, headers: { 'x-service-active-tenant': slug } })
    expect([(await remove('one')).status, (await remove('two')).status]).toEqual([404, 403])
  })

  test('a member who leaves the last group has the rights of the role from the next call', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'developer', groups: [reader] }])
    const token = await getToken(app, anna)
    deleteRows(app, 'user_group_members')
    expect((await call(token, '/v1/me')).body['permissions']).toEqual(ofDeveloper)
  })
})
