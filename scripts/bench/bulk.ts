/**
 * Runs a bulk job from a picture server on this machine to its end, and compares it with the bare model in the same run.
 *
 *     bun scripts/bench/bulk.ts [--executable dist/lookalike] [--products N]
 *
 * The limit is 1 / (decoding + inference), each measured alone on all cores, before and after the job. Where others use the
 * machine, the ratio of CPU times means more than that of rates. Meanwhile it searches by words, as it did before the job
 * began, and reads the memory of all processes of the service and what their threads do. The pictures differ in
 * their bytes, so that none is known.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { loadBare, measureLimit } from './parts/bare.ts'
import { cpuPer, readCpu } from './parts/cpu.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { startMeasuredService } from './parts/process.ts'
import { mean, quantile } from './parts/statistics.ts'
import { watchProcesses } from './parts/watch.ts'

const { values: flags } = parseArgs({
  options: { executable: { type: 'string' }, products: { type: 'string' } },
})
const count = Number(flags.products ?? 10_000)
const SEARCHES_IDLE = 200
const SEARCH_PAUSE_MS = 250
const LOOK_MS = 1_000
const ROUNDS_OF_LIMIT = 3

const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
const photographs = await drawPhotographs(16)
const pictures = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  // Bytes behind the end of a picture make it another one, and cost no decoder anything.
  fetch: (request) => {
    const name = new URL(request.url).pathname
    const picture = photographs[Number(name.slice(1)) % photographs.length] as Uint8Array
    return new Response(Buffer.concat([picture, Buffer.from(name)]))
  },
})
const store = await withInstall(
  loadConfig({}, { 'data-dir': folder }),
  ({ setup }) => setup.run({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
  { mayMake: true },
)
const service = await startMeasuredService(folder, flags.executable, {
  FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  OFFLINE: '1',
})
const client = await service.signIn(store)
const bare = await loadBare()
const limits: { rate: number; cpuMs: number }[] = []
await measureLimits()

const idleMs: number[] = []
while (idleMs.length < SEARCHES_IDLE) idleMs.push(await search())
const busyMs: number[] = []
const cpuBefore = readCpu(service.pid)
using watch = watchProcesses(service.pid)
const begin = performance.now()
const { job_id } = await call('POST', '/v1/products/bulk', {
  products: Array.from({ length: count }, (_, n) => ({
    product_id: `product-${n}`,
    image_url: `http://127.0.0.1:${pictures.port}/${n}`,
    metadata: { name: `Product ${n}`, price: n },
  })),
})
const takenMs = performance.now() - begin
let isOver = false
const searching = searchUntilOver()
let job = await call('GET', `/v1/jobs/${job_id}`)
for (; job['finished_at'] === null; job = await call('GET', `/v1/jobs/${job_id}`)) await Bun.sleep(LOOK_MS)
isOver = true
await searching
const seconds = (performance.now() - begin) / 1_000
const cpu = cpuPer(count, cpuBefore, readCpu(service.pid))
const seen = watch.stop()
await measureLimits()

const limit = mean(limits.map(({ rate }) => rate))
const bareMs = mean(limits.map(({ cpuMs }) => cpuMs))
const rate = count / seconds
const spentMs = cpu.main + cpu.pictures
const line = (name: string, text: string) => console.log(`${name.padEnd(34)} ${text}`)
line('products', `${job['succeeded']} succeeded, ${job['failed']} failed; 202 after ${takenMs.toFixed(0)} ms`)
line(
  'pictures/s',
  `${rate.toFixed(1)}, limit ${limit.toFixed(1)}: ${(rate / limit).toFixed(2)} (goal 0.85), ${seconds.toFixed(0)} s`,
)
line(
  'CPU ms a picture',
  `main ${cpu.main.toFixed(2)}, pictures ${cpu.pictures.toFixed(2)}, bare ${bareMs.toFixed(2)}: ${(bareMs / spentMs).toFixed(2)}`,
)
line('CPU ms for words, all searches', (cpu.words * count).toFixed(0))
line('picture process idle, share', seen.idle.toFixed(3))
const [idle, busy] = [idleMs, busyMs].map((times) => quantile(times, 0.95)) as [number, number]
line(
  'text search p95, ms',
  `idle ${idle.toFixed(1)}, during the job ${busy.toFixed(1)} (${busyMs.length}): ${(busy / idle).toFixed(2)} (goal 2)`,
)
line('memory MB by tenths of the job', seen.megabytes.join(' '))
await service[Symbol.asyncDispose]()
await pictures.stop(true)
rmSync(folder, { recursive: true })
process.exit(0)

async function measureLimits(): Promise<void> {
  for (let round = 0; round < ROUNDS_OF_LIMIT; round++) limits.push(await measureLimit(bare, photographs))
}

async function searchUntilOver(): Promise<void> {
  while (!isOver) {
    busyMs.push(await search())
    await Bun.sleep(SEARCH_PAUSE_MS)
  }
}

async function search(): Promise<number> {
  const begin = performance.now()
  // New words each time, so that none are remembered.
  await client.searchText(`product ${Math.floor(begin * 1_000)}`)
  return performance.now() - begin
}

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(service.address + path, {
    method,
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
