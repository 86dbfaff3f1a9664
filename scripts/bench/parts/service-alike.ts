import { time } from './bare.ts'
import type { Figure, Row } from './bench.ts'
import { addCpu, cpuPer, NO_CPU, readCpu, sumCpu } from './cpu.ts'
import type { Options } from './options.ts'
import type { Client, MeasuredService } from './process.ts'
import { roundsWithin, warmUp } from './rounds.ts'
import { inTurns, median } from './statistics.ts'
import type { Stock } from './stock.ts'

const KIND = 1_000
const ROUNDS_DEFAULT = 100
/** Searches in a row; the system counts CPU time in hundredths of a second. */
const IN_A_ROW = 10
/** Two stores of more need more disk and memory than they are worth. */
const PRODUCTS_MAX = 200_000

export const ALIKE_ROWS: readonly Row[] = [
  {
    id: 'search-alike',
    what: `search by a product with ${(KIND - 1).toLocaleString('en-US')} near duplicates`,
    against: 'by a product without, by CPU',
    unit: 'ratio',
  },
  {
    id: 'search-deep',
    what: 'search by a product with `cutoff: "auto"`',
    against: 'without, by CPU',
    unit: 'ratio',
  },
]

interface Runner {
  contestant: string
  /** The store whose products come in kinds, and the one where none is like another. */
  alike: Running
  unlike: Running
}

interface Running {
  service: MeasuredService
  client: Client
}

/** Compares searches that are hard to rank with plain ones. They need no model: the query is a product of the store. */
export async function measureAlike(
  options: Options,
  stock: Stock,
  report: (figure: Figure) => void,
): Promise<void> {
  const rounds = Math.max(1, Math.ceil((options.rounds ?? ROUNDS_DEFAULT) / IN_A_ROW))
  const bound = { rounds, seconds: options.rowSeconds * ALIKE_ROWS.length }
  const sizes = options.products.filter((count) => count >= 2 * KIND && count <= PRODUCTS_MAX)
  for (const products of sizes) {
    await using running = new AsyncDisposableStack()
    const open = async (contestant: Options['contestants'][0], kinds: number): Promise<Running> => {
      const { credentials, start } = await stock.fill(contestant, products, { kinds })
      const service = running.use(await start())
      return { service, client: await service.signIn(credentials) }
    }
    const runners: Runner[] = []
    for (const contestant of options.contestants) {
      runners.push({
        contestant: contestant.name,
        alike: await open(contestant, Math.floor(products / KIND)),
        unlike: await open(contestant, 0),
      })
    }
    const works = runners.flatMap(({ contestant, alike, unlike }) => [
      { contestant, row: '', ...unlike, more: {} },
      { contestant, row: 'search-alike', ...alike, more: {} },
      { contestant, row: 'search-deep', ...unlike, more: { cutoff: 'auto' } },
    ])
    const times = works.map((): number[] => [])
    const cpus = works.map(() => NO_CPU)
    const measure = async (round: number, isCounted: boolean) => {
      for (const k of inTurns(works.length, round)) {
        const { service, client, more } = works[k] as (typeof works)[number]
        const before = readCpu(service.pid)
        for (let n = 0; n < IN_A_ROW; n++) {
          const product_id = `sku-${1 + ((7_919 * (IN_A_ROW * round + n)) % products)}`
          const ms = await time(() => client.searchLike({ product_id, ...more }))
          if (isCounted) times[k]?.push(ms)
        }
        const after = readCpu(service.pid)
        if (isCounted) cpus[k] = addCpu(cpus[k] ?? NO_CPU, cpuPer(1, before, after))
      }
    }
    for (const round of roundsWithin(warmUp(bound))) await measure(rounds + round, false)
    for (const round of roundsWithin(bound)) await measure(round, true)
    const cpuOf = (k: number) => cpuPer(times[k]?.length ?? 0, NO_CPU, cpus[k] ?? NO_CPU)
    for (const [k, { contestant, row }] of works.entries()) {
      if (row === '') continue
      const plain = works.findIndex((work) => work.contestant === contestant && work.row === '')
      const [ms, plainMs] = [median(times[k] ?? []), median(times[plain] ?? [])]
      const value = sumCpu(cpuOf(k)) / sumCpu(cpuOf(plain))
      report({
        ...{ row, contestant, products, value, cpu: cpuOf(k) },
        note: `by the clock ${ms.toFixed(2)} to ${plainMs.toFixed(2)} ms`,
      })
    }
  }
}
