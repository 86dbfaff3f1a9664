import { afterEach, beforeEach, expect, test } from 'bun:test'
import { systemIds } from '../../../src/core/ids.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { createSecretSeals } from '../../../src/platform/db/seals.ts'
import { memoryDatabase } from '../../support/database.ts'

const [ONE, OTHER] = [
  'one secret that is long enough for it',
  'another secret, and long enough as well',
] as const
let db: Db
beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => void db.close())

test('a secret is known again, another is not, and none was before', () => {
  const seals = createSecretSeals(db, systemIds)
  expect([seals.has('data'), seals.isSame('data', ONE)]).toEqual([false, undefined])
  seals.add('data', ONE)
  expect([seals.has('data'), seals.isSame('data', ONE), seals.isSame('data', OTHER)]).toEqual([
    true,
    true,
    false,
  ])
  expect(seals.isSame('jwt', ONE)).toBeUndefined()
})

test('whoever adds first wins; replacing takes the new one', () => {
  const seals = createSecretSeals(db, systemIds)
  seals.add('data', ONE)
  seals.add('data', OTHER)
  expect(seals.isSame('data', ONE)).toBe(true)
  seals.replace('data', OTHER)
  expect(seals.isSame('data', OTHER)).toBe(true)
})

test('the seal of one secret is not that of another, and tells neither', () => {
  const seals = createSecretSeals(db, systemIds)
  seals.add('data', ONE)
  const { sealed } = db.prepare("SELECT sealed FROM seals WHERE name = 'data'").get() as { sealed: Buffer }
  expect(sealed.toString('latin1')).not.toContain(ONE)
  db.prepare("INSERT INTO seals VALUES ('jwt', ?)").run(sealed)
  expect(seals.isSame('jwt', ONE)).toBe(false)
})

test('a damaged seal opens with nothing', () => {
  const seals = createSecretSeals(db, systemIds)
  seals.add('data', ONE)
  db.exec("UPDATE seals SET sealed = x'00'")
  expect(seals.isSame('data', ONE)).toBe(false)
})

test.each([
  ['two_factor', "INSERT INTO two_factor (user_id, sealed_secret, created_at) VALUES ('u', x'00', 0)"],
  ['recovery_codes', "INSERT INTO recovery_codes (user_id, code_hash) VALUES ('u', x'00')"],
  [
    'outbox',
    "INSERT INTO outbox (id, recipient, subject, sealed_text, created_at, expires_at, next_attempt_at) VALUES ('m', 'a', 's', x'00', 0, 0, 0)",
  ],
])('a row in %s is sealed content', (_, insert) => {
  const seals = createSecretSeals(db, systemIds)
  db.exec(
    "INSERT INTO users (id, email, name, password_hash, created_at) VALUES ('u', 'u@shop.test', 'u', '', 0)",
  )
  expect(seals.anySealed()).toBe(false)
  db.exec(insert)
  expect(seals.anySealed()).toBe(true)
})
