import { describe, expect, test } from 'bun:test'
import type { ImportRecord } from '../../../../src/features/catalogue/imports/formats/record.ts'
import {
  assembleProducts,
  type ImportItem,
} from '../../../../src/features/catalogue/imports/mapping/assemble.ts'
import { planImport } from '../../../../src/features/catalogue/imports/mapping/plan.ts'
import { startTally } from '../../../../src/features/catalogue/imports/mapping/tally.ts'
import { importFile, NOW, toTable } from './mapped.ts'

const picture = (name: string) => `https://x.example/${name}.jpg`

describe('Shopify: a product can be bought if any variant can', () => {
  const OLD = {
    ...{ tracker: 'Variant Inventory Tracker', policy: 'Variant Inventory Policy' },
    ...{ quantity: 'Variant Inventory Qty', handle: 'Handle', image: 'Image Src', price: 'Variant Price' },
  }
  const NEW = {
    ...{ tracker: 'Inventory tracker', policy: 'Continue selling when out of stock' },
    ...{ quantity: 'Inventory quantity', handle: 'URL handle', image: 'Product image URL', price: 'Price' },
  }

  describe.each([
    ['the old headers', OLD],
    ['the new headers', NEW],
  ])('%s', (_name, names) => {
    test.each([
      [
        'the first one is sold out, the second is there',
        [
          ['shopify', 'deny', 0],
          ['shopify', 'deny', 5],
        ],
        true,
      ],
      [
        'all are sold out',
        [
          ['shopify', 'deny', 0],
          ['shopify', 'DENY', -1],
        ],
        false,
      ],
      ['pieces are not counted', [['', 'deny', 0]], true],
      ['it is sold on without any', [['shopify', 'continue', -3]], true],
      ['there is one', [['shopify', 'deny', 1]], true],
      ['nobody knows how many', [['shopify', 'deny', '']], undefined],
    ] as const)('%s', async (_kind, variants, inStock) => {
      const rows = variants.map(([tracker, policy, quantity], n) => ({
        ...{
          [names.handle]: 'tee',
          Title: n === 0 ? 'Tee' : '',
          [names.image]: n === 0 ? picture('tee') : '',
        },
        ...{
          [names.tracker]: tracker,
          [names.policy]: policy,
          [names.quantity]: quantity,
          [names.price]: '5',
        },
      }))
      const last = { [names.handle]: 'tee', [names.image]: picture('further') }
      const { plan, products } = await importFile(toTable([...rows, last]))
      expect(plan.platform).toBe('shopify')
      expect(products[0]?.metadata['in_stock']).toBe(inStock)
      expect(products).toHaveLength(1)
    })
  })

  test('the cheapest variant counts, of equals the one with a price before the sale', async () => {
    const variant = (handle: string, option: string, price: string, before: string, image = '') => ({
      ...{ Handle: handle, Title: '', 'Option1 Name': '', 'Option1 Value': option, 'Image Src': '' },
      ...{
        'Variant Price': price,
        'Variant Compare At Price': before,
        'Variant SKU': option,
        'Variant Image': image,
      },
    })
    const head = (handle: string, image: string) => ({
      Title: handle,
      'Option1 Name': 'Farbe',
      'Image Src': image,
    })
    const { products, tally } = await importFile(
      toTable([
        { ...variant('a', 'Rot', '20', '', picture('red')), ...head('a', picture('a')) },
        variant('a', 'Blau', '15', '', picture('blue')),
        variant('a', 'Grün', '15', '18', picture('green')),
        variant('a', 'Gelb', '25', '30'),
        { ...variant('b', 'Rot', '20', '20'), ...head('b', picture('b')) },
        { ...variant('c', 'Rot', '20', '10'), ...head('c', picture('c')) },
      ]),
    )
    expect(products[0]).toEqual({
      product_id: 'a',
      image_url: picture('a'),
      additional_image_urls: [picture('red'), picture('blue'), picture('green')],
      metadata: {
        ...{ name: 'a', price: 18, sale_price: 15, price_max: 25 },
        ...{ color_name: 'Rot', colors: ['Rot', 'Blau', 'Grün', 'Gelb'], variant_group: 'a', sku: 'Rot' },
        variants: [
          { sku: 'Rot', name: 'Rot', color: 'Rot', price: 20, image_url: picture('red') },
          { sku: 'Blau', name: 'Blau', color: 'Blau', price: 15, image_url: picture('blue') },
          { sku: 'Grün', name: 'Grün', color: 'Grün', price: 15, image_url: picture('green') },
          { sku: 'Gelb', name: 'Gelb', color: 'Gelb', price: 25 },
        ],
      },
    })
    // A price before the sale that is no higher is what Shopify writes without a sale.
    expect(products[1]?.metadata).toEqual({
      name: 'b',
      price: 20,
      color_name: 'Rot',
      variant_group: 'b',
      sku: 'Rot',
    })
    expect(products[2]?.metadata).toMatchObject({ price: 20 })
    expect(products[2]?.metadata).not.toHaveProperty('sale_price')
    expect(tally.saleNotBelow).toBe(0)
  })

  test('a product of a thousand variants keeps those with pictures of their own', async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => ({
      ...{ Handle: 'tee', Title: n === 0 ? 'Tee' : '', 'Image Src': n === 0 ? picture('tee') : '' },
      ...{
        'Variant Price': '5',
        'Variant SKU': `S${n}`,
        'Variant Inventory Qty': n,
        'Variant Inventory Tracker': 'x',
      },
      ...{ 'Option1 Name': n === 0 ? 'Color' : '', 'Option1 Value': `c${Math.floor(n / 10)}` },
      'Variant Image': picture(`v${Math.floor(n / 10)}`),
    }))
    const { products } = await importFile(toTable(rows))
    const { variants, colors } = (products[0]?.metadata ?? {}) as {
      variants: { image_url: string }[]
      colors: string[]
    }
    expect(variants.map(({ image_url }) => image_url)).toContain(picture('v9'))
    expect(variants.length).toBeGreaterThan(25)
    // The rules for metadata: at most 200 keys in all and 16 KiB.
    expect(variants.reduce((sum, each) => sum + Object.keys(each).length, 20)).toBeLessThanOrEqual(200)
    expect(colors).toHaveLength(30)
  })

  test('of the columns that are not read, those with something to say are told', async () => {
    const { plan } = await importFile(
      toTable([
        {
          ...{ Handle: 'a', Title: 'A', 'Image Src': picture('a'), 'Variant Price': 5, 'Variant Grams': 300 },
          ...{ 'Variant Taxable': 'true', 'SEO Title': 'x', 'Gift Card': 'false', 'Image Position': 1 },
          ...{ 'Fabric (product.metafields.shopify.fabric)': 'cotton', 'Google Shopping / Gender': 'unisex' },
          ...{ 'Care (product.metafields.custom.care)': '', 'Variant Fulfillment Service': 'manual' },
        },
      ]),
    )
    expect(plan.mayWant).toEqual(['Fabric (product.metafields.shopify.fabric)'])
    expect(plan.unmapped).toHaveLength(9)
  })
})

