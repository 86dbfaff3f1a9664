/**
 * Runs a bulk job from a picture server on this machine to its end, and compares it with the bare model in the same run.
 *
 *     bun scripts/bench/bulk.ts [--count 1000] [--executable old/lookalike --executable dist/lookalike]
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
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { type Bare, loadBare, measureLimit, time } from './parts/bare.ts'
import type { Bench, Figure } from './parts/bench.ts'
import { cpuPer, readCpu, sumCpu } from './parts/cpu.ts'
import type { Contestant } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type Client, startMeasuredService } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { mean, quantile } from './parts/statistics.ts'
import { watchProcesses } from './parts/watch.ts'

const COUNT_DEFAULT = 1_000
const SEARCHES_IDLE = 200
const SEARCH_PAUSE_MS = 50
const LOOK_MS = 250
const ROUNDS_OF_LIMIT = 2
const PHOTOGRAPHS = 16

export const bulk: Bench = {
  name: 'bulk',
  rows: [
    {
      ...{ id: 'bulk-rate', what: 'indexing by a bulk job', unit: 'ratio', goal: { atLeast: 0.85 } },
      against: '1 / (decoding + inference), all cores',
    },
    {
      ...{ id: 'bulk-cpu', what: 'the same, by CPU', unit: 'ratio', goal: { atLeast: 0.85 } },
      against: 'decoding + inference',
    },
    {
      ...{ id: 'bulk-searches', what: 'p95 of searches during a bulk job', unit: 'ratio' },
      ...{ against: 'idle', goal: { atMost: 2 } },
    },
  ],
  minutes: { quick: 0.75, full: 0.75 },
  flags: ['count'],
  async run({ contestants, own }, report) {
    const count = Number(own['count'] ?? COUNT_DEFAULT)
    const photographs = await drawPhotographs(PHOTOGRAPHS)
    const bare = await loadBare()
    const pictures = servePictures(photographs)
    try {
      for (const contestant of contestants) {
        const figures = await measure(contestant, count, { bare, photographs, port: pictures.port ?? 0 })
        for (const figure of figures) report({ ...figure, contestant: contestant.name })
      }
    } finally {
      await pictures.stop(true)
    }
  },
}

/** Bytes behind the end of a picture make it another one, and cost no decoder anything. */
const servePictures = (photographs: readonly Uint8Array[]) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const name = new URL(request.url).pathname
      const picture = photographs[Number(name.slice(1)) % photographs.length] as Uint8Array
      return new Response(Buffer.concat([picture, Buffer.from(name)]))
    },
  })

async function measure(
  { executable }: Contestant,
  count: number,
  { bare, photographs, port }: { bare: Bare; photographs: readonly Uint8Array[]; port: number },
): Promise<Omit<Figure, 'contestant'>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  try {
    const store = await withInstall(
      loadConfig({}, { 'data-dir': folder }),
      ({ setup }) => setup.run({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
      { mayMake: true },
    )
    await using service = await startMeasuredService(folder, executable, {
      FETCH_ALLOW_CIDRS: '127.0.0.0/8',
      OFFLINE: '1',
    })
    const client = await service.signIn(store)
    const limits: { rate: number; cpuMs: number }[] = []
    const measureLimits = async () => {
      for (let round = 0; round < ROUNDS_OF_LIMIT; round++) limits.push(await measureLimit(bare, photographs))
    }
    await measureLimits()
    const idleMs: number[] = []
    while (idleMs.length < SEARCHES_IDLE) idleMs.push(await search(client))

    const before = readCpu(service.pid)
    using watch = watchProcesses(service.pid)
    const begin = performance.now()
    const { job_id } = await client.call('POST', '/v1/products/bulk', {
      products: Array.from({ length: count }, (_, n) => ({
        product_id: `product-${n}`,
        image_url: `http://127.0.0.1:${port}/${n}`,
        metadata: { name: `Product ${n}`, price: n },
      })),
    })
    const takenMs = performance.now() - begin
    const job = untilOver(client, String(job_id))
    const busyMs = await searchDuring(client, job)
    const seconds = (performance.now() - begin) / 1_000
    const cpu = cpuPer(count, before, readCpu(service.pid))
    const seen = watch.stop()
    const { succeeded, failed } = await job
    await measureLimits()

    const [limit, bareMs] = [mean(limits.map(({ rate }) => rate)), mean(limits.map(({ cpuMs }) => cpuMs))]
    const [idle, busy] = [quantile(idleMs, 0.95), quantile(busyMs, 0.95)]
    return [
      {
        ...{ row: 'bulk-rate', value: count / seconds / limit, cpu },
        note: `${(count / seconds).toFixed(1)} to ${limit.toFixed(1)} a second; ${String(succeeded)} succeeded, ${String(failed)} failed; accepted after ${takenMs.toFixed(0)} ms; the picture process idle ${seen.idle.toFixed(2)} of the time; at most ${Math.max(...seen.megabytes)} MB`,
      },
      {
        ...{ row: 'bulk-cpu', value: bareMs / sumCpu({ ...cpu, words: 0 }) },
        note: `${bareMs.toFixed(1)} to ${sumCpu({ ...cpu, words: 0 }).toFixed(1)} ms`,
      },
      {
        ...{ row: 'bulk-searches', value: busy / idle },
        note: `${busy.toFixed(1)} to ${idle.toFixed(1)} ms, ${busyMs.length} searches`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Looks at a job until it has finished. @returns it. */
async function untilOver(client: Client, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const job = await client.call('GET', `/v1/jobs/${id}`)
    if (job['finished_at'] !== null) return job
    await Bun.sleep(LOOK_MS)
  }
}

async function searchDuring(client: Client, job: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const end = () => {
    isOver = true
  }
  // Whoever waits for the job learns of a failure.
  job.then(end, end)
  while (!isOver) {
    times.push(await search(client))
    await Bun.sleep(SEARCH_PAUSE_MS)
  }
  return times
}

/** New words each time, so that none are remembered. @returns ms. */
const search = (client: Client): Promise<number> =>
  time(() => client.searchText(`product ${Math.floor(performance.now() * 1_000)}`))

if (import.meta.main) await runAlone(bulk)
