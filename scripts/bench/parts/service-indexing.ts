import { startApart } from './apart.ts'
import { type Bare, measureLimit } from './bare.ts'
import type { Figure, Row } from './bench.ts'
import { addCpu, type CpuTime, cpuPer, NO_CPU, readCpu } from './cpu.ts'
import type { Options } from './options.ts'
import type { Pings } from './ping-entry.ts'
import type { Client, MeasuredService, Served } from './process.ts'
import { roundsWithin } from './rounds.ts'
import type { SearchJob } from './search-entry.ts'
import { inTurns, median, quantile } from './statistics.ts'
import type { Stock } from './stock.ts'
import { addWaits, describeWaits, noPings, startControl } from './waits.ts'

export const INDEXING_ROWS: readonly Row[] = [
  {
    id: 'indexing',
    what: 'indexing by upload, 8 at a time',
    against: '1 / (decoding + inference), all cores',
    unit: 'ratio',
    goal: { atLeast: 0.85 },
  },
  {
    id: 'search-while-indexing',
    what: 'p95 of searches while indexing',
    against: 'idle',
    unit: 'ratio',
    goal: { atMost: 2 },
  },
  {
    id: 'loop-p99',
    what: 'what the loop runs of a wait for `/health` while indexing, p99',
    against: '',
    unit: 'CPU ms',
    goal: { atMost: 20 },
  },
  {
    id: 'loop-longest',
    what: 'the same, longest',
    against: '',
    unit: 'CPU ms',
    goal: { atMost: 20 },
  },
  {
    id: 'loop-bodies',
    what: 'the same while 12 MB of JSON arrive, longest',
    against: '',
    unit: 'CPU ms',
    goal: { atMost: 20 },
  },
]

const PRODUCTS = 1_000
const LANES = 8
/** Searches of all rounds, idle and again while indexing. */
const SEARCHES = 1_000
const PAUSE_MS = 10
const BODY_BYTES = 9_000_000
const BODIES = 8

interface Runner {
  name: string
  service: MeasuredService
  client: Client
  /** A value for each round. */
  shares: number[]
  rates: number[]
  cpu: CpuTime
  indexed: number
  idle: number[]
  busy: number[]
  pings: Pings
  bodyPings: Pings
}

/** Compares uploads with the bare model, and what others notice of them with an idle service. Rounds alternate. */
export async function measureIndexing(
  options: Options,
  { stock, bare, pictures }: { stock: Stock; bare: Bare; pictures: readonly Uint8Array[] },
  report: (figure: Figure) => void,
): Promise<void> {
  const rounds = options.rounds === undefined ? 5 : Math.min(options.rounds, 20)
  const seconds = options.rowSeconds * INDEXING_ROWS.length * 4
  await using running = new AsyncDisposableStack()
  const runners: Runner[] = []
  for (const contestant of options.contestants) {
    const { credentials, start } = await stock.fill(contestant, PRODUCTS)
    const service = running.use(await start())
    const client = await service.signIn(credentials)
    runners.push({ name: contestant.name, service, client, ...nothingYet() })
  }
  const control = running.use(await startControl())
  const limits: { rate: number; cpuMs: number }[] = []
  // The first round warms up.
  for (const round of roundsWithin({ rounds: rounds + 1, seconds })) {
    const limit = await measureLimit(bare, pictures)
    if (round > 0) limits.push(limit)
    for (const k of inTurns(runners.length, round)) {
      const runner = runners[k] as Runner
      const into = round > 0 ? runner : { ...runner, ...nothingYet() }
      await measureRound(into, limit.rate, pictures, control, Math.ceil(SEARCHES / rounds))
    }
  }
  const bareMs = median(limits.map(({ cpuMs }) => cpuMs))
  for (const runner of runners) reportRunner(runner, median(limits.map(({ rate }) => rate)), bareMs, report)
}

const nothingYet = () => ({
  shares: [],
  rates: [],
  cpu: NO_CPU,
  indexed: 0,
  idle: [],
  busy: [],
  pings: noPings(),
  bodyPings: noPings(),
})

