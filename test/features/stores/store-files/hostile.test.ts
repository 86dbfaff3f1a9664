import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UnreadableFile } from '../../../../src/core/unreadable-file.ts'
import type { BundleManifest, BundlePart } from '../../../../src/platform/archives/bundle.ts'
import { readBundle } from '../../../../src/platform/archives/bundle-reader.ts'
import { writeBundle } from '../../../../src/platform/archives/bundle-writer.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows, readColumn, readRows } from '../../../support/seed.ts'
import { listFiles } from '../../../support/state.ts'
import { somebody } from '../team/team.ts'
import { asClient, fillStore, newFolder, openArrived, read, write } from './files.ts'

let target: TestApp
let folder: string
let good: string
let manifest: BundleManifest
const parts = new Map<string, Buffer>()

beforeAll(async () => {
  folder = newFolder()
  const source = testApp()
  await fillStore(source)
  good = (await write(source, folder)).path
  await source.close()
  manifest = await readBundle(
    good,
    { kind: 'store', isKnown: () => true },
    {
      take: async ({ path }, content) => void parts.set(path, Buffer.concat(await Array.fromAsync(content))),
    },
  )
  // Another store lives here, whose rows nobody may touch.
  target = testApp()
  await somebody(target, 'root', {}, { isSuperAdmin: true })
  const token = await target.signIn('neighbour')
  await target.call('POST', '/v1/products', {
    token,
    body: form({ product_id: 'n', image: pictureBytes(6) }),
  })
})
afterAll(async () => {
  await target.close()
  rmSync(folder, { recursive: true, force: true })
})

let before: unknown
const state = () => ({
  stores: readRows(target, 'stores'),
  ...Object.fromEntries(
    [
      'products',
      'pictures',
      'kept_pictures',
      'api_keys',
      'webhooks',
      'feeds',
      'team_invites',
      'store_arrivals',
    ].map((table) => [table, countRows(target, table)]),
  ),
})
beforeEach(() => {
  before = state()
})

/** Writes a file that is whole and sealed, with some parts changed. */
async function forge(
  changed: Record<string, string | Buffer | undefined>,
  change: (manifest: BundleManifest) => unknown = () => {},
): Promise<string> {
  const contents = new Map(parts)
  for (const [path, content] of Object.entries(changed)) {
    if (content === undefined) contents.delete(path)
    else contents.set(path, Buffer.from(content))
  }
  const path = join(folder, `${Bun.randomUUIDv7()}.forged`)
  const forged = structuredClone(manifest)
  forged.parts = [...contents].map(([name, content]) => describePart(name, content))
  change(forged)
  await writeBundle(path, forged, async function* ({ path: name }) {
    yield contents.get(name) ?? Buffer.alloc(0)
  })
  return path
}

