import { describe, expect, test } from 'bun:test'
import type { ImportRecord } from '../../../../src/features/catalogue/imports/formats/record.ts'
import {
  assembleProducts,
  type ImportItem,
} from '../../../../src/features/catalogue/imports/mapping/assemble.ts'
import { noLosses } from '../../../../src/features/catalogue/imports/mapping/losses.ts'
import { planImport } from '../../../../src/features/catalogue/imports/mapping/plan.ts'
import { importFile, NOW, toTable } from './mapped.ts'

const picture = (name: string) => `https://x.example/${name}.jpg`

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
    const { products, losses } = await importFile(
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
    expect(losses).toMatchObject({ orphans: 1, unkept: 0 })
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

  test('fields of its own are offered, and those that plug-ins keep for themselves are not', async () => {
    const meta = { 'Meta: fabric': 'cotton', 'Meta: _yoast_wpseo_title': 'x', 'Meta: empty': '' }
    const { plan } = await importFile(toTable([row({ ID: 1, Images: picture('a'), ...meta })]))
    expect(plan.mayWant).toEqual(['Meta: fabric'])
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
    const reading = { losses: noLosses(), now: NOW }
    const items: ImportItem[] = []
    for await (const item of assembleProducts(records, plan, reading)) items.push(item)
    expect(reading.losses).toMatchObject({ orphans: 0, unkept: 1 })
    expect(items.slice(-2)).toMatchObject([
      { product: { product_id: 'V', metadata: { variant_group: 'P6999' } } },
      { product: { product_id: 'W', metadata: { variant_group: 'P0', category: 'C', name: long } } },
    ])
  })
})
