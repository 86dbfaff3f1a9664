import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type TestApp, testApp } from '../../../support/app.ts'
import { countRows, readColumn, readRows } from '../../../support/seed.ts'
import { accept, newcomer, somebody } from '../team/team.ts'
import { asClient, fillStore, newFolder, openArrived, PASSPHRASE, read, write } from './files.ts'

let source: TestApp
let filled: Awaited<ReturnType<typeof fillStore>>
let target: TestApp
let folder: string
/** Written without a passphrase. */
let plain: string

beforeAll(async () => {
  folder = newFolder()
  source = testApp()
  await somebody(source, 'root', {}, { isSuperAdmin: true })
  filled = await fillStore(source)
  plain = (await write(source, folder)).path
})
afterAll(async () => {
  await source.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  target = testApp()
  await somebody(target, 'root', {}, { isSuperAdmin: true })
})
afterEach(() => target.close())

const arrive = async (app = target, options: Parameters<typeof read>[2] = {}, path = plain) => {
  const report = await read(app, path, options)
  await openArrived(app)
  return { report, token: await asClient(app, report.client_id, report.client_secret) }
}

const searches = async (app: TestApp, token: string) => {
  const send = async (path: string, body: unknown) => {
    const { body: answer, status } = await app.call('POST', path, { token, body })
    if (status !== 200) throw new Error(JSON.stringify(answer))
    return (answer['results'] as { product_id: string; similarity_score: number }[]).map(
      ({ product_id, similarity_score }) => [product_id, similarity_score],
    )
  }
  app.picture('asked', 1, 2)
  return [
    await send('/v1/search/text', { query: 'mug 3', limit: 10 }),
    await send('/v1/search/url', { image_url: 'https://img.test/asked.jpg', limit: 10 }),
    await send('/v1/search/text', { query: 'mug', limit: 10, price_min: 2 }),
  ]
}

test('a store answers on another install as it did, without any embedding', async () => {
  const { token } = filled
  const { path, report } = await write(source, folder, { passphrase: PASSPHRASE })
  expect(report).toMatchObject({ products: 7, pictures: 7, members: 3, lost: 0, secretsLeftOut: 0 })
  const before = await searches(source, token)
  expect(before.every((results) => results.length > 1)).toBe(true)

  const arrived = await read(target, path, { passphrase: PASSPHRASE })
  expect(target.downloads).toEqual([])
  await openArrived(target)
  const there = await asClient(target, arrived.client_id, arrived.client_secret)
  expect(await searches(target, there)).toEqual(before)
  const settings = async (app: TestApp, as: string) =>
    (await app.call('GET', '/v1/store/settings', { token: as })).body
  expect(await settings(target, there)).toEqual({
    ...(await settings(source, token)),
    callback_secret_hint: (await settings(target, there))['callback_secret_hint'],
  })
  const { body } = await target.call('GET', '/v1/products/kept', { token: there })
  const picture = await target.http.handle(new Request(String(body['image_url'])))
  expect([picture.status, await picture.text()]).toEqual([200, 'picture:5'])
})

test('the login of a feed and the secret of a webhook travel under the passphrase alone', async () => {
  const sealed = (await write(source, folder, { passphrase: PASSPHRASE })).path
  const bytes = new TextDecoder('latin1').decode(Bun.zstdDecompressSync(await Bun.file(sealed).bytes()))
  for (const secret of ['me:secret', String(filled.webhook['secret'])]) expect(bytes).not.toContain(secret)
  const wrong = read(target, sealed, { passphrase: 'another passphrase' })
  await expect(wrong).rejects.toThrow('The passphrase does not open the secrets in the file')
  expect(countRows(target, 'stores')).toBe(0)

  const { report, token } = await arrive(target, { passphrase: PASSPHRASE }, sealed)
  expect(report).toMatchObject({ secrets: 'opened', webhooks_off: 0, feeds_paused: 0 })
  await target.call('POST', '/v1/products', {
    token,
    body: { product_id: 'new', image_url: target.picture('new', 1) },
  })
  await target.settle()
  expect(target.posts.map(({ url }) => url)).toEqual(['https://hooks.test/one'])
})

test('without a passphrase webhooks come switched off, and feeds with a login come paused', async () => {
  const { report, token } = await arrive()
  expect(report).toMatchObject({ secrets: 'absent', webhooks_off: 1, feeds_paused: 1 })
  const { body: feeds } = await target.call('GET', '/v1/feeds', { token })
  expect(feeds).toMatchObject({ feeds: [{ url: 'https://feeds.test/products.csv', paused: true }] })
  const { body: hooks } = await target.call('GET', '/v1/search/webhooks', { token })
  expect(hooks).toMatchObject([{ url: 'https://hooks.test/one', enabled: false }])
})

test('members are invited; with them come their groups, and their API keys work again', async () => {
  const { report } = await arrive()
  expect(report.invites.map(({ email, role }) => [email, role]).sort()).toEqual([
    ['dora@people.test', 'developer'],
    ['olga@people.test', 'owner'],
    ['one@shop.test', 'owner'],
  ])
  const list = () => target.call('GET', '/v1/products', { token: filled.apiKey })
  expect((await list()).status).not.toBe(200)
  const link = /#token=([\w-]+)/.exec(
    target.mails.find(({ to }) => to === 'dora@people.test')?.text ?? '',
  )?.[1]
  expect((await accept(target, newcomer(String(link)))).status).toBe(200)
  expect((await list()).status).toBe(200)
  expect(readColumn(target, 'user_group_members', 'count(*)')).toEqual([1])
  expect(countRows(target, 'awaited_people', { email: 'dora@people.test' })).toBe(0)
})

