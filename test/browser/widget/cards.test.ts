import { describe, expect, test } from 'bun:test'
import { hits, type Reply } from './service.ts'
import { cardsOf, open, openWidgetPage, searchWords } from './shop.ts'

const shop = openWidgetPage()

/** Searches once for each reply, and tells what the shopper sees and what the console says. */
const show = async (data: Record<string, string>, ...replies: Reply[]) =>
  shop.visit({ data }, {}, async (page) => {
    await open(page)
    const shown: { headline: string | null; cards: (string | null)[]; more: string[] }[] = []
    for (const reply of replies) {
      shop.service.reply = () => reply
      const heard = page.evaluate(
        `new Promise((done) => document.addEventListener('service:results', done, { once: true }))`,
      )
      await searchWords(page, `mug ${shown.length}`)
      await heard
      shown.push({
        headline: await page.locator('[part=headline]').textContent(),
        cards: await cardsOf(page).allTextContents(),
        more: await page.locator('summary[part=more]').allTextContents(),
      })
    }
    return {
      shown,
      hrefs: await cardsOf(page).evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
    }
  })

describe('the console', () => {
  const bare = (count: number) =>
    hits(count).map(({ metadata: { url: _, ...metadata }, ...rest }) => ({ ...rest, metadata }))
  const without = (count: number): Reply => ({ body: { results: bare(count) } })
  const lines = (console: string[]) => console.filter((text) => text.startsWith('Lookalike'))

  test('says once that no result leads anywhere, and what to set', async () => {
    const { console } = await show({}, without(4), without(5))
    expect(lines(console)).toEqual([
      'Lookalike: no product of this search has an address. ' +
        'Set product_url_template with PATCH /v1/store/settings, or data-url="/p/{product_id}" in the tag of the widget.',
    ])
  }, 60_000)

  test.each([
    ['one result has an address', {}, { body: { results: [...hits(1), ...bare(3)] } }],
    ['the tag has a template', { 'data-url': '/p/{product_id}' }, without(3)],
    ['nothing was found', {}, { body: { results: [] } }],
  ] as [string, Record<string, string>, Reply][])(
    'says nothing where %s',
    async (_, data, reply) => {
      const { console } = await show(data, reply)
      expect(lines(console)).toEqual([])
    },
    60_000,
  )
})

test('a hit that stands for a group leads to the variant that matches, and shows nothing of the group', async () => {
  const group = { value: 'hoodie', count: 3 }
  const body = {
    results: [
      {
        ...{ product_id: 'hoodie', similarity_score: 0.9, group },
        metadata: { name: 'Hoodie', url: '/p/hoodie', currency: 'EUR' },
        matched_variant: { sku: 'h-blue', url: '/p/hoodie?colour=blue', name: 'Hoodie, blue', price: 39 },
      },
      {
        ...{ product_id: 'cap', similarity_score: 0.9, group, matched_variant: { sku: 'c', url: null } },
        metadata: { name: 'Cap', url: '/p/cap', price: 9 },
      },
      {
        ...{
          product_id: 'bag',
          similarity_score: 0.9,
          group: { value: null, count: 1 },
          matched_variant: null,
        },
        metadata: { name: 'Bag' },
      },
    ],
  }
  const { result } = await show({ 'data-url': '/shop/{product_id}' }, { body })
  expect(result).toEqual({
    shown: [{ headline: '3 products found', cards: ['Hoodie€39.00', 'Cap9.00', 'Bag'], more: [] }],
    hrefs: ['/p/hoodie?colour=blue', '/p/cap', '/shop/bag'].map((path) => shop.origin + path),
  })
}, 60_000)
