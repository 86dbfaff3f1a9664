/**
 * Measures searches by picture when more clients come than the service can serve.
 *
 *     bun scripts/bench/overload.ts [--connections 8,32,80,128] [--seconds 6] [--rounds 2]
 *                                   [--executable old/lookalike] [--executable dist/lookalike]
 *
 * Each connection sends one upload after the other and never waits after a refusal, which is the worst that clients can
 * do. Goodput is the share of the most that any number of connections reached. Each `--executable` is measured by turns
 * with the others; without one, the service runs from the sources. The client shares the machine. Linux only.
 */
import '../model/silent.ts'
import { join } from 'node:path'
import type { Bench, Figure } from './parts/bench.ts'
import { addCpu, cpuPer, NO_CPU, readCpu } from './parts/cpu.ts'
import { drive, rawRequest } from './parts/load.ts'
import type { Contestant, Options } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type MeasuredService, readToken } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { median, quantile } from './parts/statistics.ts'
import { openStock, type Stock } from './parts/stock.ts'

const PHOTOGRAPHS = 16
const PRODUCTS = 500

/** What one run at one number of connections gave. */
interface Run {
  perSecond: number
  /** Milliseconds of each refusal. */
  refusals: number[]
  /** Milliseconds of each search that was answered. */
  answers: number[]
  /** Answers other than 200, 429 and 503. */
  odd: number
  /** Of each search that was answered. */
  cpu: typeof NO_CPU
}

interface Target {
  name: string
  served: MeasuredService
  requests: Uint8Array[]
  runs: Map<number, Run[]>
}

export const overload: Bench = {
  name: 'overload',
  rows: [
    {
      id: 'overload-goodput',
      what: 'searches by picture with 80 and 128 connections',
      against: 'the most with any number of connections',
      unit: 'ratio',
      goal: { atLeast: 0.8 },
    },
    {
      id: 'overload-refusal',
      what: 'a refusal meanwhile, p99',
      against: 'a search that is answered, median',
      unit: 'ratio',
      goal: { atMost: 0.5 },
    },
  ],
  minutes: { quick: 0.75, full: 0.75 },
  flags: ['seconds', 'connections'],
  run: measureOverload,
}

async function measureOverload(options: Options, report: (figure: Figure) => void): Promise<void> {
  using stock = openStock(options)
  await using running = new AsyncDisposableStack()
  const connections = (options.own['connections'] ?? '8,32,80,128').split(',').map(Number)
  const seconds = Number(options.own['seconds'] ?? 4)
  const photographs = await drawPhotographs(PHOTOGRAPHS)
  const targets: Target[] = []
  for (const contestant of options.contestants) {
    targets.push(await open(running, stock, contestant, photographs, connections))
  }
  for (let round = 0; round < (options.rounds ?? 2); round++) {
    for (const count of connections) for (const target of targets) await measure(target, count, seconds)
  }
  for (const target of targets) reportTarget(target, report)
}

async function open(
  running: AsyncDisposableStack,
  stock: Stock,
  contestant: Contestant,
  photographs: readonly Uint8Array[],
  connections: readonly number[],
): Promise<Target> {
  const filled = await stock.fill(contestant, PRODUCTS)
  const log = Bun.file(join(stock.root, 'overload.log'))
  const served = running.use(await filled.start({ LOG_LEVEL: 'info' }, log))
  const token = await readToken(served.address, filled.credentials)
  const requests = photographs.map((photograph) => upload(token, photograph))
  const target = { name: contestant.name, served, requests, runs: new Map<number, Run[]>() }
  await drive({ address: served.address, connections: 4, seconds: 2, request: pick(target) })
  for (const count of connections) target.runs.set(count, [])
  return target
}

const pick =
  ({ requests }: Pick<Target, 'requests'>) =>
  (n: number) =>
    requests[n % requests.length] as Uint8Array

function upload(token: string, photograph: Uint8Array): Uint8Array {
  const head = '--b\r\ncontent-disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), photograph, Buffer.from('\r\n--b--\r\n')])
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' }
  return rawRequest('POST', '/v1/search', headers, body)
}

async function measure(target: Target, connections: number, seconds: number): Promise<void> {
  const { address, pid } = target.served
  const refusals: number[] = []
  const answers: number[] = []
  const before = readCpu(pid)
  const begin = performance.now()
  const end = begin + seconds * 1_000
  let odd = 0
  await drive({
    ...{ address, connections, seconds, request: pick(target) },
    note(status, ms) {
      if (status === 503 || status === 429) refusals.push(ms)
      else if (status !== 200) odd++
      // What is answered afterwards was only waiting.
      else if (performance.now() <= end) answers.push(ms)
    },
  })
  const cpu = cpuPer(Math.max(1, answers.length), before, readCpu(pid))
  const perSecond = (answers.length * 1_000) / (end - begin)
  target.runs.get(connections)?.push({ perSecond, refusals, answers, odd, cpu })
}

function reportTarget({ name, runs }: Target, report: (figure: Figure) => void): void {
  const rates = [...runs].map(([count, list]) => [count, median(list.map((run) => run.perSecond))] as const)
  const most = Math.max(...rates.map(([, rate]) => rate))
  const crowded = rates.filter(([count]) => count >= 64)
  const all = crowded.flatMap(([count]) => runs.get(count) ?? [])
  const odd = [...runs.values()].flat().reduce((sum, run) => sum + run.odd, 0)
  const cpu = all.reduce((sum, run) => addCpu(sum, run.cpu), NO_CPU)
  report({
    ...{ row: 'overload-goodput', contestant: name },
    value: Math.min(...crowded.map(([, rate]) => rate)) / most,
    cpu: cpuPer(Math.max(1, all.length), NO_CPU, cpu),
    note: `${rates.map(([count, rate]) => `${count}: ${rate.toFixed(0)}`).join(', ')} a second; ${odd} odd answers`,
  })
  const refusals = all.flatMap((run) => run.refusals)
  if (refusals.length === 0) return
  const [late, answer] = [quantile(refusals, 0.99), median(all.flatMap((run) => run.answers))]
  report({
    ...{ row: 'overload-refusal', contestant: name, value: late / answer },
    note: `${late.toFixed(0)} to ${answer.toFixed(0)} ms, ${refusals.length} refusals`,
  })
}

if (import.meta.main) await runAlone(overload)
