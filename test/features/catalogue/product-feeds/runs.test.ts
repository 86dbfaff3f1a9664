import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { openShop, range, type Shop } from './shop.ts'

let at: Shop

beforeEach(async () => {
  at = await openShop()
})
afterEach(() => at.close())

describe('a run of a feed (contract 2.14)', () => {
  test('makes a job of the file, and shows what came of it', async () => {
    at.shop.file = `${at.table('a', 'b')}c,,No picture\n`
    const feed = await at.add()
    const { last_run } = feed
    expect(last_run).toMatchObject({
      status: 'completed',
      error: null,
      counts: { total: 3, succeeded: 2, unchanged: 0, failed: 1, cancelled: 0, missing: 0, deleted: 0 },
      bytes: at.shop.file.length,
    })
    expect(last_run?.etag).toMatch(/^"[0-9a-f]{16}"$/)
    expect(feed).toMatchObject({ status: 'waiting', consecutive_failures: 0 })
    expect(at.list()).toEqual(['a', 'b'])
    const job = await at.app.call('GET', String(last_run?.job_url), { token: at.token })
    expect(job.body).toMatchObject({ type: 'feed', status: 'completed', total: 3, job_id: last_run?.job_id })
    expect(at.filesLeft()).toEqual([])
  })

  test('goes by the mapping and the format of the feed', async () => {
    at.shop.file = `Nr;Bild\n7;${at.app.picture('7', 1)}\n`
    const { last_run } = await at.add({ format: 'csv', mapping: { product_id: 'Nr', image_url: ['Bild'] } })
    expect(last_run?.status).toBe('completed')
    expect(at.list()).toEqual(['7'])
  })

  test('reads a packed file, and an answer that the server packed on its way', async () => {
    at.shop.file = gzipSync(at.table('a'))
    expect((await at.add()).last_run?.status).toBe('completed')
    at.shop.answer = (request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(at.table('b')))
    }
    expect((await at.add()).last_run?.status).toBe('completed')
    expect(at.list()).toEqual(['a', 'b'])
  })

  test('says unchanged and makes no job when the server answers 304', async () => {
    at.shop.file = at.table('a')
    const first = await at.add()
    const next = await at.waitForNext(first.id)
    expect(at.requests[1]?.headers['if-none-match']).toBe(first.last_run?.etag as string)
    expect(next.last_run).toMatchObject({ status: 'unchanged', job_id: null, bytes: null, error: null })
    expect(next.last_run?.etag).toBe(first.last_run?.etag as string)
    const jobs = await at.app.call('GET', '/v1/jobs', { token: at.token })
    expect(jobs.body['count']).toBe(1)
  })

  test('also sends back the time of the last change', async () => {
    const lastModified = 'Tue, 01 Jan 2030 00:00:00 GMT'
    at.shop.answer = (request, response) => {
      const isSame = request.headers['if-modified-since'] === lastModified
      response
        .writeHead(isSame ? 304 : 200, { 'last-modified': lastModified })
        .end(isSame ? '' : at.table('a'))
    }
    const feed = await at.add()
    expect(feed.last_run?.last_modified).toBe(lastModified)
    expect((await at.run(feed.id)).last_run?.status).toBe('unchanged')
  })

  test('knows a file again by its bytes when the server does not', async () => {
    at.shop.file = at.table('a')
    at.shop.hasMarks = false
    const feed = await at.add()
    expect((await at.run(feed.id)).last_run).toMatchObject({ status: 'unchanged', job_id: null })
    const full = await at.run(feed.id, { full: true })
    expect(full.last_run).toMatchObject({ status: 'completed', counts: { unchanged: 1 } })
  })

  test('reads the same file again after a day when a product has failed', async () => {
    at.shop.file = at.table('a').replace('img.test/a.jpg', 'img.test/later.jpg')
    const feed = await at.add({ interval_minutes: 60 })
    expect(feed.last_run).toMatchObject({ status: 'failed', error: { error: 'job_failed' } })
    at.shop.file = `${at.table('a')}b,https://img.test/b.jpg,Later\n`
    expect((await at.run(feed.id)).last_run).toMatchObject({ status: 'completed', counts: { failed: 1 } })
    expect((await at.run(feed.id)).last_run?.status).toBe('unchanged')
    at.app.picture('b', 2)
    at.app.clock.advance(86_400_000)
    await at.settle()
    expect((await at.read(feed.id)).last_run).toMatchObject({ status: 'completed', counts: { failed: 0 } })
    expect(at.list()).toEqual(['a', 'b'])
  })

  test('a change of what the file is or means makes the next run read it', async () => {
    at.shop.file = at.table('a')
    const feed = await at.add()
    for (const patch of [
      { mapping: { name: [] } },
      { format: 'csv' },
      { delete_missing: true },
      { url: `${at.url}?v=2` },
    ]) {
      await at.call('PATCH', `/${feed.id}`, patch)
      expect((await at.run(feed.id)).last_run?.status).toBe('completed')
      expect((await at.run(feed.id)).last_run?.status).toBe('unchanged')
    }
    await at.call('PATCH', `/${feed.id}`, { interval_minutes: 60 })
    expect((await at.run(feed.id)).last_run?.status).toBe('unchanged')
  })

  test('a change during a run leaves the new address unknown', async () => {
    at.shop.file = at.table('a')
    const { body } = await at.call('POST', '', { url: at.url })
    await at.call('PATCH', `/${body['id']}`, { url: `${at.url}?v=2` })
    await at.settle()
    expect((await at.run(String(body['id']))).last_run?.status).toBe('completed')
  })

  test('a job that was cancelled ends the run without deletions, and the file is read again', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(1, 9), 'x')
    await at.call('POST', `/${feed.id}/run`)
    // Its items are begun with the next turn.
    at.app.jobs.stop()
    while ((await at.read(feed.id)).last_run?.status !== 'importing') await new Promise(setImmediate)
    const { job_id } = (await at.read(feed.id)).last_run ?? {}
    await at.app.call('POST', `/v1/jobs/${job_id}/cancel`, { token: at.token })
    await at.app.jobs.drain()
    at.app.feeds.wake()
    const { last_run, consecutive_failures } = await at.read(feed.id)
    expect(last_run).toMatchObject({ status: 'cancelled', counts: { deleted: 0 } })
    expect(consecutive_failures).toBe(0)
    expect(at.list()).toEqual(expect.arrayContaining(range(1, 10)))
  })

  test('the plan’s cap holds for each product, and a run spends one request of the plan', async () => {
    const small = await openShop({ plan: 'free' })
    small.shop.file = small.table(...range(1, 60))
    const { body } = await small.call('POST', '', { url: small.url })
    // Reading spends, too: a minute has ten.
    while (small.list().length < 50) await new Promise(setImmediate)
    small.app.clock.advance(60_000)
    await small.settle()
    const feed = await small.read(String(body['id']))
    expect(feed.last_run).toMatchObject({ status: 'completed', counts: { succeeded: 50, failed: 10 } })
    small.app.clock.advance(60_000)
    for (let n = 0; n < 9; n++) await small.call('GET', '')
    // The tenth asks for the run, which then finds nothing left.
    await small.call('POST', `/${feed.id}/run`)
    const before = small.requests.length
    small.app.feeds.wake()
    await small.app.feeds.drain()
    expect(small.requests.length).toBe(before)
    small.app.clock.advance(60_000)
    small.app.feeds.wake()
    await small.app.feeds.drain()
    expect(small.requests.length).toBe(before + 1)
    await small.close()
  })
})
