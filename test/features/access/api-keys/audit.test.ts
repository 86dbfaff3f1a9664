import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'
import { auditOf, breakAuditLog } from './evidence.ts'
import { DAY_MS, type Keys, keysOf, PATH, READ, signInMember, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys
/** The machine grant of the store, for a hundred years. */
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
  token = keys.token
  storeId = keys.storeId
})
afterEach(() => app.close())

describe('the audit log', () => {
  test('has a row for every act, with who did it, and no secret', async () => {
    const { userId, token: owner } = await signInMember(app, { store: 'one', role: 'owner' })
    const created = await keys.create({ ...READ, expires_in_days: 1 }, owner)
    const id = String(created.body['id'])
    await app.call('PATCH', `${PATH}/${id}`, { token: owner, body: { name: 'renamed' } })
    const rotated = await keys.rotate(id, undefined, owner)
    await app.call('DELETE', `${PATH}/${id}`, { token })
    const rows = auditOf(app, 'api_key')
    expect(
      rows.map(({ action, store_id, actor_kind, user_id }) => [action, store_id, actor_kind, user_id]),
    ).toEqual([
      ['api_key.created', storeId, 'person', userId],
      ['api_key.updated', storeId, 'person', userId],
      ['api_key.rotated', storeId, 'person', userId],
      ['api_key.revoked', storeId, 'machine', null],
    ])
    for (const { details } of rows) expect(details['id']).toBe(id)
    expect(rows[0]?.details).toMatchObject({
      name: 'reader',
      scopes: ['products:read'],
      expires_at: keys.isoIn(DAY_MS),
    })
    expect(rows[1]?.details).toMatchObject({ name: 'renamed', changed: ['name'] })
    for (const { body } of [created, rotated])
      expect(JSON.stringify(rows)).not.toContain(String(body['key']).slice(12))
  })

  test('and the act are one: without its row nothing is created, changed, rotated or revoked', async () => {
    const { id, key } = await keys.made()
    const before = readRows(app, 'api_keys')
    breakAuditLog(app)
    const statuses = [
      await keys.create(),
      await app.call('PATCH', `${PATH}/${id}`, { token, body: { name: 'x' } }),
      await keys.rotate(id),
      await app.call('DELETE', `${PATH}/${id}`, { token }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([500, 500, 500, 500])
    expect(readRows(app, 'api_keys')).toEqual(before)
    expect(await keys.useKey(key)).toEqual(WORKS)
  })
})