async function measureRound(
  runner: Runner,
  limit: number,
  pictures: readonly Uint8Array[],
  control: Served,
  searches: number,
): Promise<void> {
  const { service, client } = runner
  runner.idle.push(...(await (await startSearching(runner, searches)).result))

  const before = readCpu(service.pid)
  const begin = performance.now()
  await indexAll(client, pictures)
  const rate = (pictures.length / (performance.now() - begin)) * 1_000
  runner.rates.push(rate)
  runner.shares.push(rate / limit)
  runner.cpu = addCpu(runner.cpu, cpuPer(1, before, readCpu(service.pid)))
  runner.indexed += pictures.length

  const searching = await startSearching(runner, searches)
  const told = new AbortController()
  const uploads = indexUntil(client, pictures, told.signal)
  runner.busy.push(...(await searching.result))
  told.abort()
  await uploads

  await addWaits(runner.pings, service, control, () => indexAll(client, pictures))
  await addWaits(runner.bodyPings, service, control, async () => {
    for (let n = 0; n < BODIES; n++) await client.searchBase64(padded(pictures[n] as Uint8Array))
  })
}

/** Numbers all clients and pictures of this process, so that none is like an earlier one. */
let serial = 0

function startSearching({ service, client }: Runner, count: number) {
  const job: SearchJob = {
    address: service.address,
    token: client.token,
    count,
    pauseMs: PAUSE_MS,
    name: `client ${process.pid} ${serial++}`,
  }
  return startApart<SearchJob, number[]>('search-entry.ts', job)
}

/** Uploads every picture once, as a product of its own. */
async function indexAll(client: Client, pictures: readonly Uint8Array[]): Promise<void> {
  let next = 0
  await inLanes(async () => {
    for (let n = next++; n < pictures.length; n = next++) await index(client, pictures, n)
  })
}

async function indexUntil(client: Client, pictures: readonly Uint8Array[], told: AbortSignal): Promise<void> {
  await inLanes(async (lane) => {
    for (let n = lane; !told.aborted; n += LANES) await index(client, pictures, n)
  })
}

const inLanes = (work: (lane: number) => Promise<void>) =>
  Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane)))

/** Some bytes more at the end: new content for the service, the same work for the model. */
function index(client: Client, pictures: readonly Uint8Array[], n: number): Promise<unknown> {
  const mark = Buffer.alloc(8)
  mark.writeUInt32LE(process.pid)
  mark.writeUInt32LE(serial++, 4)
  return client.index(
    `photo-${n % pictures.length}`,
    Buffer.concat([pictures[n % pictures.length] as Uint8Array, mark]),
  )
}

const padded = (picture: Uint8Array): Uint8Array =>
  Buffer.concat([picture, Buffer.alloc(BODY_BYTES - picture.length)])

function reportRunner(
  { name, shares, rates, cpu, indexed, idle, busy, pings, bodyPings }: Runner,
  limit: number,
  bareMs: number,
  report: (figure: Figure) => void,
): void {
  report({
    row: 'indexing',
    contestant: name,
    value: median(shares),
    cpu: cpuPer(indexed, NO_CPU, cpu),
    note: `${median(rates).toFixed(0)} to ${limit.toFixed(0)} a second, CPU of the bare parts ${bareMs.toFixed(1)}`,
  })
  const p95 = { idle: quantile(idle, 0.95), busy: quantile(busy, 0.95) }
  report({
    row: 'search-while-indexing',
    contestant: name,
    value: p95.busy / p95.idle,
    note: `${p95.busy.toFixed(1)} to ${p95.idle.toFixed(1)} ms, ${busy.length} searches`,
  })
  const reportWaits = (row: string, of: Pings, q: number) =>
    report({ row, contestant: name, ...describeWaits(of, q) })
  reportWaits('loop-p99', pings, 0.99)
  reportWaits('loop-longest', pings, 1)
  reportWaits('loop-bodies', bodyPings, 1)
}
