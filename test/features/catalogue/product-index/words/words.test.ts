import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { stemmer } from 'stemmer'
import { fold } from '../../../../../src/core/text.ts'
import { createScratch } from '../../../../../src/features/catalogue/product-index/words/scratch.ts'
import {
  FACTORS,
  QUERY_WORDS_MAX,
} from '../../../../../src/features/catalogue/product-index/words/variants.ts'
import {
  createWordIndex,
  FIELD_WEIGHTS,
  type ProductWords,
  type WordIndex,
} from '../../../../../src/features/catalogue/product-index/words/words.ts'

/** The scores by product, for comparison. */
function scoresOf(index: WordIndex, query: string): Map<number, number> {
  const { scores, documents, max } = index.score(query)
  const found = [...documents].map((document) => [index.productOf(document), scores[document] ?? 0] as const)
  expect(max).toBe(Math.max(0, ...found.map(([, score]) => score)))
  expect(scores.filter((score) => score > 0).length).toBe(found.length)
  return new Map(found.sort(([a], [b]) => a - b))
}

const listed = (index: WordIndex, query: string): number[] =>
  [...scoresOf(index, query)].sort(([a, x], [b, y]) => y - x || a - b).map(([product]) => product)

function indexOf(...products: Partial<ProductWords>[]): WordIndex {
  const index = createWordIndex(createScratch())
  for (const [n, words] of products.entries()) index.put(n + 1, { productId: `p${n + 1}`, ...words })
  return index
}

const named = (...names: string[]) => indexOf(...names.map((name) => ({ name })))

