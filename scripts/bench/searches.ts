/**
 * Measures each kind of search at each size, and how long others wait beside it.
 *
 *     bun scripts/bench/searches.ts [--products 50000,1000000] [--rounds N] [--row-seconds N]
 *                                   [--executable old/lookalike --executable dist/lookalike]
 *
 * One client sends one search after the other. The figures are CPU milliseconds of all processes of the service, and ratios
 * of them: words to a C loop over as many vectors, filters to the same search without one, a batch to a single search.
 * Meanwhile a process asks for `/health` every 5 ms; a wait is judged by the time for which the service's loop ran during it.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, Figure, Goal, Row } from './parts/bench.ts'
import { addCpu, type CpuTime, cpuPer, NO_CPU, readCpu, sumCpu } from './parts/cpu.ts'
import { compileLimit, LIMIT } from './parts/limit.ts'
import type { Options } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import type { Pings } from './parts/ping-entry.ts'
import type { Client, MeasuredService, Served } from './parts/process.ts'
import { type Bound, roundsWithin, warmUp } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { inTurns } from './parts/statistics.ts'
import { openStock } from './parts/stock.ts'
import { addWaits, describeWaits, noPings, startControl } from './parts/waits.ts'
import { freshWords } from './parts/words.ts'

const ROUNDS_DEFAULT = 500
const BATCH = 20
const PHOTOGRAPHS = 16
const LARGE = 1_000_000

/** A search; `n` is a number that none before had. */
interface Kind {
  id: string
  what: string
  search(client: Client, n: number, products: number, pictures: readonly string[]): Promise<unknown>
  goals?: Readonly<Record<number, Goal>>
  /** Another kind that this one is a ratio to. */
  against?: { id: string; what: string; goals?: Readonly<Record<number, Goal>> }
}

/** Numbers that are far apart for neighbours, so that no two searches ask for the same part of the store. */
const spread = (n: number, products: number) => 1 + ((7_919 * n) % products)

/** A search by a product of the store needs no model. */
const like = (id: string, what: string, more: (n: number, products: number) => object): Kind => ({
  id,
  what: `search by a product${what && `, ${what}`}`,
  search: (client, n, products) =>
    client.searchLike({ product_id: `sku-${spread(n, products)}`, ...more(n, products) }),
})

const filter = (field: string, operator: string, value: unknown) => ({
  filters: [{ field, operator, value }],
})

const KINDS: readonly Kind[] = [
  {
    ...{ id: 'words', what: 'search by fresh words', goals: { [LARGE]: { atMost: 55 } } },
    search: (client, n) => client.searchText(freshWords(`searches ${process.pid}`, n)),
  },
  {
    ...{ id: 'words-repeated', what: 'search by repeated words' },
    search: (client, n) => client.searchText(freshWords('repeated', n % 6)),
  },
  {
    ...{ id: 'words-once', what: 'search by fresh words, `second_look: false`' },
    search: (client, n) =>
      client.search('text', { query: freshWords(`once ${process.pid}`, n), second_look: false }),
    against: { id: 'words', what: 'with the second look' },
  },
  {
    ...{ id: 'words-named', what: 'search by the name of a product' },
    search: (client, n, products) => client.searchText(`product ${spread(n, products)}`),
  },
  {
    ...{ id: 'batch', what: `batch of ${BATCH} searches by fresh words` },
    search: (client, n) =>
      client.search('batch', {
        queries: Array.from({ length: BATCH }, (_, one) => ({
          ...{ type: 'text', query: freshWords(`batch ${process.pid}`, BATCH * n + one) },
        })),
      }),
    against: { id: 'words', what: 'one of them', goals: { [LARGE]: { atMost: 8 } } },
  },
  {
    ...{ id: 'picture', what: 'search by picture' },
    search: (client, n, _products, pictures) => client.searchLike({ image: pictures[n % pictures.length] }),
  },
  {
    ...{ id: 'hybrid', what: 'search by picture and words' },
    search: (client, n, _products, pictures) =>
      client.search('hybrid', {
        ...{ image: pictures[n % pictures.length], query: freshWords(`hybrid ${process.pid}`, n) },
      }),
  },
  like('like', '', () => ({})),
  {
    ...like('like-once', '`second_look: false`', () => ({ second_look: false })),
    against: { id: 'like', what: 'with the second look' },
  },
  like('exact', '`exact: true`', () => ({ exact: true })),
  {
    ...like('category', 'one category of 20', (n) => ({ category: `category ${n % 20}` })),
    against: { id: 'like', what: 'without a filter', goals: { [LARGE]: { atMost: 0.6 } } },
  },
  {
    ...like('price', '30 % by price', (n) => ({ price_max: 29 + (n % 2) / 2 })),
    against: { id: 'like', what: 'without a filter' },
  },
  {
    ...like('name', 'a new filter by name', (n, products) =>
      filter('name', 'eq', `Product ${spread(n, products)}`),
    ),
    goals: { [LARGE]: { atMost: 20 } },
    against: { id: 'like', what: 'without a filter' },
  },
  {
    ...like('everything', 'a new filter that everything passes', (n) => filter('price', 'ne', 1_000 + n)),
    against: { id: 'like', what: 'without a filter' },
  },
  like('facets', 'with facets', () => ({ facets: ['category', 'brand'] })),
]

