import { afterEach, describe, expect, test } from 'bun:test'
import type { Feed } from '../../../../src/features/catalogue/product-feeds/schema.ts'
import { openShop, range, type Shop } from './shop.ts'

let at: Shop
afterEach(() => at.close())

/** Makes a feed of an answer of the shop. */
async function pull(answer: Shop['shop']['answer'], limits = {}): Promise<Feed> {
  at = await openShop({ limits })
  at.shop.answer = answer
  return at.add()
}

describe('a download that fails', () => {
  test.each([
    [404, 'http_status'],
    [401, 'http_status'],
    [500, 'http_status'],
    // A server that says so although it was told of no file.
    [304, 'http_status'],
    [302, 'http_status'],
  ])('status %d is kept with the feed as %s', async (status, reason) => {
    const feed = await pull((_, response) => void response.writeHead(status).end())
    expect(feed).toMatchObject({ consecutive_failures: 1, status: 'waiting' })
    expect(feed.last_run).toMatchObject({
      status: 'failed',
      job_id: null,
      error: { error: 'download_failed', details: { reason, upstream_status: status } },
    })
    expect(at.filesLeft()).toEqual([])
  })

  test('a file that is too large, announced or not', async () => {
    const feed = await pull((_, response) => void response.end('x'.repeat(1_001)), { bytesMax: 1_000 })
    expect(feed.last_run?.error?.details).toEqual({ reason: 'too_large' })
    at.shop.answer = (_, response) => {
      response.write('x'.repeat(900))
      response.end('x'.repeat(900))
    }
    expect((await at.run(feed.id)).last_run?.error?.details).toEqual({ reason: 'too_large' })
    expect(at.filesLeft()).toEqual([])
  })

  test('a server that never answers, one that stops in the middle, and one that sends forever', async () => {
    const feed = await pull(() => {}, { connectMs: 20, answerMs: 20, pieceMs: 40, totalMs: 200 })
    expect(feed.last_run?.error?.details).toEqual({ reason: 'timeout' })
    at.shop.answer = (_, response) => void response.write('id,image\n')
    expect((await at.run(feed.id)).last_run?.error?.details).toEqual({ reason: 'timeout' })
    at.shop.answer = (_, response) => {
      const sending = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(sending))
    }
    expect((await at.run(feed.id)).last_run?.error?.details).toEqual({ reason: 'timeout' })
    expect(at.filesLeft()).toEqual([])
  })

  test('a connection that breaks before the announced end deletes nothing', async () => {
    at = await openShop()
    at.shop.file = at.table(...range(1, 5))
    const feed = await at.add({ delete_missing: true })
    at.shop.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write(at.table('001'))
      setTimeout(() => response.destroy(), 10)
    }
    const { last_run } = await at.run(feed.id)
    expect(last_run?.error).toMatchObject({ error: 'download_failed', details: { reason: 'connect' } })
    expect(at.list()).toEqual(range(1, 5))
  })

  test('an answer that is packed in another way', async () => {
    const feed = await pull(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('x'),
    )
    expect(feed.last_run?.error?.error).toBe('download_failed')
  })

  test('a host name that leads nowhere', async () => {
    at = await openShop()
    const feed = await at.add({ url: 'https://shop.test/products.csv' })
    expect(feed.last_run?.error?.details).toEqual({ reason: 'dns' })
  })
})

