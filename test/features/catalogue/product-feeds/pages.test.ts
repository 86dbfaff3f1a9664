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
})