const row = (id: string, what: string, unit: Row['unit'], more: Partial<Row>): Row => ({
  ...{ id: `searches-${id}`, what, unit, against: '', isFolded: true },
  ...more,
})

const ROWS: readonly Row[] = [
  ...KINDS.flatMap(({ id, what, goals, against }) => [
    row(id, what, 'CPU ms', goals ? { goals } : {}),
    ...(against
      ? [
          row(`${id}-ratio`, what, 'ratio', {
            against: `${against.what}, by CPU`,
            ...(against.goals && { goals: against.goals }),
          }),
        ]
      : []),
  ]),
  row('words-limit', 'search by fresh words', 'ratio', { against: `${LIMIT}, by CPU` }),
  ...KINDS.map(({ id, what }) =>
    row(`${id}-wait`, `what the loop runs of the longest wait for \`/health\` beside: ${what}`, 'CPU ms', {
      goals: { 50000: { atMost: 50 }, 200000: { atMost: 50 }, [LARGE]: { atMost: 50 } },
    }),
  ),
]

/** What one service spent on one kind. */
interface Taken {
  cpu: CpuTime
  searches: number
  pings: Pings
}

interface Runner {
  name: string
  service: MeasuredService
  client: Client
  taken: Map<string, Taken>
}

export const searches: Bench = {
  name: 'searches',
  rows: ROWS,
  minutes: { quick: 1.5, full: 8 },
  async run(options, report) {
    using stock = openStock(options)
    const photographs = await drawPhotographs(PHOTOGRAPHS)
    const pictures = photographs.map((bytes) => Buffer.from(bytes).toString('base64'))
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-limit-'))
    try {
      const limit = compileLimit(folder)
      for (const products of options.products) {
        await using running = new AsyncDisposableStack()
        const runners: Runner[] = []
        for (const contestant of options.contestants) {
          const { credentials, start } = await stock.fill(contestant, products)
          const service = running.use(await start())
          const client = await service.signIn(credentials)
          runners.push({ name: contestant.name, service, client, taken: new Map() })
        }
        const control = running.use(await startControl())
        const limits = [limit?.(products)]
        for (const kind of KINDS) await measureKind(kind, { runners, control, products, pictures, options })
        limits.push(limit?.(products))
        const limitMs = Math.min(...limits.map((times) => (times?.cpu ?? Number.NaN) / 1_000))
        for (const runner of runners) reportRunner(runner, products, limitMs, report)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Counts on over all kinds and sizes, so that what is fresh stays fresh. */
let serial = 0

async function measureKind(
  { id, search }: Kind,
  {
    runners,
    control,
    products,
    pictures,
    options,
  }: {
    runners: readonly Runner[]
    control: Served
    products: number
    pictures: readonly string[]
    options: Options
  },
): Promise<void> {
  // Of several contestants each goes first once.
  const turns = runners.length === 1 ? [0] : [0, 1]
  const bound: Bound = {
    rounds: Math.ceil((options.rounds ?? ROUNDS_DEFAULT) / turns.length),
    seconds: options.rowSeconds / turns.length,
  }
  const repeat = async ({ client }: Runner, within: Bound) => {
    let count = 0
    for (const _ of roundsWithin(within)) {
      await search(client, serial++, products, pictures)
      count++
    }
    return count
  }
  for (const runner of runners) await repeat(runner, warmUp(bound))
  for (const turn of turns) {
    for (const k of inTurns(runners.length, turn)) {
      const runner = runners[k] as Runner
      const { service, taken } = runner
      const into = taken.get(id) ?? { cpu: NO_CPU, searches: 0, pings: noPings() }
      taken.set(id, into)
      await addWaits(into.pings, service, control, async () => {
        const before = readCpu(service.pid)
        into.searches += await repeat(runner, bound)
        into.cpu = addCpu(into.cpu, cpuPer(1, before, readCpu(service.pid)))
      })
    }
  }
}

function reportRunner(
  { name, taken }: Runner,
  products: number,
  limitMs: number,
  report: (figure: Figure) => void,
): void {
  const say = (row: string, figure: Omit<Figure, 'row' | 'contestant'>) =>
    report({ row: `searches-${row}`, contestant: name, products, ...figure })
  const cpuOf = (id: string) => {
    const { cpu, searches: count } = taken.get(id) as Taken
    return cpuPer(count, NO_CPU, cpu)
  }
  const ratio = (ms: number, to: number) => ({
    value: ms / to,
    note: `${ms.toFixed(2)} to ${to.toFixed(2)} ms`,
  })
  for (const { id, against } of KINDS) {
    const cpu = cpuOf(id)
    say(id, { value: sumCpu(cpu), cpu })
    if (against) say(`${id}-ratio`, ratio(sumCpu(cpu), sumCpu(cpuOf(against.id))))
    say(`${id}-wait`, describeWaits((taken.get(id) as Taken).pings, 1))
  }
  say('words-limit', ratio(sumCpu(cpuOf('words')), limitMs))
}

if (import.meta.main) await runAlone(searches)