const describePart = (path: string, content: Buffer): BundlePart => ({
  path,
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** Changes the rows of a table. */
function rows(
  table: string,
  change: (row: Record<string, unknown>, n: number) => void,
): Record<string, string> {
  const path = `rows/${table}.ndjson`
  const [head = '[]', ...lines] = String(parts.get(path)).trim().split('\n')
  const columns = JSON.parse(head) as string[]
  const changed = lines.map((line, n) => {
    const values = JSON.parse(line) as unknown[]
    const row = Object.fromEntries(columns.map((column, at) => [column, values[at]]))
    change(row, n)
    return JSON.stringify(Object.values(row))
  })
  const first = lines.length > 0 ? Object.keys(rowOf(columns, lines[0] ?? '[]', change)) : columns
  return { [path]: `${[JSON.stringify(first), ...changed].join('\n')}\n` }
}

function rowOf(columns: string[], line: string, change: (row: Record<string, unknown>, n: number) => void) {
  const values = JSON.parse(line) as unknown[]
  const row = Object.fromEntries(columns.map((column, at) => [column, values[at]]))
  change(row, 0)
  return row
}

async function expectRefused(path: string): Promise<void> {
  const error = await read(target, path).then(
    () => new Error('it was taken'),
    (refusal) => refusal as Error,
  )
  expect([error.message, error instanceof UnreadableFile || error.name === 'OperatorError']).toEqual([
    error.message,
    true,
  ])
  expect(error.message).not.toBe('it was taken')
  expect(state()).toEqual(before as ReturnType<typeof state>)
}

test('a byte that flipped in any place is found before anything is written', async () => {
  const bytes = await Bun.file(good).bytes()
  const path = join(folder, 'flipped')
  for (let n = 0; n < 100; n++) {
    const flipped = bytes.slice()
    const at = Math.floor((n / 100) * bytes.length)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (n % 8))
    writeFileSync(path, flipped)
    await expectRefused(path)
  }
})

test.each([0, 1, 100, 0.5, 0.99])('a file that is cut off at %d is refused', async (share) => {
  const bytes = await Bun.file(good).bytes()
  const path = join(folder, 'cut')
  writeFileSync(path, bytes.subarray(0, share <= 1 ? Math.floor(share * (bytes.length - 1)) : share))
  await expectRefused(path)
})

test('a file that unpacks to more than the disk takes is refused before it is unpacked', async () => {
  await expect(read(target, good, { roomBytes: 1_000 })).rejects.toThrow(
    'and the disk of this install takes 0 MB more',
  )
  expect(state()).toEqual(before as ReturnType<typeof state>)
})

test('a backup, and the file of a newer program, are refused', async () => {
  await expectRefused(await forge({}, (of) => Object.assign(of, { kind: 'backup' })))
  await expectRefused(await forge({}, (of) => Object.assign(of, { schema: 9_999 })))
  await expectRefused(await forge({}, (of) => Object.assign(of, { format: 2 })))
})

const leadTo = (url: string) => ({ kind: 'redirect', entry: JSON.stringify({ words: 'sale', url }) })

describe('a file that is sealed, by somebody who wishes us ill', () => {
  test.each<[string, () => Promise<string>]>([
    ['rows of a table that does not travel', () => forge({ 'rows/users.ndjson': '["id"]\n["u"]\n' })],
    ['rows of a table of the database itself', () => forge({ 'rows/sqlite_schema.ndjson': '["sql"]\n' })],
    [
      'a column that names the store',
      () => forge(rows('products', (row) => Object.assign(row, { store_id: 'x' }))),
    ],
    [
      'a column of SQL',
      () => forge(rows('products', (row) => Object.assign(row, { 'name) SELECT 1 --': 1 }))),
    ],
    [
      'a column that must stay',
      () => forge(rows('api_keys', (row) => Object.assign(row, { created_by: 'root' }))),
    ],
    ['a number for an id', () => forge(rows('products', (row) => Object.assign(row, { id: 1 })))],
    [
      'metadata that is no object',
      () => forge(rows('products', (row) => Object.assign(row, { metadata: '5' }))),
    ],
    [
      'a product id with a line end',
      () => forge(rows('products', (row) => Object.assign(row, { product_id: 'a\nb' }))),
    ],
    [
      'an address of another kind',
      () => forge(rows('products', (row) => Object.assign(row, { image_url: 'javascript:1' }))),
    ],
    [
      'a palette that no index reads',
      () => forge(rows('pictures', (row) => Object.assign(row, { palette: '[{"hex":5}]' }))),
    ],
    [
      'a vector that is none',
      () => forge(rows('pictures', (row) => Object.assign(row, { vector: { base64: 'AAAA' } }))),
    ],
    [
      'a vector of nothing',
      () =>
        forge(
          rows('pictures', (row) =>
            Object.assign(row, { vector: { base64: Buffer.alloc(32).toString('base64') } }),
          ),
        ),
    ],
    [
      'a model that the manifest does not name',
      () => forge(rows('pictures', (row) => Object.assign(row, { model: 'e'.repeat(64) }))),
    ],
    [
      'a picture of a page',
      () => forge(rows('kept_pictures', (row) => Object.assign(row, { content_type: 'text/html' }))),
    ],
    [
      'a key whose hash is another’s',
      () => forge(rows('public_keys', (row) => Object.assign(row, { key: 'pk_live_x' }))),
    ],
    [
      'a webhook to a file',
      () => forge(rows('webhooks', (row) => Object.assign(row, { url: 'file:///etc/passwd' }))),
    ],
    ...(
      [
        ['a webhook with a password in its address', 'webhooks', { url: 'https://a:b@hooks.test/' }],
        ['a webhook for an event that no one knows', 'webhooks', { events: '["root.login"]' }],
        ['a feed that runs without a pause', 'feeds', { interval_minutes: 0 }],
        ['a feed with a password in plain sight', 'feeds', { url: 'https://a:b@feeds.test/' }],
        ['a moment that no calendar has', 'products', { created_at: 9e15 }],
        ['metadata of the wrong types', 'products', { metadata: '{"tags":5}' }],
        ['metadata of many levels', 'products', { metadata: `{"a":${'['.repeat(9)}${']'.repeat(9)}}` }],
        ['a key for more than there is', 'api_keys', { scopes: '["admin:everything"]' }],
        ['a key with a name of two lines', 'api_keys', { name: 'a\nb' }],
        ['a widget key for every page', 'public_keys', { origins: '["https://*"]' }],
        ['a widget key without a limit', 'public_keys', { rate_per_minute: 1e9 }],
        ['a check that looks for nothing', 'search_checks', { expected: '[]' }],
        ['a check with a result of another kind', 'search_checks', { last_result: '{"passed":1}' }],
        ['a rule that pins no product', 'search_rules', { actions: '[{"action":"pin","position":1}]' }],
        ['a rule that does nothing known', 'search_rules', { actions: '[{"action":"drop"}]' }],
        ['a rule with a condition of another kind', 'search_rules', { conditions: '{"words":"mug"}' }],
        ['a query that leads into the browser', 'store_words', leadTo('javascript:alert(1)')],
        ['a query that leads to another host', 'store_words', leadTo('//evil.test')],
        ['a query that leads nowhere', 'store_words', { kind: 'redirect', entry: '{"words":"sale"}' }],
        ['synonyms that are numbers', 'store_words', { entry: '{"words":[5]}' }],
        ['a group with a right that is none', 'user_groups', { permission_names: '["stores:delete"]' }],
      ] as const
    ).map(([title, table, values]): [string, () => Promise<string>] => [
      title,
      () => forge(rows(table, (row) => Object.assign(row, values))),
    ]),
    ...(
      [
        [
          'a template that runs in the browser',
          { product_url_template: 'javascript:alert(1)//{product_id}' },
        ],
        ['a shop that is a script', { shop_url: 'javascript:alert(1)' }],
        ['a threshold of words', { duplicate_threshold: 'high' }],
      ] as const
    ).map(([title, settings]): [string, () => Promise<string>] => [
      title,
      () =>
        forge(rows('store_settings', (row) => Object.assign(row, { settings: JSON.stringify(settings) }))),
    ]),
    [
      'addresses that are none',
      () => forge({ 'rows/ip_entries.ndjson': '["cidr","created_at"]\n["anywhere",1]\n' }),
    ],
    [
      'more members than a store may have',
      () =>
        forge({
          'people.json': JSON.stringify({
            members: Array.from({ length: 201 }, (_, n) => ({
              ...{ email: `a${n}@b.test`, role: 'viewer', groups: [] },
            })),
            makers: [],
          }),
        }),
    ],
    [
      'more webhooks than a store may have',
      () => {
        const path = 'rows/webhooks.ndjson'
        const [head, row] = String(parts.get(path)).split('\n')
        return forge({ [path]: `${head}\n${`${row}\n`.repeat(21)}` })
      },
    ],
    [
      'a row that names what is not there',
      () => forge(rows('feeds', (row) => Object.assign(row, { interval_minutes: 'often' }))),
    ],
    [
      'a second store for its settings',
      () => forge({ 'rows/store_settings.ndjson': '["settings","updated_at"]\n["{}",1]\n["{}",1]\n' }),
    ],
    [
      'settings that are a list',
      () => forge({ 'rows/store_settings.ndjson': '["settings","updated_at"]\n["[]",1]\n' }),
    ],
    [
      'rows without an end',
      () => forge({ 'rows/event_days.ndjson': '["day","action","events","attributed","replaced"]\n[1' }),
    ],
    ['rows that are no lists', () => forge({ 'rows/event_days.ndjson': '{"day":1}\n' })],
    ['a picture that is not what its name says', () => forge({ [`pictures/${'a'.repeat(64)}`]: 'x' })],
    [
      'a person who is no person',
      () => forge({ 'people.json': '{"members":[{"email":"A@B","role":"owner","groups":[]}],"makers":[]}' }),
    ],
    [
      'a member of a group that is not there',
      () =>
        forge({
          'people.json': '{"members":[{"email":"a@b.test","role":"owner","groups":["g"]}],"makers":[]}',
        }),
    ],
    [
      'an unknown role',
      () =>
        forge({ 'people.json': '{"members":[{"email":"a@b.test","role":"root","groups":[]}],"makers":[]}' }),
    ],
    ['no people', () => forge({ 'people.json': undefined })],
    ['a manifest without a store', () => forge({}, (of) => Object.assign(of, { details: {} }))],
    [
      'a slug that hides a page',
      () => forge({}, (of) => Object.assign((of.details as { store: object }).store, { slug: 'admin' })),
    ],
    [
      'a plan that nobody sells',
      () => forge({}, (of) => Object.assign((of.details as { store: object }).store, { plan: 'gold' })),
    ],
    [
      'a model of another length',
      () =>
        forge({}, (of) =>
          Object.assign((of.details as { models: object[] }).models[0] ?? {}, { dimension: 9 }),
        ),
    ],
  ])('%s is refused, and leaves nothing', async (_, make) => {
    await expectRefused(await make())
  })

  test('a picture that the file lacks never becomes that of another store', async () => {
    const [address] = readColumn<string>(target, 'kept_pictures', 'address')
    const [hash] = readColumn<Buffer>(target, 'kept_pictures', 'content_hash')
    const path = await forge({
      ...rows('products', (row) => Object.assign(row, { image_url: `/pictures/${address}` })),
      ...rows('pictures', (row) => Object.assign(row, { image_url: `/pictures/${address}` })),
      ...rows('kept_pictures', (row) =>
        Object.assign(row, { content_hash: { base64: Buffer.from(hash ?? []).toString('base64') } }),
      ),
    })
    const files = listFiles(target)
    const { client_id, client_secret, store_id } = await read(target, path)
    await openArrived(target)
    const token = await asClient(target, client_id, client_secret)
    const { body } = await target.call('GET', '/v1/products/p1', { token })
    expect(body['image_url']).not.toContain(address)
    expect((await target.http.handle(new Request(String(body['image_url'])))).status).toBe(404)
    expect(countRows(target, 'kept_pictures', { store_id })).toBe(0)
    // The picture that no row names was not written.
    expect(listFiles(target)).toEqual(files)
  })
})
