/**
 * Measures whether a page of `GET /v1/products` and a new product cost the same in a large store as in a small one.
 *
 *     bun scripts/bench/lists.ts [--products 5000,50000] [--rounds N] [--executable dist/lookalike]
 *
 * The new products have a picture that the store knows, so that no model runs. Beside each median stand the CPU
 * milliseconds of the main process, which depend less on what else the machine does.
 */
import '../model/silent.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawPhotographs } from './parts/photographs.ts'
import { type Client, startMeasuredService } from './parts/process.ts'
import { seedStore } from './parts/seed.ts'
import { median, printTable } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: { products: { type: 'string' }, rounds: { type: 'string' }, executable: { type: 'string' } },
})
const sizes = (flags.products ?? '5000,50000').split(',').map(Number)
const rounds = Number(flags.rounds ?? 100)
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')
const [picture] = await drawPhotographs(1)

/** Linux counts the time of a process in hundredths of a second. */
const TICK_MS = 10

const WORK: Record<string, (client: Client, n: number) => Promise<unknown>> = {
  newest: (client) => client.list('limit=20'),
  'by name': (client) => client.list('sort=name'),
  'by price': (client) => client.list('sort=price_desc'),
  'a category by price': (client) => client.list('category=category+3&sort=price_desc'),
  'a brand by name': (client) => client.list('brand=acme&sort=name'),
  'rare words': (client) => client.list('q=product+1234'),
  'common words': (client) => client.list('q=product'),
  'a new product': (client, n) => client.index(`new-${n}`, picture as Uint8Array),
}

const rows = Object.keys(WORK).map((name) => [name])
for (const products of sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  try {
    const credentials = await seedStore(folder, modelDir, products)
    await using service = await startMeasuredService(folder, flags.executable)
    const client = await service.signIn(credentials)
    for (const row of rows) {
      const work = WORK[row[0] as string] as (typeof WORK)[string]
      for (let n = 0; n < 5; n++) await work(client, -n)
      const times: number[] = []
      const before = cpuMs(service.pid)
      for (let n = 1; n <= rounds; n++) {
        const begin = performance.now()
        await work(client, n)
        times.push(performance.now() - begin)
      }
      row.push(median(times).toFixed(2), ((cpuMs(service.pid) - before) / rounds).toFixed(2))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`${rounds} rounds, medians; a page is 20 products (goal: 3 ms and flat)`)
printTable([['', ...sizes.flatMap((products) => [`${products}: ms`, 'CPU ms'])], ...rows])

/** CPU time of a process so far, its children's aside. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
