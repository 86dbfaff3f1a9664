import { describe, expect, test } from 'bun:test'
import {
  describeColour,
  findShades,
  isBrokenHex,
  isNamed,
  parseColour,
  readColourName,
} from '../../../src/core/colours/colours.ts'
import { toOkLch } from '../../../src/core/colours/lab.ts'
import { type BaseName, isOfShade, listShades, nameOf, typicalOf } from '../../../src/core/colours/shades.ts'

const read = (text: string): string[] => findShades(text).map(nameOf)

/** Words of eight languages for each kind of colour, in the order of {@link LANGUAGES}, with inflected forms. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt']
const WORDS: Record<string, string> = {
  black: 'black schwarze noires negro nera zwarte czarny preto',
  white: 'White weiß blanche blancos bianco witte biała branca',
  grey: 'gray graues grise gris grigio grijs szary cinza',
  'dark grey': 'charcoal anthrazit anthracite antracita antracite antraciet grafitowy grafite',
  silver: 'silver silbern argenté plateado argento zilver srebrny prateado',
  cream: 'ivory creme ivoire marfil avorio crème kremowy marfim',
  beige: 'beige Sand sable beis sabbia zand beżowy bege',
  brown: 'brown braunes marron marrón marrone bruine brązowa castanho',
  red: 'red roter rouges rojas rossa rode czerwone vermelho',
  'dark red': 'burgundy weinrot grenat granate bordeaux wijnrood bordowy vinho',
  orange: 'orange orangefarben orange naranja arancione oranje pomarańczowy laranja',
  yellow: 'yellow gelber jaune amarilla giallo gele żółty amarelos',
  gold: 'golden goldfarben doré dorada oro goud złoty dourado',
  green: 'green grünes verts verde verdi groen zielona verdes',
  olive: 'khaki olivgrün kaki oliva cachi olijfgroen oliwkowy caqui',
  turquoise: 'turquoise türkis turquoise turquesa turchese turkoois turkusowy turquesa',
  blue: 'blue blauer bleue azul blu blauwe niebieski azul',
  'dark blue': 'navy marineblau marine marino marino marineblauw granatowy marinho',
  purple: 'purple violett violette morado viola paars fioletowa roxo',
  pink: 'pink rosa rose rosado rosa roze różowy rosa',
  multicolour: 'multicolor bunt multicolore multicolor multicolore veelkleurig wielokolorowy colorido',
}

describe('colour words', () => {
  for (const [shade, words] of Object.entries(WORDS)) {
    for (const [n, word] of words.split(' ').entries()) {
      test(`${word} (${LANGUAGES[n]}) is ${shade}`, () => {
        expect(read(word)).toEqual([shade])
        expect(read(word.toUpperCase())).toEqual([shade])
        expect(read(word.normalize('NFD'))).toEqual([shade])
      })
    }
  }

  test.each([
    ['röd', 'red'],
    ['mörkblå', 'dark blue'],
    ['ljusröd', 'light red'],
    ['grøn', 'green'],
    ['modrá', 'blue'],
    ['kırmızı', 'red'],
    ['koyu mavi', 'dark blue'],
    ['dark heather grey', 'dark grey'],
    ['hellgraues', 'light grey'],
    ['Dunkelblau', 'dark blue'],
    ['himbeerrot', 'dark pink'],
    ['kobaltblauw', 'blue'],
    ['moosgrün', 'green'],
    ['bleu clair', 'light blue'],
    ['azul oscuro', 'dark blue'],
    ['rosa claro', 'light pink'],
    ['ciemnozielony', 'dark green'],
    ['jasnoniebieski', 'light blue'],
    ['off-white', 'cream'],
    ['gruen', 'green'],
    ['zolty', 'yellow'],
    ['weiss', 'white'],
  ])('%s is %s', (text, shade) => {
    expect(read(text)).toEqual([shade])
  })

  test('several in one name are found in their order', () => {
    expect(read('Navy/White')).toEqual(['dark blue', 'white'])
    expect(read('Blau, Weiss')).toEqual(['blue', 'white'])
    expect(read('schwarzweiß')).toEqual(['black', 'white'])
    expect(read('azul oscuro y blanco')).toEqual(['dark blue', 'white'])
    expect(read('bleu clair rouge')).toEqual(['light blue', 'red'])
    expect(read('light blue dark red')).toEqual(['light blue', 'dark red'])
  })

  test('a text with an unknown word names no colour to search for', () => {
    expect(parseColour('sunset')).toBeUndefined()
    expect(parseColour('blue hour')).toBeUndefined()
    expect(parseColour('dark')).toBeUndefined()
    expect(parseColour('')).toBeUndefined()
    expect(parseColour('constructor')).toBeUndefined()
    expect(read('blue hour')).toEqual(['blue'])
  })
})

describe('a hex', () => {
  test('is read with and without #, and short', () => {
    for (const text of ['#CC0000', 'cc0000', '#c00'])
      expect(parseColour(text)).toMatchObject({ kind: 'hex', rgb: 0xcc0000 })
  })

  test('that is none is told from a word', () => {
    expect(['#12', '#xyzxyz', ' #1234567', '#', '#red'].map(isBrokenHex)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(['#123', 'red', '12', '', 'no. #5'].map(isBrokenHex)).toEqual([false, false, false, false, false])
  })
})

describe('a product colour', () => {
  const answers = (name: string, wanted: string): boolean => {
    const query = parseColour(wanted)
    return query?.kind === 'name' && isNamed(readColourName(name), query)
  }
  test.each([
    ['Red', 'rot', true],
    ['rouge', 'rot', true],
    ['Navy', 'blue', true],
    ['Navy', 'dunkelblau', true],
    ['blue', 'navy', false],
    ['Ivory', 'white', true],
    ['white', 'ivory', false],
    ['Navy/White', 'weiß', true],
    ['Navy/White', 'bleu', true],
    ['Navy/White', 'red', false],
    ['dark red / light blue', 'dark blue', false],
    ['black, white', 'white/black', true],
    ['black', 'white/black', false],
    ['red, green, blue', 'bunt', true],
    ['red, dark red, light red', 'bunt', false],
    ['#0000c0', 'blue', true],
    ['#0000c0', 'red', false],
    ['Sunset', 'orange', false],
  ])('%s answers to %s: %p', (name, wanted, expected) => {
    expect(answers(name, wanted)).toBe(expected)
  })
})

describe('what a colour is called', () => {
  /** Colours of CSS, of the xkcd survey and of product photographs, with names that a shopper may search them by. */
  const SEEN: [hex: number, ...names: BaseName[]][] = [
    [0x000000, 'black'],
    [0x1d1e22, 'black'],
    [0xffffff, 'white'],
    [0xfaf9f6, 'white'],
    [0xfffff0, 'cream', 'white'],
    [0x808080, 'grey'],
    [0x3c4142, 'grey'],
    [0xc0c0c0, 'grey', 'silver'],
    [0x708090, 'grey', 'blue'],
    [0xf5f5dc, 'beige', 'cream'],
    [0xd2b48c, 'beige', 'tan'],
    [0xc69f59, 'tan'],
    [0x8b4513, 'brown'],
    [0x9a3001, 'brown'],
    [0x5d432c, 'brown'],
    [0x1d0200, 'brown'],
    [0xff0000, 'red'],
    [0x8b0000, 'red'],
    [0x722f37, 'red'],
    [0xdb5856, 'red'],
    [0xff7f50, 'coral', 'orange'],
    [0xff8c00, 'orange'],
    [0xffff00, 'yellow'],
    [0xd4a017, 'yellow', 'gold'],
    [0x008000, 'green'],
    [0x044a05, 'green'],
    [0xa6fbb2, 'green'],
    [0x556b2f, 'olive', 'green'],
    [0x008080, 'turquoise'],
    [0x40e0d0, 'turquoise'],
    [0x0000ff, 'blue'],
    [0x000080, 'blue'],
    [0x87ceeb, 'blue'],
    [0x232a3d, 'blue'],
    [0x800080, 'purple'],
    [0xe6e6fa, 'purple'],
    [0xff69b4, 'pink'],
    [0xffc0cb, 'pink'],
    [0xae7181, 'pink'],
  ]
  test.each(SEEN)('%p', (rgb, ...names) => {
    const colour = toOkLch(rgb)
    for (const base of names) expect([base, isOfShade(colour, { base })]).toEqual([base, true])
  })

  test('no name of an opposite colour fits', () => {
    const far: [number, ...BaseName[]][] = [
      [0xff0000, 'green', 'blue', 'black', 'brown', 'purple'],
      [0x0000ff, 'red', 'green', 'purple', 'black'],
      [0xffffff, 'grey', 'beige', 'black'],
      [0x000000, 'grey', 'blue', 'brown', 'white'],
      [0x808080, 'black', 'white', 'beige', 'blue'],
      [0xff8c00, 'brown', 'red', 'yellow'],
      [0x8b4513, 'red', 'black', 'yellow'],
    ]
    for (const [rgb, ...names] of far) {
      for (const base of names)
        expect([rgb, base, isOfShade(toOkLch(rgb), { base })]).toEqual([rgb, base, false])
    }
  })

  test('each shade has its typical colour, and is called by its own name', () => {
    for (const shade of listShades()) {
      if (shade.tone) continue
      expect([shade.base, isOfShade(toOkLch(typicalOf(shade)), shade)]).toEqual([shade.base, true])
      expect(describeColour(typicalOf(shade))).toBe(shade.base)
    }
  })

  test.each([
    [0x000080, 'dark blue'],
    [0xadd8e6, 'light blue'],
    [0x800020, 'dark red'],
    [0xfafafa, 'white'],
    [0x2e8b57, 'green'],
  ])('%p in English is %p', (rgb, name) => {
    expect(describeColour(rgb)).toBe(name)
  })
})
