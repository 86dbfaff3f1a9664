import { describe, expect, test } from 'bun:test'
import { importFile, toTable } from './mapped.ts'

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
    const { products, losses } = await importFile(
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
    expect(losses.saleNotBelow).toBe(0)
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