describe('WooCommerce: stock and families', () => {
  const columns = {
    ID: '',
    Type: '',
    SKU: '',
    Name: '',
    Published: 1,
    'In stock?': '',
    'Backorders allowed?': '',
  }
  const row = (cells: Record<string, string | number>) => ({
    ...columns,
    ...{ 'Regular price': '', Categories: '', Images: '', Parent: '', Brands: '', Tags: '', ...cells },
  })

  test.each([
    [['1', '0'], true],
    [['0', '1'], true],
    [['backorder', '0'], false],
    [['backorder', 'notify'], true],
    [['0', '0'], false],
    [['', ''], undefined],
  ] as const)('stock %j', async ([stock, backorders], inStock) => {
    const cells = { ID: 1, SKU: 'A', Type: 'simple', 'In stock?': stock, 'Backorders allowed?': backorders }
    const { products } = await importFile(toTable([row({ ...cells, Images: picture('a') })]))
    expect(products[0]?.metadata['in_stock']).toBe(inStock)
  })

  test('a parent without a SKU is named by its id; it is in stock if any variation is', async () => {
    const { products, tally } = await importFile(
      toTable([
        row({
          ID: 5,
          Type: 'variable',
          Name: 'Tee',
          Categories: 'Clothing > Tees',
          Images: picture('a'),
          Brands: 'Acme',
        }),
        row({ ID: 6, Type: 'variation', Parent: 'id:5', 'Regular price': 9, 'In stock?': 0 }),
        row({
          ID: 7,
          Type: 'variation',
          Parent: 'id:5',
          'Regular price': 12,
          'In stock?': 1,
          Brands: 'Own',
          Name: 'Tee L',
        }),
        row({ ID: 8, Type: 'variation', Parent: 'NONE', 'Regular price': 12, Images: picture('b') }),
      ]),
    )
    const category = { category: 'Tees', category_path: ['Clothing', 'Clothing > Tees'] }
    expect(products.map(({ product_id, image_url, metadata }) => [product_id, image_url, metadata])).toEqual([
      [
        '5',
        picture('a'),
        {
          name: 'Tee',
          ...category,
          brand: 'Acme',
          price: 9,
          price_max: 12,
          in_stock: true,
          variant_group: '5',
        },
      ],
      [
        '6',
        picture('a'),
        { name: 'Tee', ...category, brand: 'Acme', price: 9, in_stock: false, variant_group: '5' },
      ],
      [
        '7',
        picture('a'),
        { name: 'Tee L', ...category, brand: 'Own', price: 12, in_stock: true, variant_group: '5' },
      ],
      ['8', picture('b'), { price: 12, variant_group: 'NONE' }],
    ])
    expect(tally).toMatchObject({ orphans: 1, unkept: 0 })
  })

  test('the variations of a draft are left out with it', async () => {
    const { items } = await importFile(
      toTable([
        row({ ID: 6, Type: 'variation', Parent: 'T', 'Regular price': 9 }),
        row({ ID: 5, Type: 'variable', SKU: 'T', Name: 'Tee', Published: -1, Images: picture('a') }),
      ]),
    )
    expect(items).toEqual([
      { line: 2, hidden: 'its product is not published' },
      { line: 3, hidden: 'not published' },
    ])
  })

  test('beyond a bound, variations stand alone and are counted', async () => {
    const long = 'x'.repeat(4_000)
    const parent = (n: number) => ({
      SKU: `P${n}`,
      Type: 'variable',
      Name: long,
      Images: picture('a'),
      Categories: 'C',
    })
    const variation = (name: string, of: string) => ({
      SKU: name,
      Type: 'variation',
      Parent: of,
      Images: picture('b'),
    })
    async function* records(): AsyncGenerator<ImportRecord> {
      for (let n = 0; n < 7_002; n++) {
        const cells = n < 7_000 ? parent(n) : n === 7_000 ? variation('V', 'P6999') : variation('W', 'P0')
        yield { line: n + 2, cells: new Map(Object.entries(cells).map(([name, cell]) => [name, [cell]])) }
      }
    }
    const plan = planImport(['SKU', 'Type', 'Name', 'Images', 'Categories', 'Parent', 'Regular price'])
    const reading = { tally: startTally(), now: NOW }
    const items: ImportItem[] = []
    for await (const item of assembleProducts(records, plan, reading)) items.push(item)
    expect(reading.tally).toMatchObject({ orphans: 0, unkept: 1 })
    expect(items.slice(-2)).toMatchObject([
      { product: { product_id: 'V', metadata: { variant_group: 'P6999' } } },
      { product: { product_id: 'W', metadata: { variant_group: 'P0', category: 'C', name: long } } },
    ])
  })
})

