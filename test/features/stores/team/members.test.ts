import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ROLES, type Role } from '../../../../src/core/actor.ts'
import { seededRandom } from '../../../robustness/random.ts'
import type { TestApp } from '../../../support/app.ts'
import { enableTwoFactor, proxiedApp, refusal } from '../../../support/people.ts'
import { addMembership, deleteRows } from '../../../support/seed.ts'
import { accept, events, invited, membershipsOf, newcomer, type Somebody, somebody } from './team.ts'

let app: TestApp
let owner: Somebody

beforeEach(async () => {
  app = proxiedApp()
  for (const name of ['one', 'two']) await app.store(name)
  // The store's first owner would be in every list.
  deleteRows(app, 'memberships')
  owner = await somebody(app, 'owner', { one: 'owner' })
})
afterEach(() => app.close())

const MEMBERS = '/v1/team/members'
const roleOf = (who: Somebody) => membershipsOf(app, who.email)['one']

async function group(name: string, permission_names: string[] = ['products:read']): Promise<string> {
  const { body } = await owner.send('POST', '/v1/user-groups', { name, permission_names })
  return String(body['id'])
}

describe('GET /v1/team/members (contract 5.10)', () => {
  test('lists role, groups, second factor, last sign-in and both beginnings, the oldest member first', async () => {
    app.clock.advance(1_000)
    const vera = await somebody(app, 'vera', { one: 'viewer' })
    await enableTwoFactor(app, vera.token)
    const id = await group('Readers')
    await owner.send('PATCH', `${MEMBERS}/${vera.id}`, { group_ids: [id] })
    const { status, body } = await vera.send('GET', MEMBERS)
    const ofVera = {
      ...{ id: vera.id, email: 'vera@people.test', full_name: 'vera', role: 'viewer' },
      groups: [{ id, name: 'Readers' }],
      two_factor_enabled: true,
      last_login_at: '2030-01-01T00:00:01.000Z',
      created_at: '2030-01-01T00:00:01.000Z',
      joined_at: '2030-01-01T00:00:01.000Z',
    }
    expect([status, body as object]).toEqual([
      200,
      {
        members: [
          {
            ...{ id: owner.id, email: 'owner@people.test', full_name: 'owner', role: 'owner', groups: [] },
            two_factor_enabled: false,
            last_login_at: '2030-01-01T00:00:00.000Z',
            created_at: '2030-01-01T00:00:00.000Z',
            joined_at: '2030-01-01T00:00:00.000Z',
          },
          ofVera,
        ],
        count: 2,
      },
    ])
    expect((await vera.send('GET', `${MEMBERS}/${vera.id}`)).body as object).toEqual(ofVera)
    const { joined_at: _, ...user } = ofVera
    const users = await vera.send('GET', '/v1/users')
    expect((users.body as unknown as object[])[1]).toEqual(user)
  })

  test('404 for every action on a person of another store', async () => {
    const other = await somebody(app, 'other', { two: 'owner' })
    for (const id of [other.id, 'unknown']) {
      for (const [method, body] of [['GET'], ['PATCH', { role: 'viewer' }], ['DELETE']] as const) {
        expect(refusal(await owner.send(method, `${MEMBERS}/${id}`, body))).toEqual([404, 'not_found'])
      }
    }
    expect(membershipsOf(app, other.email)).toEqual({ two: 'owner' })
  })
})

