/**
 * Measures what rules cost a search: `bun scripts/bench/rules.ts`.
 *
 * A store with 500 rules is asked how they arrange a search of four words: with rules for words, with rules that act on every search, and
 * after a change of its products, when all filters are looked up again. The figures are CPU µs of this process for one search,
 * without the ranking.
 */
import pino from 'pino'
import { parseFilters } from '../../src/features/catalogue/filters/parse.ts'
import { createRowSet } from '../../src/features/catalogue/filters/rows.ts'
import { listWords } from '../../src/features/catalogue/product-index/words/tokens.ts'
import { createArranger } from '../../src/features/discovery/rules/arranging.ts'
import type { RuleRow } from '../../src/features/discovery/rules/queries.ts'
import type { Query } from '../../src/features/discovery/search/query.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createReads } from '../../src/platform/db/reads.ts'
import type { Bench, Row } from './parts/bench.ts'
import { roundsWithin } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { median } from './parts/statistics.ts'

const ROUNDS_DEFAULT = 9
const RULES = 500
/** Searches of one measurement. */
const IN_A_ROW = 2_000
const PRODUCTS = 50_000

type Makes = (n: number) => Partial<RuleRow>

const boost = (n: number): string =>
  JSON.stringify([{ action: 'boost', filters: [{ field: 'brand', operator: 'eq', value: `brand ${n}` }] }])
const PIN = JSON.stringify([{ action: 'pin', product_id: 'p', position: 1 }])

const WORDS = 'autumn winter summer boots shoes dress shirt scarf lamp sofa'.split(' ')
const wordOf = (n: number): string => WORDS[n % WORDS.length] as string

const CASES: readonly { id: string; what: string; goal?: number; makes: Makes; changes?: boolean }[] = [
  { id: 'none', what: 'a search without rules', goal: 5, makes: () => ({ active: false }) },
  {
    ...{ id: 'words', what: 'a search with 500 rules for words, of which 5 act', goal: 30 },
    makes: (n) => ({
      conditions: { words: [n % 100 === 0 ? 'red boots' : `${wordOf(n)} ${n}`, `"${wordOf(n)} ${n} sale"`] },
      actions: boost(n),
    }),
  },
  {
    ...{ id: 'same', what: 'a search with 500 rules for its words, of which all act', goal: 30 },
    makes: (n) => ({ conditions: { words: ['boots'] }, actions: boost(n) }),
  },
  {
    id: 'all',
    what: 'a search with 500 rules that act on every one',
    goal: 30,
    makes: (n) => ({ actions: boost(n) }),
  },
  {
    ...{ id: 'over', what: 'a search with 500 rules that are over', goal: 30 },
    makes: () => ({ endsAt: 1, actions: PIN }),
  },
  {
    ...{
      id: 'changed',
      what: 'the first search after a change, with 500 rules that act on every one',
      changes: true,
    },
    makes: (n) => ({ actions: boost(n) }),
  },
]

const rows: readonly Row[] = CASES.map(({ id, what, goal }) => ({
  ...{ id: `rules-${id}`, what, against: '', unit: 'CPU µs' },
  ...(goal !== undefined && { goal: { atMost: goal } }),
}))

export const rules: Bench = {
  name: 'rules',
  rows,
  minutes: { quick: 0.1, full: 0.1 },
  async run({ contestants, rounds = ROUNDS_DEFAULT, rowSeconds }, report) {
    // It runs from the sources, whatever the executable.
    const contestant = contestants.at(-1)?.name ?? ''
    for (const { id, makes, changes = false } of CASES) {
      const search = openStore(makes, changes)
      const times: number[] = []
      for (const round of roundsWithin({ rounds: rounds + 1, seconds: rowSeconds })) {
        const before = process.cpuUsage()
        const count = changes ? IN_A_ROW / 100 : IN_A_ROW
        for (let n = 0; n < count; n++) await search()
        const { user, system } = process.cpuUsage(before)
        if (round > 0) times.push((user + system) / count)
      }
      report({ row: `rules-${id}`, contestant, value: median(times) })
    }
  },
}

/** A store of 500 rules. @param changes whether its products change before each search. */
function openStore(makes: Makes, changes: boolean): () => Promise<unknown> {
  const { readDataVersion } = createReads(openDatabase(':memory:'))
  const all = Array.from(
    { length: RULES },
    (_, n): RuleRow => ({
      ...{ id: `rule-${n}`, storeId: 's', name: `Rule ${n}`, active: true, conditions: {}, keyId: null },
      ...{ startsAt: null, endsAt: null, actions: PIN, createdAt: n, updatedAt: n },
      ...makes(n),
    }),
  )
  const found = {
    rows: createRowSet(Float64Array.from({ length: PRODUCTS / 10 }, (_, n) => 10 * n)),
    warnings: [],
  }
  let change = 0
  const { arrange } = createArranger({
    queries: { listActive: () => all.filter(({ active }) => active) },
    filters: {
      parse: parseFilters,
      resolve: async () => found,
      readState: () => ({ change, others: readDataVersion() }),
    },
    ...{ listWords, clock: { now: Date.now }, log: pino({ level: 'silent' }) },
  })
  const query = {
    searcher: { storeId: 's' },
    filters: { fields: { category: 'Clothes > Shoes' }, own: [], forced: undefined },
    rankBy: { kind: 'sides', words: { text: 'large red leather boots' } },
  } as unknown as Query
  return () => {
    if (changes) change++
    return arrange(query)
  }
}

if (import.meta.main) await runAlone(rules)
