import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { openShop, range, type Shop } from './shop.ts'

let at: Shop
let url: string
/** What each page shows. */
let pages: string[]

beforeEach(async () => {
  at = await openShop()
  url = `http://127.0.0.1:${at.port}/collections/all?view=lookalike&page={page}`
  pages = [lines(...range(1, 3)), lines(...range(4, 6)), lines('007')]
  at.shop.answer = ({ url: path }, response) => void response.end(pages[pageOf(path) - 1] ?? ' \n\t\n')
})
afterEach(() => at.close())

const pageOf = (path = ''): number => Number(/page=(.*)$/.exec(path)?.[1])
const lines = (...ids: string[]): string =>
  ids
    .map((id) => JSON.stringify({ product_id: id, image_url: at.app.picture(id, 1), metadata: { name: id } }))
    .join('\n')
const asked = (): number[] => at.requests.splice(0).map(({ url: path }) => pageOf(path))

describe('a feed in pages', () => {
  test('is read from page 1 to the first page of nothing, as one file', async () => {
    const feed = await at.add({ url })
    expect(feed).toMatchObject({ url, last_run: { status: 'completed', counts: { total: 7, added: 7 } } })
    expect(asked()).toEqual([1, 2, 3, 4])
    expect(at.list()).toEqual(range(1, 7))
    expect(at.filesLeft()).toEqual([])
  })

  test('is unchanged while all its pages are, and deletes what no page names any more', async () => {
    const { id } = await at.add({ url, delete_missing: true })
    expect((await at.run(id)).last_run).toMatchObject({ status: 'unchanged' })
    // What was on page 2 moves up, as it does in a shop.
    pages = [lines('001', '003', '004'), lines(...range(5, 7))]
    expect((await at.run(id)).last_run).toMatchObject({ status: 'completed', counts: { deleted: 1 } })
    expect(at.list()).toEqual(['001', ...range(3, 7)])
  })

  test('may be packed page by page, and may have its braces encoded', async () => {
    at.shop.answer = ({ url: path }, response) => {
      const page = pages[pageOf(path) - 1] ?? ''
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(page))
    }
    await at.add({ url: url.replace('{page}', '%7Bpage%7D') })
    expect(at.list()).toEqual(range(1, 7))
  })

  test('ends where a shop shows its only page again and again', async () => {
    at.shop.answer = (_, response) => void response.end(pages[0])
    expect((await at.add({ url })).last_run).toMatchObject({ status: 'completed', counts: { total: 3 } })
    expect(asked()).toEqual([1, 2])
  })

  test('fails as a whole with one page, and deletes nothing', async () => {
    const { id } = await at.add({ url, delete_missing: true })
    const { answer } = at.shop
    at.shop.answer = (request, response) =>
      pageOf(request.url) === 2 ? void response.writeHead(503).end() : answer(request, response)
    expect((await at.run(id)).last_run).toMatchObject({
      status: 'failed',
      error: { error: 'download_failed', details: { reason: 'http_status', upstream_status: 503 } },
    })
    expect(at.list()).toEqual(range(1, 7))
    expect(at.filesLeft()).toEqual([])
  })

  test('goes on behind a page of nothing where the pages say how many they are', async () => {
    const named = (page: string) => `\uFEFF \n{"pages": 4}\n${page}`
    pages = [pages[0], '', pages[1], pages[2]].map((page) => named(page ?? ''))
    const { id } = await at.add({ url, delete_missing: true })
    expect(asked()).toEqual([1, 2, 3, 4])
    expect(at.list()).toEqual(range(1, 7))
    // A page that is cut to nothing on its way is not taken for one without products.
    pages[2] = ''
    expect((await at.run(id)).last_run?.error).toMatchObject({
      error: 'file_unreadable',
      message: 'Page 3 does not say how many pages there are, as the pages before it do',
    })
    pages = ['{"pages": 0}']
    expect((await at.run(id)).last_run?.error).toMatchObject({ error: 'file_empty' })
    expect(at.list()).toEqual(range(1, 7))
    pages = ['{"pages": 5000}']
    asked()
    expect((await at.run(id)).last_run?.error).toMatchObject({ details: { reason: 'too_large' } })
    expect(asked()).toEqual([1])
  })

  test('deletes nothing where its pages contradict each other', async () => {
    const plain = [...pages]
    const said = (...counts: number[]) => plain.map((page, n) => `{"pages": ${counts[n]}}\n${page}`)
    pages = said(3, 3, 3)
    const { id } = await at.add({ url, delete_missing: true })
    expect(at.list()).toEqual(range(1, 7))
    for (const [counts, message] of [
      [
        [3, 2, 2],
        'Page 2 says that there are 2 pages, and the pages before it say 3: the list changed while it was read',
      ],
      [
        [3, 3, 4],
        'Page 3 says that there are 4 pages, and the pages before it say 3: the list changed while it was read',
      ],
      [[0, 3, 3], 'Page 1 has products, and says that there are 0 pages'],
    ] as const) {
      pages = said(...counts)
      expect((await at.run(id)).last_run?.error).toMatchObject({ error: 'file_unreadable', message })
      expect(at.list()).toEqual(range(1, 7))
    }
  })

  test('ends with a last page that is shown again, also when each is packed in another way', async () => {
    let packed = 0
    at.shop.answer = ({ url: path }, response) => {
      const bytes = gzipSync(pages[Math.min(pageOf(path), 3) - 1] ?? '')
      bytes.writeUInt32LE(++packed, 4)
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    }
    expect((await at.add({ url })).last_run).toMatchObject({ status: 'completed', counts: { total: 7 } })
    expect(asked()).toEqual([1, 2, 3, 4])
  })

  test('waits for a shop that is busy, as long as it asks for', async () => {
    const { answer } = at.shop
    const refusals = [429, 503, 500, 429]
    at.shop.answer = (request, response) => {
      const status = pageOf(request.url) === 2 ? refusals.pop() : undefined
      if (status === undefined) answer(request, response)
      else response.writeHead(status, status === 503 ? { 'retry-after': '0' } : {}).end()
    }
    expect((await at.add({ url })).last_run).toMatchObject({ status: 'completed', counts: { total: 7 } })
    expect(asked()).toEqual([1, 2, 2, 2, 2, 2, 3, 4])
  })

  test('has no number in the name of its server or in the fragment, and no other format', async () => {
    for (const host of [
      'http://{page}.shop.test/',
      'http://10.0.0.{page}/',
      'http://%7BPAGE%7D.test/?page={page}',
      'http://shop.test/list#{page}',
    ]) {
      const { status, body } = await at.call('POST', '', { url: host })
      expect([status, body['error']]).toEqual([422, 'url_not_allowed'])
    }
    const { status, body } = await at.call('POST', '', { url, format: 'csv' })
    expect(status).toBe(422)
    expect(body['details']).toMatchObject({ errors: [{ pointer: '/format', code: 'enum' }] })
    const { id } = await at.add({ url, format: 'ndjson' })
    expect((await at.call('PATCH', `/${id}`, { format: 'xml' })).status).toBe(422)
    expect((await at.call('PATCH', `/${id}`, { format: 'xml', url: at.url })).status).toBe(200)
    expect((await at.call('PATCH', `/${id}`, { url })).status).toBe(422)
    expect((await at.call('PATCH', `/${id}`, { url, format: null })).status).toBe(200)
  })

  test('must be NDJSON, and have a product', async () => {
    at.shop.answer = (_, response) => void response.end(at.table('001'))
    const { id, last_run } = await at.add({ url })
    expect(last_run?.error).toMatchObject({ error: 'file_unreadable' })
    expect(last_run?.error?.message).toMatch(/^A feed in pages must be NDJSON/)
    at.shop.answer = (_, response) => void response.end('\n')
    expect((await at.run(id)).last_run?.error).toMatchObject({ error: 'file_empty' })
    at.shop.answer = (_, response) => void response.end(gzipSync('{').subarray(0, 12))
    expect((await at.run(id)).last_run?.error).toMatchObject({ error: 'file_unreadable' })
    expect(at.filesLeft()).toEqual([])
  })

  test('has an end: of pages, of bytes and of time', async () => {
    at.shop.answer = ({ url: path }, response) => void response.end(`{"product_id": "${pageOf(path)}"}`)
    const { id, last_run } = await at.add({ url })
    expect(last_run?.error?.details).toEqual({ reason: 'too_large' })
    expect(asked()).toHaveLength(1_000)
    at.shop.answer = ({ url: path }, response) => {
      at.app.clock.advance(6 * 60_000)
      response.end(`{"product_id": "${pageOf(path)}"}`)
    }
    expect((await at.run(id)).last_run?.error?.details).toEqual({ reason: 'timeout' })
    expect(asked()).toEqual([1, 2])
    await at.close()
    at = await openShop({ limits: { bytesMax: 1_000 } })
    at.shop.answer = ({ url: path }, response) => void response.end(`{"product_id": "${pageOf(path)}"}`)
    const small = await at.add({ url: url.replace(/:\d+/, `:${at.port}`) })
    expect(small.last_run?.error?.details).toEqual({ reason: 'too_large' })
    expect(at.filesLeft()).toEqual([])
  })

  test('has an end of white space that pages unpack to, although none of it is kept', async () => {
    const page = gzipSync(`{"pages": 900}\n${' '.repeat(40 * 1024 * 1024)}`)
    at.shop.answer = (_, response) => void response.end(page)
    expect((await at.add({ url })).last_run?.error?.details).toEqual({ reason: 'too_large' })
    expect(asked()).toEqual([1, 2, 3])
    expect(at.filesLeft()).toEqual([])
  }, 60_000)

  test('has an end of bytes that arrive, also where they unpack to little', async () => {
    at.shop.answer = ({ url: path }, response) => {
      const [head, rest] = split(gzipSync(`{"product_id": "${pageOf(path)}"}`), 10)
      // The flag says that a name follows, and a zero ends it.
      head[3] = 8
      response.end(Buffer.concat([head, Buffer.alloc(2 * 1024 * 1024, 'x'), Buffer.from([0]), rest]))
    }
    expect((await at.add({ url })).last_run?.error?.details).toEqual({ reason: 'too_large' })
    expect(asked()).toHaveLength(50)
    expect(at.filesLeft()).toEqual([])
  }, 60_000)
})

const split = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)] as const