/** What the words of a text are, written in another way than the program does. */
function naiveWords(text: string): string[] {
  const runs = fold(text).match(/[\p{L}\p{N}]+(?:[-_'’]+[\p{L}\p{N}]+)*/gu) ?? []
  return runs.flatMap((run) => {
    const parts = run.split(/[-_'’]+/)
    return parts.length > 1 ? [...parts, parts.join('')] : parts
  })
}

/** Without the description, whose length counts for nothing. */
function naiveLength(words: ProductWords): number {
  return sum(naiveWeights({ ...words, description: undefined }).values())
}

function naiveWeights({ name, category, brand, sku, tags, description }: ProductWords): Map<string, number> {
  const weights = new Map<string, number>()
  const fields = [
    [name, FIELD_WEIGHTS.name],
    [category, FIELD_WEIGHTS.category],
    [brand, FIELD_WEIGHTS.brand],
    [sku, FIELD_WEIGHTS.sku],
    ...(tags ?? []).map((tag) => [tag, FIELD_WEIGHTS.tags] as const),
  ] as const
  for (const [text, weight] of fields)
    for (const word of naiveWords(text ?? '')) weights.set(word, (weights.get(word) ?? 0) + weight)
  for (const word of naiveWords(description ?? ''))
    if (!weights.has(word)) weights.set(word, FIELD_WEIGHTS.description)
  return weights
}

const stemOf = (word: string) => (/^[a-z]{3,}$/.test(word) ? `stem ${stemmer(word)}` : word)

/** Whether one edit makes one word of another. */
function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  const [restA, restB] = [a.slice(n), b.slice(n)]
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  )
}

/** BM25 over all products, one by one. */
function naiveScores(products: ReadonlyMap<number, ProductWords>, query: string): Map<number, number> {
  const weights = new Map([...products].map(([product, words]) => [product, naiveWeights(words)]))
  const lengths = new Map([...products].map(([product, words]) => [product, naiveLength(words)]))
  const mean = sum(lengths.values()) / products.size || 1
  const vocabulary = new Set([...weights.values()].flatMap((all) => [...all.keys()]))
  const count = (word: string) => [...weights.values()].filter((all) => all.has(word)).length
  const spoken = [...new Set(naiveWords(query))]
  const scores = new Map<number, number>()
  for (const [n, word] of spoken.entries()) {
    const isLast = n === spoken.length - 1
    const all = [...vocabulary]
    const full = all.filter((other) => other === word || stemOf(other) === stemOf(word))
    const begins = all.filter(
      (other) => !full.includes(other) && word.length >= (isLast ? 2 : 4) && other.startsWith(word),
    )
    const ends = all.filter(
      (other) =>
        !full.includes(other) &&
        !begins.includes(other) &&
        !/\d/.test(other) &&
        word.length >= 4 &&
        other.length >= Math.max(7, word.length + 3) &&
        other.endsWith(word),
    )
    const typos =
      full.length + begins.length + ends.length === 0 && word.length >= 4 && !/\d/.test(word)
        ? all.filter((other) => isOneEdit(word, other))
        : []
    const fullCount = sum(full.map(count))
    const partCount = Math.max(fullCount, sum([...begins, ...ends].map(count)))
    const variants = [
      ...full.map((other) => [other, other === word ? 1 : FACTORS.stem, fullCount] as const),
      ...begins.map((other) => [other, isLast ? FACTORS.lastBeginning : FACTORS.part, partCount] as const),
      ...ends.map((other) => [other, FACTORS.part, partCount] as const),
      ...typos.map((other) => [other, FACTORS.typo, sum(typos.map(count))] as const),
    ]
    for (const [product, own] of weights) {
      const points = variants.map(([other, factor, documents]) => {
        const frequency = (own.get(other) ?? 0) / 2
        const having = Math.min(documents, products.size)
        const rarity = Math.log(1 + (products.size - having + 0.5) / (having + 0.5))
        const norm = 1.2 * (0.25 + (0.75 * (lengths.get(product) ?? 0)) / mean)
        return (factor * rarity * 2.2 * frequency) / (frequency + norm)
      })
      const best = Math.max(0, ...points)
      if (best > 0) scores.set(product, (scores.get(product) ?? 0) + best)
    }
  }
  return new Map([...scores].sort(([a], [b]) => a - b))
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0)

// Few letters, so that words are alike in every way.
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'e', 's', 'g'), minLength: 1, maxLength: 9 }),
  fc.constantFrom(
    'mug',
    'mugs',
    'Mugs',
    'MÜGS',
    'tasche',
    'Ledertasche',
    'ledertaschen',
    'AB-12',
    'ab12',
    "men's",
  ),
)
const phrase = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
const productWords: fc.Arbitrary<ProductWords> = fc.record({
  productId: fc.constant('p'),
  name: fc.option(phrase, { nil: undefined }),
  brand: fc.option(word, { nil: undefined }),
  category: fc.option(phrase, { nil: undefined }),
  tags: fc.option(fc.array(word, { maxLength: 3 }), { nil: undefined }),
  description: fc.option(phrase, { nil: undefined }),
  sku: fc.option(word, { nil: undefined }),
})
const change = fc.record({
  product: fc.integer({ min: 1, max: 40 }),
  words: fc.option(productWords, { freq: 3 }),
})

