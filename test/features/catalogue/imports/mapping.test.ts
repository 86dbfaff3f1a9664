import { describe, expect, test } from 'bun:test'
import { removeTags } from '../../../../src/core/html-text.ts'
import type { ImportRecord } from '../../../../src/features/catalogue/imports/formats/record.ts'
import { listMissingFields } from '../../../../src/features/catalogue/imports/mapping/advice.ts'
import {
  assembleProducts,
  type ImportItem,
} from '../../../../src/features/catalogue/imports/mapping/assemble.ts'
import { noLosses } from '../../../../src/features/catalogue/imports/mapping/losses.ts'
import { listUnknownColumns, planImport } from '../../../../src/features/catalogue/imports/mapping/plan.ts'
import {
  readNumber,
  readPrice,
  readStock,
  splitAddresses,
  splitList,
} from '../../../../src/features/catalogue/imports/mapping/values.ts'
import { importFile, NOW } from './mapped.ts'

const importCsv = importFile
const reading = { losses: noLosses(), now: NOW }

describe('Shopify', () => {
  const old = `Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price,Variant Image,Image Src,Image Position,Status
crew,Crew shirt,<p>Soft</p>,Acme,Apparel & Accessories > Clothing > Shirts,Shirts,"summer, cotton",TRUE,Color,Navy,CREW-N,4,19.90,https://x.example/navy.jpg,https://x.example/1.jpg,1,active
crew,,,,,,,,,Red,CREW-R,0,21.90,https://x.example/red.jpg,https://x.example/2.jpg,2,
crew,,,,,,,,,,,,,,https://x.example/3.jpg,3,
mug,Mug,,Acme,,Kitchen,,TRUE,Title,Default Title,MUG,7,8,,https://x.example/mug.jpg,1,active
draft,Draft,,Acme,,Kitchen,,TRUE,,,D,1,8,,https://x.example/d.jpg,1,draft
`

  test('the rows of one handle become one product', async () => {
    const { plan, items } = await importCsv(old)
    expect(plan.platform).toBe('shopify')
    expect(plan.unmapped).toEqual(['Image Position'])
    expect(items).toEqual([
      {
        line: 2,
        product: {
          product_id: 'crew',
          image_url: 'https://x.example/1.jpg',
          additional_image_urls: [
            'https://x.example/navy.jpg',
            'https://x.example/2.jpg',
            'https://x.example/red.jpg',
            'https://x.example/3.jpg',
          ],
          metadata: {
            name: 'Crew shirt',
            description: 'Soft',
            category: 'Shirts',
            category_path: [
              'Apparel & Accessories',
              'Apparel & Accessories > Clothing',
              'Apparel & Accessories > Clothing > Shirts',
            ],
            brand: 'Acme',
            price: 19.9,
            price_max: 21.9,
            color_name: 'Navy',
            colors: ['Navy', 'Red'],
            tags: ['summer', 'cotton'],
            in_stock: true,
            variant_group: 'crew',
            sku: 'CREW-N',
            variants: [
              {
                ...{ sku: 'CREW-N', name: 'Navy', color: 'Navy', price: 19.9, in_stock: true },
                image_url: 'https://x.example/navy.jpg',
              },
              {
                ...{ sku: 'CREW-R', name: 'Red', color: 'Red', price: 21.9, in_stock: false },
                image_url: 'https://x.example/red.jpg',
              },
            ],
          },
        },
      },
      {
        line: 5,
        product: {
          product_id: 'mug',
          image_url: 'https://x.example/mug.jpg',
          metadata: {
            name: 'Mug',
            category: 'Kitchen',
            brand: 'Acme',
            price: 8,
            in_stock: true,
            variant_group: 'mug',
            sku: 'MUG',
          },
        },
      },
      { line: 6, hidden: 'draft' },
    ])
  })

  test('with the SKUs of variants as ids, each variant is a product with its own picture', async () => {
    const { plan, items } = await importCsv(old, { product_id: ['Variant SKU'] })
    expect(plan.perVariant).toBe(true)
    expect(items.slice(0, 2)).toEqual([
      {
        line: 2,
        product: {
          product_id: 'CREW-N',
          image_url: 'https://x.example/navy.jpg',
          metadata: expect.objectContaining({ price: 19.9, variant_group: 'crew' }),
        },
      },
      {
        line: 3,
        product: {
          product_id: 'CREW-R',
          image_url: 'https://x.example/red.jpg',
          metadata: expect.objectContaining({
            name: 'Crew shirt',
            brand: 'Acme',
            price: 21.9,
            variant_group: 'crew',
          }),
        },
      },
    ])
    expect(items).toHaveLength(4)
  })

  test('the newer headers are known', async () => {
    const { plan, items } = await importCsv(
      `Title,URL handle,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Inventory quantity,Product image URL,Variant image URL
Crew shirt,crew,Acme,Apparel > Shirts,,new,TRUE,Active,CREW,4006381333931,Colour,Blue,19.90,0,https://x.example/1.jpg,
Hidden,hidden,Acme,,,,FALSE,Active,H,,,,1,1,https://x.example/h.jpg,
`,
    )
    expect(plan.platform).toBe('shopify')
    expect(items).toEqual([
      {
        line: 2,
        product: {
          product_id: 'crew',
          image_url: 'https://x.example/1.jpg',
          metadata: {
            name: 'Crew shirt',
            category: 'Shirts',
            category_path: ['Apparel', 'Apparel > Shirts'],
            brand: 'Acme',
            price: 19.9,
            color_name: 'Blue',
            tags: ['new'],
            in_stock: false,
            variant_group: 'crew',
            sku: 'CREW',
            gtin: '4006381333931',
          },
        },
      },
      { line: 3, hidden: 'not published' },
    ])
  })
})

