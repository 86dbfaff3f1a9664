import { describe, expect, test } from 'bun:test'
import { importFile, toTable } from './mapped.ts'

const picture = (name: string) => `https://x.example/${name}.jpg`

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
    findings: [{ code: 'price_without_tax', data: { column: 'Price tax excluded' } }],
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
    const { plan, products, losses } = await importFile(
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
    expect(losses.saleNotBelow).toBe(1)
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
