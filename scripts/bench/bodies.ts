/**
 * Measures how long large bodies hold the event loop, and what small searches wait beside them.
 *
 *     bun scripts/bench/bodies.ts [--rounds 8] [--seconds 4] [--executable dist/lookalike] [--executable old/lookalike]
 *
 * Each kind of body is sent alone to see the longest hold, in ms and in CPU ms of the thread, and then one after the other
 * while another connection searches for words. The event loop can be measured from the sources only. Linux only.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { drive, rawRequest } from './parts/load.ts'
import { type MeasuredService, readToken, startMeasuredService } from './parts/process.ts'
import { seedStore } from './parts/seed.ts'
import { median, printTable, quantile } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '4' },
    executable: { type: 'string', multiple: true, default: [] },
  },
})
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')
const BYTES = 10_400_000

await using running = new AsyncDisposableStack()
const picture = await drawPicture()
const base64 = picture.toString('base64')
const json = (body: object) => JSON.stringify(body)
const head = (fields: string) =>
  `--b\r\n${fields}content-disposition: form-data; name="image"; filename="a.png"\r\n\r\n`
const form = (fields = '') =>
  Buffer.concat([Buffer.from(head(fields)), picture, Buffer.from('\r\n--b--\r\n')])
const PRODUCT_ID = 'content-disposition: form-data; name="product_id"\r\n\r\nlarge\r\n--b\r\n'
const KINDS: { name: string; path: string; body: string | Buffer }[] = [
  { name: 'search, base64', path: '/v1/search/url', body: json({ image: base64 }) },
  {
    name: 'search, base64 with escaped slashes',
    path: '/v1/search/url',
    body: json({ image: base64 }).replaceAll('/', '\\/'),
  },
  { name: 'search, damaged base64', path: '/v1/search/url', body: json({ image: `${base64}!` }) },
  { name: 'search, text not closed', path: '/v1/search/url', body: json({ image: base64 }).slice(0, -2) },
  { name: 'search, form', path: '/v1/search', body: form() },
  {
    name: 'product, data: URI',
    path: '/v1/products',
    body: json({ product_id: 'large', image_url: `data:image/png;base64,${base64}` }),
  },
  { name: 'product, form', path: '/v1/products', body: form(PRODUCT_ID) },
]

const rows = [['body', 'server', 'hold ms', 'hold CPU ms', 'most', 'search p50', 'p95', 'p99']]
const executables = flags.executable.length > 0 ? flags.executable : [undefined]
const targets: Target[] = []
for (const executable of executables) targets.push(await open(executable))
for (const target of targets) rows.push(['none', target.name, '', '', '', ...(await searchBeside(target))])
for (const kind of KINDS) {
  for (const target of targets) {
    const body = request(target.token, kind)
    const holds = target.isMeasured ? await hold(target.served, body) : ['', '', '']
    rows.push([kind.name, target.name, ...holds, ...(await searchBeside(target, body))])
  }
}
console.log(
  `\nBodies of ${(BYTES / 1e6).toFixed(1)} MB of picture, ${flags.rounds} rounds, ${flags.seconds} s`,
)
printTable(rows)

type Target = Awaited<ReturnType<typeof open>>

async function open(executable: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bodies-'))
  running.defer(() => rmSync(folder, { recursive: true, force: true }))
  const credentials = await seedStore(folder, modelDir, 1_000)
  const served = running.use(await startMeasuredService(folder, executable))
  const token = await readToken(served.address, credentials)
  return { name: executable ?? 'sources', served, token, isMeasured: executable === undefined }
}

/** A picture that compresses badly, with bytes behind its end. */
async function drawPicture(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const create = { width: 1_700, height: 1_700, channels: 3, background: '#000', noise } as const
  const png = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer()
  return Buffer.concat([png, Buffer.alloc(Math.max(0, BYTES - png.length), 5)])
}

function request(token: string, { path, body }: (typeof KINDS)[number]): Uint8Array {
  const type = typeof body === 'string' ? 'application/json' : 'multipart/form-data; boundary=b'
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
  }
  return rawRequest('POST', path, headers, body)
}

async function hold(served: MeasuredService, body: Uint8Array): Promise<string[]> {
  const holds: number[] = []
  const cpu: number[] = []
  for (let round = 0; round <= Number(flags.rounds); round++) {
    await served.resetDelay()
    await drive({ address: served.address, connections: 1, seconds: 0, request: () => body, note() {} })
    const delay = await served.delay()
    // The first one warms up.
    if (!delay || round === 0) continue
    holds.push(delay.max)
    cpu.push(delay.cpuMs)
  }
  return [median(holds).toFixed(1), median(cpu).toFixed(1), Math.max(...cpu).toFixed(1)]
}

/** p50, p95 and p99 of searches for words, alone or beside a connection that sends one body after the other. */
async function searchBeside({ served, token }: Target, body?: Uint8Array): Promise<string[]> {
  const waits: number[] = []
  const words = rawRequest(
    'POST',
    '/v1/search/text',
    { authorization: `Bearer ${token}` },
    json({ query: 'red mug' }),
  )
  const load = { address: served.address, connections: 1, seconds: Number(flags.seconds) }
  await Promise.all([
    drive({ ...load, request: () => words, note: (_, ms) => void waits.push(ms) }),
    body && drive({ ...load, request: () => body, note() {} }),
  ])
  return [0.5, 0.95, 0.99].map((share) => quantile(waits, share).toFixed(1))
}