test('PrestaShop: semicolons, roots of categories, discounts with dates, inactive products', async () => {
  const row = (cells: Record<string, string | number>) => ({
    ...{
      'Product ID': '',
      'Active (0/1)': 1,
      'Name *': '',
      'Categories (x,y,z...)': '',
      'Price tax excluded': '',
    },
    ...{ 'Tax rules ID': 1, 'On sale (0/1)': 0, 'Discount amount': '', 'Discount percent': '' },
    ...{
      'Discount from (yyyy-mm-dd)': '',
      'Discount to (yyyy-mm-dd)': '',
      'Reference #': '',
      Manufacturer: '',
    },
    ...{ EAN13: '', Weight: 0.5, Quantity: '', Summary: '', Description: '', 'Tags (x,y,z...)': '' },
    ...{
      'URL rewritten': 'x',
      'Available for order (0 = No, 1 = Yes)': 1,
      'Show price (0 = No, 1 = Yes)': 1,
    },
    ...{
      'Image URLs (x,y,z...)': '',
      'Image alt texts (x,y,z...)': '',
      'Feature(Name:Value:Position)': '',
      ...cells,
    },
  })
  const { plan, products, items } = await importFile(
    toTable(
      [
        row({
          ...{ 'Product ID': 1, 'Name *': 'Hummingbird tee', 'Categories (x,y,z...)': 'Home,Clothes,Men' },
          ...{
            'Price tax excluded': '23.9',
            'Discount percent': '20',
            'Discount from (yyyy-mm-dd)': '2030-06-01',
          },
          ...{ 'Discount to (yyyy-mm-dd)': '2030-07-01', 'Reference #': 'demo_1', Manufacturer: 'Studio' },
          ...{
            EAN13: '4006381333931',
            Quantity: 300,
            Summary: '<p>Soft&nbsp;cotton</p>',
            'Tags (x,y,z...)': 'a,b',
          },
          ...{ 'Image URLs (x,y,z...)': `${picture('1')},${picture('2')}` },
          'Feature(Name:Value:Position)': 'Material:Cotton:1',
        }),
        row({
          ...{
            'Product ID': 2,
            'Name *': 'Mug',
            'Categories (x,y,z...)': 'Home/Accessories/Home Accessories',
          },
          ...{
            'Price tax excluded': '11.9',
            'Discount amount': '2',
            'Discount from (yyyy-mm-dd)': '0000-00-00',
          },
          ...{
            Quantity: 300,
            'Available for order (0 = No, 1 = Yes)': 0,
            'Image URLs (x,y,z...)': picture('3'),
          },
        }),
        row({ 'Product ID': 3, 'Active (0/1)': 0, 'Name *': 'Old', 'Image URLs (x,y,z...)': picture('4') }),
      ],
      ';',
    ),
  )
  expect(plan).toMatchObject({
    platform: 'prestashop',
    mayWant: ['Feature(Name:Value:Position)'],
    warnings: [
      'The prices of the column Price tax excluded are without tax, and the shop may show them with it',
    ],
  })
  expect(products).toEqual([
    {
      ...{ product_id: '1', image_url: picture('1'), additional_image_urls: [picture('2')] },
      metadata: {
        ...{ name: 'Hummingbird tee', description: 'Soft cotton', category: 'Men' },
        ...{ category_path: ['Men', 'Clothes'], brand: 'Studio', price: 23.9, sale_price: 19.12 },
        ...{ sale_price_from: '2030-06-01T00:00:00.000Z', sale_price_until: '2030-07-01T23:59:59.000Z' },
        ...{ tags: ['a', 'b'], in_stock: true, sku: 'demo_1', gtin: '4006381333931' },
      },
    },
    {
      ...{ product_id: '2', image_url: picture('3') },
      metadata: {
        ...{ name: 'Mug', category: 'Home Accessories', price: 11.9, sale_price: 9.9, in_stock: false },
        category_path: ['Accessories', 'Accessories > Home Accessories'],
      },
    },
  ])
  expect(items.at(-1)).toEqual({ line: 4, hidden: 'not published' })
})

