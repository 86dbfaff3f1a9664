import { afterEach, beforeEach, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { createTarget, invite, KEY, URL_OF_TARGET } from './world.ts'

let source: TestApp
let target: TestApp
let storeId: string
let token: string

beforeEach(async () => {
  target = createTarget()
  source = testApp({
    operatorKey: KEY,
    defer: (work) => void setImmediate(work),
    openNode: ({ token: bearer }) => ({
      async call(method, path, { body, json, query } = {}) {
        const url = new URL(path, URL_OF_TARGET)
        for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
        const type =
          json !== undefined
            ? 'application/json'
            : typeof body === 'string'
              ? 'application/x-ndjson'
              : 'application/octet-stream'
        const sent = json === undefined ? body : JSON.stringify(json)
        const response = await target.http.handle(
          new Request(url, {
            method,
            headers: { 'content-type': type, ...(bearer && { authorization: `Bearer ${bearer}` }) },
            ...(sent !== undefined && { body: sent as string }),
          }),
        )
        return { status: response.status, json: await response.json() }
      },
    }),
  })
  token = await source.signIn()
  storeId = source.stores.requireBySlug('one').id
})
afterEach(async () => {
  await source.close()
  await target.close()
})

const put = (id: string, name: string, axis: number) =>
  source.call('POST', '/v1/products', {
    token,
    body: { product_id: id, image_url: source.picture(id, axis), metadata: { name } },
  })

const searchAt = async (app: TestApp, bearer: string, query: string) => {
  const { status, body } = await app.call('POST', '/v1/search/text', { token: bearer, body: { query } })
  const results = (body['results'] ?? []) as { product_id: string; similarity_score: number }[]
  return { status, results: results.map(({ product_id, similarity_score }) => [product_id, similarity_score]) }
}

async function moveOver(during: (round: number) => Promise<void> = async () => {}): Promise<unknown> {
  const { code } = await invite(target)
  const path = `/v1/admin/stores/${storeId}/move`
  const begun = await source.call('POST', path, { token: KEY, body: { to: URL_OF_TARGET, code } })
  expect(begun.body).toMatchObject({ phase: 'copying' })
  for (let n = 0; n < 300; n++) {
    source.services.departures?.wake()
    await source.services.departures?.drain()
    await new Promise(setImmediate)
    source.clock.advance(1_000)
    const { body } = await source.call('GET', path, { token: KEY })
    if (['moved', 'failed', 'cancelled'].includes(String(body['phase']))) return body
    await during(n)
  }
  throw new Error(JSON.stringify((await source.call('GET', path, { token: KEY })).body))
}

test('a store moves whole: rows, pictures, keys and members, and answers the same there', async () => {
  for (let n = 0; n < 30; n++) expect((await put(`lamp-${n}`, `Lamp ${n}`, n % 8)).status).toBe(201)
  const own = form({ product_id: 'own', image: pictureBytes(3) })
  expect((await source.call('POST', '/v1/products', { token, body: own })).status).toBe(201)
  const before = await searchAt(source, token, 'lamp')
  const clientHash = source.storeRows.findStore(storeId)?.clientSecretHash
  const products = source.storeRows.countProducts(storeId)

  expect(
    await moveOver(async (n) => {
      if (n < 3) await put(`late-${n}`, `Late chair ${n}`, n)
    }),
  ).toMatchObject({ phase: 'moved', error: null })

  const moved = target.storeRows.findStore(storeId)
  expect(moved).toMatchObject({ slug: 'one', suspendedAt: null })
  expect(moved?.clientSecretHash).toEqual(clientHash as Buffer)
  expect(target.storeRows.countProducts(storeId)).toBeGreaterThanOrEqual(products)
  expect(target.people.listOwners(storeId, 5)).toMatchObject([{ email: 'one@shop.test' }])
  expect(target.people.listSuperAdmins(5)).toEqual([])
  const machine = await target.signToken({ kind: 'machine', storeId } as never).catch(() => undefined)
  expect(machine).toBeDefined()
})

test('it comes back to where it was', async () => {
  await put('lamp', 'Lamp', 1)
  expect(await moveOver()).toMatchObject({ phase: 'moved', error: null })
  expect(source.storeRows.findMoved(storeId)).toBeDefined()
  expect((await searchAt(source, token, 'lamp')).status).toBe(421)
})
