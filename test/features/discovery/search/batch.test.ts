import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openShop } from './shop.ts'

let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.app.close())

interface Entry {
  id: unknown
  index: number
  status: number
  error?: string
  results?: { product_id: string }[]
  details?: { errors?: { pointer: string }[]; pointer?: string }
  search_id?: string
}
const batch = async (body: object, on = shop) => {
  const answer = await on.call('batch', body)
  return { ...answer, entries: answer.body['results'] as Entry[] }
}
const text = (query: string) => ({ type: 'text', query })

describe('POST /v1/search/batch (contract 3.9)', () => {
  test('answers each entry like a search of its own, and a bad one fails alone', async () => {
    const vector = [0, 1, 0, 0, 0, 0, 0, 0]
    const { status, body, entries } = await batch({
      defaults: { limit: 1, category_boost: 0 },
      queries: [
        { id: 'a', type: 'text', query: '2' },
        { id: 7, type: 'url', vector },
        { type: 'url', image_url: 'https://img.test/missing.jpg' },
        { type: 'text', query: '1', limit: 0 },
        { type: 'upload' },
        { type: 'hybrid', query: '1', colors: ['#12'] },
        { type: 'fusion', vector, query: '2' },
        { type: 'filtered', sort: 'price_asc', limit: 2 },
        { type: 'multi-image', images: [{ vector }, { product_id: 'none' }] },
        { type: 'crop', image_url: shop.url(1, 2), crop: { x: 0.5, y: 0, width: 0.5, height: 1 } },
      ],
    })
    expect(status).toBe(200)
    expect(body['count']).toBe(5)
    expect(entries.map(({ id, index, status, error }) => [id, index, status, error])).toEqual([
      ['a', 0, 200, undefined],
      [7, 1, 200, undefined],
      [null, 2, 422, 'image_download_failed'],
      [null, 3, 422, 'validation_error'],
      [null, 4, 422, 'validation_error'],
      [null, 5, 422, 'validation_error'],
      [null, 6, 200, undefined],
      [null, 7, 200, undefined],
      [null, 8, 404, 'not_found'],
      [null, 9, 200, undefined],
    ])
    expect([3, 4, 5].map((n) => entries[n]?.details?.errors?.[0]?.pointer)).toEqual([
      '/queries/3/limit',
      '/queries/4/type',
      '/queries/5/colors/0',
    ])
    expect(entries[0]?.results).toMatchObject([{ product_id: 'lamp' }])
    expect(entries[7]?.results).toHaveLength(2)
    expect(entries[9]?.results).toMatchObject([{ product_id: 'lamp' }])
  })

  test('places that a failure names lead into the batch', async () => {
    const filters = (operator: string, value: unknown) => [{ field: 'price', operator, value }]
    const { entries } = await batch({
      queries: [
        { ...text('1'), filters: filters('like', 1) },
        { ...text('1'), filters: { must: filters('gt', 'much') } },
        { ...text('1'), filters: filters('in', []) },
        { type: 'multi-image', images: [{ product_id: 'mug' }, {}] },
        { type: 'url' },
      ],
    })
    expect(entries.map(({ error, details }) => [error, details?.pointer])).toEqual([
      ['filter_operator_unknown', '/queries/0/filters/0/operator'],
      ['filter_type_mismatch', '/queries/1/filters/must/0/value'],
      ['validation_error', '/queries/2/filters/0/value'],
      ['image_source_invalid', '/queries/3/images/1'],
      ['image_source_invalid', '/queries/4'],
    ])
    expect(entries[2]?.details?.errors?.[0]?.pointer).toBe('/queries/2/filters/0/value')
  })

  test('a filter as text is limited, because each entry reads it in one step', async () => {
    const filters = `[${' '.repeat(1024 * 1024)}]`
    const { entries } = await batch({ queries: [text('1')], defaults: { filters } })
    expect(entries[0]).toMatchObject({
      error: 'validation_error',
      details: { errors: [{ pointer: '/queries/0/filters', code: 'max_length' }] },
    })
  })

  test('every entry and the batch have a row in the history', async () => {
    const { body, entries } = await batch({
      queries: [text('1'), text('2')],
      defaults: { session_id: 's-1' },
    })
    shop.app.history.flush()
    const rows = shop.app.db
      .prepare(
        'SELECT id, type, is_tracked, session_id FROM searches WHERE id IN (?, ?, ?) ORDER BY type, id',
      )
      .all(body['search_id'], entries[0]?.search_id, entries[1]?.search_id)
    expect(rows).toMatchObject([
      { id: body['search_id'], type: 'batch', is_tracked: 0, session_id: null },
      { type: 'text', is_tracked: 1, session_id: 's-1' },
      { type: 'text', is_tracked: 1, session_id: 's-1' },
    ])
  })

  test('422 too_many_queries for 21; none is a validation_error', async () => {
    const { status, body } = await batch({ queries: Array(21).fill(text('1')) })
    expect([status, body['error'], body['details']]).toMatchObject([
      422,
      'too_many_queries',
      { max: 20, pointer: '/queries' },
    ])
    expect((await batch({ queries: Array(20).fill(text('1')) })).body['count']).toBe(20)
    for (const wrong of [{}, { queries: [] }, { queries: 'all' }, { queries: [1] }]) {
      expect((await batch(wrong)).body['error']).toBe('validation_error')
    }
  })

  test('each entry spends a request of the plan; those beyond it answer 429', async () => {
    const small = await openShop('free')
    small.app.clock.advance(60_000)
    const { headers, entries } = await batch({ queries: Array(12).fill(text('1')) }, small)
    expect(entries.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429])
    expect(entries[10]).toMatchObject({ error: 'rate_limit_exceeded', details: { limit: 10 } })
    expect(headers.get('ratelimit')).toContain('r=0')
    expect((await small.call('text', { query: '1' })).status).toBe(429)
    await small.app.close()
  })
})