test('WooCommerce: several pictures in one cell, categories with paths, attributes and parents', async () => {
  const { plan, items } = await importCsv(
    `ID,Type,SKU,Name,Published,"In stock?",Stock,"Sale price","Regular price",Categories,Tags,Images,Parent,"Attribute 1 name","Attribute 1 value(s)",Brands
7,variable,TEE,"V-Neck ""Tee""",1,1,,,20,"Clothing, Clothing > Tshirts","a, b","https://x.example/a.jpg, https://x.example/b.jpg",,Color,"Blue, Green",Acme
8,variation,TEE-B,Tee blue,1,backorder,,15,20,,,https://x.example/c.jpg,TEE,Color,Blue,
9,simple,OLD,Old,-1,1,,,5,,,https://x.example/d.jpg,,,,
`,
  )
  expect(plan.platform).toBe('woocommerce')
  expect(items).toEqual([
    {
      line: 2,
      product: {
        product_id: 'TEE',
        image_url: 'https://x.example/a.jpg',
        additional_image_urls: ['https://x.example/b.jpg'],
        metadata: {
          name: 'V-Neck "Tee"',
          category: 'Tshirts',
          category_path: ['Clothing', 'Clothing > Tshirts'],
          brand: 'Acme',
          price: 20,
          sale_price: 15,
          color_name: 'Blue',
          colors: ['Blue', 'Green'],
          tags: ['a', 'b'],
          in_stock: true,
          variant_group: 'TEE',
          sku: 'TEE',
        },
      },
    },
    {
      line: 3,
      product: {
        product_id: 'TEE-B',
        image_url: 'https://x.example/c.jpg',
        metadata: {
          name: 'Tee blue',
          category: 'Tshirts',
          category_path: ['Clothing', 'Clothing > Tshirts'],
          brand: 'Acme',
          price: 20,
          sale_price: 15,
          color_name: 'Blue',
          tags: ['a', 'b'],
          in_stock: false,
          variant_group: 'TEE',
          sku: 'TEE-B',
        },
      },
    },
    { line: 4, hidden: 'not published' },
  ])
})

test('Google Merchant: prices with their currency, pictures in several cells', async () => {
  const records: ImportRecord[] = [
    {
      line: 3,
      cells: new Map([
        ['id', ['A1']],
        ['title', ['Red <b>shoe</b>']],
        ['image_link', ['https://x.example/1.jpg']],
        ['additional_image_link', ['https://x.example/2.jpg', 'https://x.example/3.jpg']],
        ['price', ['1,299.00 EUR']],
        ['sale_price', ['999.00 EUR']],
        ['google_product_category', ['187']],
        ['product_type', ['Shoes > Running']],
        ['availability', ['in_stock']],
        ['item_group_id', ['G1']],
        ['custom_label_0', ['new']],
        ['link', ['https://x.example/p/1']],
      ]),
    },
  ]
  const columns = records.flatMap((record) => ('cells' in record ? [...record.cells.keys()] : []))
  const items: ImportItem[] = []
  const source = (async function* () {
    yield* records
  })()
  for await (const item of assembleProducts(() => source, planImport(columns), reading)) items.push(item)
  expect(items).toEqual([
    {
      line: 3,
      product: {
        product_id: 'A1',
        image_url: 'https://x.example/1.jpg',
        additional_image_urls: ['https://x.example/2.jpg', 'https://x.example/3.jpg'],
        metadata: {
          name: 'Red shoe',
          category: 'Running',
          category_path: ['Shoes', 'Shoes > Running'],
          price: 1299,
          sale_price: 999,
          currency: 'EUR',
          tags: ['new'],
          in_stock: true,
          variant_group: 'G1',
          url: 'https://x.example/p/1',
        },
      },
    },
  ])
})

