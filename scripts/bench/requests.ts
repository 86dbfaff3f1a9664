/**
 * Measures what small requests cost beside a bare `Bun.serve` that answers the same bytes, in the same run.
 *
 *     bun scripts/bench/requests.ts [--products 5000] [--rounds 5] [--seconds 1] [--connections 16]
 *                                   [--log-level info] [--executable old/lookalike] [--executable dist/lookalike]
 *
 * * `GET /health`, `GET /v1/products/{id}` with a token and with an API key, and a path that does not exist;
 * * `POST /v1/search/text` with words that repeat, and with words that no search before had.
 *
 * Each `--executable` is measured on a data folder of its own, by turns with the others; without one, the service runs
 * from the sources. The figures are CPU microseconds of the service and its child processes; beside them stand those of the bare
 * server, and requests a second of both. Linux only. The services log into a file.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, Figure, Row } from './parts/bench.ts'
import { addCpu, type CpuTime, cpuPer, NO_CPU, readCpu, sumCpu } from './parts/cpu.ts'
import { drive, type Load, rawRequest } from './parts/load.ts'
import { type Contestant, MODEL_DIR, type Options } from './parts/options.ts'
import { type Served, startMeasuredService, startServing } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { type Credentials, seedStore } from './parts/seed.ts'
import { median } from './parts/statistics.ts'

/** One kind of request; the n-th request of a run. */
interface Kind {
  /** The id of its row. */
  id: string
  request(n: number): Uint8Array
  /** The status of its answers; 200 by default. */
  status?: number
}

/** What is measured of a kind at one server, a value for each round. */
interface Cost {
  perSecond: number[]
  /** Of all rounds. */
  answered: number
  cpu: CpuTime
}

interface Target {
  name: string
  served: Served
  kinds: Kind[]
  costs: Cost[]
}

const PRODUCT = '/v1/products/sku-7'
const SEARCH = '/v1/search/text'
const MISSING = '/v1/nothing'
const WORDS = ['red mug', 'blue striped shirt', 'wooden chair', 'black backpack', 'table lamp', 'green dress']
/** Counts on over all runs, so that fresh words stay fresh. */
let fresh = 0

const row = (id: string, what: string, more: Partial<Row> = {}): Row => ({
  ...{ id, what, against: '', unit: 'CPU µs' },
  ...more,
})

export const requests: Bench = {
  name: 'requests',
  rows: [
    row('request-health', '`GET /health`', { goal: { atMost: 7.5 } }),
    row('request-product', '`GET` of one product, with a token', { goal: { atMost: 20 } }),
    row('request-product-key', '`GET` of one product, with an API key'),
    row('request-missing', '`GET` of a path that does not exist', { goal: { atMost: 17 } }),
    row('request-search', 'search by repeated words'),
    row('request-search-fresh', 'search by fresh words, several at once'),
  ],
  minutes: { quick: 1.25, full: 1.25 },
  flags: ['seconds', 'connections', 'log-level'],
  run: measureRequests,
}

async function measureRequests(options: Options, report: (figure: Figure) => void): Promise<void> {
  await using running = new AsyncDisposableStack()
  const load = {
    connections: Number(options.own['connections'] ?? 16),
    seconds: Number(options.own['seconds'] ?? 1),
  }
  const services = []
  for (const contestant of options.contestants)
    services.push(
      await openService(running, contestant, options.products[0], options.own['log-level'] ?? 'info'),
    )
  const [first] = services
  if (!first) throw new Error('There is no service to measure')
  const bare = await openBare(running, first.answers)
  const targets = [bare, ...services.map(({ target }) => target)]
  const rounds = options.rounds ?? 5
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [k] of bare.kinds.entries()) {
      for (const target of targets) await measure(target, k, load, round === 0)
    }
  }
  for (const target of targets.slice(1)) reportTarget(target, bare, report)
}

/** Runs one kind of request against one server; a run that warms up is not counted. */
async function measure(
  { served, kinds, costs }: Target,
  k: number,
  load: Pick<Load, 'connections' | 'seconds'>,
  isWarmUp: boolean,
): Promise<void> {
  const kind = kinds[k] as Kind
  const cost = costs[k] as Cost
  const before = readCpu(served.pid)
  const begin = performance.now()
  const answered = await drive({
    ...load,
    address: served.address,
    request: kind.request,
    ...expecting(kind),
  })
  const seconds = (performance.now() - begin) / 1000
  if (isWarmUp) return
  cost.perSecond.push(answered / seconds)
  cost.answered += answered
  cost.cpu = addCpu(cost.cpu, cpuPer(1, before, readCpu(served.pid)))
}