describe('PATCH /v1/team/members/{id} (contract 5.10)', () => {
  test('changes role and groups, which hold from the next request of the same sign-in', async () => {
    const dan = await somebody(app, 'dan', { one: 'viewer' })
    const write = () => dan.send('DELETE', '/v1/products/none')
    expect(refusal(await write())).toEqual([403, 'permission_denied'])
    const id = await group('Cleaners', ['products:delete'])
    const { status, body } = await owner.send('PATCH', `${MEMBERS}/${dan.id}`, {
      role: 'developer',
      group_ids: [id, id],
    })
    expect([status, body['role'], body['groups'] as unknown]).toEqual([
      200,
      'developer',
      [{ id, name: 'Cleaners' }],
    ])
    expect((await write()).status).toBe(404)
    expect(refusal(await dan.send('GET', '/v1/products'))).toEqual([403, 'permission_denied'])
    await owner.send('PATCH', `/v1/user-groups/${id}`, { permission_names: ['products:read'] })
    expect(refusal(await write())).toEqual([403, 'permission_denied'])
    expect((await dan.send('GET', '/v1/products')).status).toBe(200)
    await owner.send('PATCH', `${MEMBERS}/${dan.id}`, { group_ids: [] })
    expect((await dan.send('GET', MEMBERS)).status).toBe(200)
    expect(events(app, 'member.%')[1]).toMatchObject({
      ...{ action: 'member.changed', actor_kind: 'person', user_id: owner.id },
      details: { id: dan.id, role_before: 'viewer', role: 'developer', group_ids: [id] },
    })
  })

  test('an empty patch changes nothing and records nothing', async () => {
    const { status, body } = await owner.send('PATCH', `${MEMBERS}/${owner.id}`, {})
    expect([status, body['role']]).toEqual([200, 'owner'])
    expect(events(app, 'member.%')).toEqual([])
  })

  test('422 for a role or a group that does not exist, also a group of another store; nothing changes', async () => {
    const dan = await somebody(app, 'dan', { one: 'viewer' })
    const other = await somebody(app, 'other', { two: 'owner' })
    const foreign = await other.send('POST', '/v1/user-groups', { name: 'x', permission_names: [] }, 'two')
    const own = await group('Own')
    for (const [body, pointer] of [
      [{ role: 'root' }, '/role'],
      [{ role: 'developer', group_ids: [own, String(foreign.body['id'])] }, '/group_ids/1'],
      [{ group_ids: ['unknown'] }, '/group_ids/0'],
      [{ group_ids: Array(101).fill(own) }, '/group_ids'],
      [{ group_ids: own }, '/group_ids'],
    ] as const) {
      const answer = await owner.send('PATCH', `${MEMBERS}/${dan.id}`, body)
      expect(refusal(answer)).toEqual([422, 'validation_error'])
      expect(answer.body['details']).toMatchObject({ errors: [{ in: 'body', pointer }] })
    }
    const { body: after } = await owner.send('GET', `${MEMBERS}/${dan.id}`)
    expect([after['role'], after['groups'] as unknown]).toEqual(['viewer', []])
  })

  test('an admin changes everybody but owners, and can make nobody an owner', async () => {
    const adam = await somebody(app, 'adam', { one: 'admin' })
    const dan = await somebody(app, 'dan', { one: 'developer' })
    const ownerNeeded = async (method: string, id: string, body?: object) => {
      const answer = await adam.send(method, `${MEMBERS}/${id}`, body)
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
      expect(answer.body['details']).toMatchObject({ required: 'owner' })
    }
    await ownerNeeded('PATCH', owner.id, { role: 'viewer' })
    await ownerNeeded('PATCH', owner.id, { group_ids: [] })
    await ownerNeeded('PATCH', owner.id, {})
    await ownerNeeded('DELETE', owner.id)
    await ownerNeeded('PATCH', dan.id, { role: 'owner' })
    await ownerNeeded('PATCH', adam.id, { role: 'owner' })
    for (const role of ['admin', 'viewer']) {
      expect((await adam.send('PATCH', `${MEMBERS}/${dan.id}`, { role })).status).toBe(200)
    }
    expect((await adam.send('DELETE', `${MEMBERS}/${dan.id}`)).status).toBe(200)
    expect([roleOf(owner), roleOf(adam), roleOf(dan)]).toEqual(['owner', 'admin', undefined])
  })
})

