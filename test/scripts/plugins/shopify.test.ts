import { afterEach, expect, test } from 'bun:test'
import { openShop, range, type Shop } from '../../features/catalogue/product-feeds/shop.ts'
import { type LiquidProduct, openTheme } from '../../plugins/liquid.ts'
import { pictureBytes } from '../../support/app.ts'

const theme = openTheme((image, width) => `//img.test/${image}?width=${width}`)

const product = (handle: string, more: Partial<LiquidProduct> = {}): LiquidProduct => ({
  ...{ handle, title: `Product ${handle}`, vendor: 'Harbour', type: 'Mugs', url: `/products/${handle}` },
  ...{ description: '', featured_image: `${handle}.jpg`, images: [`${handle}.jpg`], tags: [] },
  ...{ available: true, created_at: '2026-03-04T05:06:07Z', price_min: 1990, price_max: 1990 },
  'gift_card?': false,
  options_with_values: [{ name: 'Title', values: ['Default Title'] }],
  variants: [variant(1, 'Default Title', 1990)],
  ...more,
})

const variant = (id: number, title: string, price: number, more = {}): LiquidProduct['variants'][number] => ({
  ...{ id, title, price, sku: null, compare_at_price: null, available: true, image: null },
  ...more,
})

const list = async (products: LiquidProduct[], page = 1) =>
  (await theme.list(products, page))
    .split('\n')
    .flatMap((line) => (line.trim() ? [JSON.parse(line)] : []))
    // The first line is for the feed.
    .slice(1)

test('the list has a line for each product, with what a search shows and filters by', async () => {
  const [plain, full, ...others] = await list([
    product('plain', { type: '' }),
    product('mug "a"', {
      title: 'Mug “A”, </script> & \\ "quoted"\u2028',
      description: '<p>First\n line</p><p>Second &amp; third&nbsp;&lt;b&gt;</p>',
      images: ['mug.jpg', 'mug-2.jpg', 'mug-3.jpg'],
      tags: ['new', 'a "tag"'],
      options_with_values: [
        { name: 'Size', values: ['S', 'L'] },
        { name: 'Farbe', values: ['Rot', 'Grün'] },
      ],
      price_min: 1500,
      price_max: 2500,
      variants: [
        variant(3, 'L / Grün', 2500, { available: false }),
        variant(2, 'S / Rot', 1500, { compare_at_price: 1800, sku: 'M-1', image: 'red.jpg' }),
      ],
    }),
  ])
  expect(others).toEqual([])
  expect(plain).toEqual({
    product_id: 'plain',
    image_url: 'https://img.test/plain.jpg?width=1024',
    additional_image_urls: [],
    metadata: {
      ...{ name: 'Product plain', url: 'https://shop.test/products/plain', brand: 'Harbour', price: 19.9 },
      ...{ currency: 'EUR', tags: [], in_stock: true, created_at: expect.stringMatching(/^2026-03-0\dT/) },
    },
  })
  expect(full).toMatchObject({
    product_id: 'mug "a"',
    additional_image_urls: ['https://img.test/mug-2.jpg?width=1024', 'https://img.test/mug-3.jpg?width=1024'],
    metadata: {
      ...{
        name: 'Mug “A”, </script> & \\ "quoted"\u2028',
        category: 'Mugs',
        description: 'First\n line  Second & third <b>',
      },
      ...{ price: 18, sale_price: 15, price_max: 25, sku: 'M-1', tags: ['new', 'a "tag"'] },
      ...{ color_name: 'Rot', colors: ['Rot', 'Grün'] },
      variants: [
        { name: 'L / Grün', price: 25, in_stock: false },
        {
          ...{ name: 'S / Rot', sku: 'M-1', price: 15, in_stock: true },
          image_url: 'https://img.test/red.jpg?width=1024',
        },
      ],
    },
  })
})

test('the list leaves out gift cards, what has no picture, and what the service has no name for', async () => {
  const products = [
    product('a'),
    product('card', { 'gift_card?': true }),
    product('bare', { featured_image: null }),
    product('import'),
    product('x'.repeat(129)),
  ]
  expect((await list(products)).map(({ product_id }) => product_id)).toEqual(['a'])
  expect((await theme.list(products, 2)).trim()).toBe('{"pages":1}')
  const many = Array.from({ length: 251 }, (_, n) => product(`p-${n}`))
  expect((await list(many, 1)).length).toBe(250)
  expect((await list(many, 2)).map(({ product_id }) => product_id)).toEqual(['p-250'])
})

test('no product is too large for the service', async () => {
  const text = 'ü"'.repeat(127)
  const [{ metadata }] = await list([
    product('large', {
      title: text,
      description: 'ü'.repeat(60_000),
      tags: Array.from({ length: 250 }, (_, n) => `${n}${text}`),
      options_with_values: [{ name: 'Color', values: Array.from({ length: 100 }, (_, n) => `Colour ${n}`) }],
      variants: Array.from({ length: 250 }, (_, n) =>
        variant(n, '色'.repeat(250), 1_000 + n, {
          ...{ sku: `SKU-0123456789-${n}`, image: `${'0123456789'.repeat(12)}-${n}.jpg` },
        }),
      ),
    }),
  ])
  expect(Buffer.byteLength(JSON.stringify(metadata))).toBeLessThan(16 * 1024)
})

let at: Shop
afterEach(() => at?.close())

test('a feed of the list brings the products of the shop, and deletes what the shop deletes', async () => {
  at = await openShop()
  // The second page has nothing to sell.
  let products = range(1, 751).map((id) =>
    product(id, Number(id) > 250 && Number(id) <= 500 ? { featured_image: null } : {}),
  )
  for (const { handle } of products)
    at.app.web.set(`https://img.test/${handle}.jpg?width=1024`, pictureBytes(Number(handle) % 200))
  at.shop.answer = async ({ url = '' }, response) => {
    const page = Number(new URL(url, 'http://shop.test').searchParams.get('page'))
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(await theme.list(products, page))
  }
  const address = `http://127.0.0.1:${at.port}/collections/all?view=lookalike&sort_by=created-ascending&page={page}`
  const { id, last_run } = await at.add({ url: address, delete_missing: true })
  expect(last_run).toMatchObject({ status: 'completed', counts: { total: 501, added: 501, failed: 0 } })
  products = products.filter(({ handle }) => handle !== '100').map((one) => ({ ...one, title: 'New title' }))
  expect((await at.run(id)).last_run?.counts).toMatchObject({ updated: 500, deleted: 1 })
  expect(at.list()).not.toContain('100')
}, 60_000)

test('what the editor of themes shows is complete, and the sections read nothing else', async () => {
  for (const name of ['lookalike', 'lookalike-row']) {
    const { settings } = await theme.schemaOf(name)
    const source = await Bun.file(
      `${import.meta.dir}/../../../scripts/plugins/shopify/sections/${name}.liquid`,
    ).text()
    const read = new Set([...source.matchAll(/section\.settings\.(\w+)/g)].map(([, id]) => id))
    expect([...read].toSorted()).toEqual(settings.map(({ id }) => id).toSorted())
  }
})
