import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'
import { idsOf, openShop } from './shop.ts'

let shop: Awaited<ReturnType<typeof openShop>>

/** Sold-out products that fit a picture of axis 1 better than `cup` does. */
const SOLD_OUT = [
  ['gone', { in_stock: false }],
  ['none-left', { stock: '0' }],
  ['by-variants', { variants: [{ in_stock: false }, { in_stock: false }] }],
] as const

beforeAll(async () => {
  shop = await openShop()
  for (const [product_id, more] of SOLD_OUT)
    await put(product_id, { category: 'Mugs', brand: 'Acme', ...more }, [1])
})
afterAll(() => shop.app.close())

async function put(product_id: string, metadata: object, axes: number[]): Promise<void> {
  const body = { product_id, image_url: shop.app.picture(product_id, ...axes), metadata }
  const { status } = await shop.app.call('POST', '/v1/products', { token: shop.token, body })
  expect(status).toBeLessThan(300)
}

const setting = (sold_out: string | null) =>
  shop.app.call('PATCH', '/v1/store/settings', { token: shop.token, body: { sold_out } })

const GONE = ['gone', 'none-left', 'by-variants']
const scoresOf = ({ results }: Awaited<ReturnType<typeof shop.search>>) =>
  Object.fromEntries(results.map(({ product_id, similarity_score }) => [product_id, similarity_score]))

describe('products that are sold out (contract 3.2)', () => {
  test('keep is the default of the API; last puts them behind all others over all pages, and no score changes', async () => {
    const query = { image_url: shop.url(1), second_look: true }
    const plain = await shop.search('url', query)
    expect(idsOf(plain).slice(0, 4)).toEqual(['mug', ...GONE])
    expect(idsOf(await shop.search('url', { ...query, sold_out: 'keep' }))).toEqual(idsOf(plain))
    const last = await shop.search('url', { ...query, sold_out: 'last' })
    const wanted = [...idsOf(plain).filter((id) => !GONE.includes(id)), ...GONE]
    expect(idsOf(last)).toEqual(wanted)
    expect(scoresOf(last)).toEqual(scoresOf(plain))
    expect(last.total_candidates).toBe(plain.total_candidates)
    const pages: string[] = []
    for (let offset = 0; offset < 9; offset += 2)
      pages.push(...idsOf(await shop.search('url', { ...query, sold_out: 'last', offset, limit: 2 })))
    expect(pages).toEqual(wanted)
  })

  test('hide leaves them out, of counts and facets, too', async () => {
    const found = await shop.search('url', {
      ...{ image_url: shop.url(1), sold_out: 'hide', facets: ['brand'] },
      filters: [{ field: 'brand', operator: 'eq', value: 'Acme' }],
    })
    expect([idsOf(found), found.total_candidates, (found as { facets?: unknown }).facets]).toEqual([
      ['mug', 'cup'],
      2,
      { brand: [{ value: 'Acme', count: 2 }] },
    ])
  })

  test('the cut is that of the list without it, and sorted and listed products obey, too', async () => {
    const cut = { image_url: shop.url(1), cutoff: 'auto' }
    const kept = idsOf(await shop.search('url', cut))
    expect(kept).toEqual(['mug', ...GONE])
    expect(idsOf(await shop.search('url', { ...cut, sold_out: 'last' }))).toEqual(kept)
    expect(idsOf(await shop.search('url', { ...cut, sold_out: 'hide' }))).toEqual(['mug'])
    const listed = idsOf(await shop.search('filtered', { sort: 'newest', sold_out: 'last' }))
    expect(listed.slice(0, 2)).toEqual(['both', 'table'])
    expect(listed.slice(-3)).toEqual(GONE.toReversed())
    const sorted = { image_url: shop.url(1), sort: 'price_asc', sold_out: 'last' }
    expect(idsOf(await shop.search('filtered', sorted)).slice(-3)).toEqual(GONE.toReversed())
  })

  test('every search takes it: a batch, several pictures in turn, similar products', async () => {
    const entry = { type: 'url', image_url: shop.url(1) }
    const { body } = await shop.call('batch', {
      sold_out: 'hide',
      queries: [entry, { ...entry, sold_out: 'last' }],
    })
    const [hidden, last] = body['results'] as Awaited<ReturnType<typeof shop.search>>[]
    expect([hidden, last].map((one) => one && idsOf(one).filter((id) => GONE.includes(id)))).toEqual([
      [],
      GONE,
    ])
    const union = await shop.search('multi-image', {
      images: [{ image_url: shop.url(1) }, { image_url: shop.url(2) }],
      ...{ aggregation: 'union', sold_out: 'last' },
    })
    expect(idsOf(union).slice(0, 3)).toEqual(['mug', 'lamp', 'cup'])
    expect(idsOf(union).slice(-3).toSorted()).toEqual(GONE.toSorted())
    const similar = await shop.app.call('GET', '/v1/products/mug/similar?sold_out=last&rules=false', {
      token: shop.token,
    })
    expect(idsOf(similar.body as never).slice(-3)).toEqual(GONE)
  })

  test('422 for another value, wherever it is given', async () => {
    const { token } = shop
    const answers = [
      await shop.call('text', { query: 'mugs', sold_out: 'first' }),
      await shop.call('text', { query: 'mugs', rules: 'perhaps' }),
      await shop.app.call('GET', '/v1/products/mug/similar?sold_out=first', { token }),
      await setting('first'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422])
  })

  test('widgets put them last; the setting says otherwise, for the API, too', async () => {
    const { key } = await makeKey(shop.app, shop.token)
    const widget = async () => {
      const answer = await shop.app.call('POST', '/v1/widget/search/text', {
        headers: widgetHeaders(key),
        body: { query: 'mugs', sold_out: 'keep' },
      })
      return idsOf(answer.body as never)
    }
    const api = async () => idsOf(await shop.search('text', { query: 'mugs' }))
    expect([(await widget()).slice(-3), (await api()).slice(0, 4)]).toEqual([GONE, ['mug', ...GONE]])
    expect((await setting('hide')).body).toMatchObject({ sold_out: 'hide' })
    const isGone = (id: string) => GONE.includes(id)
    expect([(await widget()).some(isGone), (await api()).some(isGone)]).toEqual([false, false])
    expect(idsOf(await shop.search('text', { query: 'mugs', sold_out: 'keep' })).filter(isGone)).toEqual(GONE)
    await setting('keep')
    expect((await widget()).slice(0, 4)).toEqual(['mug', ...GONE])
    expect((await setting(null)).body).toMatchObject({ sold_out: null })
    expect((await widget()).slice(-3)).toEqual(GONE)
  })

  test('a product that is back in stock stands where it belongs at once, and after a restart', async () => {
    const last = async () => idsOf(await shop.search('url', { image_url: shop.url(1), sold_out: 'last' }))
    await put('gone', { category: 'Mugs', in_stock: true }, [1])
    await put('cup', { category: 'Mugs', availability: 'https://schema.org/OutOfStock' }, [1, 4])
    const found = await last()
    expect([found.slice(0, 2), found.slice(-3)]).toEqual([
      ['mug', 'gone'],
      ['none-left', 'by-variants', 'cup'],
    ])
    shop.app.loadIndex()
    expect(await last()).toEqual(found)
  })
})
