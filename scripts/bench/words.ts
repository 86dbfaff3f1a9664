/**
 * Measures the index of words against SQLite's FTS5, which ranks by `bm25`: `bun scripts/bench/words.ts [--products 50000]`.
 *
 * Both hold the same drawn products (name, brand, category, tags, SKU) in memory and score every product that has a word of the
 * query. They take turns in the same run. The figures are CPU ms of this process for one query, a product added, and the
 * whole store; the ratios are to FTS5. FTS5 looks for words and prefixes, and knows no typos.
 */
import Database from 'better-sqlite3'
import { createScratch } from '../../src/features/catalogue/product-index/words/scratch.ts'
import {
  createWordIndex,
  type ProductWords,
  type WordIndex,
} from '../../src/features/catalogue/product-index/words/words.ts'
import type { Bench, Row } from './parts/bench.ts'
import { type Bound, roundsWithin } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { median } from './parts/statistics.ts'

const TURNS_DEFAULT = 7
/** FTS5 takes minutes to fill a larger store. */
const PRODUCTS_MAX = 200_000
/** Queries of one measurement. */
const IN_A_ROW = 20

interface Query {
  id: string
  what: string
  text: string
  /** The same for FTS5; undefined where it has nothing like it. */
  match: string | undefined
}

const QUERIES: readonly Query[] = [
  { id: 'rare', what: 'a SKU', text: 'AX-10008', match: '"AX-10008"' },
  { id: 'tenth', what: 'a word that a tenth has', text: 'tenth', match: 'tenth' },
  { id: 'quarter', what: 'a word that a quarter has', text: 'quarter', match: 'quarter' },
  { id: 'all', what: 'a word that all have', text: 'every', match: 'every' },
  {
    ...{ id: 'three', what: 'three words: a tenth, a quarter, all' },
    ...{ text: 'tenth quarter every', match: 'tenth OR quarter OR every' },
  },
  { id: 'prefix', what: 'the beginning of a word that a quarter has', text: 'quar', match: 'quar*' },
  { id: 'typo', what: 'a typo in a word that a quarter has', text: 'quartr', match: undefined },
]

const row = (id: string, what: string, unit: Row['unit'], more: Partial<Row> = {}): Row => ({
  ...{ id: `words-${id}`, what, against: '', unit, isFolded: true },
  ...more,
})

export const words: Bench = {
  name: 'words',
  rows: [
    ...QUERIES.map(({ id, what, text }) =>
      row(id, `scores of ${what}`, 'CPU ms', {
        goals: { 50000: { atMost: text.split(' ').length } },
      }),
    ),
    ...QUERIES.filter(({ match }) => match).map(({ id, what }) =>
      row(`${id}-fts5`, `scores of ${what}`, 'ratio', { against: 'FTS5 with bm25' }),
    ),
    row('build', 'words of a whole store', 'CPU s', { goals: { 50000: { atMost: 0.5 } } }),
    row('build-fts5', 'words of a whole store', 'ratio', { against: 'FTS5' }),
    row('put', 'other words of a product', 'CPU ms'),
    row('memory', 'words of a store in memory', 'MB', { goals: { 50000: { atMost: 20 } } }),
  ],
  minutes: { quick: 0.5, full: 1.5 },
  async run({ products, contestants, rounds = TURNS_DEFAULT, rowSeconds }, report) {
    // It runs from the sources, whatever the executable.
    const contestant = contestants.at(-1)?.name ?? ''
    for (const count of products.filter((size) => size <= PRODUCTS_MAX))
      measure(count, { rounds, seconds: rowSeconds }, (id, value, note) =>
        report({
          ...{ row: `words-${id}`, contestant, products: count, value },
          ...(note !== undefined && { note }),
        }),
      )
  },
}

