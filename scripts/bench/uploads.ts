/**
 * Compares executables in what a write costs: CPU milliseconds of the service and of its picture processes.
 *
 *     bun scripts/bench/uploads.ts <executable> [<executable> …] [--rounds N] [--writes N] [--lanes N]
 *
 * In turns, each executable gets uploads of new pictures, uploads of pictures that it knows under new product ids, and
 * changes of metadata, several at a time. Compare CPU times where neighbours are busy, and pictures a second where none are.
 */
import '../model/silent.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs } from './parts/cpu.ts'
import { MODEL_DIR } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type MeasuredService, startMeasuredService } from './parts/process.ts'
import { type Credentials, seedStore } from './parts/seed.ts'
import { median, printTable } from './parts/statistics.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, writes: { type: 'string' }, lanes: { type: 'string' } },
})
const rounds = Number(flags.rounds ?? 4)
const writes = Number(flags.writes ?? 160)
const lanes = Number(flags.lanes ?? 8)
const KINDS = ['new picture', 'known picture', 'metadata'] as const

/** One executable at work, with its measurements by kind. */
interface Subject {
  name: string
  service: MeasuredService
  token: string
  costs: Map<string, { main: number[]; pictures: number[]; rate: number[] }>
}

const photographs = await drawPhotographs(writes)
const folders: string[] = []
const subjects: Subject[] = []
try {
  for (const executable of positionals) subjects.push(await start(executable))
  for (let round = 0; round <= rounds; round++) {
    for (const subject of subjects) for (const kind of KINDS) await measure(subject, kind, round)
  }
  const rows = [['write', 'executable', 'service CPU ms', 'picture process CPU ms', 'a second']]
  for (const kind of KINDS) {
    for (const { name, costs } of subjects) {
      const { main = [], pictures = [], rate = [] } = costs.get(kind) ?? {}
      rows.push([kind, name, ...[main, pictures].map(format), median(rate).toFixed(0)])
    }
  }
  printTable(rows)
} finally {
  for (const { service } of subjects) await service[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

async function start(executable: string): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  folders.push(folder)
  const credentials = await seedStore(folder, MODEL_DIR, 1000)
  const service = await startMeasuredService(folder, executable)
  const token = await fetchToken(service.address, credentials)
  return { name: basename(executable), service, token, costs: new Map() }
}

async function fetchToken(address: string, { client_id, client_secret }: Credentials): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const answer = await fetch(`${address}/oauth/token`, { method: 'POST', body })
  return ((await answer.json()) as { access_token: string }).access_token
}

async function measure(subject: Subject, kind: (typeof KINDS)[number], round: number): Promise<void> {
  const { pid } = subject.service
  const vision = listPictureProcesses(pid)
  const sumVision = () => vision.reduce((sum, each) => sum + cpuMs(each), 0)
  const requests = Array.from({ length: writes }, (_, n) => buildRequest(subject, kind, round, n))
  const before = { all: cpuMs(pid), vision: sumVision(), at: performance.now() }
  let next = 0
  const lane = async () => {
    for (let n = next++; n < writes; n = next++) {
      const answer = await fetch(requests[n] as Request)
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  // The first round warms up.
  if (round === 0) return
  const pictures = sumVision() - before.vision
  const costs = subject.costs.get(kind) ?? { main: [], pictures: [], rate: [] }
  subject.costs.set(kind, costs)
  costs.main.push((cpuMs(pid) - before.all - pictures) / writes)
  costs.pictures.push(pictures / writes)
  costs.rate.push((writes / (performance.now() - before.at)) * 1000)
}

function buildRequest({ service, token }: Subject, kind: string, round: number, n: number): Request {
  const headers = { authorization: `Bearer ${token}` }
  if (kind === 'metadata') {
    const body = JSON.stringify({ metadata: { price: 1_000 + n } })
    const url = `${service.address}/v1/products/new-picture-${round}-${n}`
    return new Request(url, {
      ...{ method: 'PATCH', body },
      headers: { ...headers, 'content-type': 'application/json' },
    })
  }
  const form = new FormData()
  form.set('product_id', `${kind.replace(' ', '-')}-${round}-${n}`)
  form.set('metadata', JSON.stringify({ name: `Photo ${n}`, category: `kind ${n % 20}`, price: n % 100 }))
  // Further bytes at the end: new content for the service, the same work for the model.
  const bytes = Buffer.concat([photographs[n] as Uint8Array, Buffer.from(String(round))])
  form.set('image', new Blob([bytes]), 'photo.jpg')
  return new Request(`${service.address}/v1/products`, { method: 'POST', headers, body: form })
}

function listPictureProcesses(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parentOf] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'latin1')) ?? []
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1')
        return Number(parentOf) === parent && command.includes('vision') ? [Number(name)] : []
      } catch {
        // It ended meanwhile.
        return []
      }
    })
}

/** The median, and the lowest in brackets. */
function format(costs: readonly number[]): string {
  return `${median([...costs]).toFixed(2)} (${Math.min(...costs).toFixed(2)})`
}
