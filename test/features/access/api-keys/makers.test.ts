import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PERMISSIONS, type Permission, type Role } from '../../../../src/core/actor.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, join, type Person } from '../../../support/people.ts'
import {
  deleteRows,
  deleteUser,
  makeSuperAdmin,
  removeMembership,
  setGroupPermissions,
  setRole,
  updateRows,
} from '../../../support/seed.ts'
import { codeOf } from './answers.ts'
import { DAY_MS, type Keys, keysOf, PATH, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
})
afterEach(() => app.close())

const SCOPES = { products: ['read', 'write', 'delete'], search: ['execute'] }
const DENIED: [number, unknown] = [403, 'permission_denied']

/** What one call with a key is answered. */
const read = async (key: string) => codeOf(await app.call('GET', '/v1/products', { token: key }))
const search = async (key: string) =>
  codeOf(await app.call('POST', '/v1/search/text', { token: key, body: { query: 'boots' } }))
const remove = async (key: string) => codeOf(await app.call('DELETE', '/v1/products/none', { token: key }))

/** A member with a key of these scopes. */
async function maker(role: Role, { groups = [] as Permission[][], scopes = SCOPES as object } = {}) {
  const person = await addPerson(app, `maker-${app.ids.uuid()}`, [{ store: 'one', role, groups }])
  const token = await getToken(app, person)
  const { status, body } = await keys.create({ name: 'k', scopes }, token)
  expect(status).toBe(201)
  return { ...person, token, key: String(body['key']), keyId: String(body['id']) }
}

const setGroups = ({ id }: Person, permissions: Permission[]): void =>
  setGroupPermissions(app, id, permissions)

const leave = ({ id }: Person): void => void removeMembership(app, id)

const shown = async (id: string) => {
  const { effective_scopes, maker, created_by, scopes } = await keys.read(id)
  return { effective_scopes, maker, created_by, scopes }
}

