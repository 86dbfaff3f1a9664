import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../src/platform/db/open.ts'
import { recordBar } from './bars.ts'
import { type Client, createClient, pictureForm } from './client.ts'
import { listChildren, listOpenFiles } from './figures.ts'
import { readRepetitions, seededRandom } from './random.ts'
import {
  type Install,
  newInstall,
  productForm,
  readMemory,
  type Service,
  smallPicture,
  startService,
} from './service.ts'

const REQUESTS = readRepetitions('SOAK_REQUESTS', 5_000)
const CLIENTS = 4
const SAMPLES = 20
const PRODUCTS = 200
const PICTURES = 40
const LOG_MB_MAX = 200
/** Files that may be open at one moment and not at another, such as a picture being written. */
const FILES_MORE = 8
/** From so many requests on the slope is that of the program, and not of caches that fill. */
const LONG = 1_000_000
const MB_AN_HOUR_MAX = 1

let install: Install
let service: Service
let client: Client
const log: string[] = []
const random = seededRandom(41)

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install, { onLog: (line) => void log.push(line) })
  client = createClient(service.address, install.token)
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

/** One request of a shop's day. */
async function request(n: number): ReturnType<Client> {
  const id = `p${random.below(PRODUCTS)}`
  const kind = random.below(20)
  if (kind < 4) return client('POST', '/v1/products', await productForm(id, random.below(PICTURES), { n }))
  if (kind < 5) return client('DELETE', `/v1/products/${id}`)
  if (kind < 7) return client('PATCH', `/v1/products/${id}`, { metadata: { price: n } })
  if (kind < 11) return client('POST', '/v1/search/text', { query: `red mug ${n % 50}` })
  if (kind < 13) return client('POST', '/v1/search', pictureForm(await smallPicture(random.below(PICTURES))))
  if (kind < 16) return client('GET', `/v1/products?limit=${1 + random.below(50)}`)
  return client('GET', `/v1/products/${id}`)
}

interface Sample {
  hours: number
  /** Of the program and of the processes it has started. */
  megabytes: number
  files: number
  logMegabytes: number
}

function sample(begin: number): Sample {
  const wal = join(install.dataDir, `${DATABASE_FILE}-wal`)
  const pids = [service.pid, ...listChildren(service.pid)]
  return {
    hours: (performance.now() - begin) / 3_600_000,
    megabytes: pids.reduce((sum, pid) => sum + readMemory(pid).now, 0),
    files: listOpenFiles(service.pid).filter((name) => !name.startsWith('socket:')).length,
    logMegabytes: existsSync(wal) ? statSync(wal).size / 1024 ** 2 : 0,
  }
}

/** Megabytes an hour, by least squares. */
function slope(samples: Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const [hours, megabytes] = [mean((each) => each.hours), mean((each) => each.megabytes)]
  const spread = samples.reduce((sum, each) => sum + (each.hours - hours) ** 2, 0)
  return samples.reduce((sum, each) => sum + (each.hours - hours) * (each.megabytes - megabytes), 0) / spread
}

test.skipIf(process.platform !== 'linux')(
  `${REQUESTS} requests of a shop’s day leave memory, files and log as they were`,
  async () => {
    const begin = performance.now()
    const statuses = new Map<number, number>()
    const samples: Sample[] = []
    let sent = 0
    const worker = async () => {
      for (let n = ++sent; n <= REQUESTS; n = ++sent) {
        const { status } = await request(n)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (n % Math.ceil(REQUESTS / SAMPLES) === 0) samples.push(sample(begin))
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, worker))
    samples.push(sample(begin))
    const answered = [...statuses.values()].reduce((sum, n) => sum + n, 0)
    const odd = [...statuses].filter(([status]) => ![200, 201, 404].includes(status))
    const half = samples.slice(samples.length >> 1)
    const [middle, last] = [half[0] as Sample, half.at(-1) as Sample]
    const files = Math.max(...half.map((each) => each.files)) - (samples[0] as Sample).files
    const logMegabytes = Math.max(...samples.map((each) => each.logMegabytes))
    const rise = slope(half)
    const isLevel = REQUESTS < LONG || rise <= MB_AN_HOUR_MAX
    const measured =
      `memory ${middle.megabytes.toFixed(0)} MB halfway, ${last.megabytes.toFixed(0)} at the end` +
      `${REQUESTS < LONG ? '' : ` (${rise.toFixed(1)} MB/h)`}, ${files} files more,` +
      ` log ${logMegabytes.toFixed(1)} MB at most, ${log.length} errors logged`
    const isMet =
      isLevel && files <= FILES_MORE && logMegabytes <= LOG_MB_MAX && log.length + odd.length === 0
    recordBar({ bar: 30, part: 'requests', on: 'program', n: answered, measured, isMet })
    expect(odd).toEqual([])
    expect(log).toEqual([])
    expect(answered).toBe(REQUESTS)
    expect(samples.length).toBeGreaterThanOrEqual(SAMPLES)
    expect(files).toBeLessThanOrEqual(FILES_MORE)
    expect(logMegabytes).toBeLessThanOrEqual(LOG_MB_MAX)
  },
  86_400_000,
)
