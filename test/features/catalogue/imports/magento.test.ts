import { describe, expect, test } from 'bun:test'
import { importFile, toTable } from './mapped.ts'

const picture = (name: string) => `https://x.example/${name}.jpg`

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