test('OpenCart: names with a language in brackets, products that are switched off, pictures in a zip file', async () => {
  const row = (cells: Record<string, string | number>) => ({
    ...{
      product_id: '',
      'name(en-gb)': '',
      categories: '',
      sku: '',
      upc: '',
      ean: '',
      quantity: '',
      model: '',
    },
    ...{ manufacturer: '', image_name: '', shipping: 'yes', price: '', points: 0, date_added: '2029-01-01' },
    ...{ weight: 5, weight_unit: 'kg', status: 'true', tax_class_id: 9, 'description(en-gb)': '' },
    ...{
      'meta_title(en-gb)': '',
      stock_status_id: 7,
      store_ids: 0,
      'tags(en-gb)': '',
      sort_order: 0,
      ...cells,
    },
  })
  const { plan, items } = await importFile(
    toTable([
      row({
        ...{
          product_id: 42,
          'name(en-gb)': 'Apple Cinema 30&quot;',
          categories: 'Components &gt; Monitors',
          model: 'P15',
        },
        ...{ manufacturer: 'Apple', image_name: 'catalog/demo/apple.jpg', price: '100.0000', quantity: 990 },
        ...{ 'description(en-gb)': '&lt;p&gt;Wide screen&lt;/p&gt;', 'tags(en-gb)': 'screen' },
      }),
      row({
        product_id: 43,
        'name(en-gb)': 'Off',
        image_name: 'catalog/demo/off.jpg',
        status: 'false',
        quantity: 1,
      }),
      row({
        product_id: 44,
        'name(en-gb)': 'Numbers',
        categories: '20,28',
        image_name: 'catalog/demo/n.jpg',
        quantity: 0,
      }),
    ]),
    {},
    { pictures: ['catalog/demo/apple.jpg', 'catalog/demo/off.jpg', 'catalog/demo/n.jpg'] },
  )
  expect(plan.platform).toBe('opencart')
  expect(plan.mayWant).toEqual([])
  expect(items).toEqual([
    {
      line: 2,
      product: {
        ...{ product_id: '42', image_url: 'catalog/demo/apple.jpg' },
        metadata: {
          ...{
            name: 'Apple Cinema 30"',
            description: 'Wide screen',
            category: 'Monitors',
            brand: 'Apple',
            price: 100,
          },
          ...{
            category_path: ['Components', 'Components > Monitors'],
            tags: ['screen'],
            in_stock: true,
            sku: 'P15',
          },
        },
      },
    },
    { line: 3, hidden: 'not published' },
    {
      line: 4,
      product: {
        ...{ product_id: '44', image_url: 'catalog/demo/n.jpg' },
        metadata: { name: 'Numbers', in_stock: false },
      },
    },
  ])
})

