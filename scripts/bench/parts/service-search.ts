import { type Bare, createBareScan, time } from './bare.ts'
import type { Figure, Row } from './bench.ts'
import { cpuPer, NO_CPU, readCpu, sumCpu } from './cpu.ts'
import type { Options } from './options.ts'
import type { Client, MeasuredService } from './process.ts'
import { roundsWithin, warmUp } from './rounds.ts'
import { inTurns, median, quantile } from './statistics.ts'
import type { Stock } from './stock.ts'
import { freshWords } from './words.ts'

const row = (id: string, what: string, against: string, atMost: number): Row => ({
  ...{ id, what, against: `${against}, by CPU`, unit: 'ratio', goals: { 50000: { atMost } } },
})

/** The bare parts of more need more memory than they are worth: `searches.ts` measures larger stores. */
const PRODUCTS_MAX = 200_000

export const SEARCH_ROWS: readonly Row[] = [
  {
    ...row('search-words', 'search by fresh words', 'text inference + bare scan', 1.5),
    goals: { 5000: { atMost: 2 }, 50000: { atMost: 1.5 } },
  },
  row('search-words-common', 'search by words that many products have', 'text inference + bare scan', 3),
  row('search-filtered', 'search by words with a filter, 30 %', 'text inference + bare scan', 1.5),
  row('search-picture', 'search by picture', 'decoding + inference + bare scan', 1.5),
  row('search-crop', 'search by a crop', 'decoding + inference + bare scan', 1.5),
  row('search-hybrid', 'search by picture and words', 'both inferences + decoding + two bare scans', 1.5),
  row('search-images', 'search by two pictures', 'twice decoding + inference + bare scan', 1.5),
  row('search-batch', 'batch of four searches by words', 'four times text inference + bare scan', 1.5),
]

const CROP = { x: 0.2, y: 0.2, width: 0.6, height: 0.6 }

const BATCH = 4

interface Work {
  bare(n: number): Promise<void>
  service(client: Client, n: number): Promise<unknown>
}

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
  const bound = { rounds: options.rounds ?? 100, seconds: options.rowSeconds }
  const picture = (n: number) => pictures[n % pictures.length] as Uint8Array
  for (const products of options.products.filter((count) => count <= PRODUCTS_MAX)) {
    await using running = new AsyncDisposableStack()
    const runners: Runner[] = []
    for (const contestant of options.contestants) {
      const { credentials, start } = await stock.fill(contestant, products)
      const service = running.use(await start())
      runners.push({ name: contestant.name, service, client: await service.signIn(credentials) })
    }
    const scan = createBareScan(products)
    const scanWords = async (n: number, name = 'bare') => scan(await bare.words(freshWords(name, n)))
    const scanPicture = async (n: number, crop?: typeof CROP) => {
      const decoded = await bare.decode(picture(n), crop && { crop: { ...crop, unit: 'relative' } })
      scan((await bare.vision([decoded]))[0])
    }
    const encode = (n: number) => Buffer.from(picture(n)).toString('base64')
    const works: Record<string, Work> = {
      'search-words': {
        bare: scanWords,
        service: (client, n) => client.searchText(freshWords('round', n)),
      },
      'search-words-common': {
        bare: (n) => scanWords(n, 'category'),
        service: (client, n) => client.searchText(`category ${freshWords('common', n)}`),
      },
      'search-filtered': {
        bare: scanWords,
        service: (client, n) => client.search('text', { query: freshWords('filtered', n), price_max: 29 }),
      },
      'search-picture': { bare: scanPicture, service: (client, n) => client.searchPicture(picture(n)) },
      'search-crop': {
        bare: (n) => scanPicture(n, CROP),
        service: (client, n) => client.search('crop', { image: encode(n), crop: CROP }),
      },
      'search-hybrid': {
        bare: async (n) => {
          await scanWords(n)
          await scanPicture(n)
        },
        service: (client, n) => client.search('hybrid', { image: encode(n), query: freshWords('hybrid', n) }),
      },
      'search-images': {
        bare: async (n) => {
          for (const one of [n, n + 1]) await scanPicture(one)
        },
        service: (client, n) =>
          client.search('multi-image', { images: [{ image: encode(n) }, { image: encode(n + 1) }] }),
      },
      'search-batch': {
        bare: async (n) => {
          for (let one = 0; one < BATCH; one++) await scanWords(BATCH * n + one)
        },
        service: (client, n) =>
          client.search('batch', {
            queries: Array.from({ length: BATCH }, (_, one) => ({
              ...{ type: 'text', query: freshWords('batch', BATCH * n + one) },
            })),
          }),
      },
    }
    for (const [row, work] of Object.entries(works)) {
      const limit = { times: [] as number[], cpuMs: 0 }
      const times = runners.map((): number[] => [])
      const serve = (k: number, n: number) => time(() => work.service((runners[k] as Runner).client, n))
      for (const round of roundsWithin(warmUp(bound))) {
        const n = bound.rounds + round
        await work.bare(n)
        for (const k of inTurns(runners.length, n)) await serve(k, n)
      }
      const before = runners.map(({ service }) => readCpu(service.pid))
      for (const n of roundsWithin(bound)) {
        const cpu = process.cpuUsage()
        limit.times.push(await time(() => work.bare(n)))
        const { user, system } = process.cpuUsage(cpu)
        limit.cpuMs += (user + system) / 1_000
        for (const k of inTurns(runners.length, n)) times[k]?.push(await serve(k, n))
      }
      const bareCpuMs = limit.cpuMs / limit.times.length
      const ended = runners.map(({ service }) => readCpu(service.pid))
      for (const [k, { name }] of runners.entries()) {
        const [ms, bareMs] = [median(times[k] ?? []), median(limit.times)]
        const [high, bareHigh] = [quantile(times[k] ?? [], 0.95), quantile(limit.times, 0.95)]
        const cpu = cpuPer(limit.times.length, before[k] ?? NO_CPU, ended[k] ?? NO_CPU)
        report({
          ...{ row, contestant: name, products, value: sumCpu(cpu) / bareCpuMs, cpu },
          note: `CPU of the bare parts ${bareCpuMs.toFixed(2)} ms; by the clock ${(ms / bareMs).toFixed(2)}, ${ms.toFixed(2)} to ${bareMs.toFixed(2)} ms, p95 ${(high / bareHigh).toFixed(2)}`,
        })
      }
    }
  }
}
