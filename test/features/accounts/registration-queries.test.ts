import { expect, test } from 'bun:test'
import { registrationQueries } from '../../../src/features/accounts/registration-queries.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { countingIds } from '../../support/app.ts'

test('open registrations have a bound, for one address and altogether; used ones do not count', () => {
  const db = openDatabase(':memory:')
  const queries = registrationQueries(db)
  const ids = countingIds()
  const add = (email: string) => {
    const id = ids.uuid()
    const tokenHash = Buffer.from(id)
    queries.add(
      { id, email, storeName: 'Shop', passwordHash: 'x', tokenHash, createdAt: 1, expiresAt: 100 },
      { perEmail: 2, altogether: 3 },
    )
    return id
  }
  const kept = () =>
    (db.prepare('SELECT email FROM registrations ORDER BY id').all() as { email: string }[]).map(
      ({ email }) => email,
    )
  db.exec(`INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
    VALUES ('s', 'shop', 'Shop', 'free', x'00', 1)`)
  expect(queries.use(add('used@shop.test'), 's', 2)).toBe(true)
  for (const email of ['a', 'b', 'b', 'b']) add(`${email}@shop.test`)
  expect(kept()).toEqual(['used@shop.test', 'a@shop.test', 'b@shop.test', 'b@shop.test'])
  add('c@shop.test')
  expect(kept()).toEqual(['used@shop.test', 'b@shop.test', 'b@shop.test', 'c@shop.test'])
  db.close()
})