describe('Magento 2', () => {
  const row = (cells: Record<string, string | number>) => ({
    ...{ sku: '', store_view_code: '', attribute_set_code: 'Top', product_type: 'simple', categories: '' },
    ...{ product_websites: 'base', name: '', description: '', short_description: '', weight: 0.5 },
    ...{ product_online: 1, tax_class_name: 'Taxable Goods', visibility: 'Catalog, Search', price: '' },
    ...{ special_price: '', special_price_from_date: '', special_price_to_date: '', url_key: 'x' },
    ...{
      base_image: '',
      small_image: '',
      thumbnail_image: '',
      additional_images: '',
      qty: '',
      is_in_stock: '',
    },
    ...{
      manage_stock: 1,
      allow_backorders: 0,
      additional_attributes: '',
      configurable_variations: '',
      ...cells,
    },
  })
  const child = (sku: string, cells: Record<string, string | number>) =>
    row({ sku, name: sku, visibility: 'Not Visible Individually', base_image: picture(sku), ...cells })

  test('variations that are not shown by themselves become a part of their product', async () => {
    const { plan, products, items } = await importFile(
      toTable([
        child('H-Black', {
          price: 52,
          qty: 0,
          is_in_stock: 0,
          additional_attributes: 'color=Black,material=Wool',
        }),
        child('H-Gray', {
          price: 48,
          special_price: 40,
          special_price_from_date: '6/1/30',
          qty: 9,
          is_in_stock: 1,
        }),
        child('LONE', { price: 3, qty: 1, is_in_stock: 1 }),
        row({
          ...{ sku: 'H', product_type: 'configurable', name: 'Hoodie', is_in_stock: 1, qty: 0 },
          ...{ categories: 'Default Category/Men/Tops/Hoodies,Default Category/Sale,Default Category' },
          ...{
            base_image: picture('h'),
            small_image: picture('h'),
            additional_images: `${picture('h')},${picture('h2')}`,
          },
          short_description: '<p>Warm</p>',
          configurable_variations:
            'sku=H-Black,size=M,color=Black|sku=H-Gray,size=M,color=Gray|sku=H-GONE,color=Red',
        }),
        row({ sku: 'H', store_view_code: 'de', name: 'Kapuzenpulli' }),
        row({ sku: 'OFF', name: 'Off', product_online: 2, base_image: picture('off'), price: 1 }),
      ]),
    )
    expect(plan).toMatchObject({ platform: 'magento', mayWant: [] })
    expect(products).toEqual([
      {
        ...{ product_id: 'H', image_url: picture('h') },
        additional_image_urls: [picture('h2'), picture('H-Black'), picture('H-Gray')],
        metadata: {
          ...{
            name: 'Hoodie',
            description: 'Warm',
            category: 'Hoodies',
            price: 48,
            sale_price: 40,
            price_max: 52,
          },
          category_path: ['Men', 'Men > Tops', 'Men > Tops > Hoodies', 'Sale'],
          sale_price_from: '2030-06-01T00:00:00.000Z',
          ...{ color_name: 'Black', colors: ['Black', 'Gray'], in_stock: true, variant_group: 'H', sku: 'H' },
          variants: [
            {
              ...{ sku: 'H-Black', name: 'M / Black', color: 'Black', price: 52, in_stock: false },
              image_url: picture('H-Black'),
            },
            {
              ...{ sku: 'H-Gray', name: 'M / Gray', color: 'Gray', price: 40, in_stock: true },
              image_url: picture('H-Gray'),
            },
          ],
        },
      },
    ])
    expect(items.filter((item) => 'hidden' in item)).toEqual([
      { line: 4, hidden: 'not shown by itself' },
      { line: 7, hidden: 'not published' },
    ])
  })

  test('variations that are shown stay products and take what they lack', async () => {
    const { products } = await importFile(
      toTable([
        row({
          sku: 'A',
          name: 'Tee red',
          price: 9,
          base_image: picture('red'),
          additional_attributes: 'color=Red',
        }),
        row({
          ...{ sku: 'T', product_type: 'configurable', name: 'Tee', categories: 'Default Category/Tees' },
          ...{ base_image: picture('t'), configurable_variations: 'sku=A,color=Red', price: 9 },
        }),
        row({
          sku: 'S',
          name: 'Simple',
          price: 5,
          base_image: picture('s'),
          qty: 0,
          is_in_stock: 0,
          manage_stock: 0,
        }),
      ]),
    )
    expect(products.map(({ product_id, metadata }) => [product_id, metadata])).toEqual([
      ['A', { name: 'Tee red', category: 'Tees', price: 9, color_name: 'Red', variant_group: 'T', sku: 'A' }],
      ['T', { name: 'Tee', category: 'Tees', price: 9, sku: 'T' }],
      ['S', { name: 'Simple', price: 5, in_stock: true, sku: 'S' }],
    ])
  })
})

