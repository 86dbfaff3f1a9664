import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Row } from '../../../../src/core/row-lines.ts'
import { UnreadableFile } from '../../../../src/core/unreadable-file.ts'
import { copy, createFullNode, createNode, type Node, OTHER, STORE } from './nodes.ts'

let source: Node
let target: Node
let lines: Map<string, { t: string; put: Row }>
let before: string[]
beforeAll(() => {
  source = createFullNode('here')
  target = createNode('there')
  target.addStore()
  target.addStore(OTHER, 'other')
  copy(source, target)
  lines = new Map(
    source.reader
      .walk(STORE, undefined, 1_000_000, ['stores'])
      .lines.concat(
        [
          'memberships',
          'products',
          'api_keys',
          'settings',
          'kept_pictures',
          'audit_events',
          'signing_secrets',
        ].flatMap((table) => source.reader.walk(STORE, undefined, 1_000_000, [table]).lines),
      )
      .map((line) => {
        const read = JSON.parse(line) as { t: string; put: Row }
        return [read.t, read]
      }),
  )
  before = target.dump()
})
afterAll(() => {
  source.db.close()
  target.db.close()
})

const changed = (table: string, change: Record<string, unknown>): unknown => {
  const { put } = lines.get(table) as { put: Row }
  return { t: table, put: { ...put, ...change } }
}
const account = (change: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(String(lines.get('memberships')?.put['account'])), ...change })
const picture = (change: Record<string, unknown>): unknown => {
  const { put } = lines.get('products') as { put: Row }
  const [first] = put['pictures'] as unknown as object[]
  return [{ ...first, ...change }]
}

test.each<[string, () => unknown]>([
  ['no JSON', () => '{'],
  ['a list', () => []],
  ['nothing', () => null],
  ['another table', () => ({ t: 'sessions', put: { id: 'x' } })],
  ['a word of all objects', () => ({ t: 'constructor', put: {} })],
  ['both a row and a deletion', () => ({ t: 'products', put: {}, del: {} })],
  ['a field beside', () => ({ t: 'store_words', del: { kind: 'ignore', place: 1 }, store_id: OTHER })],
  ['the store of a row', () => changed('api_keys', { store_id: OTHER })],
  ['a column that does not travel', () => changed('stores', { erasing_at: 5 })],
  ['a slug', () => changed('stores', { slug: 'other' })],
  ['a row of another store', () => changed('stores', { id: OTHER })],
  ['the end of a store', () => ({ t: 'stores', del: { id: STORE } })],
  ['a column that SQL would read', () => changed('api_keys', { 'name) VALUES (1) --': 'x' })],
  ['too few columns', () => ({ t: 'api_keys', put: { id: 'x' } })],
  ['a fraction', () => changed('api_keys', { created_at: 1.5 })],
  ['a number beyond all dates', () => changed('api_keys', { created_at: 1e300 })],
  ['a hash that is a text', () => changed('api_keys', { key_hash: 'x' })],
  [
    'a member who is the super-admin',
    () => changed('memberships', { account: account({ is_super_admin: 1 }) }),
  ],
  ['a member whose address is proven', () => changed('memberships', { account: account({ proven_at: 1 }) })],
  ['a password that is no hash', () => changed('memberships', { account: account({ password_hash: 'x' }) })],
  [
    'a factor that is no secret',
    () =>
      changed('memberships', {
        user_id: 'new@people.test',
        account: account({ factor: { secret: '<', created_at: 1, enabled_at: 1 } }),
      }),
  ],
  ['no address', () => changed('memberships', { user_id: 'nobody' })],
  ['a product without pictures', () => changed('products', { pictures: undefined })],
  ['pictures beside', () => changed('api_keys', { pictures: [] })],
  [
    'a vector that is none',
    () =>
      changed('products', { pictures: picture({ vector: { base64: Buffer.alloc(32).toString('base64') } }) }),
  ],
  [
    'a vector of another length',
    () => changed('products', { pictures: picture({ vector: { base64: 'AAAA' } }) }),
  ],
  ['an unknown model', () => changed('products', { pictures: picture({ model: 'x' }) })],
  ['a picture of no place', () => changed('products', { pictures: picture({ position: 'first' }) })],
  ['colours that are no JSON', () => changed('products', { pictures: picture({ palette: '[' }) })],
  ['a picture with a number', () => changed('products', { pictures: picture({ id: 1 }) })],
  ['a secret that is sealed already', () => changed('signing_secrets', { sealed: { base64: 'AAAA' } })],
])('%s is refused, and nothing is changed', (_name, make) => {
  const made = make()
  const line = typeof made === 'string' ? made : JSON.stringify(made)
  const good = JSON.stringify(changed('api_keys', { name: 'changed before' }))
  expect(() => target.apply([good, line])).toThrow(UnreadableFile)
  expect(target.dump()).toEqual(before)
})

test('rows of another store here stay as they are, whatever names they are called by', () => {
  const key = lines.get('api_keys')?.put as Row
  const kept = lines.get('kept_pictures')?.put as Row
  const event = lines.get('audit_events')?.put as Row
  const lost = [
    { t: 'api_keys', del: { id: key['id'] } },
    { t: 'kept_pictures', del: { address: kept['address'] } },
  ]
  // The same rows, for another store that arrives: they are not its own.
  for (const [table, row] of [
    ['api_keys', key],
    ['kept_pictures', kept],
    ['audit_events', event],
  ] as const)
    expect(() => target.apply([JSON.stringify({ t: table, put: row })], OTHER)).toThrow(
      'belongs to another store',
    )
  target.apply(
    lost.map((line) => JSON.stringify(line)),
    OTHER,
  )
  expect(target.dump()).toEqual(before)
})
