import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createIdempotencyKeys } from '../../../src/platform/db/idempotency.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { createSecretBox } from '../../../src/platform/secret-box.ts'
import { countingIds } from '../../support/app.ts'
import { memoryDatabase } from '../../support/database.ts'

const box = createSecretBox('a secret that is only used in tests', countingIds())

let db: Db
beforeEach(() => {
  db = memoryDatabase()
  for (const id of ['s', 't']) {
    db.prepare(
      `INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, ?, 'free', x'00', 0)`,
    ).run(id, id, id)
  }
})
afterEach(() => db.close())

const one = Buffer.from('one')
const other = Buffer.from('other')

describe('idempotency keys (contract 1.6)', () => {
  test('the first claim is new, a second one runs, and after the end it has the answer', () => {
    const keys = createIdempotencyKeys(db, box)
    expect(keys.claim('s', 'k', one, 1)).toEqual({ state: 'new' })
    expect(keys.claim('s', 'k', one, 2)).toEqual({ state: 'running' })
    keys.finish('s', 'k', { status: 201, body: { product_id: 'ü', list: [1, null] }, isSecret: false })
    expect(keys.claim('s', 'k', one, 3)).toEqual({
      state: 'answered',
      status: 201,
      body: { product_id: 'ü', list: [1, null] },
    })
  })

  test('an answer that shows a secret is sealed, for its store and its key', () => {
    const keys = createIdempotencyKeys(db, box)
    keys.claim('s', 'k', one, 1)
    keys.finish('s', 'k', { status: 201, body: { key: 'sk_live_canary' }, isSecret: true })
    const row = db.prepare('SELECT body FROM idempotency_keys').get() as { body: string }
    expect(row.body).not.toContain('canary')
    expect(keys.claim('s', 'k', one, 2)).toMatchObject({ state: 'answered', body: { key: 'sk_live_canary' } })
    keys.claim('s', 'other', one, 3)
    db.prepare("UPDATE idempotency_keys SET status = 201, body = ? WHERE key = 'other'").run(row.body)
    expect(keys.claim('s', 'other', one, 4)).toMatchObject({ state: 'answered', body: null })
  })

  test('another request under the same key is told apart, before and after the end', () => {
    const keys = createIdempotencyKeys(db, box)
    keys.claim('s', 'k', one, 1)
    expect(keys.claim('s', 'k', other, 2)).toEqual({ state: 'other_request' })
    keys.finish('s', 'k', { status: 200, body: null, isSecret: false })
    expect(keys.claim('s', 'k', other, 3)).toEqual({ state: 'other_request' })
    expect(keys.claim('s', 'k', one, 3)).toEqual({ state: 'answered', status: 200, body: null })
  })

  test('keys belong to one store and compare exactly', () => {
    const keys = createIdempotencyKeys(db, box)
    keys.claim('s', 'k', one, 1)
    for (const [store, key] of [
      ['t', 'k'],
      ['s', 'K'],
      ['s', 'k '],
      ['s', "k' OR 1=1 --"],
    ] as const) {
      expect(keys.claim(store, key, one, 1)).toEqual({ state: 'new' })
    }
  })

  test('a forgotten key is new again', () => {
    const keys = createIdempotencyKeys(db, box)
    keys.claim('s', 'k', one, 1)
    keys.forget('s', 'k')
    expect(keys.claim('s', 'k', other, 1)).toEqual({ state: 'new' })
  })

  test('pruning takes what is older than the moment, and leaves the moment itself', () => {
    const keys = createIdempotencyKeys(db, box)
    for (const created of [1, 2, 3]) {
      keys.claim('s', `k${created}`, one, created)
      keys.finish('s', `k${created}`, { status: 200, body: created, isSecret: false })
    }
    keys.prune(2)
    const states = [1, 2, 3].map((n) => keys.claim('s', `k${n}`, one, 9).state)
    expect(states).toEqual(['new', 'answered', 'answered'])
  })

  test('a request that was cut off by the end of the program may be sent again; finished ones are kept', () => {
    const before = createIdempotencyKeys(db, box)
    before.claim('s', 'cut off', one, 1)
    before.claim('s', 'done', one, 1)
    before.finish('s', 'done', { status: 200, body: 'x', isSecret: false })
    const after = createIdempotencyKeys(db, box)
    expect(after.claim('s', 'cut off', one, 2)).toEqual({ state: 'new' })
    expect(after.claim('s', 'done', one, 2)).toEqual({ state: 'answered', status: 200, body: 'x' })
  })

  test('the keys of a store go with it', () => {
    const keys = createIdempotencyKeys(db, box)
    keys.claim('s', 'k', one, 1)
    db.prepare('DELETE FROM stores WHERE id = ?').run('s')
    expect(db.prepare('SELECT * FROM idempotency_keys').all()).toEqual([])
  })

  test('a database that cannot be written at the start is no reason not to start', () => {
    createIdempotencyKeys(db, box).claim('s', 'k', one, 1)
    db.pragma('query_only = ON')
    expect(() => createIdempotencyKeys(db, box)).not.toThrow()
    db.pragma('query_only = OFF')
    expect(createIdempotencyKeys(db, box).claim('s', 'k', one, 1)).toEqual({ state: 'new' })
  })
})