describe('Google Merchant', () => {
  const expected = [
    {
      ...{ product_id: 'A1', image_url: picture('1'), additional_image_urls: [picture('2'), picture('3')] },
      metadata: {
        ...{
          name: 'Red & white shoe',
          description: 'Light as air',
          brand: 'Acme',
          price: 1299.5,
          sale_price: 999,
        },
        ...{ category: 'Candy & Chocolate', currency: 'EUR', color_name: 'Red', colors: ['Red', 'White'] },
        category_path: [
          'Food, Beverages & Tobacco',
          'Food, Beverages & Tobacco > Food Items',
          'Food, Beverages & Tobacco > Food Items > Candy & Chocolate',
        ],
        ...{ sale_price_from: '2030-06-01T21:00:00.000Z', sale_price_until: '2030-06-30T23:30:00.000Z' },
        ...{ in_stock: true, variant_group: 'G1', gtin: '4006381333931', url: 'https://x.example/p/1' },
      },
    },
    {
      ...{ product_id: 'A2', image_url: picture('4') },
      metadata: { name: 'Mug', price: 5, currency: 'EUR', in_stock: false },
    },
  ]
  const path = 'Food, Beverages & Tobacco > Food Items > Candy & Chocolate'
  const dates = '2030-06-01T13:00-0800/2030-06-30T15:30-0800'

  test('XML with a sale and its dates', async () => {
    const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const item = (fields: Record<string, string | string[]>) =>
      `<item>${Object.entries(fields)
        .flatMap(([name, values]) => [values].flat().map((value) => `<g:${name}>${text(value)}</g:${name}>`))
        .join('')}</item>`
    const { plan, products, tally } = await importFile(
      `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
      ${item({
        ...{
          id: 'A1',
          title: 'Red &amp; white shoe',
          description: '<p>Light <b>as</b> air</p>',
          link: 'https://x.example/p/1',
        },
        ...{ image_link: picture('1'), additional_image_link: [picture('2'), picture('3')], brand: 'Acme' },
        ...{
          price: '1,299.50 EUR',
          sale_price: '999,00 EUR',
          sale_price_effective_date: dates,
          availability: 'in_stock',
        },
        ...{ google_product_category: path, color: 'Red/White', item_group_id: 'G1', gtin: '4006381333931' },
        ...{ shipping_weight: '1 kg', condition: 'new', material: 'Leather' },
      })}
      ${item({ id: 'A2', title: 'Mug', image_link: picture('4'), price: '5.00 EUR', sale_price: '5.00 EUR', availability: 'out_of_stock' })}
      </channel></rss>`,
    )
    expect(products).toEqual(expected)
    expect(tally.saleNotBelow).toBe(1)
    expect(plan).toMatchObject({ platform: 'google', mayWant: ['condition', 'material'] })
  })

  test('TSV with the same', async () => {
    const names = [
      ...[
        'id',
        'title',
        'description',
        'link',
        'image link',
        'additional image link',
        'brand',
        'price',
        'sale price',
      ],
      ...['sale price effective date', 'availability', 'product type', 'color', 'item group id', 'gtin'],
    ]
    const first = [
      ...['A1', 'Red & white shoe', 'Light as air', 'https://x.example/p/1', picture('1')],
      ...[
        `${picture('2')},${picture('3')}`,
        'Acme',
        '1299.50 EUR',
        '999.00 EUR',
        dates,
        'in stock',
        path,
        'Red/White',
      ],
      ...['G1', '4006381333931'],
    ]
    const second = [
      'A2',
      'Mug',
      '',
      '',
      picture('4'),
      '',
      '',
      '5.00 EUR',
      '',
      '',
      'out of stock',
      '',
      '',
      '',
      '',
    ]
    const { products } = await importFile([names, first, second].map((cells) => cells.join('\t')).join('\n'))
    expect(products).toEqual(expected)
  })
})
