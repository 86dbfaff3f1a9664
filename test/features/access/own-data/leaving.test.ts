import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, getToken, join, type Person, proxiedApp, refusal } from '../../../support/people.ts'
import { countRows, readRows, removeOthers, setRole } from '../../../support/seed.ts'

let app: TestApp
let storeId: string

beforeEach(async () => {
  app = proxiedApp()
  await app.store('one')
  await app.store('two')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const leave = (token: string, store: string) =>
  app.call('DELETE', `/v1/me/memberships/${encodeURIComponent(store)}`, { token })
const count = (table: string, { id }: Person) => countRows(app, table, { user_id: id })

describe('DELETE /v1/me/memberships/{store} (contract 5.13)', () => {
  test.each(['slug', 'id'])(
    '200 by the %s: the store is closed at once, its groups are left, and other stores stay',
    async (how) => {
      const anna = await addPerson(app, 'anna', [
        { store: 'one', role: 'developer', groups: [['products:read']] },
        { store: 'two', role: 'viewer', groups: [['products:read']] },
      ])
      const token = await getToken(app, anna)
      const headers = { 'x-service-active-tenant': 'one' }
      expect((await app.call('GET', '/v1/products', { token, headers })).status).toBe(200)
      const answer = await leave(token, how === 'id' ? storeId : 'one')
      expect([answer.status, answer.body as unknown]).toEqual([
        200,
        { status: 'left', store: { id: storeId, slug: 'one', name: 'one' } },
      ])
      expect(refusal(await app.call('GET', '/v1/products', { token, headers }))).toEqual([
        403,
        'not_a_member',
      ])
      expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
      expect([count('memberships', anna), count('user_group_members', anna)]).toEqual([1, 1])
      const events = readRows(app, 'audit_events', { action: 'membership.left' }, [
        'store_id',
        'user_id',
        'details',
      ])
      expect(events).toEqual([{ store_id: storeId, user_id: anna.id, details: '{"role":"developer"}' }])
      expect(refusal(await leave(token, 'one'))).toEqual([404, 'not_found'])
    },
  )

  test('409 for the last owner, who may go once there is another', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    removeOthers(app, anna.id, storeId)
    const admin = await addPerson(app, 'admin', [{ store: 'one', role: 'admin' }])
    const token = await getToken(app, anna)
    const answer = await leave(token, 'one')
    expect(refusal(answer)).toEqual([409, 'conflict'])
    expect(answer.body['details']).toEqual({
      reason: 'last_owner',
      stores: [{ id: storeId, slug: 'one', name: 'one' }],
    })
    expect(answer.body['message']).toContain('make another member an owner')
    expect(count('memberships', anna)).toBe(1)
    setRole(app, admin.id, 'owner')
    const answers = await Promise.all([leave(token, 'one'), leave(await getToken(app, admin), 'one')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('404 for a store of others, for one that does not exist, and for the id of another person’s store', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'viewer' }])
    const token = await getToken(app, anna)
    const { id } = app.stores.requireBySlug('two')
    const answers = [await leave(token, 'two'), await leave(token, 'nowhere'), await leave(token, id)]
    expect(answers.map(refusal)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(answers[0]?.body).toEqual(answers[1]?.body ?? {})
  })

  test('422 for a name that no store can have', async () => {
    const token = await getToken(app, await addPerson(app, 'anna'))
    expect(refusal(await leave(token, 'x'.repeat(101)))).toEqual([422, 'validation_error'])
  })

  test('API keys of the person stay, and do nothing until the person is back', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'developer' }])
    const token = await getToken(app, anna)
    const body = { name: 'sync', scopes: { products: ['read'] } }
    const made = (await app.call('POST', '/v1/security/api-keys', { token, body })).body
    const use = () => app.call('GET', '/v1/products', { headers: { 'x-api-key': String(made['key']) } })
    expect((await use()).status).toBe(200)
    await leave(token, 'one')
    expect(refusal(await use())).toEqual([403, 'permission_denied'])
    join(app, anna.id, { store: 'one', role: 'viewer' })
    expect((await use()).status).toBe(200)
  })
})
