/**
 * Measures searches by picture when more clients come than the service can serve.
 *
 *     bun scripts/bench/overload.ts [--connections 8,32,80,128] [--seconds 6] [--rounds 2]
 *                                   [--executable dist/lookalike] [--executable old/lookalike]
 *
 * Each connection sends one upload after the other and never waits after a refusal, which is the worst that clients can
 * do. Goodput is the share of the most that any number of connections reached. Each `--executable` is measured by turns
 * with the others; without one, the service runs from the sources. The client shares the machine. Linux only.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs } from './parts/cpu.ts'
import { drive, rawRequest } from './parts/load.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { readToken, startMeasuredService } from './parts/process.ts'
import { seedStore } from './parts/seed.ts'
import { median, printTable, quantile } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    connections: { type: 'string', default: '8,32,80,128' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '2' },
    executable: { type: 'string', multiple: true, default: [] },
  },
})
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')
const PHOTOGRAPHS = 16

/** What one run at one number of connections gave. */
interface Run {
  perSecond: number
  /** Milliseconds of each refusal. */
  refusals: number[]
  /** Answers other than 200, 429 and 503. */
  odd: number
  cpuMs: number
}

await using running = new AsyncDisposableStack()
const photographs = await drawPhotographs(PHOTOGRAPHS)
const connections = flags.connections.split(',').map(Number)
const targets: Awaited<ReturnType<typeof open>>[] = []
for (const executable of flags.executable.length > 0 ? flags.executable : [undefined]) {
  targets.push(await open(executable))
}
for (let round = 0; round < Number(flags.rounds); round++) {
  for (const count of connections) for (const target of targets) await measure(target, count)
}
print()

async function open(executable: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-overload-'))
  running.defer(() => rmSync(folder, { recursive: true, force: true }))
  const credentials = await seedStore(folder, modelDir, 500)
  const log = Bun.file(join(folder, 'requests.log'))
  const served = running.use(await startMeasuredService(folder, executable, { LOG_LEVEL: 'info' }, log))
  const token = await readToken(served.address, credentials)
  const requests = photographs.map((photograph) => upload(token, photograph))
  const runs = new Map<number, Run[]>(connections.map((count) => [count, []]))
  await drive({
    address: served.address,
    connections: 4,
    seconds: 2,
    request: (n) => requests[n % PHOTOGRAPHS] as Uint8Array,
  })
  return { name: executable ?? 'sources', served, requests, runs }
}

function upload(token: string, photograph: Uint8Array): Uint8Array {
  const head = '--b\r\ncontent-disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), photograph, Buffer.from('\r\n--b--\r\n')])
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' }
  return rawRequest('POST', '/v1/search', headers, body)
}

async function measure(
  { served, requests, runs }: Awaited<ReturnType<typeof open>>,
  count: number,
): Promise<void> {
  const run: Run = { perSecond: 0, refusals: [], odd: 0, cpuMs: cpuMs(served.pid) }
  const begin = performance.now()
  const end = begin + Number(flags.seconds) * 1_000
  let done = 0
  await drive({
    address: served.address,
    connections: count,
    seconds: Number(flags.seconds),
    request: (n) => requests[n % PHOTOGRAPHS] as Uint8Array,
    note(status, ms) {
      if (status === 503 || status === 429) run.refusals.push(ms)
      else if (status !== 200) run.odd++
      // What is answered afterwards was only waiting.
      else if (performance.now() <= end) done++
    },
  })
  run.perSecond = (done * 1_000) / (end - begin)
  run.cpuMs = cpuMs(served.pid) - run.cpuMs
  runs.get(count)?.push(run)
}

function print(): void {
  const rows = [
    ['connections', 'server', 'a second', 'goodput', 'refused a second', 'p50 ms', 'p99 ms', 'odd', 'CPU s'],
  ]
  for (const count of connections) {
    for (const { name, runs } of targets) {
      const most = Math.max(
        ...[...runs.values()].map((list) => median(list.map(({ perSecond }) => perSecond))),
      )
      const own = runs.get(count) as Run[]
      const perSecond = median(own.map((run) => run.perSecond))
      const refusals = own.flatMap((run) => run.refusals)
      rows.push([
        String(count),
        name,
        perSecond.toFixed(1),
        `${((perSecond / most) * 100).toFixed(0)} %`,
        (refusals.length / own.length / Number(flags.seconds)).toFixed(0),
        refusals.length > 0 ? median(refusals).toFixed(1) : '',
        refusals.length > 0 ? quantile(refusals, 0.99).toFixed(1) : '',
        String(own.reduce((sum, { odd }) => sum + odd, 0)),
        (median(own.map((run) => run.cpuMs)) / 1_000).toFixed(1),
      ])
    }
  }
  console.log(`\n${flags.rounds} rounds of ${flags.seconds} s`)
  printTable(rows)
}
