import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { splitWords } from '../../../../src/core/text.ts'
import { keyOfWord } from '../../../../src/core/word-keys.ts'
import { buildLexicon } from '../../../../src/features/discovery/store-words/lexicon.ts'
import { createLexicons } from '../../../../src/features/discovery/store-words/lexicons.ts'
import type { StoreWords } from '../../../../src/features/discovery/store-words/schema.ts'

const store = (words: Partial<StoreWords>): StoreWords => ({
  synonyms: [],
  redirects: [],
  ignore: [],
  ...words,
})
const read = async (words: Partial<StoreWords>, query: string) =>
  (await buildLexicon(store(words))).read(query)
/** What stands for which words, such as `couch=sofa|settee`. */
async function replace(words: Partial<StoreWords>, query: string): Promise<string[]> {
  const { text, alternatives } = await read(words, query)
  const spoken = splitWords(text)
  return alternatives.map(
    ({ from, to, instead }) => `${spoken.slice(from, to).join(' ')}=${instead.join('|')}`,
  )
}

describe('synonyms', () => {
  test.each<[StoreWords['synonyms'], query: string, found: string[]]>([
    [[{ words: ['Sofa', 'Couch', 'Settee'] }], 'grey couch', ['couch=sofa|settee']],
    [[{ words: ['sofa', 'couch'] }], 'Two SOFAS!', ['sofas=couch']],
    [[{ words: ['couch'], to: ['sofa'] }], 'sofa', []],
    [[{ words: ['couch'], to: ['sofa'] }], 'couch', ['couch=sofa']],
    [[{ words: ['dressing gown', 'bathrobe'] }], 'warm dressing gowns', ['dressing gowns=bathrobe']],
    [[{ words: ['dressing gown', 'bathrobe'] }], 'gown dressing', []],
    // The longest entry counts.
    [
      [{ words: ['gown', 'dress'] }, { words: ['dressing gown', 'bathrobe'] }],
      'dressing gown',
      ['dressing gown=bathrobe'],
    ],
    // Groups are not followed from one to the next, so a circle is harmless.
    [
      [
        { words: ['a1'], to: ['b1'] },
        { words: ['b1'], to: ['a1'] },
      ],
      'a1 b1',
      ['a1=b1', 'b1=a1'],
    ],
    [[{ words: ['a1', 'b1'] }, { words: ['b1', 'c1'] }], 'a1', ['a1=b1']],
    [[{ words: ['a1', 'b1'] }, { words: ['b1', 'c1'] }], 'b1', ['b1=a1|c1']],
    [[{ words: ['a1', 'b1'] }, { words: ['a1', 'b1', 'c1'] }], 'a1', ['a1=b1|c1']],
    // Both say the same.
    [[{ words: ['couch'], to: ['couches'] }], 'couch', []],
    [[{ words: ['weiß', 'blanc'] }], 'WEISS', ['weiss=blanc']],
    [[{ words: ['ﬁgurine', 'statue'] }], 'figurine', ['figurine=statue']],
    [[{ words: ['café', 'coffee'] }], 'CAFE\u0301', ['cafe=coffee']],
    [[{ words: ['حقيبة يد', 'شنطة'] }], 'حقيبة يد حمراء', ['حقيبة يد=شنطة']],
    [[{ words: ['沙发', 'sofa'] }], '沙发', ['沙发=sofa']],
    [[{ words: ['t-shirt', 'tee'] }], 'tshirt', ['tshirt=t-shirt|tee']],
    [[{ words: ['t-shirt', 'tee'] }], 'T Shirt', ['t shirt=tee']],
    [[{ words: ['<b>sofa</b>', 'couch'] }], 'couch', ['couch=<b>sofa</b>']],
    [[{ words: ['!!!', 'couch'] }], 'couch !!!', []],
    [[{ words: ['sofa', 'couch'] }], '', []],
    [[{ words: ['constructor', '__proto__'] }], 'constructor', ['constructor=__proto__']],
    [[], 'couch', []],
  ])('%j: %s', async (synonyms, query, found) => {
    expect(await replace({ synonyms }, query)).toEqual(found)
  })

  test('stand where a naive replacement puts them', async () => {
    const word = fc.constantFrom('sofa', 'sofas', 'couch', 'gown', 'dressing', 'red', 'rug', 'Straße')
    const entry = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    const group = fc.record(
      {
        words: fc.array(entry, { minLength: 1, maxLength: 4 }),
        to: fc.array(entry, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ['words'] },
    )
    const keyOf = (text: string) => splitWords(text).map(keyOfWord).join(' ')
    await fc.assert(
      fc.asyncProperty(
        fc.array(group, { maxLength: 6 }),
        fc.array(word, { maxLength: 8 }),
        async (synonyms, query) => {
          const wanted: string[] = []
          for (let n = 0; n < query.length; ) {
            let length = query.length - n
            const stretch = () => keyOf(query.slice(n, n + length).join(' '))
            const leads = () => synonyms.filter(({ words }) => words.map(keyOf).includes(stretch()))
            while (length > 0 && leads().length === 0) length--
            const own = stretch()
            const others = length === 0 ? [] : leads().flatMap(({ words, to = words }) => to)
            const keys = new Set(others.map(keyOf).filter((key) => key !== own))
            if (keys.size > 0) wanted.push(`${n}+${length}: ${[...keys].join('|')}`)
            n += Math.max(1, length)
          }
          const { alternatives } = await read({ synonyms }, query.join(' '))
          expect(
            alternatives.map(
              ({ from, to, instead }) => `${from}+${to - from}: ${instead.map(keyOf).join('|')}`,
            ),
          ).toEqual(wanted)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('ignored words', () => {
  test.each([
    ['cheap red mug', 'red mug'],
    ['Red, CHEAP mug', 'Red, mug'],
    ['red mug for sale', 'red mug'],
    ['sale of red mugs', 'sale of red mugs'],
    ['cheap', 'cheap'],
    ['for sale cheap!', 'for sale cheap!'],
    ['cheaper mug', 'cheaper mug'],
    ['', ''],
  ])('%s → %s', async (query, text) => {
    expect((await read({ ignore: ['cheap', 'for sale'] }, query)).text).toBe(text)
  })

  test('are no part of synonyms and redirects', async () => {
    const words = {
      ignore: ['the'],
      synonyms: [{ words: ['the north face', 'tnf'] }],
      redirects: [{ words: 'the sale', url: '/sale' }],
    }
    expect(await replace(words, 'the jackets of north face')).toEqual(['north face=tnf'])
    expect(await replace(words, 'the tnf')).toEqual(['tnf=the north face'])
    expect(await read(words, 'Sale')).toMatchObject({ redirectUrl: '/sale' })
    expect(await read(words, 'THE sale')).toMatchObject({ redirectUrl: '/sale' })
  })
})

test.each([
  ['Returns', '/returns'],
  ['  RETURNS?! ', '/returns'],
  ['returns policy', undefined],
  // Another form of a word may mean something else: "new" is no "news".
  ['return', undefined],
  ['größen', '/sizes'],
  ['grossen', '/sizes'],
  ['', undefined],
])('"%s" leads to %p', async (query, url) => {
  const redirects = [
    { words: 'returns', url: '/returns' },
    { words: 'Größen', url: '/sizes' },
  ]
  expect((await read({ redirects }, query)).redirectUrl).toBe(url)
})

test('a word in more groups than count costs no more than those', async () => {
  const synonyms = Array.from({ length: 2_000 }, (_, n) => ({ words: ['a1', `b${n}`] }))
  const [alternative] = (await read({ synonyms }, 'a1')).alternatives
  expect(alternative?.instead).toHaveLength(20)
})

describe('the lexicons of stores', () => {
  const sofas = store({ synonyms: [{ words: ['sofa', 'couch'] }] })

  test('are read once, also by searches at the same time, until they change', async () => {
    let reads = 0
    const read = () => {
      reads++
      return sofas
    }
    const lexicons = createLexicons({ has: () => true, read })
    const [first, second] = await Promise.all([lexicons.find('one'), lexicons.find('one')])
    expect(first).toBe(second as typeof first)
    expect(await lexicons.find('one')).toBe(first)
    expect(reads).toBe(1)
    lexicons.forgetStore('one')
    await lexicons.find('one')
    expect(reads).toBe(2)
  })

  test('that were read while they changed are read again', async () => {
    let words = sofas
    const lexicons = createLexicons({ has: () => true, read: () => words })
    const before = lexicons.find('one')
    words = store({ ignore: ['cheap'] })
    lexicons.forgetStore('one')
    await before
    expect((await lexicons.find('one'))?.read('cheap mug').text).toBe('mug')
  })

  test('take bounded memory, and give up those searched longest ago', async () => {
    const reads: string[] = []
    const size = (await buildLexicon(sofas)).bytes + 200
    const lexicons = createLexicons({
      has: () => true,
      read(storeId) {
        reads.push(storeId)
        return sofas
      },
      bytesMax: 2 * size,
    })
    for (const id of ['one', 'two', 'one', 'three', 'one', 'two']) await lexicons.find(id)
    expect(reads).toEqual(['one', 'two', 'three', 'two'])
    expect(lexicons.countBytes()).toBe(2 * size)
  })

  test('take nothing from a store without words', async () => {
    const lexicons = createLexicons({ has: () => false, read: () => expect.unreachable() })
    expect(await lexicons.find('one')).toBeUndefined()
    expect(await lexicons.find('one')).toBeUndefined()
  })

  test('that could not be read are tried again', async () => {
    let fails = true
    const lexicons = createLexicons({
      has: () => true,
      read() {
        if (fails) throw new Error('the disk')
        return sofas
      },
    })
    await expect(lexicons.find('one')).rejects.toThrow('the disk')
    fails = false
    expect(await lexicons.find('one')).toBeDefined()
  })
})
