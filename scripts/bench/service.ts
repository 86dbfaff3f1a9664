/**
 * Compares the whole service over HTTP with its bare parts, in the same run.
 *
 *     bun scripts/bench/service.ts [--products 5000,50000] [--rounds N] [--executable dist/lookalike]
 *
 * * search by words, compared with text inference alone plus a bare scan of as many vectors;
 * * search by picture, compared with decoding and inference alone plus the bare scan;
 * * indexing by upload, compared with the bare model on all cores: 1 / (decode + inference), each measured alone;
 * * the delay of the HTTP loop while 8 pictures are indexed at once, and searches at that time compared with idle ones.
 *
 * The service runs in its own process from the sources. `--executable` measures the compiled one instead, but not the
 * delay of its loop. Rounds alternate between both sides and medians are compared, because the machine may be busy.
 * Vectors are random; products are written through the project's own queries.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { selectTop } from '../../src/core/select.ts'
import { createPictureDecoder, hardenDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { createVectorArena } from '../../src/platform/vectors/arena.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type Client, startMeasuredService } from './parts/process.ts'
import { generateVectors, seedStore } from './parts/seed.ts'
import { median, printTable, quantile } from './parts/statistics.ts'

/** Milliseconds of each round. */
interface Pair {
  bare: number[]
  service: number[]
}

const { values: flags } = parseArgs({
  options: { products: { type: 'string' }, rounds: { type: 'string' }, executable: { type: 'string' } },
})
const sizes = (flags.products ?? '5000,50000').split(',').map(Number)
const rounds = Number(flags.rounds ?? 100)
const cores = availableParallelism()
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')
const queries = [
  'red mug',
  'blue striped shirt',
  'wooden chair',
  'black backpack',
  'table lamp',
  'green dress',
]

/** Words that no search before had: the service infers nothing for those that it knows. */
const query = (n: number) => `${queries[n % queries.length]} ${runs}-${n}`
let runs = 0

hardenDecoder()
const treatment = readTreatment(modelDir)
const decode = createPictureDecoder(treatment)
const vision = await loadVisionModel(modelDir, treatment.input, cores)
const words = await loadTextModel(modelDir, 1)
const pictures = await drawPhotographs(240)

for (const products of sizes) await measureSearch(products)
await measureIndexing()

async function measureSearch(products: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  try {
    const credentials = await seedStore(folder, modelDir, products)
    await using service = await startMeasuredService(folder, flags.executable)
    const client = await service.signIn(credentials)
    const scan = createBareScan(products)
    const picture = (n: number) => pictures[n % pictures.length] as Uint8Array<ArrayBuffer>
    const byWords = await measureInTurns(
      async (n) => scan((await words.embed([words.tokenize(query(n))]))[0]),
      (n) => client.searchText(query(n)),
    )
    const byPicture = await measureInTurns(
      async (n) => scan((await vision([await decode(picture(n))]))[0]),
      (n) => client.searchPicture(picture(n)),
    )
    console.log(`\n${products} products, ${rounds} rounds, medians`)
    printTable([
      ['search', 'bare ms', 'service ms', 'ratio', 'goal'],
      formatRow('by words', byWords, '≤ 1.5'),
      formatRow('by picture', byPicture, ''),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureIndexing(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  try {
    const credentials = await seedStore(folder, modelDir, 1000)
    await using service = await startMeasuredService(folder, flags.executable)
    const client = await service.signIn(credentials)
    const decodeRate = await measureRate(cores, (n) => decode(pictures[n % pictures.length] as Uint8Array))
    const ready = await Promise.all(pictures.slice(0, 16).map((bytes) => decode(bytes)))
    const pair = (n: number) =>
      [ready[(2 * n) % 16], ready[(2 * n + 1) % 16]] as NonNullable<(typeof ready)[0]>[]
    const inferenceRate = 2 * (await measureRate(1, (n) => vision(pair(n))))
    const bare = 1 / (1 / decodeRate + 1 / inferenceRate)

    const idle = await timeSearches(client, 60)
    await service.resetDelay()
    const indexing = indexAll(client, 8)
    const busy = await timeSearches(client, 60)
    const indexed = await indexing
    const delay = await service.delay()
    console.log(`\nIndexing ${pictures.length} photographs, 8 at a time`)
    printTable([
      ['pictures a second', '', 'ratio', 'goal'],
      ['bare: decode and inference', bare.toFixed(1), '1.00', ''],
      ['service, while searching', indexed.toFixed(1), (indexed / bare).toFixed(2), ''],
    ])
    const alone = await indexAll(client, 8, 'again')
    printTable([['service, indexing alone', alone.toFixed(1), (alone / bare).toFixed(2), '≥ 0.85']])
    console.log(`share of the bare inference alone: ${(alone / inferenceRate).toFixed(2)}`)
    console.log(
      `search by words while indexing against idle, p95: ${(quantile(busy, 0.95) / quantile(idle, 0.95)).toFixed(2)} (goal ≤ 2)`,
    )
    if (delay)
      console.log(
        `delay of the HTTP loop: p99 ${delay.p99.toFixed(1)} ms, longest ${delay.max.toFixed(1)} ms (goal ≤ 20)`,
      )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Indexes all pictures through POST /v1/products, `lanes` requests at a time. @returns the pictures per second. */
async function indexAll(client: Client, lanes: number, prefix = 'photo'): Promise<number> {
  const begin = performance.now()
  let next = 0
  const lane = async () => {
    for (let n = next++; n < pictures.length; n = next++) {
      // One more byte at the end: new content for the service, the same work for the model.
      const bytes =
        prefix === 'photo'
          ? (pictures[n] as Uint8Array)
          : Buffer.concat([pictures[n] as Uint8Array, Buffer.of(n & 255)])
      await client.index(`${prefix}-${n}`, bytes)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return (pictures.length / (performance.now() - begin)) * 1000
}

async function timeSearches(client: Client, count: number): Promise<number[]> {
  runs++
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    times.push(await time(() => client.searchText(query(n))))
    await Bun.sleep(10)
  }
  return times
}

function createBareScan(products: number): (vector: Float32Array | undefined) => void {
  const arena = createVectorArena(512)
  let key = 0
  for (const vector of generateVectors(products)) arena.put('bench', ++key, vector)
  const segment = arena.segment('bench')
  return (vector) => {
    if (segment && vector) selectTop(segment.scanAll(vector), 20)
  }
}

async function time(work: () => unknown): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Measures the calls per second over about two seconds, `lanes` at a time. */
async function measureRate(lanes: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  let count = 0
  const lane = async (first: number) => {
    for (let n = first; performance.now() < begin + 2000; n += lanes) {
      await work(n)
      count++
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  return (count / (performance.now() - begin)) * 1000
}

/** Times two works in turns, after as many rounds of warm-up. */
async function measureInTurns(bare: (n: number) => unknown, service: (n: number) => unknown): Promise<Pair> {
  const pair: Pair = { bare: [], service: [] }
  for (let n = 0; n < 2 * rounds; n++) {
    const times = [await time(() => bare(n)), await time(() => service(n))] as const
    if (n < rounds) continue
    pair.bare.push(times[0])
    pair.service.push(times[1])
  }
  return pair
}

function formatRow(name: string, { bare, service }: Pair, goal: string): string[] {
  const ratio = median(service) / median(bare)
  return [name, median(bare).toFixed(2), median(service).toFixed(2), ratio.toFixed(2), goal]
}