describe('redirects', () => {
  test('are followed up to three times', async () => {
    at = await openShop()
    at.shop.answer = (request, response) => {
      const hop = Number(/\d$/.exec(String(request.url))?.[0] ?? 0)
      if (hop === 3) response.end(at.table('a'))
      else response.writeHead(302, { location: `/hop${hop + 1}` }).end()
    }
    expect((await at.add()).last_run?.status).toBe('completed')
    at.shop.answer = (_, response) => void response.writeHead(302, { location: '/again' }).end()
    const { last_run } = await at.add()
    expect(last_run?.error?.details).toEqual({ reason: 'too_many_redirects' })
  })

  test('do not lead into the network', async () => {
    const location = 'http://10.0.0.1/secret'
    const { last_run } = await pull((_, response) => void response.writeHead(302, { location }).end())
    expect(last_run?.error?.details).toEqual({ reason: 'blocked_address' })
  })

  test('take the password along on the same server alone', async () => {
    at = await openShop()
    const seen: (string | undefined)[] = []
    at.shop.answer = (request, response) => {
      seen.push(request.headers.authorization)
      if (request.url === '/products.csv') response.writeHead(302, { location: '/second' }).end()
      else if (request.url === '/second') {
        response.writeHead(302, { location: `http://127.0.0.2:${at.port}/third` }).end()
      } else response.end(at.table('a'))
    }
    await at.add({ url: at.url.replace('http://', 'http://me%40shop:p%C3%A4ss%3Aword@') })
    const basic = `Basic ${Buffer.from('me@shop:päss:word').toString('base64')}`
    // Nothing listens at the second address of this machine.
    expect(seen).toEqual([basic, basic])
  })
})

describe('a file that cannot be read', () => {
  test.each([
    ['file_empty', ''],
    ['file_empty', 'id,image\n'],
    ['column_missing', 'a,b\n1,2\n'],
    ['file_unreadable', '<rss><channel><item>'],
    ['file_unreadable', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3)],
  ] as const)('%s', async (error, file) => {
    const { last_run } = await pull((_, response) => void response.end(file))
    expect(last_run).toMatchObject({ status: 'failed', job_id: null, error: { error } })
    expect(last_run?.error?.message.length).toBeGreaterThan(10)
    expect(at.filesLeft()).toEqual([])
    const jobs = await at.app.call('GET', '/v1/jobs', { token: at.token })
    expect(jobs.body['count']).toBe(0)
  })
})

describe('after failures', () => {
  test('the pauses grow up to a day, and a success ends them', async () => {
    let feed = await pull((_, response) => void response.writeHead(500).end())
    const minutes: number[] = []
    for (let n = 0; n < 8; n++) {
      minutes.push((Date.parse(String(feed.next_run_at)) - at.app.clock.now()) / 60_000)
      feed = await at.waitForNext(feed.id)
    }
    const plain = [5, 20, 80, 320, 1_280, 1_440, 1_440, 1_440]
    for (const [n, pause] of plain.entries()) expect(minutes[n]).toBeWithin(pause * 0.8, pause * 1.2 + 0.01)
    expect(feed.consecutive_failures).toBe(9)
    at.shop.answer = (_, response) => void response.end(at.table('a'))
    feed = await at.waitForNext(feed.id)
    expect(feed).toMatchObject({ consecutive_failures: 0, last_run: { status: 'completed', error: null } })
  })

  test('the marks of the last good file stay', async () => {
    at = await openShop()
    at.shop.file = at.table('a')
    const feed = await at.add()
    const { answer } = at.shop
    at.shop.answer = (_, response) => void response.writeHead(503).end()
    expect((await at.run(feed.id)).last_run?.status).toBe('failed')
    at.shop.answer = answer
    expect((await at.run(feed.id)).last_run?.status).toBe('unchanged')
  })
})

test('a user name and password that can no longer be decrypted are asked for again', async () => {
  at = await openShop()
  at.shop.file = at.table('a')
  const feed = await at.add({ url: at.url.replace('//', '//me:secret@') })
  at.app.db.prepare("UPDATE feeds SET credentials = x'00'").run()
  expect((await at.run(feed.id)).last_run?.error?.error).toBe('credentials_unreadable')
  await at.call('PATCH', `/${feed.id}`, { url: at.url.replace('//', '//me:secret@') })
  expect((await at.run(feed.id)).last_run?.status).toBe('completed')
})

test('too many jobs of the store fail the run, and the next one may go', async () => {
  at = await openShop()
  at.shop.file = at.table('a')
  const insert = at.app.db.prepare(
    `INSERT INTO jobs (job_id, store_id, type, status, created_at) VALUES (?, ?, 'import', 'preparing', 0)`,
  )
  for (let n = 0; n < 20; n++) insert.run(`job-${n}`, at.storeId)
  const feed = await at.add()
  expect(feed.last_run).toMatchObject({ status: 'failed', error: { error: 'overloaded' } })
  at.app.db.prepare("DELETE FROM jobs WHERE status = 'preparing'").run()
  expect((await at.run(feed.id)).last_run?.status).toBe('completed')
})