describe('other tables', () => {
  test('common column names are known, and columns that are not read are listed', async () => {
    const { plan, items } = await importCsv(
      'Article;Image URL;Title;Weight\n1;https://x.example/1.jpg;Mug;300\n',
    )
    expect(plan).toMatchObject({ platform: 'plain', unmapped: ['Weight'], perVariant: false })
    expect(items).toEqual([
      {
        line: 2,
        product: { product_id: '1', image_url: 'https://x.example/1.jpg', metadata: { name: 'Mug' } },
      },
    ])
  })

  test('a mapping of the client wins, may fill any key, and may leave a field out', async () => {
    const { plan, items } = await importCsv('id,image,title,stoff\n1,https://x.example/1.jpg,Mug,wool\n', {
      name: [],
      'metadata.material': ['STOFF'],
    })
    expect(plan.unmapped).toEqual(['title'])
    expect(items).toEqual([
      {
        line: 2,
        product: { product_id: '1', image_url: 'https://x.example/1.jpg', metadata: { material: 'wool' } },
      },
    ])
  })

  test('columns that a mapping names and the file has not are told, and fields without a column', () => {
    expect(listUnknownColumns(['id', 'Image'], { image_url: ['image', 'foto'] })).toEqual(['foto'])
    expect(listMissingFields(planImport(['title']))).toEqual(['product_id', 'image_url'])
    expect(listMissingFields(planImport(['id', 'image']))).toEqual([])
  })

  test('a row without an id or a picture stays a product, which the check refuses', async () => {
    const { items } = await importCsv('id,image,name\n,,Mug\n')
    expect(items).toEqual([{ line: 2, product: { metadata: { name: 'Mug' } } }])
  })

  test('names of columns that mean something to JavaScript are names', async () => {
    const { items } = await importCsv('id,image,__proto__,constructor\n1,https://x.example/1.jpg,a,b\n', {
      'metadata.made_of': ['__proto__'],
    })
    expect(items).toMatchObject([{ product: { product_id: '1', metadata: { made_of: 'a' } } }])
  })
})

describe('cells', () => {
  test.each([
    ['12.00 EUR', 12, 'EUR'],
    ['€ 1.234,56', 1234.56, 'EUR'],
    ['1,234.56 USD', 1234.56, 'USD'],
    ['12,5', 12.5, undefined],
    ['1,234', 1234, undefined],
    ['1.234.567', 1234567, undefined],
    ["CHF 1'000.50", 1000.5, 'CHF'],
    ['$5', 5, undefined],
    ['1 299,00 zł', 1299, 'PLN'],
    ['0', 0, undefined],
  ] as const)('the price %j is %p %p', (cell, amount, currency) => {
    expect(readPrice(cell)).toEqual({ amount, currency })
  })

  test.each(['', 'free', '-', 'EUR'])('%j is no price', (cell) => {
    expect(readPrice(cell)).toBeUndefined()
  })

  test('numbers', () => {
    expect([readNumber('4.5'), readNumber('1,5'), readNumber('x'), readNumber('')]).toEqual([
      4.5,
      1.5,
      undefined,
      undefined,
    ])
  })

  test.each([
    ['in stock', true],
    ['In_Stock', true],
    ['1', true],
    ['12', true],
    ['TRUE', true],
    ['0', false],
    ['-3', false],
    ['out of stock', false],
    ['backorder', false],
    ['', undefined],
    ['soon', undefined],
  ])('the stock %j is %p', (cell, inStock) => {
    expect(readStock(cell)).toBe(inStock as boolean)
  })

  test('lists, addresses and text', () => {
    expect(splitList('a, b\\, c,, d ')).toEqual(['a', 'b, c', 'd'])
    expect(splitAddresses('https://x.example/a,b.jpg, https://x.example/c.jpg')).toEqual([
      'https://x.example/a,b.jpg',
      'https://x.example/c.jpg',
    ])
    expect(splitAddresses('pictures/red mug.jpg')).toEqual(['pictures/red mug.jpg'])
    expect(removeTags('<b>Red</b>\n shoe')).toBe('Red shoe')
  })
})

test('rows of one handle are not collected without end', async () => {
  let read = 0
  async function* rows(): AsyncGenerator<ImportRecord> {
    const text = 'x'.repeat(1024 * 1024)
    for (; read < 100; read++)
      yield {
        line: read + 1,
        cells: new Map([
          ['Handle', ['shirt']],
          ['Body', [text]],
        ]),
      }
  }
  const plan = planImport(['Handle', 'Title', 'Image Src', 'Variant Price', 'Body'], {})
  expect(plan.groupBy).toBe('Handle')
  for await (const _ of assembleProducts(rows, plan, reading)) break
  expect(read).toBeLessThan(20)
})