/** Whoever expects other answers than 200 looks at them. */
const expecting = ({ status: expected }: Kind): Pick<Load, 'note'> =>
  expected === undefined
    ? {}
    : {
        note(status) {
          if (status !== expected) throw new Error(`An answer has status ${status}, not ${expected}`)
        },
      }

function reportTarget({ name, kinds, costs }: Target, bare: Target, report: (figure: Figure) => void): void {
  for (const [k, { id }] of kinds.entries()) {
    const [cost, limit] = [costs[k] as Cost, bare.costs[k] as Cost]
    const [rate, bareRate] = [median(cost.perSecond), median(limit.perSecond)]
    const bareMs = cpuPer(limit.answered, NO_CPU, limit.cpu).main
    const cpu = cpuPer(cost.answered, NO_CPU, cost.cpu)
    report({
      ...{ row: id, contestant: name, value: 1_000 * sumCpu(cpu), cpu },
      note: `bare \`Bun.serve\` ${(1_000 * bareMs).toFixed(1)}; ${rate.toFixed(0)} to ${bareRate.toFixed(0)} a second`,
    })
  }
}

async function openService(
  running: AsyncDisposableStack,
  { name, executable }: Contestant,
  products: number,
  logLevel: string,
) {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-requests-'))
  running.defer(() => rmSync(folder, { recursive: true, force: true }))
  const credentials = seedStore(folder, MODEL_DIR, products)
  const settings = { LOG_LEVEL: logLevel }
  const log = Bun.file(join(folder, 'requests.log'))
  const served = running.use(await startMeasuredService(folder, executable, settings, log))
  const { token, key } = await credentialsAt(served.address, credentials)
  const kinds = kindsOf({ authorization: `Bearer ${token}` }, { 'x-api-key': key })
  const target: Target = { name, served, kinds, costs: kinds.map(noCost) }
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await fetch(served.address + path, { headers, ...init })).text()
  }
  const answers = {
    '/health': await ask('/health'),
    [PRODUCT]: await ask(PRODUCT),
    [MISSING]: await ask(MISSING),
    [SEARCH]: await ask(SEARCH, { method: 'POST', body: JSON.stringify({ query: WORDS[0] }) }),
  }
  return { target, answers }
}

async function openBare(
  running: AsyncDisposableStack,
  answers: Readonly<Record<string, string>>,
): Promise<Target> {
  const entry = [process.execPath, join(import.meta.dir, 'parts/bare-server.ts')]
  const statuses = { [MISSING]: 404 }
  const settings = { ANSWERS: JSON.stringify(answers), STATUSES: JSON.stringify(statuses) }
  const served = running.use(await startServing(entry, settings))
  // The same bytes arrive, credentials included.
  const kinds = kindsOf({ authorization: `Bearer ${'x'.repeat(300)}` }, { 'x-api-key': 'x'.repeat(60) })
  return { name: 'bare Bun.serve', served, kinds, costs: kinds.map(noCost) }
}

async function credentialsAt(address: string, { client_id, client_secret }: Credentials) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const granted = await fetch(`${address}/oauth/token`, { method: 'POST', body: form })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const made = await fetch(`${address}/v1/security/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', scopes: { products: ['read'] } }),
  })
  const { key } = (await made.json()) as { key: string }
  return { token, key }
}

function kindsOf(token: Record<string, string>, key: Record<string, string>): Kind[] {
  const fixed = (request: Uint8Array) => () => request
  const repeated = WORDS.map((query) => rawRequest('POST', SEARCH, token, JSON.stringify({ query })))
  return [
    { id: 'request-health', request: fixed(rawRequest('GET', '/health')) },
    { id: 'request-product', request: fixed(rawRequest('GET', PRODUCT, token)) },
    { id: 'request-product-key', request: fixed(rawRequest('GET', PRODUCT, key)) },
    { id: 'request-missing', request: fixed(rawRequest('GET', MISSING)), status: 404 },
    {
      id: 'request-search',
      request: (n) => repeated[n % repeated.length] as Uint8Array,
    },
    {
      id: 'request-search-fresh',
      request: () =>
        rawRequest('POST', SEARCH, token, JSON.stringify({ query: `red mug number ${fresh++}` })),
    },
  ]
}

function noCost(): Cost {
  return { perSecond: [], answered: 0, cpu: NO_CPU }
}

if (import.meta.main) await runAlone(requests)