describe('a header with a quote that never closes', () => {
  test('is unreadable, and another feed goes on', async () => {
    at = await openShop()
    at.shop.file = '"'
    const feed = await at.add()
    expect(feed.last_run).toMatchObject({
      status: 'failed',
      error: {
        error: 'file_unreadable',
        message: 'The header in line 1 has a quote that is never closed, or is longer than 1 MiB',
      },
    })
    at.shop.file = at.table('1')
    expect((await at.add()).last_run?.status).toBe('completed')
  })
})

describe('an error that nobody knows', () => {
  test('ends the run of its feed alone, which tries again later; other feeds go on', async () => {
    at = await openShop()
    at.shop.file = at.table('1')
    // A bug is played by a trigger: no fault of the disk, and known to nobody.
    at.app.db.exec(`
      CREATE TEMP TRIGGER bug BEFORE INSERT ON jobs
      BEGIN SELECT raise(ABORT, 'a bug'); END`)
    const broken = await at.add()
    expect(broken).toMatchObject({ status: 'waiting', consecutive_failures: 1 })
    expect(broken.last_run).toMatchObject({ status: 'failed', error: { error: 'internal_error' } })
    expect(Date.parse(broken.next_run_at ?? '')).toBeGreaterThan(at.app.clock.now())
    at.app.db.exec('DROP TRIGGER bug')
    // No time has passed.
    expect((await at.add()).last_run?.status).toBe('completed')
    expect((await at.waitForNext(broken.id)).last_run?.status).toBe('completed')
  })

  test('in an unreadable row of another store', async () => {
    at = await openShop()
    at.shop.file = at.table(...range(1, 5))
    const [broken, other] = [await at.add(), await at.add()]
    const { client_id } = await at.app.store('two')
    at.app.db.exec('PRAGMA ignore_check_constraints = ON')
    const ruin = at.app.db.prepare('UPDATE feeds SET store_id = ?, mapping = ? WHERE id = ?')
    ruin.run(client_id, '{"broken', broken.id)
    at.app.db.exec('PRAGMA ignore_check_constraints = OFF; UPDATE feeds SET next_run_at = 1')
    at.app.feeds.wake()
    await at.app.feeds.drain()
    expect((await at.read(other.id)).last_run?.status).toBe('unchanged')
    // Once it can be read again, it goes on by itself.
    ruin.run(at.storeId, null, broken.id)
    at.app.clock.advance(61_000)
    at.app.feeds.wake()
    await at.app.feeds.drain()
    expect((await at.read(broken.id)).last_run?.status).toBe('unchanged')
  })

  test('in a step that follows a job', async () => {
    at = await openShop()
    at.shop.file = at.table(...range(1, 5))
    const broken = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(1, 4))
    at.app.db.exec(`
      CREATE TEMP TRIGGER bug BEFORE DELETE ON feed_products
      BEGIN SELECT raise(ABORT, 'a bug'); END`)
    const { last_run } = await at.run(broken.id)
    expect(last_run).toMatchObject({ status: 'failed', error: { error: 'internal_error' } })
    at.app.db.exec('DROP TRIGGER bug')
    expect((await at.add()).last_run?.status).toBe('completed')
    expect((await at.run(broken.id, { full: true })).last_run?.status).toBe('completed')
  })
})

test('an address that answers a picture or a page is told so', async () => {
  at = await openShop()
  at.shop.file = Buffer.from('89504e470d0a1a0a', 'hex')
  const feed = await at.add()
  expect(feed.last_run?.error).toMatchObject({
    error: 'file_unreadable',
    message: expect.stringContaining('This address answered image/png'),
  })
  at.shop.file = '<!doctype html><title>Sign in</title>'
  expect((await at.run(feed.id)).last_run?.error?.message).toContain(
    'This address answered a page (text/html)',
  )
})