describe('scores of words', () => {
  test('equal BM25 computed product by product, after any changes', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 70, size: 'max' }),
        fc.array(phrase, { minLength: 1, maxLength: 6 }),
        (changes, queries) => {
          const index = createWordIndex(createScratch())
          const products = new Map<number, ProductWords>()
          for (const { product, words } of changes) {
            if (words) products.set(product, words)
            else products.delete(product)
            if (words) index.put(product, words)
            else index.remove(product)
          }
          expect(index.countDocuments()).toBe(products.size)
          for (const query of queries) {
            const expected = naiveScores(products, query)
            const actual = scoresOf(index, query)
            expect([...actual.keys()]).toEqual([...expected.keys()])
            for (const [product, score] of expected) expect(actual.get(product)).toBeCloseTo(score, 4)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('follow long lists that shrink and grow', () => {
    const index = createWordIndex(createScratch())
    const products = new Map<number, ProductWords>()
    const put = (product: number, name: string) => {
      const words = { productId: `${product}`, name }
      products.set(product, words)
      index.put(product, words)
    }
    for (let n = 1; n <= 500; n++) put(n, `every ${n % 3 === 0 ? 'third' : 'other'} n${n}`)
    for (let n = 1; n <= 500; n += 2) {
      index.remove(n)
      products.delete(n)
    }
    for (let n = 1; n <= 500; n += 5) put(n, 'every fifth')
    for (let n = 2; n <= 400; n++) {
      index.remove(n)
      products.delete(n)
    }
    for (let n = 600; n <= 700; n++) put(n, 'third fifth')
    for (const query of ['every', 'third', 'fifth other', 'n1', 'n49']) {
      const expected = naiveScores(products, query)
      expect([...scoresOf(index, query).keys()]).toEqual([...expected.keys()])
    }
    for (const product of products.keys()) index.remove(product)
    expect([index.countDocuments(), listed(index, 'every').length]).toEqual([0, 0])
  })

  test('put the name before the category, the brand and the tags', () => {
    const index = indexOf({ tags: ['lamp'] }, { brand: 'Lamp' }, { category: 'Lamp' }, { name: 'Lamp' })
    expect(listed(index, 'lamp')).toEqual([4, 3, 2, 1])
  })

  test('know other forms, letters without accents and words that are not complete', () => {
    const index = named('Blue mugs', 'Blue mug', 'Café crème', 'Straße', 'Fußball', 'Mugshot')
    expect(listed(index, 'mug')).toEqual([2, 1, 6])
    expect(listed(index, 'mugs')).toEqual([1, 2, 6])
    expect(listed(index, 'CAFE')).toEqual([3])
    expect(listed(index, 'créme cafè')).toEqual([3])
    expect(listed(index, 'strasse')).toEqual([4])
    expect(listed(index, 'blu')).toEqual([1, 2])
    expect(listed(index, 'fuss')).toEqual([5])
    // A word that is followed by another one is complete, unless it is long.
    expect(listed(index, 'bl crème')).toEqual([3])
  })

  test('take an unknown word for those within one edit', () => {
    const index = named('Sneaker', 'Tisch', 'Größe', 'Кружка')
    for (const typo of ['sneakr', 'sneeaker', 'snaeker', 'sneaket', 'neaker', 'xneaker', 'sneakerx'])
      expect([typo, listed(index, typo)]).toEqual([typo, [1]])
    expect(listed(index, 'krugka')).toEqual([])
    expect(listed(index, 'кружкя')).toEqual([4])
    expect(index.score('sneakr tisch').words).toEqual([
      { word: 'sneakr', documents: 1, isTypo: true, isPart: false },
      { word: 'tisch', documents: 1, isTypo: false, isPart: false },
    ])
    // Two edits, and short words, are other words.
    expect(listed(index, 'snekr')).toEqual([])
    expect(listed(named('red'), 'ren')).toEqual([])
    // A word that is known is none.
    expect(listed(named('Shirt', 'Skirt'), 'shirt')).toEqual([1])
  })

  test('find compounds by their parts, behind the word itself', () => {
    const index = named('Ledertasche', 'Tasche', 'Taschenlampe', 'Tascha')
    expect(listed(index, 'tasche')).toEqual([2, 3, 1])
    expect(index.score('lampe').words).toEqual([{ word: 'lampe', documents: 1, isTypo: false, isPart: true }])
    expect(listed(index, 'leder schuhe')).toEqual([1])
  })

  test('find article numbers whole and in parts, with and without dashes', () => {
    const index = indexOf({ sku: 'AB-123' }, { name: 'Headphones WH1000' }, { sku: 'AB-124' })
    expect(listed(index, 'AB-123')[0]).toBe(1)
    expect(listed(index, 'ab123')).toEqual([1])
    expect(listed(index, '123')).toEqual([1])
    expect(listed(index, 'ab')).toEqual([1, 3])
    expect(listed(index, 'wh-1000')).toEqual([2])
    expect(listed(index, 'AB-12')).toEqual([1, 3])
  })

  test('find words of scripts without spaces by each pair of characters', () => {
    const index = named('红色连衣裙', '蓝色衬衫', 'ワンピース 赤')
    expect(listed(index, '连衣裙')).toEqual([1])
    expect(listed(index, '色')).toEqual([])
    expect(listed(index, '蓝色裙')).toEqual([2])
    expect(listed(index, '赤')).toEqual([3])
  })
})

describe('silent words', () => {
  const index = named('Navy lamp', 'Black mug', 'Navy mug')

  test('count for nothing', () => {
    const scores = (silent: string[]) => [...index.score('navy mug', new Set(silent)).scores]
    const [, lamp, black, navy] = scores(['navy'])
    expect(lamp).toBe(0)
    expect(black).toBe(navy as number)
    expect(scores(['navy']).slice(1)).toEqual([...index.score('mug').scores].slice(1))
  })

  test('count where they are the whole query', () => {
    expect([...index.score('navy', new Set(['navy'])).documents].sort()).toEqual([1, 3])
  })

  test('are part of an exact name', () => {
    expect([...index.score('navy mug', new Set(['navy'])).exact]).toEqual([3])
  })
})

describe('the holders of a word', () => {
  const holdersOf = (index: WordIndex, word: string): number[] => {
    const holds = index.holderTest(word)
    return Array.from({ length: index.lastDocument() + 1 }, (_, document) => document).filter(holds)
  }

  test('have it, spelt so, in any field but the description', () => {
    const index = indexOf(
      { name: 'Orange juice' },
      { color: 'Orange' },
      { tags: ['orange'] },
      { description: 'goes well with orange' },
      { name: 'Oranges' },
      { name: 'Apple' },
    )
    expect(holdersOf(index, 'orange')).toEqual([1, 2, 3])
    expect(holdersOf(index, 'violet')).toEqual([])
    expect(holdersOf(index, '')).toEqual([])
  })
})

describe('the holders of all words', () => {
  const index = indexOf(
    { name: 'Dog bed' },
    { name: 'Beds', brand: 'Dogs' },
    { name: 'Double bed' },
    { name: 'Dog bedspread' },
    { name: 'Dog bowl', description: 'stands beside a bed' },
  )
  const holders = (query: string, max = 10) => [...index.listHoldersOfAll(query, max)].sort()

  test('have each, in any form of its stem and in any field but the description', () => {
    expect(holders('dog bed')).toEqual([1, 2])
    expect(holders('dogs beds')).toEqual([1, 2])
    expect(holders('dog')).toEqual([1, 2, 4, 5])
    expect(holders('dog bed zxqv')).toEqual([])
    expect(holders('')).toEqual([])
  })

  test('are not listed where more than so many have the rarest word', () => {
    expect(holders('dog bed', 4)).toEqual([1, 2])
    expect(holders('dog bed', 3)).toEqual([])
  })

  test('leave with their products', () => {
    const some = indexOf({ name: 'Dog bed' }, { name: 'Dog bed' }, { name: 'Dog bed' })
    some.remove(2)
    expect([...some.listHoldersOfAll('dog bed', 10)]).toEqual([1, 3])
  })
})

describe('exact names', () => {
  const index = indexOf(
    { productId: 'Mug 7', name: 'Sunrise!', sku: 'S-1', gtin: '04006381333931' },
    { productId: 'b', name: 'S-1' },
    { productId: 'c', name: 'Red  mug', sku: 'mug 7' },
    { productId: 'd', name: 'red MÚG' },
    { productId: 'e', name: '…', gtin: '0' },
  )
  const exact = (query: string) => [...index.score(query).exact].map(index.productOf)

  test('come in the order of their kinds', () => {
    expect(exact('mug 7')).toEqual([1, 3])
    expect(exact(' s-1 ')).toEqual([1, 2])
    expect(exact('Red Mug')).toEqual([3, 4])
    expect(exact('sunrise')).toEqual([1])
    for (const gtin of ['4006381333931', '04006381333931', '4 006381 333931', '4-006381-333931'])
      expect(exact(gtin)).toEqual([1])
    for (const none of ['', ' ', '…', '?', '0', 'red', 'mug', '4006381333932'])
      expect(exact(none)).toEqual([])
  })

  test('leave with their product and change with it', () => {
    const own = indexOf({ name: 'Old' }, { name: 'Other' })
    own.put(1, { productId: 'p1', name: 'New' })
    own.remove(2)
    expect(['old', 'new', 'other', 'p1', 'p2'].map((query) => own.score(query).exact.length)).toEqual([
      0, 1, 0, 1, 0,
    ])
  })

  test('are at most 100', () => {
    const own = named(...Array.from({ length: 300 }, () => 'Basic T-Shirt'))
    expect(own.score('basic t-shirt').exact.length).toBe(100)
    expect(own.score('basic t-shirt').documents.length).toBe(300)
  })
})

describe('texts of any kind', () => {
  test('never fail, neither as a product nor as a query, and leave nothing behind', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200, size: 'max' }),
      fc.string({
        unit: fc.constantFrom('"', '*', '-', '(', ')', ' ', 'NEAR', 'a', "'", '_'),
        maxLength: 300,
      }),
    )
    const empty = createWordIndex(createScratch())
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
        const index = createWordIndex(createScratch())
        for (const [n, name] of texts.entries())
          index.put(n + 1, { productId: name, name, sku: name, tags: [name] })
        for (const query of texts) {
          const { words, exact, max } = index.score(query)
          expect(words.length).toBeLessThanOrEqual(QUERY_WORDS_MAX)
          expect(Number.isFinite(max)).toBe(true)
          // A text of accents alone is none once it is folded.
          if (fold(query) !== '') expect(exact.length).toBeGreaterThan(0)
          // Each word of a text is found in it.
          for (const { documents } of words) expect(documents).toBeGreaterThan(0)
        }
        for (const n of texts.keys()) index.remove(n + 1)
        expect(texts.map((query) => index.score(query).documents.length)).toEqual(texts.map(() => 0))
      }),
      { numRuns: 60 },
    )
    expect(empty.score('anything')).toMatchObject({ max: 0, exact: new Uint32Array(0) })
  })

  test('of operators are words', () => {
    const index = named('near and far', 'not here')
    expect(listed(index, '"near" AND -far* OR (NOT')).toEqual([1, 2])
    for (const query of ['"', '*', '- - -', 'NEAR('.repeat(100), '"*-'.repeat(166), "'_'"])
      expect(() => index.score(query)).not.toThrow()
  })

  test('count the words of a query and of a product up to a limit', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `w${n}x`).join(' ')
    const index = named(names)
    expect(index.score(names).words.length).toBe(QUERY_WORDS_MAX)
    expect([listed(index, 'w255x'), listed(index, 'w256x')]).toEqual([[1], []])
    expect(listed(named('a'.repeat(5_000)), 'a'.repeat(4_000))).toEqual([1])
  })
})

