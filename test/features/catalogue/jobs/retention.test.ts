import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { LIMITS } from '../../../../src/core/limits.ts'
import { PLANS } from '../../../../src/core/plans.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, productsOf, readJob, startBulk, waitForJob } from './jobs.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  ;({ token, storeId } = await openStore(app, 'free'))
})
afterEach(async () => {
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

/** A job all of whose products have pictures that nobody serves. @returns its id. */
async function failingJob(count: number, prefix: string): Promise<string> {
  const products = productsOf(app, count, prefix).map((product) => ({
    ...product,
    image_url: `https://img.test/gone/${product.product_id}`,
  }))
  const id = await startBulk(app, token, products)
  await waitForJob(app, storeId, token, id)
  // The next one ends later, with a new budget of requests.
  app.clock.advance(61_000)
  return id
}

/** Waits until what ended is measured, so that a later change of it counts. */
const measured = () => app.jobs.prune()

/** Lets the failed items of jobs take so many bytes each, as after much longer products. */
async function enlarge(bytes: number): Promise<void> {
  await measured()
  app.db.prepare("UPDATE job_items SET content = printf('%.*c', ?, 'x')").run(BigInt(bytes))
  app.db.exec('UPDATE jobs SET kept_bytes = NULL WHERE failed > 0')
}

const countItems = () => countRows(app, 'job_items')
const readErrors = async (id: string) => {
  const { body } = await app.call('GET', `/v1/jobs/${id}/errors?limit=1000`, { token })
  return (body['errors'] as { index: number }[]).map(({ index }) => index)
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('what jobs that are over leave (contract 2.11)', () => {
  test('items that did not fail leave nothing', async () => {
    await waitForJob(app, storeId, token, await startBulk(app, token, productsOf(app, 10)))
    await waitForJob(app, storeId, token, await startBulk(app, token, productsOf(app, 10)))
    const repeated = productsOf(app, 1, 'twice')
    await waitForJob(app, storeId, token, await startBulk(app, token, [...repeated, ...repeated]))
    expect(countItems()).toBe(0)
  })

  test('errors within the plan stay, and each can be tried again', async () => {
    const id = await failingJob(5, 'a')
    await app.jobs.prune()
    expect(await readErrors(id)).toEqual(upTo(5))
    expect(await readJob(app, token, id)).toMatchObject({ failed: 5, errors_truncated: false })
  })

  test('beyond the plan those of the oldest job go first, the last of a job before its first', async () => {
    const [first, second, third] = [
      await failingJob(4, 'a'),
      await failingJob(4, 'b'),
      await failingJob(4, 'c'),
    ]
    // Seven of the twelve fit.
    await enlarge(Math.floor(PLANS.free.jobErrorBytesMax / 7.5))
    await app.jobs.prune()
    expect(await Promise.all([first, second, third].map(readErrors))).toEqual([[], upTo(3), upTo(4)])
    expect(await readJob(app, token, first)).toMatchObject({ failed: 4, errors: [], errors_truncated: true })
    expect(await readJob(app, token, second)).toMatchObject({ failed: 4, errors_truncated: true })
    expect(await readJob(app, token, third)).toMatchObject({ failed: 4, errors_truncated: false })
    const retry = await app.call('POST', `/v1/jobs/${first}/retry`, { token })
    expect([retry.status, retry.body['error']]).toEqual([409, 'conflict'])
  })

  test('a single job is cut as well, and the items that it keeps can be retried', async () => {
    const id = await failingJob(4, 'a')
    await measured()
    app.db.exec(
      `UPDATE job_items SET content = json_insert(content, '$.metadata.note', printf('%.*c', ${PLANS.free.jobErrorBytesMax / 2 - 2_000}, 'x'))`,
    )
    app.db.exec('UPDATE jobs SET kept_bytes = NULL')
    await app.jobs.prune()
    expect(await readErrors(id)).toEqual(upTo(2))
    const over = app.jobs.waitUntilOver(storeId, id)
    const retry = await app.call('POST', `/v1/jobs/${id}/retry`, { token })
    expect([retry.status, retry.body['failed']]).toEqual([200, 2])
    await over
    const job = await readJob(app, token, id)
    expect(countsOf(job)).toMatchObject({ total: 4, processed: 4, failed: 4 })
    expect(job['errors_truncated']).toBe(true)
  })

  test('each store has its own bounds', async () => {
    const other = await openStore(app, 'free', 'other')
    const id = await startBulk(app, other.token, [{}])
    await app.jobs.waitUntilOver(other.storeId, id)
    await failingJob(3, 'a')
    await enlarge(PLANS.free.jobErrorBytesMax)
    app.db.prepare("UPDATE job_items SET content = '{}' WHERE store_id = ?").run(other.storeId)
    await app.jobs.prune()
    expect(countItems()).toBe(1)
    expect((await readJob(app, other.token, id))['errors']).toHaveLength(1)
  })

  test('a plan without a limit keeps all', async () => {
    const big = await openStore(app, 'enterprise', 'big')
    const id = await startBulk(app, big.token, [{}, {}])
    await app.jobs.waitUntilOver(big.storeId, id)
    await enlarge(PLANS.free.jobErrorBytesMax)
    await app.jobs.prune()
    expect(countItems()).toBe(2)
  })

  test('the end of a job tidies without waiting for the hourly chore', async () => {
    await failingJob(3, 'a')
    await enlarge(PLANS.free.jobErrorBytesMax)
    const id = await failingJob(1, 'b')
    while (countItems() > 1) await Bun.sleep(0)
    expect(await readErrors(id)).toEqual([0])
  })

  test(`a store keeps its last ${LIMITS.jobsKeptMax} jobs`, async () => {
    const id = await failingJob(1, 'a')
    await measured()
    const oldest = app.clock.now() - 86_400_000
    app.db
      .prepare(
        `INSERT INTO jobs (job_id, store_id, type, status, created_at, finished_at, kept_bytes)
         SELECT 'job-' || value, ?, 'import', 'completed', 1, ? + value, 0 FROM json_each(?)`,
      )
      .run(storeId, BigInt(oldest), JSON.stringify(upTo(LIMITS.jobsKeptMax + 149)))
    app.db.exec('UPDATE jobs SET kept_bytes = NULL WHERE failed > 0')
    await app.jobs.prune()
    const left = app.db.prepare('SELECT count(*), min(finished_at) FROM jobs').raw().get()
    expect(left).toEqual([LIMITS.jobsKeptMax, oldest + 150])
    expect(await readErrors(id)).toEqual([0])
  })
})
