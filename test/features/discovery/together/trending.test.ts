import { afterEach, beforeEach, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../../../src/core/clock.ts'
import { idsOf, openTogetherShop } from './together-shop.ts'

let shop: Awaited<ReturnType<typeof openTogetherShop>>

beforeEach(async () => {
  shop = await openTogetherShop()
})
afterEach(() => shop.app.close())

let visitors = 0

/** Tells of clicks of visitors of their own, some days ago. */
const click = (product: string, times: number, daysAgo: number) =>
  shop.tell(
    Array.from({ length: times }, () => ({
      ...{ result_product_id: product, action: 'click', session_id: `v${++visitors}` },
      occurred_at: new Date(shop.app.clock.now() - daysAgo * DAY_MS).toISOString(),
    })),
  )

test('without clicks and purchases the newest come, and the answer says so', async () => {
  const found = await shop.trending('?limit=2')
  expect([found.basis, idsOf(found)]).toEqual(['newest', ['bag', 'bulb']])
})

test('what grows comes before what is steady, and what falls last', async () => {
  await click('mug', 20, 10)
  await click('mug', 20, 1)
  await click('lamp', 16, 1)
  await click('bag', 60, 10)
  await click('bag', 16, 1)
  const found = await shop.trending()
  expect([found.basis, idsOf(found)]).toEqual(['clicks', ['lamp', 'mug', 'bag']])
  const scores = found.results.map(({ similarity_score }) => similarity_score)
  expect(scores[0]).toBe(1)
  expect(scores.every((score, n) => score > 0 && score <= (scores[n - 1] ?? 1))).toBeTrue()
})

test('younger clicks count more, and older ones than the days not at all', async () => {
  await click('mug', 10, 6)
  await click('lamp', 10, 0)
  await click('bag', 50, 20)
  expect(idsOf(await shop.trending())).toEqual(['lamp', 'mug'])
  expect(idsOf(await shop.trending('?days=1'))).toEqual(['lamp'])
  expect(idsOf(await shop.trending('?days=30'))).toContain('bag')
})

test('purchases weigh five clicks, and name the basis', async () => {
  await shop.order(3, 'spoon')
  await click('mug', 10, 0)
  const found = await shop.trending()
  expect([found.basis, idsOf(found)]).toEqual(['purchases', ['spoon', 'mug']])
})

test('filters and paging hold, a deleted product is left out, and another store has its own', async () => {
  await click('mug', 9, 0)
  await click('saucer', 6, 0)
  await click('lamp', 8, 0)
  const other = await openTogetherShop(shop.app, 'other', ['plate'])
  expect((await other.trending()).basis).toBe('newest')
  expect(idsOf(await shop.trending('?price_max=25'))).toEqual(['mug', 'saucer'])
  expect(idsOf(await shop.trending('?limit=1&offset=1'))).toEqual(['lamp'])
  await shop.app.call('DELETE', '/v1/products/mug', { token: shop.token })
  expect(idsOf(await shop.trending())).toEqual(['lamp', 'saucer'])
  const { body } = await shop.get('/v1/search/history?type=trending')
  expect((body['searches'] as unknown[]).length).toBeGreaterThan(2)
})

test('a trend is kept for a minute', async () => {
  await click('mug', 3, 0)
  await shop.trending()
  await click('lamp', 9, 0)
  expect(idsOf(await shop.trending())).toEqual(['mug'])
  shop.app.clock.advance(MINUTE_MS + 1)
  expect(idsOf(await shop.trending())).toEqual(['lamp', 'mug'])
})

test.each(['days=0', 'days=31', 'days=x', 'days=1.5', 'limit=101', 'offset=-1'])(
  '422 for %s',
  async (query) => {
    const { status, body } = await shop.get(`/v1/search/trending?${query}`)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
  },
)

test('an unknown parameter is told', async () => {
  expect((await shop.trending('?dais=3')).warnings).toEqual([
    "the unknown field 'dais' was ignored; did you mean 'days'?",
  ])
})
