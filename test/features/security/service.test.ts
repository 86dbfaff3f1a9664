import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/core/clock.ts'
import { systemIds } from '../../../src/core/ids.ts'
import { securityQueries } from '../../../src/features/security/queries.ts'
import { OriginError, securityService } from '../../../src/features/security/service.ts'
import { hashSecret } from '../../../src/platform/secrets.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let app: TestApp
let storeId: string

beforeEach(async () => {
  app = testApp()
  storeId = (await app.store()).store_id
})
afterEach(() => app.close())

const create = (...origins: string[]) => app.security.createPublicKey(storeId, 'widget', origins)

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a public key (spec §5.5, D8)', () => {
  test('is pk_live_, 32 base-62 characters and the CRC-32 of them in six', () => {
    const security = securityService({
      queries: securityQueries(app.db),
      clock: systemClock,
      ids: systemIds,
      hashSecret,
    })
    const keys = Array.from(
      { length: 50 },
      () => security.createPublicKey(storeId, 'widget', ['https://shop.example']).key,
    )
    expect(new Set(keys).size).toBe(50)
    for (const key of keys) {
      const [, body = '', check = ''] = /^pk_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(key) ?? []
      const number = [...check].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n)
      expect(number).toBe(BigInt(Bun.hash.crc32(body)))
    }
  })

  test('is kept as a hash with its first twelve characters, and is bound to its store', () => {
    const made = create('https://shop.example')
    const row = app.db.prepare('SELECT * FROM public_keys').get() as Record<string, unknown>
    expect(row).toMatchObject({
      id: made.id,
      store_id: storeId,
      name: 'widget',
      prefix: made.key.slice(0, 12),
      origins: '["https://shop.example"]',
      created_at: app.clock.now(),
    })
    expect(hashSecret(made.key).equals(row['key_hash'] as Uint8Array)).toBe(true)
    expect(JSON.stringify(row)).not.toContain(made.key.slice(12))
  })
})

describe('origins are exact (spec §5.5, D8)', () => {
  test.each([
    ['https://shop.example', 'https://shop.example'],
    ['https://shop.example/', 'https://shop.example'],
    ['HTTPS://Shop.Example', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://shop.example:80', 'http://shop.example'],
    ['https://shop.example:8443', 'https://shop.example:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://müller.example', 'https://xn--mller-kva.example'],
  ])('%p is kept as %p, the form that browsers send', (given, kept) => {
    expect(create(given).origins).toEqual([kept])
  })

  test('the same origin twice is kept once', () => {
    expect(create('https://a.example', 'https://a.example/', 'https://b.example').origins).toEqual([
      'https://a.example',
      'https://b.example',
    ])
  })

  test.each([
    'shop.example',
    '//shop.example',
    'https://',
    'https:shop.example',
    'https:/shop.example',
    'https://*.shop.example',
    '*',
    'https://shop.example/path',
    'https://shop.example//',
    'https://shop.example?',
    'https://shop.example?a=1',
    'https://shop.example#',
    'https://user@shop.example',
    'https://:password@shop.example',
    'https://shop.example\\evil',
    'https://shop example',
    ' https://shop.example',
    'https://shop.example:99999',
    'ftp://shop.example',
    'file:///index.html',
    'chrome-extension://abc',
    'null',
    'javascript:alert(1)',
    '',
  ])('%p is refused, and no key is made', (origin) => {
    expect(() => create('https://good.example', origin)).toThrow(OriginError)
    expect(app.db.prepare('SELECT 1 FROM public_keys').all()).toEqual([])
  })

  test('no origin at all is refused', () => {
    expect(() => create()).toThrow('A widget key needs at least one origin')
  })
})
