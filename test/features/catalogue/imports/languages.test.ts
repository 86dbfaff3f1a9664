import { describe, expect, test } from 'bun:test'
import { importFile, toCsv } from './mapped.ts'
import { WOOCOMMERCE_SHOPS } from './woocommerce-shops.ts'

type Shop = (typeof WOOCOMMERCE_SHOPS)[keyof typeof WOOCOMMERCE_SHOPS]

/** A product with two variations, of which one stands before it, a product in a sale, a draft and a hidden one. */
function makeExport({ titles, words }: Shop, delimiter = ',', decimal = '.'): string {
  const [hoodie, blue, clothing, hoodies, colour, blueWord, red] = words
  const price = (amount: string) => amount.replace('.', decimal)
  const path = `${clothing} > ${hoodies}`
  const picture = (name: string) => `https://shop.example/wp-content/uploads/2026/05/${name}.jpg`
  const two = `${picture('front')}, ${picture('back')}`
  const html = `<p>${hoodie} <b>&amp; more</b></p>\\n<ul><li>100 %</li></ul>`
  return toCsv(
    [
      titles.split('|'),
      // ID, type, SKU, name, published, featured, visibility, short description, description, sale from, sale until, tax status,
      // tax class, in stock, stock, backorders, weight, sale price, price, categories, tags, shipping, images, parent, position,
      // attribute name, attribute value
      [
        12,
        'variation',
        'H-R',
        `${hoodie} - ${red}`,
        1,
        0,
        'visible',
        '',
        '',
        '',
        '',
        'taxable',
        'parent',
        0,
        0,
        0,
        '',
      ].concat(['', price('59.90'), '', '', '', '', 'H', 1, colour, red]),
      [10, 'variable', 'H', hoodie, 1, 0, 'visible', '', html, '', '', 'taxable', '', 0, '', 0, 0.6].concat([
        '',
        '',
        `${clothing}, ${path}`,
        'a, b',
        '',
        two,
        '',
        0,
        colour,
        `${blueWord}, ${red}`,
      ]),
      [11, 'variation', '', blue, 1, 0, 'visible', '', '', '', '', 'taxable', 'parent', 1, 3, 0, ''].concat([
        price('44.50'),
        price('49.50'),
        '',
        '',
        '',
        picture('blue'),
        'H',
        2,
        colour,
        blueWord,
      ]),
      [
        20,
        'simple',
        'M',
        'Mug',
        1,
        0,
        'visible',
        'Short',
        'Long',
        '2030-06-01',
        '2030-06-30',
        'taxable',
        '',
      ].concat([
        'backorder',
        0,
        1,
        0.3,
        price('1245.50'),
        price('1299.00'),
        clothing,
        '',
        '',
        picture('mug'),
        '',
        0,
        '',
        '',
      ]),
      [21, 'simple', 'D', 'Draft', -1, 0, 'visible', '', '', '', '', 'taxable', '', 1, 3, 0, ''].concat([
        '',
        price('5.00'),
        clothing,
        '',
        '',
        picture('d'),
        '',
        0,
        '',
        '',
      ]),
      [22, 'simple', 'X', 'Secret', 1, 0, 'hidden', '', '', '', '', 'taxable', '', 1, 3, 0, ''].concat([
        '',
        price('5.00'),
        clothing,
        '',
        '',
        picture('x'),
        '',
        0,
        '',
        '',
      ]),
    ],
    delimiter,
  )
}

const listItems = ({ words }: Shop) => {
  const [hoodie, blue, clothing, hoodies, , blueWord, red] = words
  const picture = (name: string) => `https://shop.example/wp-content/uploads/2026/05/${name}.jpg`
  const path = [clothing, `${clothing} > ${hoodies}`]
  const shared = {
    ...{ description: `${hoodie} & more 100 %`, category: hoodies, category_path: path },
    ...{ tags: ['a', 'b'], variant_group: 'H' },
  }
  return [
    {
      line: 2,
      product: {
        ...{ product_id: 'H-R', image_url: picture('front') },
        metadata: {
          ...{ ...shared, name: `${hoodie} - ${red}`, price: 59.9, color_name: red, in_stock: false },
          sku: 'H-R',
        },
      },
    },
    {
      line: 3,
      product: {
        ...{ product_id: 'H', image_url: picture('front'), additional_image_urls: [picture('back')] },
        metadata: {
          ...{ ...shared, name: hoodie, price: 49.5, sale_price: 44.5, price_max: 59.9 },
          ...{ color_name: blueWord, colors: [blueWord, red], in_stock: true, sku: 'H' },
        },
      },
    },
    {
      line: 4,
      product: {
        ...{ product_id: '11', image_url: picture('blue') },
        metadata: {
          ...{ ...shared, name: blue, price: 49.5, sale_price: 44.5, color_name: blueWord, in_stock: true },
        },
      },
    },
    {
      line: 5,
      product: {
        ...{ product_id: 'M', image_url: picture('mug') },
        metadata: {
          ...{ name: 'Mug', description: 'Short', category: clothing, price: 1299, sale_price: 1245.5 },
          ...{ sale_price_from: '2030-06-01T00:00:00.000Z', sale_price_until: '2030-06-30T23:59:59.000Z' },
          ...{ in_stock: true, sku: 'M' },
        },
      },
    },
    { line: 6, hidden: 'not published' },
    { line: 7, hidden: 'hidden' },
  ] as unknown[]
}

