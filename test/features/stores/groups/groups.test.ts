import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PERMISSIONS } from '../../../../src/core/actor.ts'
import type { TestApp } from '../../../support/app.ts'
import { proxiedApp, refusal } from '../../../support/people.ts'
import { insertRows, storeId } from '../../../support/seed.ts'
import { events, type Somebody, somebody } from '../team/team.ts'

const GROUPS = '/v1/user-groups'

let app: TestApp
let owner: Somebody

beforeEach(async () => {
  app = proxiedApp()
  for (const name of ['one', 'two']) await app.store(name)
  owner = await somebody(app, 'owner', { one: 'owner' })
})
afterEach(() => app.close())

const create = (name: string, permission_names: unknown = ['products:read'], by = owner, store = 'one') =>
  by.send('POST', GROUPS, { name, permission_names }, store)
const idOf = async (name: string) => String((await create(name)).body['id'])

describe('/v1/user-groups (contract 5.11)', () => {
  test('creates a group, lists it, and tells its members', async () => {
    const { status, body } = await create(' Readers ', ['search:execute', 'products:read', 'products:read'])
    const made = {
      id: expect.any(String),
      name: 'Readers',
      permission_names: ['products:read', 'search:execute'],
      member_count: 0,
      created_at: '2030-01-01T00:00:00.000Z',
    }
    expect([status, body as object]).toEqual([201, made])
    await create('Nobody', [])
    const vera = await somebody(app, 'vera', { one: 'viewer' })
    await owner.send('PATCH', `/v1/team/members/${vera.id}`, { group_ids: [body['id']] })
    const list = await owner.send('GET', GROUPS)
    expect(list.body as unknown).toEqual([
      { ...made, name: 'Nobody', permission_names: [] },
      { ...made, member_count: 1 },
    ])
    expect(events(app, 'group.%').at(-1)).toEqual({
      ...{ action: 'group.created', actor_kind: 'person', user_id: owner.id },
      details: { id: body['id'], name: 'Readers', permission_names: ['products:read', 'search:execute'] },
    })
  })

  test('an admin may do the same', async () => {
    const adam = await somebody(app, 'adam', { one: 'admin' })
    expect((await create('Readers', [], adam)).status).toBe(201)
  })

  test('changes name and permissions, each alone or both', async () => {
    const id = await idOf('Readers')
    const change = async (patch: object) => {
      const { status, body } = await owner.send('PATCH', `${GROUPS}/${id}`, patch)
      return [status, body['name'], body['permission_names'] as unknown]
    }
    expect(await change({})).toEqual([200, 'Readers', ['products:read']])
    expect(events(app, 'group.updated')).toEqual([])
    expect(await change({ name: 'READERS' })).toEqual([200, 'READERS', ['products:read']])
    expect(await change({ permission_names: [] })).toEqual([200, 'READERS', []])
    expect(await change({ name: 'Writers', permission_names: ['products:write'] })).toEqual([
      ...[200, 'Writers'],
      ['products:write'],
    ])
    expect(events(app, 'group.updated')[0]?.details).toMatchObject({
      ...{ id, name: 'Writers', before: [], permission_names: ['products:write'] },
    })
  })

  test('409 for a name that is taken, in any case and with any accents, in this store alone', async () => {
    await create('Équipe')
    const id = await idOf('Other')
    for (const answer of [
      await create('equipe'),
      await create(' ÉQUIPE '),
      await owner.send('PATCH', `${GROUPS}/${id}`, { name: 'équipe' }),
    ]) {
      expect(refusal(answer)).toEqual([409, 'conflict'])
    }
    const other = await somebody(app, 'other', { two: 'owner' })
    expect((await create('Équipe', [], other, 'two')).status).toBe(201)
    const both = await Promise.all([create('Twice'), create('twice')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('deletes a group that nobody is in; 409 for one in use', async () => {
    const id = await idOf('Readers')
    const vera = await somebody(app, 'vera', { one: 'viewer' })
    const assign = (group_ids: string[]) => owner.send('PATCH', `/v1/team/members/${vera.id}`, { group_ids })
    await assign([id])
    const used = await owner.send('DELETE', `${GROUPS}/${id}`)
    expect(refusal(used)).toEqual([409, 'conflict'])
    expect(used.body['details']).toMatchObject({ member_count: 1 })
    await assign([])
    const { status, body } = await owner.send('DELETE', `${GROUPS}/${id}`)
    expect([status, body as object]).toEqual([200, { status: 'deleted', id }])
    expect(refusal(await owner.send('DELETE', `${GROUPS}/${id}`))).toEqual([404, 'not_found'])
    expect(events(app, 'group.deleted')).toHaveLength(1)
  })

  test('404 for a group of another store', async () => {
    const other = await somebody(app, 'other', { two: 'owner' })
    const { body } = await create('Theirs', [], other, 'two')
    for (const [method, patch] of [['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
      const answer = await owner.send(method, `${GROUPS}/${body['id']}`, patch)
      expect(refusal(answer)).toEqual([404, 'not_found'])
    }
    expect((await owner.send('GET', GROUPS)).body as unknown).toEqual([])
  })

  test('409 beyond 100 groups', async () => {
    const store_id = storeId(app, 'one')
    insertRows(app, 'user_groups', 100, (n) => ({
      ...{ id: `g${n}`, store_id, name: `group ${n}`, permission_names: '[]', created_at: 1 },
    }))
    const answer = await create('One more')
    expect([...refusal(answer), answer.body['details']]).toEqual([
      ...[409, 'conflict'],
      expect.objectContaining({ limit: 100 }),
    ])
  })

  test('422 names the permission that does not exist and those that do', async () => {
    const { status, body } = await create('x', ['products:read', 'products:own'])
    expect([status, body['details']]).toEqual([
      422,
      expect.objectContaining({
        errors: [
          {
            ...{ in: 'body', pointer: '/permission_names/1', code: 'enum' },
            message: `must be one of ${PERMISSIONS.map((name) => `"${name}"`).join(', ')}`,
            ...{ expected: 'string', received: 'string' },
          },
        ],
      }),
    ])
  })

  test.each([
    [{ permission_names: [] }, '/name'],
    [{ name: '   ', permission_names: [] }, '/name'],
    [{ name: 'x'.repeat(101), permission_names: [] }, '/name'],
    [{ name: 'a\nb', permission_names: [] }, '/name'],
    [{ name: 'x' }, '/permission_names'],
    [{ name: 'x', permission_names: 'products:read' }, '/permission_names'],
    [{ name: 'x', permission_names: Array(51).fill('products:read') }, '/permission_names'],
    [{ name: 'x', permission_names: ['team:manage'] }, '/permission_names/0'],
  ])('422 for %j', async (body, pointer) => {
    const answer = await owner.send('POST', GROUPS, body)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['details']).toMatchObject({ errors: [{ in: 'body', pointer }] })
  })

  test('Idempotency-Key: one group', async () => {
    const send = () =>
      app.call('POST', GROUPS, {
        ...{ token: owner.token, headers: { 'idempotency-key': 'k' } },
        body: { name: 'Readers', permission_names: [] },
      })
    const [first, again] = [await send(), await send()]
    expect(again.body as object).toEqual(first.body)
    expect((await owner.send('GET', GROUPS)).body as unknown).toHaveLength(1)
  })
})

test('GET /v1/user-groups/permissions lists every permission with what it allows', async () => {
  const { status, body } = await owner.send('GET', `${GROUPS}/permissions`)
  const list = body as unknown as { name: string; description: string }[]
  expect([status, list.map(({ name }) => name) as string[]]).toEqual([200, [...PERMISSIONS]])
  for (const { description } of list) expect(description).toMatch(/^[A-Z].{10,}\.$/)
})
