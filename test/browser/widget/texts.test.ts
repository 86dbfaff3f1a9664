import { afterAll, beforeAll, describe, test } from 'bun:test'
import { type Shop, said, searchWords, startShop } from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
}, 60_000)
afterAll(() => shop.stop(), 30_000)

describe('the texts', () => {
  test.each([
    [{ lang: 'de' }, {}, 'Mit Bild suchen', '12 Produkte gefunden'],
    [{ lang: 'de' }, { 'data-lang': 'pl-PL' }, 'Szukaj według zdjęcia', 'Znalezione produkty: 12'],
    [{ lang: 'xx-bad-!' }, {}, 'Search by picture', '12 products found'],
    [{}, { 'data-texts': '{"button":"Photo!","found":"{n} hits"}' }, 'Photo!', '12 hits'],
  ])(
    'language %p and attributes %p',
    async (shown, data, button, found) => {
      await shop.visit({ ...shown, data }, {}, async (page) => {
        await page.getByRole('button', { name: button }).click()
        await searchWords(page, 'mug')
        await said(page, found)
      })
    },
    60_000,
  )
})
