import { afterEach, expect, test } from 'bun:test'
import type { FeedRun } from '../../../../src/features/catalogue/product-feeds/schema.ts'
import { updateRows } from '../../../support/seed.ts'
import { openShop, type Shop } from './shop.ts'

let at: Shop
afterEach(() => at.close())

const listRuns = async (id: string) => {
  const { status, body } = await at.call('GET', `/${id}/runs`)
  return { status, ...(body as unknown as { runs: FeedRun[]; count: number }) }
}

test('the last ten runs of a feed, newest first', async () => {
  at = await openShop()
  at.shop.file = at.table('1')
  const { id } = await at.add()
  for (let n = 2; n <= 12; n++) {
    at.app.clock.advance(60_000)
    if (n === 12) at.shop.file = ''
    await at.run(id)
  }
  const { status, runs, count } = await listRuns(id)
  expect([status, count]).toEqual([200, 10])
  expect(runs.map((run) => run.status)).toEqual([
    'failed',
    ...Array.from({ length: 9 }, () => 'unchanged' as const),
  ])
  expect(runs[0]).toEqual((await at.read(id)).last_run as FeedRun)
  const began = runs.map(({ started_at }) => Date.parse(started_at))
  expect(began).toEqual(began.toSorted((a, b) => b - a))
})

test('the run in progress comes first, and a feed without a run has none', async () => {
  at = await openShop()
  at.shop.answer = () => {}
  const { body } = await at.call('POST', '', { url: at.url })
  const id = String(body['id'])
  at.app.feeds.wake()
  const { runs } = await listRuns(id)
  expect(runs.map((run) => run.status)).toEqual(['pulling'])
  at.stop.abort()
})

test('runs go with their feed, and those of another store are not found', async () => {
  at = await openShop()
  at.shop.file = at.table('1')
  const { id } = await at.add()
  const other = await at.app.signIn('two')
  expect((await at.app.call('GET', `/v1/feeds/${id}/runs`, { token: other })).status).toBe(404)
  await at.call('DELETE', `/${id}`)
  await Bun.sleep(0)
  expect((await listRuns(id)).status).toBe(404)
})

test('each run says what it made and what it changed, and its job where it came from', async () => {
  at = await openShop()
  at.shop.file = at.table('1', '2', '3')
  const { id } = await at.add()
  at.shop.file = at.table('1', '2', '4').replace('Product 2', 'Another name')
  const { last_run } = await at.run(id)
  expect(last_run?.counts).toMatchObject({ total: 3, succeeded: 2, added: 1, updated: 1, unchanged: 1 })
  const { runs } = await listRuns(id)
  expect(runs.map(({ counts }) => [counts.added, counts.updated])).toEqual([
    [1, 1],
    [3, 0],
  ])
  const job = (await at.app.call('GET', `/v1/jobs/${last_run?.job_id}`, { token: at.token })).body
  expect(job['source']).toEqual({ kind: 'feed', name: at.url, bytes: at.shop.file.length })
  expect(job['started_by']).toBeNull()
})

test('a run of an earlier version does not say it', async () => {
  at = await openShop()
  at.shop.file = at.table('1')
  const { id } = await at.add()
  updateRows(at.app, 'feed_runs', { added: null }, { feed_id: id })
  const { runs } = await listRuns(id)
  expect(runs[0]?.counts).toMatchObject({ succeeded: 1, added: null, updated: null })
})