describe('an export of WooCommerce goes through without naming a column', () => {
  test.each(Object.entries(WOOCOMMERCE_SHOPS))('in %s', async (_name, shop) => {
    const { plan, items } = await importFile(makeExport(shop))
    expect(plan.platform).toBe('woocommerce')
    expect(items as unknown[]).toEqual(listItems(shop))
    // Tax, weight, position and what else is of no use for a search is not offered.
    expect(plan.mayWant).toEqual([])
    expect(plan.unmapped).not.toContain('ID')
  })

  test('with blanks and a byte-order mark before it, as a Russian shop wrote it', async () => {
    const shop = WOOCOMMERCE_SHOPS.Russian
    const { items } = await importFile(`  \ufeff${makeExport(shop)}`)
    expect(items as unknown[]).toEqual(listItems(shop))
  })

  test('saved again by a German Excel: semicolons, windows-1252, decimal commas', async () => {
    const shop = WOOCOMMERCE_SHOPS.German
    const text = makeExport(shop, ';', ',').replace('1245,50', '1.245,50')
    const bytes = Uint8Array.from(Array.from(text, (character) => character.charCodeAt(0)))
    const { items, encoding, plan } = await importFile(bytes)
    expect([encoding, plan.platform]).toEqual(['windows-1252', 'woocommerce'])
    expect(items as unknown[]).toEqual(listItems(shop))
  })

  test('names of columns are compared without case, accents, quotes and odd blanks', async () => {
    const shop = WOOCOMMERCE_SHOPS.French
    const spoilt = shop.titles
      .split('|')
      .map((title) => ` \u00a0${title.toUpperCase().normalize('NFD').replaceAll("'", '’')}\u200b `)
      .join('|') as typeof shop.titles
    const { items } = await importFile(makeExport({ ...shop, titles: spoilt }))
    expect(items as unknown[]).toEqual(listItems(shop))
  })

  test('in a language without a table, the picture is found by its values', async () => {
    const titles = WOOCOMMERCE_SHOPS.French.titles
      .split('|')
      .map((title, n) => (n === 2 ? 'SKU' : `q${n}${title.length}`))
    const shop = { ...WOOCOMMERCE_SHOPS.French, titles: titles.join('|') as never }
    const { plan, products } = await importFile(makeExport(shop))
    expect(plan.mapping).toEqual({ product_id: ['SKU'], sku: ['SKU'], image_url: [titles[22] as string] })
    expect(products[1]).toMatchObject({
      product_id: 'H',
      additional_image_urls: [expect.stringContaining('back')],
    })
  })
})

describe('tables of their own in plain words', () => {
  test.each([
    [
      'Artikelnummer;Bezeichnung;Preis;Kategorie;Bild;Marke;Farbe;Verfügbarkeit;Beschreibung;Währung',
      'auf Lager',
    ],
    [
      'Référence;Désignation;Prix TTC;Catégorie;Image;Marque;Couleur;Disponibilité;Description;Devise',
      'en stock',
    ],
    ['Referencia;Nombre;Precio;Categoría;Imagen;Marca;Color;Disponibilidad;Descripción;Moneda', 'disponible'],
    [
      'Codice articolo;Nome;Prezzo;Categoria;Immagine;Marca;Colore;Disponibilità;Descrizione;Valuta',
      'disponibile',
    ],
    ['Artikelnummer;Naam;Prijs;Categorie;Afbeelding;Merk;Kleur;Voorraad;Beschrijving;Valuta', 'op voorraad'],
    ['Kod produktu;Nazwa;Cena brutto;Kategoria;Zdjęcie;Marka;Kolor;Dostępność;Opis;Waluta', 'dostępny'],
    ['Código;Nome;Preço;Categoria;Imagem;Marca;Cor;Disponibilidade;Descrição;Moeda', 'disponível'],
    ['Артикул;Наименование;Цена;Категория;Фото;Бренд;Цвет;Наличие;Описание;Валюта', 'в наличии'],
    ['sku;name;price;category;image;brand;color;availability;description;currency', 'in stock'],
  ])('%s', async (header, word) => {
    const row = `A-1;Tasse;1.245,50;Küche > Tassen;https://x.example/a;Acme;Rot;${word};Schön;EUR`
    const { plan, products } = await importFile(`${header}\n${row}\n`)
    expect(plan.platform).toBe('plain')
    expect(plan.unmapped).toEqual([])
    expect(products).toEqual([
      {
        ...{ product_id: 'A-1', image_url: 'https://x.example/a' },
        metadata: {
          ...{
            name: 'Tasse',
            description: 'Schön',
            category: 'Tassen',
            category_path: ['Küche', 'Küche > Tassen'],
          },
          ...{ brand: 'Acme', price: 1245.5, currency: 'EUR', color_name: 'Rot', in_stock: true },
          ...(/^(sku|artikelnummer|référence|referencia|артикул);/i.test(header) && { sku: 'A-1' }),
        },
      },
    ])
  })
})
