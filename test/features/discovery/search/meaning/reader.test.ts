import { describe, expect, test } from 'bun:test'
import { readMeaning } from '../../../../../src/features/discovery/search/meaning/reader.ts'

const read = (text: string, currency: string | null = 'EUR') => readMeaning(text, { currency })

/** The text, the rest, and the two prices. */
type Line = readonly [text: string, rest: string, min: number | undefined, max: number | undefined]

const no = undefined

const PRICES: readonly Line[] = [
  // English
  ['red mug under 20 €', 'red mug', no, 20],
  ['under 20 red mug', 'red mug', no, 20],
  ['dress for under 50', 'dress', no, 50],
  ['less than €30 lamp', 'lamp', no, 30],
  ['over 100', '', 100, no],
  ['between 20 and 10 euros', '', 10, 20],
  ['mug 20-30 €', 'mug', 20, 30],
  ['mug €20–€30', 'mug', 20, 30],
  ['sofa 500 euros or less', 'sofa', no, 500],
  // German
  ['rote Tasse bis 15', 'rote Tasse', no, 15],
  ['ab 50 Euro Kleid', 'Kleid', 50, no],
  ['sofa unter 1.299,00 €', 'sofa', no, 1299],
  ['Schuhe von 38 bis 40 €', 'Schuhe', 38, 40],
  ['Schuhe unter 100 für Damen', 'Schuhe für Damen', no, 100],
  ['Tasse 20,- oder weniger', 'Tasse', no, 20],
  // French
  ['robe entre 10 et 20', 'robe', 10, 20],
  ['robe à moins de 50 €', 'robe', no, 50],
  ["jusqu'à 30 euros chaussures", 'chaussures', no, 30],
  ['canapé moins de 1 299 €', 'canapé', no, 1299],
  ['plus de 100 € manteau', 'manteau', 100, no],
  // Spanish
  ['zapatos menos de 25', 'zapatos', no, 25],
  ['vestido por menos de 30 euros', 'vestido', no, 30],
  ['bolso hasta 40', 'bolso', no, 40],
  // Italian
  ['scarpe meno di 20', 'scarpe', no, 20],
  ['borsa sotto i 50 euro', 'borsa', no, 50],
  ['gonna da 10 a 20 euro', 'gonna', 10, 20],
  // Dutch
  ['jurk tot 15 euro', 'jurk', no, 15],
  ['tas onder de 30 euro', 'tas', no, 30],
  ['tas tot 20,-', 'tas', no, 20],
  // Portuguese
  ['vestido até 40', 'vestido', no, 40],
  ['sapatos abaixo de 60 euros', 'sapatos', no, 60],
  // What is said last wins.
  ['unter 3 unter 2', '', no, 2],
  ['over 100 under 50', '', no, 50],
]

const NO_PRICES = [
  ...['iphone 15', 'size 42', '501 jeans', 'Nike Air Max 90', 'iphone 15 pro max 256', 'bis A4', 'mug 20 €'],
  ...['lamp under 5 feet', 'Regal bis 15 cm', 'Regal bis 15cm', 'Laptop bis 15 Zoll', 'Vase ab 3 Jahren'],
  ...['tent up to 6 persons', 'sleeping bag below 0', 'Lego ab 6', 'Macbook ab 2020', 'pneumatici da 15'],
  ...['Schuhe Größe 38 bis 40', 'Schuhe 38 bis 40', 'size between 36 and 38', 'tisch 80-120 cm', 'under -5'],
  ...['under', 'bis', '€', 'under 1e9', 'bis 1.2.3.4', 'under 99999999999999999999', '£', '-', '20'],
  // Another currency than the shop's.
  ...['under 20 $', 'mug under US$20', 'kurtka do 100 zł', 'mug under 5 pounds', '$20-$30 mug'],
]

describe('prices', () => {
  test.each(PRICES)('%s', (text, rest, min, max) => {
    const meaning = read(text)
    expect([meaning.rest, meaning.priceMin, meaning.priceMax]).toEqual([rest, min, max])
  })

  test.each(NO_PRICES)('%s names none', (text) => {
    expect(read(text)).toEqual({ rest: text, without: [] })
  })

  test('the currency is that of the shop; a shop without one takes all for its own', () => {
    expect(read('kurtka poniżej 100 zł', 'PLN')).toMatchObject({ rest: 'kurtka', priceMax: 100 })
    expect(read('od 10 do 20 zł', 'PLN')).toMatchObject({ priceMin: 10, priceMax: 20 })
    expect(read('mug under $20', 'CAD')).toMatchObject({ priceMax: 20 })
    expect(read('sapatos até R$ 99,90', 'BRL')).toMatchObject({ rest: 'sapatos', priceMax: 99.9 })
    expect(read('mug under $20', null)).toMatchObject({ priceMax: 20 })
  })

  test('are left as they are where nobody may ask for them', () => {
    const text = 'mug under 20 € without handle'
    const meaning = readMeaning(text, { currency: 'EUR', keepsPrices: true })
    expect(meaning).toEqual({ rest: 'mug under 20 €', without: ['handle'] })
  })
})

const WITHOUT: readonly (readonly [string, string, ...string[]])[] = [
  ['dress without sleeves', 'dress', 'sleeves'],
  ['dress without long sleeves', 'dress', 'long sleeves'],
  ['Kleid ohne Ärmel', 'Kleid', 'ärmel'],
  ['Kleid ohne Ärmel rot', 'Kleid rot', 'ärmel'],
  ['Tasse ohne Henkel und Deckel unter 20 €', 'Tasse', 'henkel', 'deckel'],
  ['robe sans manches rouge', 'robe rouge', 'manches'],
  ['zapatos sin cordones', 'zapatos', 'cordones'],
  ['zaino senza rotelle', 'zaino', 'rotelle'],
  ['tas zonder rits', 'tas', 'rits'],
  ['buty bez sznurówek', 'buty', 'sznurówek'],
  ['sapatos sem salto', 'sapatos', 'salto'],
  ['T-Shirt ohne Roll-Top', 'T-Shirt', 'roll-top'],
  ['mug under 20€ without a handle', 'mug', 'handle'],
]

describe('what is unwanted', () => {
  test.each(WITHOUT)('%s', (text, rest, ...things) => {
    expect(read(text)).toMatchObject({ rest, without: things })
  })

  test.each(['without', 'mug without', 'ohne ohne ohne', 'ohne Bügel', 'sin'])('%s names words', (text) => {
    expect(read(text)).toEqual({ rest: text, without: [] })
  })
})

test('hostile texts change nothing, and a long one takes no more time for each of its words', () => {
  for (const text of [
    "'; DROP TABLE products; --",
    '<script>under 5</script>',
    '\u0000',
    '(((',
    'a'.repeat(500),
  ])
    expect(read(text).rest).toBeString()
  // A reader that looked back for each token would take minutes for these.
  for (const part of ['1 ', 'unter 1 ', '1,', 'ohne a ', '-', 'between 1 and ', "'", 'von 1 bis '])
    expect(read(part.repeat(20_000)).rest).toBeString()
})
