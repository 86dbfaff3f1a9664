import { describe, expect, test } from 'bun:test'
import { listWords } from '../../../../src/features/catalogue/product-index/words/tokens.ts'
import { compileRules, type SearchFacts } from '../../../../src/features/discovery/rules/matching.ts'
import type { RuleRow } from '../../../../src/features/discovery/rules/queries.ts'

const row = (fields: Partial<RuleRow>): RuleRow => ({
  ...{
    id: 'r',
    storeId: 's',
    name: 'r',
    active: true,
    conditions: {},
    keyId: null,
    startsAt: null,
    endsAt: null,
  },
  ...{ actions: '[]', createdAt: 0, updatedAt: 0 },
  ...fields,
})
const facts = (fields: Partial<SearchFacts> = {}): SearchFacts => ({
  ...{ words: undefined, hasPicture: false, category: undefined, keyId: undefined, now: 0 },
  ...fields,
})
const meets = (fields: Partial<RuleRow>, search: Partial<SearchFacts>): boolean =>
  compileRules([row(fields)], listWords).match(facts(search)).length > 0
const words = (entry: string, query: string): boolean =>
  meets({ conditions: { words: [entry] } }, { words: query })

describe('words of a rule', () => {
  test.each([
    ['red mug', 'mug', false],
    ['red mug', 'a large mug in red', true],
    ['Mugs', 'red mug', true],
    ['mug', 'smuggler', false],
    ['Tasse', 'Tassen', true],
    ['Tassen', 'rote Tasse', true],
    ['schoen', 'rode schoenen', true],
    ['chaussures', 'chaussure', true],
    ['zapato', 'zapatos rojos', true],
    ['Straße', 'STRASSE', true],
    ['łóżko', 'lozko', true],
    ['vélo', 'velo', true],
    ['AB-123', 'ab123', false],
    ['ab123', 'AB-123', true],
    ['"mug"', 'mug', true],
    ['"mug"', 'Mugs', true],
    ['"mug"', 'red mug', false],
    ['„rote Tasse“', 'rote Tasse', true],
    ['« tasse rouge »', 'tasse rouge', true],
    ['"red mug"', 'mug red', false],
  ])('%s meets %s: %p', (entry, query, isMet) => expect(words(entry, query)).toBe(isMet))

  test('meet no search without words', () =>
    expect(meets({ conditions: { words: ['mug'] } }, {})).toBe(false))
})

describe('the other conditions', () => {
  test.each<[string, Partial<RuleRow>, Partial<SearchFacts>, boolean]>([
    ['none at all', {}, {}, true],
    ['the category', { conditions: { category: 'Shoes' } }, { category: ' shoes ' }, true],
    [
      'a level of its path',
      { conditions: { category: 'shoes' } },
      { category: 'Clothes > Shoes > Boots' },
      true,
    ],
    [
      'the path to a level',
      { conditions: { category: 'Clothes>Shoes' } },
      { category: 'Clothes > Shoes > Boots' },
      true,
    ],
    ['another category', { conditions: { category: 'Shoes' } }, { category: 'Shoe care' }, false],
    ['no category', { conditions: { category: 'Shoes' } }, {}, false],
    ['the key', { keyId: 'k' }, { keyId: 'k' }, true],
    ['another key', { keyId: 'k' }, { keyId: 'l' }, false],
    ['no key', { keyId: 'k' }, {}, false],
    ['words', { conditions: { source: 'text' } }, { words: 'mug' }, true],
    ['a picture', { conditions: { source: 'picture' } }, { hasPicture: true }, true],
    ['a picture, for words', { conditions: { source: 'text' } }, { hasPicture: true }, false],
    ['both, for words', { conditions: { source: 'text' } }, { words: 'mug', hasPicture: true }, true],
    ['both, for pictures', { conditions: { source: 'picture' } }, { words: 'mug', hasPicture: true }, true],
    ['the beginning', { startsAt: 5 }, { now: 5 }, true],
    ['before it', { startsAt: 5 }, { now: 4 }, false],
    ['the last moment', { endsAt: 5 }, { now: 4 }, true],
    ['the end', { endsAt: 5 }, { now: 5 }, false],
  ])('%s', (_, rule, search, isMet) => expect(meets(rule, search)).toBe(isMet))
})

test('a naive evaluator finds the same rules', () => {
  let seed = 29
  const draw = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x7fffffff) * below) % below
  }
  const VOCABULARY = 'red blue mug lamp sofa boot cup vase'.split(' ')
  const say = (most: number): string[] =>
    Array.from({ length: 1 + draw(most) }, () => VOCABULARY[draw(VOCABULARY.length)] as string)
  const entry = (): string => (draw(5) === 0 ? `"${say(2).join(' ')}"` : say(3).join(' '))
  const rows = Array.from({ length: 300 }, () =>
    row({
      conditions: {
        ...(draw(4) > 0 && { words: Array.from({ length: 1 + draw(3) }, entry) }),
        ...(draw(5) === 0 && { source: 'text' }),
      },
      ...(draw(3) === 0 && { startsAt: draw(10) }),
      ...(draw(3) === 0 && { keyId: `${draw(2)}` }),
    }),
  )
  const { match } = compileRules(rows, listWords)
  const isSaid = (entry: string, query: readonly string[]): boolean => {
    const asked = entry.replaceAll('"', '').split(' ')
    return entry.startsWith('"')
      ? [...new Set(asked)].join() === [...new Set(query)].join()
      : asked.every((word) => query.includes(word))
  }
  let met = 0
  for (let n = 0; n < 200; n++) {
    const query = say(4)
    const search = facts({ words: query.join(' '), now: draw(10), keyId: `${draw(3)}` })
    const naive = rows.flatMap(({ conditions, startsAt, keyId }, place) => {
      const isMet =
        (conditions.words?.some((entry) => isSaid(entry, query)) ?? true) &&
        (startsAt ?? 0) <= search.now &&
        (keyId === null || keyId === search.keyId)
      return isMet ? [place] : []
    })
    met += naive.length
    expect(match(search)).toEqual(naive)
  }
  expect(met).toBeGreaterThan(5_000)
})
