import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import type { ExportedProduct } from '../../../../src/features/catalogue/exports/schema.ts'
import { form, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { countRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/export?vectors=true&thumbnails=true'

let app: TestApp
let one: { token: string; storeId: string }
let two: { token: string; storeId: string }
/** What the child was given to look at. */
let seen: string[]
/** What it finds out about such a file. */
let file: { contentType: 'image/webp' | 'image/png'; width: number; height: number } | ApiError

beforeEach(async () => {
  seen = []
  file = { contentType: 'image/webp', width: 192, height: 120 }
  const fake = fakeEmbedder()
  app = testApp({
    embedder: {
      ...fake,
      async seePicture(bytes, { thumbnail }) {
        seen.push(new TextDecoder().decode(bytes))
        if (file instanceof ApiError) throw file
        const { facts } = await fake.embedPicture(new TextEncoder().encode('picture:1'), {
          ...{ priority: 'bulk', storeId: 'any' },
        })
        const drawn = new TextEncoder().encode(`drawn anew at ${thumbnail}`)
        return { facts: { ...facts, ...file }, thumbnail: drawn }
      },
    },
  })
  one = await openStore(app, 'enterprise')
  two = await openStore(app, 'enterprise', 'two')
})
afterEach(() => app.close())

const get = (path: string, { token } = one) =>
  app.http.handle(
    new Request(`http://lookalike.test${path}`, { headers: { authorization: `Bearer ${token}` } }),
  )

async function exportAll(path = PATH, as = one): Promise<ExportedProduct[]> {
  const text = await (await get(path, as)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

async function importAll(products: readonly object[], into = two) {
  const bytes = new TextEncoder().encode(products.map((product) => JSON.stringify(product)).join('\n'))
  const body = form({ file: bytes, format: 'ndjson' })
  const { body: answer } = await app.call('POST', '/v1/products/import', { token: into.token, body })
  return await waitForJob(app, into.storeId, into.token, String(answer['job_id']))
}

async function shownOf(id: string, { token } = two): Promise<string | null> {
  const { body } = await app.call('GET', `/v1/products/${id}`, { token })
  const url = body['thumbnail_url'] as string | null
  return url === null ? null : (await app.http.handle(new Request(`http://lookalike.test${url}`))).text()
}

async function exportOne(): Promise<ExportedProduct> {
  const body = { product_id: 'a', image_url: app.picture('a', 1) }
  await app.call('POST', '/v1/products', { token: one.token, body })
  const [line] = await exportAll()
  if (!line) throw new Error('nothing was exported')
  return line
}

/** @param thumbnail in base64. */
const withThumbnail = (line: ExportedProduct, thumbnail: unknown) => ({
  ...line,
  pictures: line.pictures?.map((picture) => ({ ...picture, thumbnail })),
})

describe('thumbnails that come with an import (contract 2.12)', () => {
  test('an export has them on request alone', async () => {
    const line = await exportOne()
    expect(line.pictures?.map(({ thumbnail }) => Buffer.from(thumbnail ?? '', 'base64').toString())).toEqual([
      'RIFF....WEBP picture 1 of 192 pixels',
    ])
    const [plain] = await exportAll('/v1/products/export?vectors=true')
    expect(plain?.pictures?.[0]).not.toHaveProperty('thumbnail')
    app.db.exec('DELETE FROM thumbnails')
    expect((await exportAll())[0]?.pictures?.[0]?.thumbnail).toBeNull()
    expect((await get('/v1/products/export?thumbnails=true')).status).toBe(422)
  })

  test('are drawn anew from what came, and no picture is read', async () => {
    const line = await exportOne()
    app.downloads.length = 0
    expect(await importAll([line])).toMatchObject({ succeeded: 1, failed: 0 })
    expect(seen).toEqual(['RIFF....WEBP picture 1 of 192 pixels'])
    expect(await shownOf('a')).toBe('drawn anew at 192')
    expect(app.downloads).toEqual([])
    const { counted, summed } = app.db
      .prepare(
        'SELECT (SELECT sum(thumbnail_bytes) FROM stores) AS counted, sum(length(webp)) AS summed FROM thumbnails',
      )
      .get() as { counted: number; summed: number }
    expect(counted).toBe(summed)
  })

  test.each([
    ['is another kind of picture', { contentType: 'image/png', width: 100, height: 100 }],
    ['is too wide', { contentType: 'image/webp', width: 193, height: 10 }],
    ['is too high', { contentType: 'image/webp', width: 10, height: 2_000 }],
    ['is no picture', new ApiError('image_unreadable', 'no')],
  ] as const)('one that %s is left out; the product comes all the same', async (_, found) => {
    file = found as typeof file
    const line = withThumbnail(await exportOne(), Buffer.from('<script>').toString('base64'))
    expect(await importAll([line])).toMatchObject({ succeeded: 1, failed: 0 })
    expect(seen).toEqual(['<script>'])
    expect(await shownOf('a')).toBeNull()
    expect(countRows(app, 'thumbnails')).toBe(1)
  })

  test.each([
    ['no base64', '<svg>'],
    ['longer than any thumbnail', 'A'.repeat(87_388)],
    ['no text', 5],
  ])('refuses %s', async (_, thumbnail) => {
    const line = withThumbnail(await exportOne(), thumbnail)
    expect(await importAll([line])).toMatchObject({ succeeded: 0, failed: 1 })
    expect(seen).toEqual([])
  })

  test('never replace that of a picture that the service has read itself', async () => {
    const line = await exportOne()
    const claimed = { ...withThumbnail(line, 'AAAA'), product_id: 'b' }
    await importAll([claimed], one)
    expect(await shownOf('a', one)).toContain('picture 1 of 192')
    const rows = app.db.prepare('SELECT count(*) FROM thumbnails WHERE store_id = ?').pluck().get(one.storeId)
    expect(rows).toBe(2)
  })

  test('a store that wants none takes none', async () => {
    await app.call('PATCH', '/v1/store/settings', { token: two.token, body: { thumbnails: false } })
    expect(await importAll([await exportOne()])).toMatchObject({ succeeded: 1 })
    expect([seen, await shownOf('a')]).toEqual([[], null])
    expect((await exportAll(PATH, two))[0]?.pictures?.[0]?.thumbnail).toBeNull()
  })
})
