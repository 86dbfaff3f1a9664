/**
 * Measures what a service costs that nobody asks for anything.
 *
 *     bun scripts/bench/idle.ts [--seconds 60] [--executable old/lookalike --executable dist/lookalike]
 *
 * * processor time a minute, and how often its threads wake up, of the main process and of the children;
 * * the memory of all processes of an install of 1,000 stores of 50 products; pages that several share count once.
 *
 * All services rest at the same time. The kernel counts, so a busy machine changes little. Linux only.
 */
import type { Bench, Row } from './parts/bench.ts'
import { type Count, readWork, workBetween } from './parts/idle.ts'
import { readTreePss } from './parts/memory.ts'
import { runAlone } from './parts/run.ts'
import { EACH, MANY_STORES, openStock } from './parts/stock.ts'

const SECONDS_DEFAULT = 60
/** What a start leaves to be done is done by then. */
const SETTLE_MS = 15_000
const PRODUCTS = 5_000
/** Less than three in a minute is none. */
const NO_WAKEUPS = 0.05

const row = (id: string, what: string, unit: Row['unit'], atMost: number): Row => ({
  ...{ id: `idle-${id}`, what, against: '', unit, goal: { atMost } },
})

export const idle: Bench = {
  name: 'idle',
  rows: [
    row('cpu', 'a minute without requests, main process', 'CPU ms', 80),
    row('wakeups', 'wakeups without requests, main process', 'a second', 5),
    row('children-cpu', 'a minute without requests, children', 'CPU ms', 1),
    row('children-wakeups', 'wakeups without requests, children', 'a second', NO_WAKEUPS),
    row(
      'stores-memory',
      `idle memory of ${MANY_STORES.stores.toLocaleString('en-US')} stores of ${EACH} products`,
      'MB',
      300,
    ),
  ],
  minutes: { quick: 1.75, full: 1.75 },
  flags: ['seconds'],
  async run(options, report) {
    using stock = openStock(options)
    await using running = new AsyncDisposableStack()
    const installs = []
    for (const contestant of options.contestants) {
      const one = await stock.fill(contestant, PRODUCTS)
      const many = await stock.fill(contestant, MANY_STORES.stores * EACH, MANY_STORES)
      installs.push({ name: contestant.name, one, many })
    }
    const services = []
    for (const { name, one, many } of installs) {
      services.push({
        name,
        one: running.use(await one.start()),
        many: running.use(await many.start()),
      })
    }
    await Bun.sleep(SETTLE_MS)
    const begin = performance.now()
    const before = services.map(({ one }) => readWork(one.pid))
    await Bun.sleep(Number(options.own['seconds'] ?? SECONDS_DEFAULT) * 1_000)
    const after = services.map(({ one }) => readWork(one.pid))
    const seconds = (performance.now() - begin) / 1_000
    for (const [k, { name: contestant, many }] of services.entries()) {
      const say = (id: string, value: number) => report({ row: `idle-${id}`, contestant, value })
      const [earlier, later] = [before[k], after[k]]
      if (!earlier || !later) throw new Error('A service was not watched')
      const sayWork = (prefix: string, { cpuMs, waits }: Count) => {
        say(`${prefix}cpu`, (cpuMs * 60) / seconds)
        say(`${prefix}wakeups`, waits / seconds)
      }
      sayWork('', workBetween(earlier.main, later.main))
      sayWork('children-', workBetween(earlier.children, later.children))
      say('stores-memory', readTreePss(many.pid) / 1e6)
    }
  },
}

if (import.meta.main) await runAlone(idle)