describe('DELETE /v1/team/members/{id} (contract 5.10)', () => {
  test('ends what depends on the membership at once, and leaves the account and its other stores', async () => {
    const dan = await somebody(app, 'dan', { one: 'developer', two: 'viewer' })
    const made = await dan.send('POST', '/v1/security/api-keys', {
      name: 'k',
      scopes: { products: ['read'] },
    })
    const byKey = () =>
      app.call('GET', '/v1/products', { headers: { 'x-api-key': String(made.body['key']) } })
    const id = await group('Readers')
    await owner.send('PATCH', `${MEMBERS}/${dan.id}`, { group_ids: [id] })
    expect([(await dan.send('GET', '/v1/products')).status, (await byKey()).status]).toEqual([200, 200])
    const { status, body } = await owner.send('DELETE', `${MEMBERS}/${dan.id}`)
    expect([status, body as object]).toEqual([200, { status: 'removed', id: dan.id }])
    expect(refusal(await dan.send('GET', '/v1/products'))).toEqual([403, 'not_a_member'])
    expect(refusal(await byKey())).toEqual([403, 'permission_denied'])
    expect((await dan.send('GET', '/v1/products', undefined, 'two')).status).toBe(200)
    // Whoever comes back starts without groups.
    expect((await owner.send('DELETE', `/v1/user-groups/${id}`)).status).toBe(200)
    expect(events(app, 'member.%')[0]).toEqual({
      ...{ action: 'member.removed', actor_kind: 'person', user_id: owner.id },
      details: { id: dan.id, email: dan.email, role: 'developer' },
    })
    const { token } = await invited(app, owner, dan.email)
    expect((await accept(app, { token })).status).toBe(200)
    expect((await owner.send('GET', `${MEMBERS}/${dan.id}`)).body).toMatchObject({
      role: 'viewer',
      groups: [],
    })
  })

  test('an owner may go as long as another one stays', async () => {
    const second = await somebody(app, 'second', { one: 'owner' })
    expect((await second.send('DELETE', `${MEMBERS}/${second.id}`)).status).toBe(200)
    expect(refusal(await second.send('GET', MEMBERS))).toEqual([403, 'not_a_member'])
  })
})

