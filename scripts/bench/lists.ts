/**
 * Measures whether a page of `GET /v1/products` and a new product cost the same in a large store as in a small one.
 *
 *     bun scripts/bench/lists.ts [--products 5000,50000] [--rounds N] [--executable old/lookalike --executable dist/lookalike]
 *
 * The new products have a picture that the store knows, so that no model runs. Sizes and executables take turns, in each
 * round the other way round. The figures are CPU milliseconds of the service, which depend less on what else the machine does; the
 * medians by the clock stand beside them.
 */
import '../model/silent.ts'
import { time } from './parts/bare.ts'
import type { Bench, Row } from './parts/bench.ts'
import { addCpu, type CpuTime, cpuPer, NO_CPU, readCpu, sumCpu } from './parts/cpu.ts'
import { drawPhotographs } from './parts/photographs.ts'
import type { Client } from './parts/process.ts'
import { type Bound, roundsWithin } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { inTurns, median } from './parts/statistics.ts'
import { openStock } from './parts/stock.ts'

/** Calls of one kind in a row; the system counts CPU time in hundredths of a second. */
const IN_A_ROW = 20
const ROUNDS_DEFAULT = 10

interface Work {
  id: string
  what: string
  call(client: Client, picture: Uint8Array, serial: string): Promise<unknown>
}

const page = (id: string, what: string, query: string): Work => ({
  id: `page-${id}`,
  what: `a page of 20 products, ${what}`,
  call: (client) => client.list(`limit=20&${query}`),
})

const PAGES: readonly Work[] = [
  page('newest', 'newest first', 'sort=newest'),
  page('name', 'by name', 'sort=name'),
  page('price', 'by price', 'sort=price_desc'),
  page('category', 'a category by price', 'category=category+3&sort=price_desc'),
  page('brand', 'a brand by name', 'brand=acme&sort=name'),
  page('rare', 'rare words', 'q=product+1234'),
  page('common', 'common words', 'q=product'),
]
const WRITE: Work = {
  id: 'new-product',
  what: 'a new product with a known picture',
  call: (client, picture, serial) => client.index(`new-${serial}`, picture),
}
const WORKS = [...PAGES, WRITE]

/** CPU times of two runs differ by so much on a busy machine. */
const FLAT = 1.3

const growth = ({ id, what }: Pick<Work, 'id' | 'what'>): Row => ({
  id: `${id}-growth`,
  what,
  against: 'itself in the smallest store, by CPU',
  unit: 'ratio',
  goal: { atMost: FLAT },
})
const SLOWEST_GROWTH = growth({ id: 'page', what: 'the page that grows most' })

/** What the calls of one kind took. */
interface Taken {
  times: number[]
  cpu: CpuTime
}

export const lists: Bench = {
  name: 'lists',
  rows: [
    ...PAGES.map(
      ({ id, what }): Row => ({
        ...{ id, what, against: '', unit: 'CPU ms', goal: { atMost: 3 }, isFolded: true },
      }),
    ),
    { id: WRITE.id, what: WRITE.what, against: '', unit: 'CPU ms', isFolded: true },
    SLOWEST_GROWTH,
    growth(WRITE),
  ],
  minutes: { quick: 0.5, full: 3 },
  async run(options, report) {
    using stock = openStock(options)
    await using running = new AsyncDisposableStack()
    const [picture = new Uint8Array()] = await drawPhotographs(1)
    const shops = []
    for (const products of options.products) {
      for (const contestant of options.contestants) {
        const { credentials, start } = await stock.fill(contestant, products)
        const service = running.use(await start())
        const client = await service.signIn(credentials)
        // A run before may have left it there, or not.
        await client.index('known', picture)
        const taken = WORKS.map((): Taken => ({ times: [], cpu: NO_CPU }))
        shops.push({ products, name: contestant.name, service, client, taken })
      }
    }
    const bound: Bound = {
      rounds: (options.rounds ?? ROUNDS_DEFAULT) + 1,
      seconds: options.rowSeconds * WORKS.length,
    }
    let serial = 0
    // The first round warms up.
    for (const round of roundsWithin(bound)) {
      for (const [w, work] of WORKS.entries()) {
        for (const k of inTurns(shops.length, round)) {
          const { service, client, taken } = shops[k] as (typeof shops)[number]
          const into = taken[w] as Taken
          const before = readCpu(service.pid)
          for (let n = 0; n < IN_A_ROW; n++) {
            const ms = await time(() => work.call(client, picture, `${Date.now()}-${serial++}`))
            if (round > 0) into.times.push(ms)
          }
          if (round > 0) into.cpu = addCpu(into.cpu, cpuPer(1, before, readCpu(service.pid)))
        }
      }
    }
    for (const { products, name, taken } of shops) {
      for (const [w, { id }] of WORKS.entries()) {
        const { times, cpu } = taken[w] as Taken
        const each = cpuPer(times.length, NO_CPU, cpu)
        report({
          ...{ row: id, contestant: name, products, value: sumCpu(each), cpu: each },
          note: `${median(times).toFixed(2)} by the clock`,
        })
      }
    }
    for (const { name } of options.contestants) {
      const own = shops.filter((shop) => shop.name === name)
      const [small, large] = [own[0], own.at(-1)]
      if (!small || !large || small === large) continue
      const ratios = WORKS.map(({ what }, w) => ({
        what,
        value: (large.taken[w]?.cpu.main ?? Number.NaN) / (small.taken[w]?.cpu.main ?? Number.NaN),
      }))
      const sizes = `${small.products.toLocaleString('en-US')} to ${large.products.toLocaleString('en-US')} products`
      const most = ratios.slice(0, PAGES.length).reduce((a, b) => (b.value > a.value ? b : a))
      report({
        ...{ row: SLOWEST_GROWTH.id, contestant: name, value: most.value },
        note: `${most.what.replace(/^.*, /, '')}, ${sizes}`,
      })
      report({
        ...{ row: growth(WRITE).id, contestant: name, value: ratios.at(-1)?.value ?? Number.NaN },
        note: sizes,
      })
    }
  },
}

if (import.meta.main) await runAlone(lists)
