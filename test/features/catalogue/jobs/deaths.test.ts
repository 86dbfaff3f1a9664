import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, productsOf, readJob, startBulk } from './jobs.ts'

/** A program that dies is played by one whose model never answers, and by another one on the same database. */

let first: TestApp
let token: string
let storeId: string
let gates: ReturnType<typeof gatedEmbedder>[]

beforeEach(async () => {
  gates = [gatedEmbedder()]
  first = testApp({ embedder: (gates[0] as (typeof gates)[0]).embedder })
  ;({ token, storeId } = await openStore(first, 'enterprise'))
})
afterEach(async () => {
  for (const gate of gates) gate.open()
  await first.jobs.drain()
  await first.close()
})

/** Another run of the program. */
async function restart(isOpen = false): Promise<{ app: TestApp; gate: (typeof gates)[0] }> {
  first.jobs.stop()
  const gate = gatedEmbedder()
  gates.push(gate)
  if (!isOpen) gate.close()
  const { db, clock, ids, web } = first
  const fetcher = { fetch: async (url: string) => web.get(url) as Uint8Array }
  const app = testApp({ db, clock, ids, fetcher, embedder: gate.embedder })
  await app.loadIndex()
  app.jobs.wake()
  return { app, gate }
}

const readDeaths = () =>
  first.db.prepare('SELECT product_id, deaths, is_begun FROM job_items ORDER BY position').raw().all()

test('an item during whose work the program died three times has failed, and the others are done', async () => {
  gates[0]?.close()
  const id = await startBulk(first, token, productsOf(first, 3))
  await gates[0]?.waited(3)
  for (const deaths of [1, 2]) {
    const { app, gate } = await restart()
    // After the first death one suspect is begun at a time, so that the next one tells which it was.
    await gate.waited(1)
    app.jobs.stop()
    expect(readDeaths()).toEqual([
      ['sku-0', deaths, 1],
      ['sku-1', 1, 0],
      ['sku-2', 1, 0],
    ])
  }
  const { app } = await restart(true)
  await app.jobs.waitUntilOver(storeId, id)
  const job = await readJob(app, token, id)
  expect(countsOf(job)).toMatchObject({ status: 'completed', succeeded: 2, failed: 1 })
  expect(job['errors']).toMatchObject([
    { product_id: 'sku-0', error: 'internal_error', message: expect.stringContaining('ended 3 times') },
  ])
  // Whoever has looked may try again.
  expect((await app.call('POST', `/v1/jobs/${id}/retry`, { token })).status).toBe(200)
  await app.jobs.waitUntilOver(storeId, id)
  expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 3, failed: 0 })
  await app.jobs.drain()
})

test('an orderly stop is no death, and neither is one before the work began', async () => {
  first.jobs.stop()
  const id = await startBulk(first, token, productsOf(first, 1))
  first.db.exec("UPDATE job_items SET state = 'running', lease = 'x', leased_until = 1e15")
  const { app, gate } = await restart()
  await gate.waited(1)
  expect(readDeaths()).toEqual([['sku-0', 0, 1]])
  app.jobs.stop()
  gate.open()
  await app.jobs.drain()
  expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1 })
})
