import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

let app: TestApp
let token: string

const MUG = {
  name: 'Blue Mugs for Café',
  brand: 'Nordlicht',
  category: 'Tableware',
  color_name: 'blue',
  tags: ['gift', 'blue'],
  sku: 'AB-123',
  gtin: '4006381333931',
  description: '<p>Made of <b>stoneware</b>.</p>',
  cost: 'secretword',
}

beforeAll(async () => {
  app = testApp()
  token = await app.signIn('shop')
  const body = { product_id: 'mug 1', image_url: app.picture('mug', 1), metadata: MUG }
  await app.call('POST', '/v1/products', { token, body })
})
afterAll(() => app.close())

async function matched(query: string, more: object = {}): Promise<unknown> {
  const body = { query, explain: true, ...more }
  const answer = await app.call('POST', '/v1/search/text', { token, body })
  const [hit] = answer.body['results'] as { explain?: { matched_words?: unknown } }[]
  return hit?.explain?.matched_words
}
const inField = (field: string, word: string) => ({ word, field })

describe('explain.matched_words', () => {
  test.each<[string, object[]]>([
    ['nordlicht', [inField('brand', 'nordlicht')]],
    ['BLUE', [inField('name', 'blue'), inField('color_name', 'blue'), inField('tags', 'blue')]],
    ['mug', [inField('name', 'mug')]],
    ['cafe', [inField('name', 'cafe')]],
    ['ware', [inField('category', 'ware'), inField('description', 'ware')]],
    ['nordlihct stoneware', [inField('brand', 'nordlihct'), inField('description', 'stoneware')]],
    ['tablewere', [inField('category', 'tablewere')]],
    ['ab123', [inField('sku', 'ab123')]],
    ['mug 1', [inField('name', 'mug'), inField('product_id', 'mug 1')]],
    ['4006381333931', [inField('gtin', '4006381333931')]],
    ['secretword', []],
    ['spaceship', []],
  ])('%p', async (query, words) => {
    expect(await matched(query)).toEqual(words)
  })

  test('is the same whatever fields are asked for', async () => {
    expect(await matched('nordlicht', { fields: ['sku'] })).toEqual([inField('brand', 'nordlicht')])
  })

  test('is empty for a picture, and absent unless it is asked for', async () => {
    const url = app.picture('other', 1)
    const picture = await app.call('POST', '/v1/search/url', {
      token,
      body: { image_url: url, explain: true },
    })
    expect((picture.body['results'] as object[])[0]).toMatchObject({ explain: { matched_words: [] } })
    expect(await matched('nordlicht', { explain: false })).toBeUndefined()
  })

  test('never reaches a widget', async () => {
    const { key } = await makeKey(app, token)
    const body = { query: 'nordlicht', explain: true }
    const answer = await app.call('POST', '/v1/widget/search/text', { body, headers: widgetHeaders(key) })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain('matched_words')
  })
})