function measure(
  count: number,
  bound: Bound,
  report: (id: string, value: number, note?: string) => void,
): void {
  const products = drawProducts(count)
  // The first one warms up.
  fillIndex(products.slice(0, 5_000))
  let index = createWordIndex(createScratch())
  const build = cpuOf(() => {
    index = fillIndex(products)
  })
  let peer = fillPeer([])
  const peerBuild = cpuOf(() => {
    peer = fillPeer(products)
  })
  report('build', build / 1_000)
  report('build-fts5', build / peerBuild, `${peerBuild.toFixed(0)} ms`)
  report('memory', index.bytes() / 1_000_000)
  for (const { id, text, match } of QUERIES) {
    const times: { own: number; peer: number }[] = []
    let found = 0
    for (const round of roundsWithin({ ...bound, rounds: bound.rounds + 1 })) {
      const own = cpuOf(() => {
        for (let n = 0; n < IN_A_ROW; n++) found = index.score(text).documents.length
      })
      const others = match === undefined ? Number.NaN : cpuOf(() => peer.search(match))
      if (round > 0) times.push({ own: own / IN_A_ROW, peer: others })
    }
    const own = median(times.map((time) => time.own))
    report(id, own, `${found.toLocaleString('en-US')} products`)
    const others = median(times.map((time) => time.peer))
    if (match !== undefined) report(`${id}-fts5`, own / others, `${others.toFixed(2)} ms`)
  }
  const changed = products.slice(0, 1_000)
  const put = cpuOf(() => {
    for (const [n, own] of changed.entries()) index.put(n + 1, { ...own, name: `${own.name} other` })
  })
  report('put', put / changed.length)
}

function fillIndex(products: readonly ProductWords[]): WordIndex {
  const index = createWordIndex(createScratch())
  for (const [n, own] of products.entries()) index.put(n + 1, own)
  return index
}

function fillPeer(products: readonly ProductWords[]) {
  const db = new Database(':memory:')
  db.exec(
    "CREATE VIRTUAL TABLE words USING fts5 (name, brand, category, tags, sku, content = '', tokenize = 'porter unicode61')",
  )
  const insert = db.prepare(
    'INSERT INTO words (rowid, name, brand, category, tags, sku) VALUES (?, ?, ?, ?, ?, ?)',
  )
  db.transaction(() => {
    for (const [n, { name, brand, category, tags, sku }] of products.entries())
      insert.run(BigInt(n + 1), name, brand, category, tags?.join(' '), sku)
  })()
  const best = db
    .prepare<[string], number>(
      'SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 3, 1.5, 2, 1, 1) LIMIT 1',
    )
    .pluck()
  return { search: (match: string) => void best.get(match) }
}

/** CPU ms that this process spends on some work. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Products whose words are spread as in a shop: few in many products, many in few. The same in each run. */
function drawProducts(count: number): ProductWords[] {
  let state = 42
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pickOf = <Item>(items: readonly Item[], skew: number): Item =>
    items[Math.floor(items.length * random() ** skew)] as Item
  const syllables = [...'bdklmnrst'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel))
  const draw = () => Array.from({ length: 2 + Math.floor(random() * 3) }, () => pickOf(syllables, 1)).join('')
  const vocabulary = Array.from({ length: 14_000 }, draw)
  const categories = Array.from({ length: 200 }, () => `${pickOf(vocabulary, 3)} ${pickOf(vocabulary, 3)}`)
  const brands = Array.from({ length: 400 }, draw)
  return Array.from({ length: count }, (_, n) => {
    const shared = `${n % 10 === 0 ? 'tenth ' : ''}${n % 4 === 0 ? 'quarter ' : ''}every`
    const own = Array.from({ length: 3 + Math.floor(random() * 4) }, () => pickOf(vocabulary, 3))
    return {
      productId: `p-${n}`,
      name: `${shared} ${own.join(' ')}`,
      brand: pickOf(brands, 2),
      category: pickOf(categories, 2),
      tags: [pickOf(vocabulary, 3), pickOf(vocabulary, 3)],
      sku: `${'ABCDEFGH'[n % 8]}${'XYZ'[n % 3]}-${10_000 + n}`,
      gtin: String(4_000_000_000_000 + n),
    }
  })
}

if (import.meta.main) await runAlone(words)
