import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startEmbedder } from '../../platform/embedder/bundled.ts'
import { form, type TestApp, testApp } from '../../support/app.ts'
import { drawProducts, PRODUCTS } from './catalogue.ts'

/** What a query must find: one of some products first, or among the first three; or none of them first. */
type Row = readonly [query: string, must: 'first' | 'among three' | 'not first', products: string]

const ROWS: readonly Row[] = [
  // A colour is also a fruit, a fish, a flower, an army.
  ['orange juice', 'first', 'juice'],
  ['orange juice', 'not first', 'shirt-orange shirt-orange-2 backpack'],
  ['apple juice', 'first', 'juice-apple'],
  ['orange shirt', 'first', 'shirt-orange shirt-orange-2'],
  ['orange', 'among three', 'juice shirt-orange'],
  ['salmon', 'among three', 'salmon'],
  ['smoked salmon', 'first', 'salmon'],
  ['salmon skirt', 'first', 'skirt-salmon'],
  ['rose', 'first', 'rose'],
  ['rose dress', 'first', 'dress-rose'],
  ['navy', 'first', 'dress-navy shirt-navy'],
  ['navy shirt', 'first', 'shirt-navy'],
  ['navy dress', 'first', 'dress-navy'],
  // Light is not heavy, not dark, and a lamp.
  ['light jacket', 'first', 'jacket-light'],
  ['ceiling light', 'first', 'light-ceiling'],
  ['light blue shirt', 'among three', 'shirt-men shirt-women shirt-navy'],
  ['red wine', 'first', 'bottle-wine'],
  ['black friday', 'not first', 'bottle-wine juice mug'],
  // The last word says what it is.
  ['table lamp', 'first', 'lamp-table'],
  ['table lamp', 'not first', 'table-dining table-coffee table-cloth'],
  ['lamp table', 'not first', 'lamp-floor light-ceiling'],
  ['lamp', 'first', 'lamp-table lamp-floor'],
  ['lamp', 'not first', 'lamp-shade'],
  ['lamp shade', 'first', 'lamp-shade'],
  ['table', 'first', 'table-dining table-coffee'],
  ['tablecloth', 'first', 'table-cloth'],
  ['coffee table', 'first', 'table-coffee'],
  ['coffee', 'first', 'coffee'],
  ['dining chair', 'first', 'chair'],
  ['chair', 'first', 'chair'],
  ['chair cushion', 'first', 'chair-cushion'],
  ['shoe rack', 'first', 'shoe-rack'],
  ['shoes', 'not first', 'shoe-rack'],
  ['shoe', 'not first', 'shoe-rack'],
  ['dog bed', 'among three', 'bed-dog'],
  ['dog beds', 'first', 'bed-dog'],
  ['bed', 'first', 'bed-double bed-single'],
  ['beds', 'first', 'bed-double bed-single'],
  ['bed linen', 'first', 'bed-linen'],
  ['sofa bed', 'first', 'sofa-bed'],
  ['sofa', 'first', 'sofa'],
  ['phone case', 'first', 'phone-case'],
  ['phone', 'first', 'phone phone-2'],
  ['phone', 'not first', 'phone-case'],
  ['mug', 'first', 'mug'],
  ['mugs', 'first', 'mug'],
  ['mug rack', 'first', 'mug-rack'],
  ['wine rack', 'first', 'wine-rack'],
  ['wine glass', 'first', 'glass-wine'],
  ['wine', 'first', 'bottle-wine'],
  ['guitar', 'first', 'guitar'],
  ['guitar stand', 'first', 'guitar-stand'],
  ['flower pot', 'first', 'pot-10 pot-6'],
  ['cooking pot', 'first', 'pan'],
  ['sunglasses', 'first', 'glasses'],
  // Whom it is for. "Women" has "men" in it.
  ["men's shirt", 'first', 'shirt-men'],
  ['mens shirt', 'first', 'shirt-men'],
  ['men shirt', 'first', 'shirt-men'],
  ['men’s running shoes', 'first', 'shoe-men'],
  ['mens running shoes', 'first', 'shoe-men'],
  ["women's running shoes", 'first', 'shoe-women'],
  ['womens running shoes', 'first', 'shoe-women'],
  ['women running shoes', 'first', 'shoe-women'],
  ['running shoes for men', 'first', 'shoe-men'],
  ['running shoes for women', 'first', 'shoe-women'],
  ['rain jacket women', 'first', 'jacket-women'],
  ['rain jacket men', 'first', 'jacket-men'],
  // Sizes.
  ['t-shirt xl', 'first', 'shirt-xl'],
  ['t-shirt s', 'first', 'shirt-s'],
  ['sneaker 42', 'first', 'shoe-42'],
  ['sneaker size 38', 'first', 'shoe-38'],
  ['10 inch pot', 'first', 'pot-10'],
  ['flower pot 6 inch', 'first', 'pot-6'],
  // Brands that are words.
  ['apple & sons', 'first', 'handbag'],
  ['orange mountain', 'first', 'backpack'],
  // German compounds.
  ['Tischlampe', 'first', 'tischlampe'],
  ['Lampentisch', 'first', 'lampentisch'],
  ['Taschenlampe', 'first', 'taschenlampe'],
  ['Tasche', 'among three', 'handtasche'],
  ['Tasche', 'not first', 'taschenlampe'],
  ['Schuhe', 'first', 'hausschuh'],
  ['Schuhregal', 'first', 'schuhregal'],
  ['Lampe', 'first', 'tischlampe lamp-table lamp-floor'],
  ['Tisch', 'first', 'lampentisch'],
  ['Regal', 'first', 'schuhregal'],
]

/** What is still wrong. A row that starts to pass fails here, and moves up. */
const WRONG: readonly Row[] = [
  // Its picture shows a basket, and those of the beds show beds.
  ['dog bed', 'first', 'bed-dog'],
]

const { embedder } = startEmbedder()
let app: TestApp
let token: string

beforeAll(async () => {
  const [pictures] = await Promise.all([drawProducts(), embedder.settled()])
  app = testApp({ embedder })
  token = await app.signIn()
  for (const [product_id, name, category, color_name, , brand] of PRODUCTS) {
    const metadata = { name, category, ...(color_name && { color_name }), ...(brand && { brand }) }
    const image = pictures.get(product_id) ?? new Uint8Array()
    const body = form({ product_id, image, metadata: JSON.stringify(metadata) })
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
}, 120_000)
afterAll(async () => {
  await app.close()
  await embedder.close()
})

async function holds([query, must, products]: Row): Promise<void> {
  const { body } = await app.call('POST', '/v1/search/text', { token, body: { query, limit: 3 } })
  const found = (body as unknown as { results: { product_id: string }[] }).results.map(
    ({ product_id }) => product_id,
  )
  const wanted = products.split(' ')
  const first = found.slice(0, must === 'among three' ? 3 : 1)
  expect({ found, fits: first.some((id) => wanted.includes(id)) }).toEqual({
    found,
    fits: must !== 'not first',
  })
}

describe('words that mean two things, and phrases with a direction', () => {
  for (const row of ROWS) test(`${row[0]}: ${row[1]} ${row[2]}`, () => holds(row))
  for (const row of WRONG) test.failing(`${row[0]}: ${row[1]} ${row[2]}`, () => holds(row))
})
