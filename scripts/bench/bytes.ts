/**
 * Measures the bytes that a quiet shop writes: one operation a second, for a minute.
 *
 *     bun scripts/bench/bytes.ts [--seconds 60] [--executable old/lookalike --executable dist/lookalike]
 *
 * * a search by words that are new; the same with a click on its first result; a new product with a picture that the store has.
 *
 * The kernel counts what the main process hands to it in writes: the write-ahead log, the database and the log, but no sockets.
 * What the service writes later is waited for and counted; what it writes without requests is measured beside it and taken off.
 * Each kind has an install of its own, and all work at the same time. Linux only.
 */
import '../model/silent.ts'
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Row } from './parts/bench.ts'
import { readWrittenBytes } from './parts/idle.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type Client, startMeasuredService } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { openStock } from './parts/stock.ts'
import { freshWords } from './parts/words.ts'

const SECONDS_DEFAULT = 60
const PRODUCTS = 5_000
const SETTLE_MS = 5_000
/** Counts are written half a minute late at the latest. */
const LATE_MS = 35_000

interface Kind {
  row: Row
  work(client: Client, n: number, picture: Uint8Array): Promise<unknown>
}

const kind = (id: string, what: string, atMost: number, work: Kind['work']): Kind => ({
  row: { id: `bytes-${id}`, what, against: '', unit: 'KiB', goal: { atMost } },
  work,
})

const search = async (client: Client, n: number) =>
  (await client.searchText(freshWords(`bytes ${process.pid}`, n))) as {
    search_id: string
    results: { product_id: string }[]
  }

const KINDS: readonly Kind[] = [
  kind('search', 'written by a search in a quiet shop', 25, search),
  kind('click', 'written by a search with a click', 40, async (client, n) => {
    const { search_id, results } = await search(client, n)
    const result_product_id = results[0]?.product_id
    await client.search('feedback', { search_id, result_product_id, action: 'click' })
  }),
  kind('product', 'written by a new product with a known picture', 90, (client, n, picture) =>
    client.index(`bytes-${process.pid}-${n}`, picture),
  ),
]

export const bytes: Bench = {
  name: 'bytes',
  rows: KINDS.map(({ row }) => row),
  minutes: { quick: 1.75, full: 1.75 },
  flags: ['seconds'],
  async run(options, report) {
    using stock = openStock(options)
    await using running = new AsyncDisposableStack()
    const [picture = new Uint8Array()] = await drawPhotographs(1)
    const count = Number(options.own['seconds'] ?? SECONDS_DEFAULT)
    const measureOne = async (contestant: (typeof options.contestants)[number], work?: Kind['work']) => {
      const { folder, credentials, settings } = await stock.fill(contestant, PRODUCTS)
      const own = join(mkdtempSync(join(stock.root, 'bytes-')), 'data')
      cpSync(folder, own, { recursive: true })
      const service = running.use(await startMeasuredService(own, contestant.executable, settings))
      const client = await service.signIn(credentials)
      if (work) await client.index('known', picture)
      await work?.(client, -1, picture)
      return { service, client, work }
    }
    for (const contestant of options.contestants) {
      // The last one is asked for nothing.
      const subjects = []
      for (const work of [...KINDS.map((each) => each.work), undefined])
        subjects.push(await measureOne(contestant, work))
      await Bun.sleep(SETTLE_MS)
      const before = subjects.map(({ service }) => readWrittenBytes(service.pid))
      const begin = performance.now()
      for (let n = 0; n < count; n++) {
        await Promise.all(subjects.map(({ client, work }) => work?.(client, n, picture)))
        await Bun.sleep(begin + (n + 1) * 1_000 - performance.now())
      }
      await Bun.sleep(LATE_MS)
      const written = subjects.map(({ service }, k) => readWrittenBytes(service.pid) - (before[k] ?? 0))
      const rest = written.at(-1) ?? 0
      for (const [k, { row }] of KINDS.entries()) {
        const value = ((written[k] ?? Number.NaN) - rest) / count / 1_024
        report({ row: row.id, contestant: contestant.name, value, note: `${count} of them` })
      }
      for (const { service } of subjects) await service[Symbol.asyncDispose]()
    }
  },
}

if (import.meta.main) await runAlone(bytes)
