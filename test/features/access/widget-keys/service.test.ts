import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemIds } from '../../../../src/core/ids.ts'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import { hashSecret } from '../../../../src/core/secrets.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'
import { auditOf, breakAuditLog } from '../api-keys/evidence.ts'

let app: TestApp
let storeId: string

beforeEach(async () => {
  app = testApp({ ids: systemIds })
  storeId = (await app.store()).store_id
})
afterEach(() => app.close())

const create = (...origins: string[]) => app.widgetKeys.createForOperator(storeId, 'widget', origins)
const rows = () => readRows(app, 'public_keys')

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a public key made at the command line (contract 4.11)', () => {
  test('is pk_live_, 32 base-62 characters and the CRC-32 of them in six', () => {
    const keys = Array.from({ length: 50 }, () => create('https://shop.example').key)
    expect(new Set(keys).size).toBe(50)
    for (const key of keys) {
      const [, body = '', check = ''] = /^pk_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(key) ?? []
      const number = [...check].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n)
      expect(number).toBe(BigInt(Bun.hash.crc32(body)))
    }
  })

  test('is kept with its hash and its first twelve characters, bound to its store, and may be used for everything', () => {
    const made = create('https://shop.example')
    const [row = {}] = rows()
    expect(row).toMatchObject({
      id: made.id,
      store_id: storeId,
      name: 'widget',
      key: made.key,
      prefix: made.key.slice(0, 12),
      origins: '["https://shop.example"]',
      rate_per_minute: null,
      allowed: '["text","upload","url","feedback"]',
      created_at: app.clock.now(),
    })
    expect(hashSecret(made.key).equals(row['key_hash'] as Uint8Array)).toBe(true)
  })

  test('keeps the same origin once', () => {
    expect(create('https://a.example', 'https://a.example/', 'https://b.example').origins).toEqual([
      'https://a.example',
      'https://b.example',
    ])
  })

  test('is not made for a text that is no origin; the error names the text', () => {
    const attempt = () => create('https://good.example', 'null')
    expect(attempt).toThrow(OperatorError)
    expect(attempt).toThrow('"null" is not an origin')
    expect(rows()).toEqual([])
  })

  test('is not made for no origin at all, for 21 of them, or under an unusable name', () => {
    const many = Array.from({ length: 21 }, (_, n) => `https://shop${n}.example`)
    expect(() => create()).toThrow('origins must have at least 1 item')
    expect(() => create(...many)).toThrow('origins must have at most 20 items')
    expect(() => app.widgetKeys.createForOperator(storeId, '', ['https://a.example'])).toThrow(
      'name must have at least 1 character',
    )
    expect(rows()).toEqual([])
  })

  test('is not the 101st of its store', () => {
    for (let n = 0; n < 100; n++) create('https://shop.example')
    expect(() => create('https://shop.example')).toThrow('A store may have 100 widget keys')
    expect(app.widgetKeys.count(storeId)).toBe(100)
  })

  test('is an act of the operator; without its row in the audit log there is no key', () => {
    const { id } = create('https://shop.example')
    expect(auditOf(app, 'public_key')).toEqual([
      {
        action: 'public_key.created',
        store_id: storeId,
        actor_kind: 'operator',
        user_id: null,
        details: expect.objectContaining({ id, name: 'widget', origins: ['https://shop.example'] }) as never,
      },
    ])
    breakAuditLog(app)
    expect(() => create('https://shop.example')).toThrow('the log is broken')
    expect(app.widgetKeys.count(storeId)).toBe(1)
  })
})