describe('there is always an owner', () => {
  test('409 for the last one, removed or demoted, also by a super-admin', async () => {
    const root = await somebody(app, 'root', {}, { isSuperAdmin: true })
    for (const who of [owner, root]) {
      for (const role of ['admin', 'developer', 'viewer']) {
        const answer = await who.send('PATCH', `${MEMBERS}/${owner.id}`, { role })
        expect(refusal(answer)).toEqual([409, 'conflict'])
      }
      expect(refusal(await who.send('DELETE', `${MEMBERS}/${owner.id}`))).toEqual([409, 'conflict'])
    }
    expect((await owner.send('PATCH', `${MEMBERS}/${owner.id}`, { role: 'owner' })).status).toBe(200)
    expect(roleOf(owner)).toBe('owner')
  })

  test('two owners who remove or demote each other at a time: one stays', async () => {
    for (const change of [
      (by: Somebody, whom: Somebody) => by.send('DELETE', `${MEMBERS}/${whom.id}`),
      (by: Somebody, whom: Somebody) => by.send('PATCH', `${MEMBERS}/${whom.id}`, { role: 'viewer' }),
      (by: Somebody, whom: Somebody) =>
        by === owner
          ? by.send('DELETE', `${MEMBERS}/${whom.id}`)
          : by.send('PATCH', `${MEMBERS}/${whom.id}`, { role: 'viewer' }),
    ]) {
      deleteRows(app, 'memberships')
      owner = await somebody(app, app.ids.uuid(), { one: 'owner' })
      const second = await somebody(app, app.ids.uuid(), { one: 'owner' })
      const answers = await Promise.all([change(owner, second), change(second, owner)])
      expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true])
      expect([roleOf(owner), roleOf(second)].filter((role) => role === 'owner')).toHaveLength(1)
    }
  })

  test('a member who loses the role while another request is under way cannot take it back with that one', async () => {
    const second = await somebody(app, 'second', { one: 'owner' })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        await held
        controller.enqueue(new TextEncoder().encode('{"role":"owner"}'))
        controller.close()
      },
    })
    const underway = app.http.handle(
      new Request(`http://lookalike.test${MEMBERS}/${second.id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${second.token}`, 'content-type': 'application/json' },
        body,
      }),
    )
    expect((await owner.send('PATCH', `${MEMBERS}/${second.id}`, { role: 'admin' })).status).toBe(200)
    release()
    expect((await underway).status).toBe(403)
    expect(roleOf(second)).toBe('admin')
  })

  test('of 600 random changes of one store none leaves it without one, and none goes beyond its maker’s rank', async () => {
    const random = seededRandom(13)
    deleteRows(app, 'memberships')
    const people: Somebody[] = []
    for (let n = 0; n < 5; n++)
      people.push(await somebody(app, `person${n}`, { one: n < 2 ? 'owner' : 'admin' }))
    const storeId = app.stores.requireBySlug('one').id
    const owners = () => people.filter((who) => roleOf(who) === 'owner').length
    const done = { changed: 0, refused: 0 }
    for (let step = 0; step < 600; step++) {
      const [by, whom] = [random.pick(people), random.pick(people)]
      const [rank, before] = [roleOf(by), roleOf(whom)]
      const role: Role = random.pick(ROLES)
      const isRemoval = random.below(5) === 0
      const { status } = isRemoval
        ? await by.send('DELETE', `${MEMBERS}/${whom.id}`)
        : await by.send('PATCH', `${MEMBERS}/${whom.id}`, { role })
      if (status === 200) {
        done.changed++
        expect(['owner', 'admin']).toContain(String(rank))
        if (before === 'owner' || (!isRemoval && role === 'owner')) expect(rank).toBe('owner')
      } else {
        done.refused++
        expect(roleOf(whom)).toBe(before)
      }
      expect(owners()).toBeGreaterThan(0)
      // Removed people come back, or nobody would be left; the budget of a sign-in is no matter here.
      if (random.below(4) === 0 && !roleOf(whom)) {
        addMembership(app, whom.id, storeId, 'admin')
      }
      app.clock.advance(1_100)
    }
    expect(done.changed).toBeGreaterThan(50)
    expect(done.refused).toBeGreaterThan(50)
  })
})

test('people of many stores have another role and other groups in each', async () => {
  const three = await somebody(app, 'boss', { one: 'owner', two: 'owner' })
  const roles = { one: 'viewer', two: 'admin' } as const
  for (const email of ['nora@shop.test', 'bert@shop.test']) {
    for (const [store, role] of Object.entries(roles)) {
      const { token } = await invited(app, three, email, role, store)
      expect((await accept(app, newcomer(token))).status).toBe(200)
    }
    expect(membershipsOf(app, email)).toEqual({ ...roles })
  }
  const [nora] = (await three.send('GET', MEMBERS, undefined, 'two')).body['members'] as { id: string }[]
  expect(nora).toBeDefined()
  const list = (await three.send('GET', MEMBERS)).body['members'] as { id: string; email: string }[]
  const { id = '' } = list.find(({ email }) => email === 'nora@shop.test') ?? {}
  const groupId = await group('Readers')
  await three.send('PATCH', `${MEMBERS}/${id}`, { role: 'developer', group_ids: [groupId] })
  expect(membershipsOf(app, 'nora@shop.test')).toEqual({ one: 'developer', two: 'admin' })
  expect((await three.send('GET', `${MEMBERS}/${id}`, undefined, 'two')).body).toMatchObject({
    role: 'admin',
    groups: [],
  })
})
