import { afterEach, beforeEach, expect, test } from 'bun:test'
import { somebody } from '../features/stores/team/team.ts'
import { type TestApp, testApp } from '../support/app.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn()
})
afterEach(() => app.close())

/** Two people read the same thing; the first saves. */
async function change(path: string, [first, second]: readonly [object, object]) {
  const read = await app.call('GET', path, { token })
  const etag = read.headers.get('etag') ?? ''
  const patch = (body: object, headers: Record<string, string> = {}) =>
    app.call('PATCH', path, { token, body, headers })
  app.clock.advance(1_000)
  const saved = await patch(first, { 'if-match': etag })
  app.clock.advance(1_000)
  const late = await patch(second, { 'if-match': etag })
  const again = (await app.call('GET', path, { token })).headers.get('etag') ?? ''
  const anyway = await patch(second, { 'if-match': again })
  const without = await patch(first)
  return {
    statuses: [saved.status, late.status, anyway.status, without.status],
    error: late.body['error'],
    isNamed: (late.body['details'] as { etag?: string }).etag === again,
    isTag: /^"[\w-]+"$/.test(etag) && etag !== again,
  }
}

const TOLD = { statuses: [200, 409, 200, 200], error: 'conflict', isNamed: true, isTag: true }

test('of two people who change one product the second is told, and may save anyway', async () => {
  const body = { product_id: 'a', image_url: app.picture('a', 1), metadata: { name: 'Cup' } }
  await app.call('POST', '/v1/products', { token, body })
  const names = [{ metadata: { name: 'Mug' } }, { metadata: { name: 'Bowl' } }] as const
  expect(await change('/v1/products/a', names)).toEqual(TOLD)
})

test('of two people who change the settings the second is told, and may save anyway', async () => {
  const values = [{ duplicate_threshold: 0.9 }, { duplicate_threshold: 0.8 }] as const
  expect(await change('/v1/store/settings', values)).toEqual(TOLD)
})

test('the second is told although both save within one millisecond', async () => {
  const body = { product_id: 'a', image_url: app.picture('a', 1), metadata: { name: 'Cup', tags: ['ä'] } }
  await app.call('POST', '/v1/products', { token, body })
  const etag = (await app.call('GET', '/v1/products/a', { token })).headers.get('etag') ?? ''
  const save = async (name: string) =>
    (
      await app.call('PATCH', '/v1/products/a', {
        ...{ token, body: { metadata: { name } } },
        headers: { 'if-match': etag },
      })
    ).status
  expect([await save('Mug'), await save('Bowl')]).toEqual([200, 409])
})

test('a list of tags and a weak one name a version; nothing, or another one, does not', async () => {
  const path = '/v1/products/a'
  const body = { product_id: 'a', image_url: app.picture('a', 1), metadata: { name: 'Cup' } }
  await app.call('POST', '/v1/products', { token, body })
  const etag = (await app.call('GET', path, { token })).headers.get('etag') ?? ''
  // Nothing changes with this body, and so neither does the tag.
  const save = async (ifMatch: string, at = path) =>
    (await app.call('PATCH', at, { token, body: { metadata: {} }, headers: { 'if-match': ifMatch } })).status
  const statuses: number[] = []
  for (const tag of ['*', `W/${etag}`, `"other", ${etag}`, '', '"', '"other"', etag.slice(1, -1)])
    statuses.push(await save(tag))
  expect(statuses).toEqual([200, 200, 200, 409, 409, 409, 409])
  expect(await save('*', '/v1/products/none')).toBe(404)
})

/** What concerns people is refused to the machine grant. */
async function actAsOwner(): Promise<void> {
  token = (await somebody(app, 'owner', { one: 'owner' })).token
}

/** Things with a `PATCH`: how one is made, and what two people make of it. */
const THINGS: Readonly<Record<string, { body: object; id?: string; changes: readonly [object, object] }>> = {
  '/v1/search/webhooks': {
    body: { url: 'https://hooks.shop.test/a', events: ['product.indexed'] },
    changes: [{ description: 'Stock' }, { events: ['product.deleted'] }],
  },
  '/v1/feeds': {
    body: { url: 'https://feeds.shop.test/a.csv' },
    changes: [{ interval_minutes: 120 }, { paused: true }],
  },
  '/v1/security/api-keys': {
    body: { name: 'Sync', scopes: { products: 'read' } },
    changes: [{ name: 'Import' }, { scopes: { search: 'execute' } }],
  },
  '/v1/security/public-keys': {
    body: { name: 'Shop', origins: ['https://shop.test'] },
    changes: [{ name: 'Blog' }, { origins: ['https://blog.test'] }],
  },
  '/v1/user-groups': {
    body: { name: 'Editors', permission_names: ['products:read'] },
    changes: [{ name: 'Writers' }, { permission_names: ['products:write'] }],
  },
}

test.each(Object.keys(THINGS))('%s: of two people the second is told, and may save anyway', async (path) => {
  if (path === '/v1/user-groups') await actAsOwner()
  const { body, changes } = THINGS[path] as (typeof THINGS)[string]
  const made = await app.call('POST', path, { token, body })
  const id = made.body['id']
  expect(await change(`${path}/${id}`, changes)).toEqual(TOLD)
})

test('members: of two people who change one the second is told, and may save anyway', async () => {
  await actAsOwner()
  const user = { email: 'ben@shop.test', password: 'seven green bottles', full_name: 'Ben' }
  const { body } = await app.call('POST', '/v1/users', { token, body: user })
  const path = `/v1/team/members/${body['id']}`
  expect(await change(path, [{ role: 'developer' }, { role: 'admin' }])).toEqual(TOLD)
})

test('the store: of two people who name it the second is told, and may save anyway', async () => {
  expect(await change('/v1/store', [{ name: 'One' }, { name: 'Two' }])).toEqual(TOLD)
})

test('the answer of a change has the version for the next one', async () => {
  const path = '/v1/security/api-keys'
  const { body } = await app.call('POST', path, { token, body: THINGS[path]?.body })
  const first = await app.call('PATCH', `${path}/${body['id']}`, { token, body: { name: 'Two' } })
  const headers = { 'if-match': first.headers.get('etag') ?? '' }
  const next = await app.call('PATCH', `${path}/${body['id']}`, { token, body: { name: 'Three' }, headers })
  expect([next.status, next.body['name']]).toEqual([200, 'Three'])
})

test('one who may not change a thing learns nothing of its version', async () => {
  const path = '/v1/security/api-keys'
  const { body } = await app.call('POST', path, { token, body: THINGS[path]?.body })
  const other = await app.signIn('stranger')
  const refused = await app.call('PATCH', `${path}/${body['id']}`, {
    ...{ token: other, body: { name: 'Mine' } },
    headers: { 'if-match': '"other"' },
  })
  expect([refused.status, refused.headers.get('etag')]).toEqual([404, null])
})
