import { type Bare, createBareScan, time } from './bare.ts'
import type { Figure, Row } from './bench.ts'
import { cpuPer, NO_CPU, readCpu } from './cpu.ts'
import type { Options } from './options.ts'
import type { Client, MeasuredService } from './process.ts'
import { inTurns, median } from './statistics.ts'
import type { Stock } from './stock.ts'
import { freshWords } from './words.ts'

export const SEARCH_ROWS: readonly Row[] = [
  {
    id: 'search-words',
    what: 'search by fresh words',
    against: 'text inference + bare scan',
    unit: 'ratio',
    goals: { 50000: { atMost: 1.5 } },
  },
  {
    id: 'search-picture',
    what: 'search by picture',
    against: 'decoding + inference + bare scan',
    unit: 'ratio',
  },
]

interface Runner {
  name: string
  service: MeasuredService
  client: Client
}

/** Compares searches with their bare parts; all take turns, and medians are compared. */
export async function measureSearches(
  options: Options,
  { stock, bare, pictures }: { stock: Stock; bare: Bare; pictures: readonly Uint8Array[] },
  report: (figure: Figure) => void,
): Promise<void> {
  const rounds = options.rounds ?? 100
  const picture = (n: number) => pictures[n % pictures.length] as Uint8Array
  for (const products of options.products) {
    await using running = new AsyncDisposableStack()
    const runners: Runner[] = []
    for (const contestant of options.contestants) {
      const { credentials, start } = await stock.fill(contestant, products)
      const service = running.use(await start())
      runners.push({ name: contestant.name, service, client: await service.signIn(credentials) })
    }
    const scan = createBareScan(products)
    const works = {
      'search-words': {
        bare: async (n: number) => scan(await bare.words(freshWords('bare', n))),
        service: (client: Client, n: number) => client.searchText(freshWords('round', n)),
      },
      'search-picture': {
        bare: async (n: number) => scan((await bare.vision([await bare.decode(picture(n))]))[0]),
        service: (client: Client, n: number) => client.searchPicture(picture(n)),
      },
    }
    for (const [row, work] of Object.entries(works)) {
      const limit = { times: [] as number[], cpuMs: 0 }
      const times = runners.map((): number[] => [])
      let before = runners.map(({ service }) => readCpu(service.pid))
      for (let n = 0; n < 2 * rounds; n++) {
        // The first half warms up.
        if (n === rounds) before = runners.map(({ service }) => readCpu(service.pid))
        const cpu = process.cpuUsage()
        const ms = await time(() => work.bare(n))
        const { user, system } = process.cpuUsage(cpu)
        if (n >= rounds) {
          limit.times.push(ms)
          limit.cpuMs += (user + system) / 1_000 / rounds
        }
        for (const k of inTurns(runners.length, n)) {
          const taken = await time(() => work.service((runners[k] as Runner).client, n))
          if (n >= rounds) times[k]?.push(taken)
        }
      }
      for (const [k, { name, service }] of runners.entries()) {
        const [ms, bareMs] = [median(times[k] ?? []), median(limit.times)]
        report({
          row,
          contestant: name,
          products,
          value: ms / bareMs,
          cpu: cpuPer(rounds, before[k] ?? NO_CPU, readCpu(service.pid)),
          note: `${ms.toFixed(2)} to ${bareMs.toFixed(2)} ms, CPU of the bare parts ${limit.cpuMs.toFixed(2)}`,
        })
      }
    }
  }
}
