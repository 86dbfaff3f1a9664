import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type RegistrationQueries,
  registrationQueries,
} from '../../../../src/features/access/registration/queries.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { countingIds } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'

let db: Db
let queries: RegistrationQueries
let add: (email: string, expiresAt?: number) => string

beforeEach(() => {
  db = memoryDatabase()
  db.exec(`INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
    VALUES ('s', 'shop', 'Shop', 'free', x'00', 1)`)
  queries = registrationQueries(db)
  const ids = countingIds()
  add = (email, expiresAt = 100) => {
    const id = ids.uuid()
    const tokenHash = Buffer.from(id)
    queries.add({ id, email, storeName: 'Shop', passwordHash: 'x', tokenHash, createdAt: 1, expiresAt }, 4)
    return id
  }
})
afterEach(() => db.close())

const kept = () =>
  (db.prepare('SELECT email FROM registrations ORDER BY id').all() as { email: string }[]).map(
    ({ email }) => email,
  )

describe('registrations have a bound altogether', () => {
  test('of more open ones those go that end soonest, whosever they are', () => {
    add('late@shop.test', 101)
    for (const email of ['a', 'b', 'b', 'b', 'b']) add(`${email}@shop.test`)
    expect(kept()).toEqual(['late@shop.test', 'b@shop.test', 'b@shop.test', 'b@shop.test'])
  })

  test('used ones are deleted before open ones', () => {
    const [first, second] = [add('used-first@shop.test', 1), add('used-second@shop.test', 1)]
    expect([queries.use(second, 's', 3), queries.use(first, 's', 2)]).toEqual([true, true])
    for (const email of ['a', 'b', 'c']) add(`${email}@shop.test`)
    expect(kept()).toEqual(['used-second@shop.test', 'a@shop.test', 'b@shop.test', 'c@shop.test'])
    for (const email of ['d', 'e']) add(`${email}@shop.test`)
    expect(kept()).toEqual(['b@shop.test', 'c@shop.test', 'd@shop.test', 'e@shop.test'])
  })

  test('what has to go is found by indexes, so a full table costs an insertion nothing', () => {
    const plans = ['used_at IS NULL ORDER BY expires_at', 'used_at IS NOT NULL ORDER BY used_at'].map(
      (order) =>
        JSON.stringify(
          db.prepare(`EXPLAIN QUERY PLAN SELECT rowid FROM registrations WHERE ${order} LIMIT 1`).all(),
        ),
    )
    expect(plans[0]).toContain('USING INDEX registrations_open')
    expect(plans[1]).toContain('INDEX registrations_used')
    for (const plan of plans) expect(plan).not.toContain('TEMP B-TREE')
  })
})
