import { describe, expect, test } from 'bun:test'
import { readCategories } from '../../../../src/features/catalogue/imports/mapping/categories.ts'
import { createLister } from '../../../../src/features/catalogue/imports/mapping/cells.ts'
import { mergeColours, splitColours } from '../../../../src/features/catalogue/imports/mapping/colours.ts'
import { isNoDate, readDate } from '../../../../src/features/catalogue/imports/mapping/dates.ts'
import { headerKey } from '../../../../src/features/catalogue/imports/mapping/headers.ts'
import { describeLosses, noLosses } from '../../../../src/features/catalogue/imports/mapping/losses.ts'
import type { Field, Plan, Role } from '../../../../src/features/catalogue/imports/mapping/mapping.ts'
import {
  addOffer,
  type OfferRange,
  readOffer,
} from '../../../../src/features/catalogue/imports/mapping/offers.ts'
import {
  cutText,
  readDescription,
  readText,
} from '../../../../src/features/catalogue/imports/mapping/texts.ts'
import { readAvailability, readYesNo } from '../../../../src/features/catalogue/imports/mapping/words.ts'
import { importFile, NOW } from './mapped.ts'

describe('categories', () => {
  const plain = { list: /,/, levels: />|(?<=\s)\/(?=\s)/ }

  test.each([
    ['Clothing > Hoodies', 'Hoodies', ['Clothing', 'Clothing > Hoodies']],
    ['Sale, Clothing > Shirts', 'Shirts', ['Clothing', 'Clothing > Shirts', 'Sale']],
    ['Home / Kitchen', 'Kitchen', ['Home', 'Home > Kitchen']],
    ['Mugs', 'Mugs', ['Mugs']],
    [' > Mugs > ', 'Mugs', ['Mugs']],
    ['Tea &amp; coffee&gt;Pots', 'Pots', ['Tea & coffee', 'Tea & coffee > Pots']],
  ])('%j', (cell, leaf, paths) => {
    expect(readCategories([cell], plain)).toEqual({ leaf, paths, isCut: false })
  })

  test.each(['', ' , ', '187', '20,28', '>'])('%j names none', (cell) => {
    expect(readCategories([cell], plain)).toBeUndefined()
  })

  test('several cells, and roots that every product has', () => {
    const style = { list: /,/, levels: /\//, roots: ['default category'] }
    expect(
      readCategories(['Default Category/Men/Tops,Default Category', 'Default Category/Sale'], style),
    ).toEqual({
      ...{ leaf: 'Tops', paths: ['Men', 'Men > Tops', 'Sale'], isCut: false },
    })
  })

  test('a path of a hundred levels keeps ten, and a thousand categories are bounded', async () => {
    const deep = Array.from({ length: 100 }, (_, n) => `L${n}`).join(' > ')
    const { products, losses } = await importFile(`id,image,category\n1,https://x.example/a.jpg,${deep}\n`)
    const { category, category_path = [] } = (products[0]?.metadata ?? {}) as Record<string, string[]>
    expect([category as unknown, category_path.length]).toEqual(['L9', 10])
    expect(describeLosses(losses)).toEqual([
      {
        code: 'category_too_deep',
        text: '1 product has a category of more than 10 levels: the first 10 were kept',
        data: { products: 1 },
      },
    ])
    const many = Array.from({ length: 1_000 }, (_, n) => `${'x'.repeat(90)}${n}`).join(',')
    const found = readCategories([many], plain)
    expect(found?.paths.join('').length).toBeLessThan(5_000)
  })
})

describe('dates of sales', () => {
  test.each([
    ['2026-11-01', 'start', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01', 'end', '2026-11-01T23:59:59.000Z'],
    ['2026-11-01 08:30:00', 'end', '2026-11-01T08:30:00.000Z'],
    ['2026-11-01T13:00-0800', 'start', '2026-11-01T21:00:00.000Z'],
    ['2026-11-01T13:00:00+05:30', 'start', '2026-11-01T07:30:00.000Z'],
    ['24.12.2026', 'start', '2026-12-24T00:00:00.000Z'],
    ['12/24/26', 'start', '2026-12-24T00:00:00.000Z'],
    ['24/12/2026', 'start', '2026-12-24T00:00:00.000Z'],
    ['3/4/2026, 12:05 AM', 'start', '2026-03-04T00:05:00.000Z'],
    ['1793491200', 'start', '2026-11-01T00:00:00.000Z'],
  ] as const)('%s (%s)', (cell, side, iso) => {
    expect(readDate(cell, side, true)).toBe(iso)
  })

  test.each(['', 'soon', '2026-13-01', '2026-02-30', '31.02.2026', '13/13/2026', '0000-00-00'])(
    '%j is none',
    (cell) => {
      expect(readDate(cell, 'start', true)).toBeUndefined()
    },
  )

  test('the zeros of some shops stand for no date', () => {
    expect(['', ' ', '0000-00-00', '0000-00-00 00:00:00', '2026-01-01'].map(isNoDate)).toEqual([
      ...[true, true, true, true, false],
    ])
  })
})

describe('offers', () => {
  const read = (cells: Partial<Record<Field | Role, string>>) => {
    const losses = noLosses()
    const offer = readOffer((name) => cells[name], 'plain', losses)
    return { offer, lost: describeLosses(losses).length }
  }

  test.each([
    [{ price: '20', sale_price: '15' }, { price: 20, sale: 15 }, 0],
    [{ price: '20', sale_price: '20' }, { price: 20 }, 1],
    [{ price: '20', sale_price: '25' }, { price: 20 }, 1],
    [{ sale_price: '15 EUR' }, { price: 15, currency: 'EUR' }, 0],
    [{ price: '1.245,50 €', sale_price: '999,00' }, { price: 1245.5, sale: 999, currency: 'EUR' }, 0],
    [{ price: '20', compare_at: '30' }, { price: 30, sale: 20 }, 0],
    [{ price: '20', compare_at: '0' }, { price: 20 }, 0],
    [{ price: '20', discount_amount: '5' }, { price: 20, sale: 15 }, 0],
    [{ price: '9.99', discount_percent: '10%' }, { price: 9.99, sale: 8.99 }, 0],
    [{ price: '20', sale_price: '15', sale_price_until: 'soon' }, { price: 20 }, 1],
    [
      { price: '20', sale_price: '15', sale_price_from: '2030-02-01', sale_price_until: '2030-01-01' },
      { price: 20 },
      1,
    ],
    [
      { price: '20', sale_price: '15', sale_dates: '2030-01-01/2030-02-01' },
      { price: 20, sale: 15, from: '2030-01-01T00:00:00.000Z', until: '2030-02-01T23:59:59.000Z' },
      0,
    ],
    [{}, {}, 0],
  ])('%j', (cells, offer, lost) => {
    expect(read(cells)).toEqual({ offer, lost })
  })

  test('a sale whose days are over does not make a variant the cheapest', () => {
    const range: OfferRange = {}
    addOffer(range, { price: 20, sale: 5, until: '2029-01-01T00:00:00.000Z' }, NOW)
    addOffer(range, { price: 18 }, NOW)
    expect(range).toEqual({ best: { price: 18 }, max: 20 })
  })
})

test('texts: HTML, characters by name, scripts, short codes, a length', () => {
  expect(readText('Caf&eacute; &amp; &#8222;Bar&#x201c; <b>x</b>')).toBe('Café & „Bar“ x')
  expect(readText('&lt;b&gt;bold&lt;/b&gt; 1 &unknown; &#0;')).toBe('bold 1 &unknown; &#0;')
  expect(
    readDescription(
      '<style>a{}</style><p>One</p>\\n[vc_row width="1"]Two[/vc_row]<script>alert(1)</script> 3 < 4',
    ),
  ).toBe('One Two 3 < 4')
  expect(readDescription('<p> </p>')).toBeUndefined()
  expect(readDescription('<script>')).toBeUndefined()
  const long = readDescription('Wort '.repeat(1_000)) as string
  expect([long.length <= 500, long.endsWith('Wort…')]).toEqual([true, true])
  expect(Array.from(cutText('😀'.repeat(600), 500))).toHaveLength(500)
  expect(cutText('😀'.repeat(500), 500)).toBe('😀'.repeat(500))
})

test('yes, no and stock in the languages of shops', () => {
  expect(['WAHR', 'vrai', 'Sí', 'tak', 'да', '1'].map(readYesNo)).toEqual(Array(6).fill(true))
  expect(['FALSCH', 'non', 'nie', 'нет', '0', '-1'].map(readYesNo)).toEqual(Array(6).fill(false))
  expect(['', 'maybe', '2', 'x'.repeat(1_000)].map(readYesNo)).toEqual(Array(4).fill(undefined))
  expect(['Auf Lager', 'En stock', 'Op voorraad', 'w magazynie', '12'].map(readAvailability)).toEqual(
    Array(5).fill(true),
  )
  expect(['ausverkauft', 'Épuisé', 'нет в наличии', '-2', 'backorder'].map(readAvailability)).toEqual(
    Array(5).fill(false),
  )
})

test('colours', () => {
  expect(splitColours('Black/White, red ; Blue')).toEqual(['Black', 'White', 'red', 'Blue'])
  expect(mergeColours(['Red', 'red', 'RÉD', 'Blue'])).toEqual(['Red', 'Blue'])
})

describe('of thousands of rows of one product', () => {
  test('a bounded number of colours is compared', () => {
    function* endless(): Generator<string> {
      for (;;) yield 'Red'
    }
    expect(mergeColours(endless())).toEqual(['Red'])
    expect(splitColours('a,'.repeat(1_000))).toHaveLength(30)
  })

  test('a bounded number of characters is taken apart for one field, and one value whatever its length', () => {
    const plan = { mapping: { tags: ['Tags'] }, roles: {} } as unknown as Plan
    const rows = Array.from({ length: 4_000 }, () => new Map([['Tags', ['t'.repeat(1_000), ' ']]]))
    expect(createLister(plan, rows)('tags').join('').length).toBeWithin(120_000, 132_000)
    expect(createLister(plan, [new Map([['Tags', ['t'.repeat(500_000)]]])])('tags')).toHaveLength(1)
  })

  test('blank cells are nothing, so that nobody looks through them for each field', async () => {
    const { table } = await importFile(`id,image,b\n1,https://x.example/a.jpg,${' '.repeat(1_000)}\n`)
    for await (const record of table.records()) {
      expect('cells' in record && record.cells.get('b')).toEqual([''])
    }
  })

  test('what variants say is the same however many rows came before', async () => {
    const rows = Array.from({ length: 300 }, (_, n) =>
      [
        n === 0 ? 'Cap' : '',
        'Color',
        n % 2 === 0 ? 'Red' : 'Blue',
        `s${n}`,
        10 + n,
        `https://x.example/${n}.jpg`,
      ].join(),
    )
    const header = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src'
    const { products } = await importFile([header, ...rows.map((row) => `cap,${row}`)].join('\n'))
    expect(products.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({ name: 'Cap', price: 10, price_max: 309, colors: ['Red', 'Blue'] }),
    ])
  })
})

test('names of columns', () => {
  expect(headerKey('\ufeff"Image_URL" ')).toBe('image url')
  expect(headerKey("Nom de l'attribut 1")).toBe(headerKey('Nom de l’attribut 1'))
  expect(headerKey('#')).toBe('#')
})