test('rules come with their counts and name the keys as they are called here; one whose key is gone stays off', async () => {
  const client = filled.token
  const { id: gone } = (
    await source.call('POST', '/v1/security/public-keys', {
      token: client,
      body: { name: 'old', origins: ['https://shop.test'] },
    })
  ).body
  const then = [{ action: 'pin', product_id: 'p2', position: 2 }]
  const made: string[] = []
  for (const when of [{ key_id: gone }, {}]) {
    const answer = await source.call('POST', '/v1/store/rules', {
      token: client,
      body: { name: 'Two', when, then },
    })
    made.push(String(answer.body['id']))
  }
  await source.call('DELETE', `/v1/security/public-keys/${gone}`, { token: client })
  source.db
    .prepare('INSERT INTO search_rule_counts SELECT id, store_id, 7, 3 FROM search_rules WHERE id = ?')
    .run(made[1])
  const { path } = await write(source, folder)
  for (const id of made) await source.call('DELETE', `/v1/store/rules/${id}`, { token: client })

  const { token } = await arrive(target, {}, path)
  const { rules } = (await target.call('GET', '/v1/store/rules', { token })).body
  const [keyId] = readColumn(target, 'public_keys', 'id')
  expect(rules).toMatchObject([
    { name: 'Mugs first', when: { words: ['mug'], key_id: keyId }, missing: [], faults: [] },
    { name: 'Two', active: false, when: {}, uses: 0 },
    { name: 'Two', active: true, when: {}, then, uses: 7, clicks: 3 },
  ])
})

test('a widget key works at once', async () => {
  await arrive()
  const answer = await target.call('POST', '/v1/widget/search/text', {
    headers: { origin: 'https://shop.test', 'x-service-key': String(filled.widget['key']) },
    body: { query: 'mug 1' },
  })
  expect(answer.status).toBe(200)
})

test('nobody sees a store before all of it is there', async () => {
  const report = await read(target, plain)
  expect(target.stores.list()).toEqual([])
  expect((await target.call('GET', '/v1/products', { token: filled.apiKey })).status).toBe(401)
  await openArrived(target)
  expect(target.stores.list()).toMatchObject([{ slug: 'one', products: 7, store_id: report.store_id }])
  expect(countRows(target, 'store_arrivals')).toBe(0)
})

test('a copy beside the store needs another slug and new keys, and shares nothing with it', async () => {
  await expect(read(source, plain)).rejects.toThrow(
    'There is a store "one" already: choose another slug with --as',
  )
  await expect(read(source, plain, { slug: 'two' })).rejects.toThrow('--new-keys')
  expect(countRows(source, 'stores')).toBe(1)
  const { token } = await arrive(source, { slug: 'two', hasNewKeys: true })
  const pictureOf = async (as: string) =>
    (await source.call('GET', '/v1/products/kept', { token: as })).body['image_url']
  expect(await pictureOf(token)).not.toBe(await pictureOf(filled.token))
  expect((await source.http.handle(new Request(String(await pictureOf(token))))).status).toBe(200)
  for (const column of ['vector_id', 'id'])
    expect(new Set(readColumn(source, 'products', column)).size).toBe(countRows(source, 'products'))
  await source.call('DELETE', '/v1/products/kept', { token })
  expect((await source.call('GET', '/v1/products/kept', { token: filled.token })).status).toBe(200)
})

test('what an import leaves that was killed is deleted by the service', async () => {
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const dead = read(target, plain, {
    pause: async () => {
      if (countRows(target, 'pictures') === 0) return
      reached.resolve()
      await goOn.promise
    },
  })
  dead.catch(() => {})
  await reached.promise
  expect(countRows(target, 'stores')).toBe(1)
  await target.tidy()
  expect(countRows(target, 'stores')).toBe(1)
  target.clock.advance(10 * 60_000)
  await target.tidy()
  for (const table of ['stores', 'products', 'pictures', 'kept_pictures', 'store_arrivals', 'feeds'])
    expect([table, countRows(target, table)]).toEqual([table, 0])
  // One that only slept finds that its store is gone.
  goOn.resolve()
  await expect(dead).rejects.toThrow('try again')
  expect(countRows(target, 'products')).toBe(0)
})

test('an import that fails leaves nothing behind', async () => {
  const stop = new AbortController()
  const stopped = read(target, plain, {
    stop: stop.signal,
    pause: async () => {
      if (countRows(target, 'pictures') > 0) stop.abort()
    },
  })
  await expect(stopped).rejects.toThrow()
  for (const table of ['stores', 'products', 'pictures', 'store_arrivals', 'team_invites'])
    expect([table, countRows(target, table)]).toEqual([table, 0])
})

test('an install without an owner takes no store', async () => {
  const app = testApp()
  await expect(read(app, plain)).rejects.toThrow('run lookalike setup first')
  await app.close()
})

test('the audit log says that the store came from a file', async () => {
  const { report } = await arrive()
  const [event] = readRows(target, 'audit_events', { action: 'store.created', store_id: report.store_id })
  expect(JSON.parse(String(event?.['details']))).toMatchObject({ slug: 'one', from_file: true })
})