describe('an API key does no more than its maker may at this moment', () => {
  test('after a downgrade of the role, with the next call; and gets it back with the role', async () => {
    const anna = await maker('owner')
    expect([await read(anna.key), await remove(anna.key)]).toEqual([WORKS, [404, 'not_found']])
    setRole(app, anna.id, 'developer')
    expect([await read(anna.key), await remove(anna.key)]).toEqual([WORKS, DENIED])
    setRole(app, anna.id, 'viewer')
    expect(await search(anna.key)).toEqual(WORKS)
    const write = await app.call('POST', '/v1/products', {
      token: anna.key,
      body: { product_id: 'x', image_url: app.picture('x', 1) },
    })
    expect([codeOf(write), write.body['details']]).toEqual([DENIED, { required: 'products:write' }])
    expect(await shown(anna.keyId)).toEqual({
      scopes: SCOPES,
      effective_scopes: { products: ['read'], search: ['execute'] },
      maker: 'person',
      created_by: anna.id,
    })
    setRole(app, anna.id, 'owner')
    expect(await remove(anna.key)).toEqual([404, 'not_found'])
  })

  test('after a change of the groups, of one and of the membership in it', async () => {
    const bert = await maker('developer', {
      groups: [['products:read', 'search:execute']],
      scopes: { products: 'read', search: 'execute' },
    })
    expect([await read(bert.key), await search(bert.key)]).toEqual([WORKS, WORKS])
    setGroups(bert, ['search:execute'])
    expect([await read(bert.key), await search(bert.key)]).toEqual([DENIED, WORKS])
    setGroups(bert, [])
    expect([await read(bert.key), await search(bert.key)]).toEqual([DENIED, DENIED])
    // In no group at all the role counts.
    deleteRows(app, 'user_group_members', { user_id: bert.id })
    expect([await read(bert.key), await search(bert.key)]).toEqual([WORKS, WORKS])
  })

  test('several groups count together, those of another store do not', async () => {
    const bert = await maker('developer', {
      groups: [['products:read'], ['search:execute']],
      scopes: { products: 'read', search: 'execute' },
    })
    expect([await read(bert.key), await search(bert.key)]).toEqual([WORKS, WORKS])
    await app.store('two')
    join(app, bert.id, { store: 'two', role: 'owner', groups: [[...PERMISSIONS]] })
    deleteRows(app, 'user_groups', { permission_names: '["products:read"]' })
    expect([await read(bert.key), await search(bert.key)]).toEqual([DENIED, WORKS])
  })

  test('and nothing at all once the maker has left: 403 on every scoped route, and it is no 401', async () => {
    const anna = await maker('owner')
    await app.store('two')
    join(app, anna.id, { store: 'two', role: 'owner' })
    removeMembership(app, anna.id, keys.storeId)
    for (const { method, path } of app.http.routes as { method: string; path: string }[]) {
      if (!/^\/v1\/(products|search)/.test(path)) continue
      const answer = await app.call(method, path.replaceAll(/:\w+/g, 'none'), {
        token: anna.key,
        headers: { 'content-type': 'application/json' },
      })
      // A body is judged before the permission, as for anybody; what gets past that is refused.
      if (answer.status !== 400 && answer.status !== 415)
        expect([path, codeOf(answer)]).toEqual([path, DENIED])
    }
    expect([await read(anna.key), await search(anna.key), await remove(anna.key)]).toEqual([
      DENIED,
      DENIED,
      DENIED,
    ])
    const me = await app.call('GET', '/v1/me', { token: anna.key })
    expect([me.status, me.body['permissions']]).toEqual([200, []])
    expect(await shown(anna.keyId)).toMatchObject({ effective_scopes: {}, maker: 'former_member' })
  })

  test('nor once the maker was deleted, who leaves no name behind', async () => {
    const anna = await maker('owner')
    deleteUser(app, anna.id)
    expect(await read(anna.key)).toEqual(DENIED)
    expect(await shown(anna.keyId)).toMatchObject({
      effective_scopes: {},
      maker: 'former_member',
      created_by: null,
    })
  })

  test('a super-admin has everything, member or not, until that ends', async () => {
    const root = await addPerson(app, 'root', [], { isSuperAdmin: true })
    const token = await getToken(app, root)
    const { body } = await app.call('POST', PATH, {
      token,
      body: { name: 'k', scopes: SCOPES },
      headers: { 'x-service-active-tenant': 'one' },
    })
    expect(await remove(String(body['key']))).toEqual([404, 'not_found'])
    expect(await shown(String(body['id']))).toMatchObject({ effective_scopes: SCOPES, maker: 'person' })
    makeSuperAdmin(app, root.id, false)
    expect(await read(String(body['key']))).toEqual(DENIED)
  })

  test('a machine grant’s key keeps its scopes when people leave', async () => {
    const { id, key } = await keys.made({ name: 'k', scopes: SCOPES })
    deleteRows(app, 'users')
    expect([await read(key), await remove(key)]).toEqual([WORKS, [404, 'not_found']])
    expect(await shown(id)).toEqual({
      scopes: SCOPES,
      effective_scopes: SCOPES,
      maker: 'machine',
      created_by: null,
    })
  })

  test('the maker stays the maker when somebody else changes or renews it', async () => {
    const bert = await maker('developer', { scopes: { products: 'read' } })
    const owner = await maker('owner')
    const patched = await keys.patch(bert.keyId, { scopes: { products: ['read', 'delete'] } }, owner.token)
    expect(patched.body).toMatchObject({
      scopes: { products: ['read', 'delete'] },
      effective_scopes: { products: ['read'] },
      maker: 'person',
    })
    const rotated = (await keys.rotate(bert.keyId, undefined, owner.token)).body
    expect(rotated).toMatchObject({ effective_scopes: { products: ['read'] }, created_by: bert.id })
    expect(await remove(String(rotated['key']))).toEqual(DENIED)
    leave(bert)
    expect(await read(String(rotated['key']))).toEqual(DENIED)
  })

  test('also by the value before a rotation, in its grace', async () => {
    const anna = await maker('owner')
    await keys.rotate(anna.keyId, { grace_seconds: 60 })
    expect(await read(anna.key)).toEqual(WORKS)
    leave(anna)
    expect(await read(anna.key)).toEqual(DENIED)
  })
})

describe('keys_of_former_members', () => {
  const advice = async () => {
    const { body } = await app.call('GET', '/v1/security/overview', { token: keys.token })
    const all = body['recommendations'] as { code: string; message: string }[]
    return all.find(({ code }) => code === 'keys_of_former_members')?.message
  }

  test('counts what those who left or were deleted have made, and what works still', async () => {
    const [anna, bert] = [await maker('owner'), await maker('admin')]
    await keys.made()
    expect(await advice()).toBeUndefined()
    leave(anna)
    expect(await advice()).toBe(
      'Revoke 1 API key that former members created; such a key can no longer do anything.',
    )
    deleteUser(app, bert.id)
    expect(await advice()).toStartWith('Revoke 2 API keys')
    await app.call('DELETE', `${PATH}/${anna.keyId}`, { token: keys.token })
    expect(await advice()).toStartWith('Revoke 1 API key that')
    updateRows(app, 'api_keys', { expires_at: app.clock.now() + DAY_MS }, { id: bert.keyId })
    expect(await advice()).toStartWith('Revoke 1')
    app.clock.advance(DAY_MS)
    expect(await advice()).toBeUndefined()
  })

  test('tells nothing of another store, and not of a super-admin', async () => {
    await app.store('two')
    const anna = await maker('owner')
    join(app, anna.id, { store: 'two', role: 'owner' })
    const root = await maker('owner')
    makeSuperAdmin(app, root.id)
    leave(root)
    expect(await advice()).toBeUndefined()
    removeMembership(app, anna.id, keys.storeId)
    expect(await advice()).toStartWith('Revoke 1')
  })
})