describe('memory', () => {
  test('is used again when products come and go', () => {
    const index = createWordIndex(createScratch())
    const round = (seed: number) => {
      for (let n = 1; n <= 300; n++)
        index.put(n, {
          productId: `${seed}-${n}`,
          name: `every word ${seed} u${seed}x${n}`,
          sku: `S${seed}-${n}`,
        })
      for (let n = 1; n <= 300; n++) index.remove(n)
    }
    for (let seed = 0; seed < 5; seed++) round(seed)
    const before = index.bytes()
    for (let seed = 5; seed < 40; seed++) round(seed)
    expect(index.bytes()).toBe(before)
  })
})

describe('a description', () => {
  test('counts below all other fields, once for each word, and never as a name', () => {
    const index = indexOf(
      { name: 'Kettle', description: 'goes with a mug, a mug and once more a mug' },
      { name: 'Spoon', tags: ['mug'] },
      { name: 'Mug' },
      { name: 'Lid', description: 'for one mug' },
    )
    expect(listed(index, 'mug')).toEqual([3, 2, 1, 4])
    expect([...index.score('goes with a mug, a mug and once more a mug').exact]).toEqual([])
  })

  test('makes no word of the name count less', () => {
    const [plain, told] = [
      indexOf({ name: 'Mug' }, { name: 'Lid' }),
      indexOf({ name: 'Mug', description: 'of grey clay' }, { name: 'Lid' }),
    ]
    expect(scoresOf(told, 'mug')).toEqual(scoresOf(plain, 'mug'))
  })
})
