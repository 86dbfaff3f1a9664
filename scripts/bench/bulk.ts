/**
 * Compares a bulk job from a picture server on this machine with the model alone, in the same run.
 *
 *     bun scripts/bench/bulk.ts [--executable dist/lookalike] [--products N] [--rounds N]
 *
 * "Alone" means the embedder in this process with pictures that are in memory: decoding and inference on all cores.
 * Rounds alternate and medians are compared, because the machine may be busy; on one that is very busy, only the CPU times
 * mean something. Beside the jobs it measures text searches and the memory of the service's main process.
 */
import '../model/silent.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/runtime.ts'
import { loadConfig } from '../../src/config.ts'
import { createEmbedder } from '../../src/platform/embedder/child-embedder.ts'
import { cpuMs } from './parts/cpu.ts'
import { MODEL_DIR } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { startMeasuredService } from './parts/process.ts'
import { median } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: { executable: { type: 'string' }, products: { type: 'string' }, rounds: { type: 'string' } },
})
const count = Number(flags.products ?? 500)
const rounds = Number(flags.rounds ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))

const photographs = await drawPhotographs(16)
const pick = (n: number) => photographs[n % photographs.length] as Uint8Array<ArrayBuffer>
const pictures = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  // Bytes behind the end of a picture make it another one, and cost no decoder anything.
  fetch: (request) => {
    const name = new URL(request.url).pathname
    return new Response(Buffer.concat([pick(Number(name.split('-')[1])), Buffer.from(name)]))
  },
})
const store = await withInstall(
  loadConfig({}, { 'data-dir': folder }),
  ({ accounts }) =>
    accounts.setup({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
  { mayMake: true },
)
const service = await startMeasuredService(folder, flags.executable, {
  FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  OFFLINE: '1',
})
const embedder = createEmbedder({
  modelDir: MODEL_DIR,
  command: [process.execPath, 'test/platform/embedder/entry.ts'],
  inferenceThreads: navigator.hardwareConcurrency,
  log: { info() {}, warn() {}, error() {} },
})
await embedder.settled()

const form = new URLSearchParams({ grant_type: 'client_credentials', ...pickCredentials(store) })
const { access_token } = (await (
  await fetch(`${service.address}/oauth/token`, { method: 'POST', body: form })
).json()) as { access_token: string }
const call = async (method: string, path: string, body?: unknown) =>
  (await (
    await fetch(service.address + path, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  ).json()) as Record<string, unknown>

const measured = {
  alone: [] as number[],
  job: [] as number[],
  aloneCpuMs: [] as number[],
  jobCpuMs: [] as number[],
  idleMs: [] as number[],
  busyMs: [] as number[],
}
const megabytes = [readMegabytes()]
for (let round = 0; round < rounds; round++) {
  const cpuBefore = cpuMs(process.pid)
  measured.alone.push(await measureAlone())
  measured.aloneCpuMs.push((cpuMs(process.pid) - cpuBefore) / count)
  for (let n = 0; n < 20; n++) measured.idleMs.push(await search())
  const jobBefore = cpuMs(service.pid)
  measured.job.push(await measureJob(round))
  measured.jobCpuMs.push((cpuMs(service.pid) - jobBefore) / count)
  megabytes.push(readMegabytes())
}
const [alone, job] = [median(measured.alone), median(measured.job)]
console.log(`pictures/s: model alone ${alone.toFixed(1)}, job of ${count} products ${job.toFixed(1)}`)
console.log(`job / alone: ${(job / alone).toFixed(2)} (goal 0.85)`)
const [aloneCpu, jobCpu] = [median(measured.aloneCpuMs), median(measured.jobCpuMs)]
console.log(
  `CPU ms a picture, all processes: alone ${aloneCpu.toFixed(1)}, job ${jobCpu.toFixed(1)}: ${(aloneCpu / jobCpu).toFixed(2)}`,
)
console.log(
  `text search ms, p95: idle ${p95(measured.idleMs).toFixed(1)}, during jobs ${p95(measured.busyMs).toFixed(1)}`,
)
console.log(`resident MB at first and after each job: ${megabytes.join(', ')}`)
await embedder.close()
await service[Symbol.asyncDispose]()
await pictures.stop(true)
rmSync(folder, { recursive: true })
process.exit(0)

function pickCredentials({ client_id, client_secret }: { client_id: string; client_secret: string }) {
  return { client_id, client_secret }
}

async function measureAlone(): Promise<number> {
  const begin = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) await embedder.embedPicture(pick(next++), { priority: 'index', storeId: 'bench' })
  }
  await Promise.all(Array.from({ length: 24 }, lane))
  return (1_000 * count) / (performance.now() - begin)
}

async function measureJob(round: number): Promise<number> {
  const products = Array.from({ length: count }, (_, n) => ({
    product_id: `product-${n}`,
    image_url: `http://127.0.0.1:${pictures.port}/${round}-${n}`,
    metadata: { name: `Product ${n}`, price: n },
  }))
  const begin = performance.now()
  const { job_id } = await call('POST', '/v1/products/bulk', { products })
  for (;;) {
    const { finished_at, failed } = await call('GET', `/v1/jobs/${job_id}`)
    if (finished_at !== null) {
      if (failed !== 0) throw new Error(`${failed} items failed`)
      return (1_000 * count) / (performance.now() - begin)
    }
    measured.busyMs.push(await search())
    await Bun.sleep(500)
  }
}

async function search(): Promise<number> {
  const begin = performance.now()
  await call('POST', '/v1/search/text', { query: `product ${Math.floor(begin)}` })
  return performance.now() - begin
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

function readMegabytes(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
