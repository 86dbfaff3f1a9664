/**
 * Measures what small requests cost beside a bare `Bun.serve` that answers the same bytes, in the same run.
 *
 *     bun scripts/bench/requests.ts [--products 5000] [--rounds 5] [--seconds 2] [--connections 16]
 *                                   [--log-level info] [--executable dist/lookalike] [--executable old/lookalike]
 *
 * * `GET /health`, `GET /v1/products/{id}` with a token and with an API key;
 * * `POST /v1/search/text` with words that repeat, and with words that no search before had.
 *
 * Each `--executable` is measured on a data folder of its own, by turns with the others; without one, the service runs
 * from the sources. CPU time counts the child processes, too. The ratio of a cost is bare / service, as is that of
 * requests a second, so 1 is the limit and more is better. Linux only. The services log into a file.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs } from './parts/cpu.ts'
import { drive, rawRequest } from './parts/load.ts'
import { type Served, startMeasuredService, startServing } from './parts/process.ts'
import { type Credentials, seedStore } from './parts/seed.ts'
import { median, printTable } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    'log-level': { type: 'string', default: 'info' },
    executable: { type: 'string', multiple: true, default: [] },
  },
})
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')

/** One kind of request; the n-th request of a run. */
interface Kind {
  name: string
  goal: string
  request(n: number): Uint8Array
}

/** What is measured of a kind at one server, a value for each round. */
interface Cost {
  perSecond: number[]
  cpuMicroseconds: number[]
}

interface Target {
  name: string
  served: Served
  kinds: Kind[]
  costs: Cost[]
}

const PRODUCT = '/v1/products/sku-7'
const SEARCH = '/v1/search/text'
const WORDS = ['red mug', 'blue striped shirt', 'wooden chair', 'black backpack', 'table lamp', 'green dress']
/** Counts on over all runs, so that fresh words stay fresh. */
let fresh = 0

const folders: string[] = []
await using running = new AsyncDisposableStack()
running.defer(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const sources = flags.executable.length > 0 ? flags.executable : [undefined]
const services = []
for (const executable of sources) services.push(await openService(executable))
const [first] = services
if (!first) throw new Error('There is no service to measure')
const bare = await openBare(first.answers)
const targets = [bare, ...services.map(({ target }) => target)]

for (let round = 0; round <= Number(flags.rounds); round++) {
  for (const [k] of bare.kinds.entries()) {
    for (const target of targets) await measure(target, k, round === 0)
  }
}
print()

/** Runs one kind of request against one server; a run that warms up is not counted. */
async function measure({ served, kinds, costs }: Target, k: number, isWarmUp: boolean): Promise<void> {
  const kind = kinds[k] as Kind
  const cost = costs[k] as Cost
  const before = cpuMs(served.pid)
  const begin = performance.now()
  const answered = await drive({
    address: served.address,
    connections: Number(flags.connections),
    seconds: Number(flags.seconds),
    request: kind.request,
  })
  const seconds = (performance.now() - begin) / 1000
  if (isWarmUp) return
  cost.perSecond.push(answered / seconds)
  cost.cpuMicroseconds.push(((cpuMs(served.pid) - before) * 1000) / answered)
}

function print(): void {
  console.log(
    `\n${flags.products} products, ${flags.connections} connections, medians of ${flags.rounds} rounds`,
  )
  const rows = [['request', 'server', 'a second', 'ratio', 'CPU µs', 'ratio', 'goal']]
  for (const [k, { name, goal }] of bare.kinds.entries()) {
    const limit = bare.costs[k] as Cost
    for (const { name: server, costs } of targets) {
      const cost = costs[k] as Cost
      const [rate, cpu] = [median(cost.perSecond), median(cost.cpuMicroseconds)]
      const ratios = [rate / median(limit.perSecond), median(limit.cpuMicroseconds) / cpu]
      rows.push([
        name,
        server,
        rate.toFixed(0),
        ratios[0]?.toFixed(2) ?? '',
        cpu.toFixed(1),
        ratios[1]?.toFixed(2) ?? '',
        server === bare.name ? '' : goal,
      ])
    }
  }
  printTable(rows)
}

async function openService(executable: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-requests-'))
  folders.push(folder)
  const credentials = await seedStore(folder, modelDir, Number(flags.products))
  const settings = { LOG_LEVEL: flags['log-level'] }
  const log = Bun.file(join(folder, 'requests.log'))
  const served = running.use(await startMeasuredService(folder, executable, settings, log))
  const { token, key } = await credentialsAt(served.address, credentials)
  const kinds = kindsOf({ authorization: `Bearer ${token}` }, { 'x-api-key': key })
  const target: Target = { name: executable ?? 'sources', served, kinds, costs: kinds.map(noCost) }
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await fetch(served.address + path, { headers, ...init })).text()
  }
  const answers = {
    '/health': await ask('/health'),
    [PRODUCT]: await ask(PRODUCT),
    [SEARCH]: await ask(SEARCH, { method: 'POST', body: JSON.stringify({ query: WORDS[0] }) }),
  }
  return { target, answers }
}

async function openBare(answers: Readonly<Record<string, string>>): Promise<Target> {
  const entry = [process.execPath, join(import.meta.dir, 'parts/bare-server.ts')]
  const served = running.use(await startServing(entry, { ANSWERS: JSON.stringify(answers) }))
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
    { name: 'GET /health', goal: '≥ 0.7', request: fixed(rawRequest('GET', '/health')) },
    { name: 'GET product, token', goal: '≥ 0.3', request: fixed(rawRequest('GET', PRODUCT, token)) },
    { name: 'GET product, key', goal: '≥ 0.3', request: fixed(rawRequest('GET', PRODUCT, key)) },
    {
      name: 'search, repeated words',
      goal: '',
      request: (n) => repeated[n % repeated.length] as Uint8Array,
    },
    {
      name: 'search, fresh words',
      goal: '',
      request: () =>
        rawRequest('POST', SEARCH, token, JSON.stringify({ query: `red mug number ${fresh++}` })),
    },
  ]
}

function noCost(): Cost {
  return { perSecond: [], cpuMicroseconds: [] }
}
