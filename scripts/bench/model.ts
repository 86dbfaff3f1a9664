/**
 * Compares the model behind the embedder with the model alone, in the same run.
 *
 *     bun scripts/bench/model.ts [--threads N] [--rounds N]
 *
 * "Alone" means decoding alone and inference alone, each with all threads, in a process that does nothing else; their
 * sum is the least cost of a picture without overlap. Rounds alternate and medians are compared, because the machine may
 * be busy. Memory is the resident size of each process, including shared pages.
 */
import '../model/silent.ts'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { createPictureDecoder, hardenDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { createEmbedder } from '../../src/platform/embedder/child-embedder.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { median } from './parts/statistics.ts'

const { values: flags } = parseArgs({ options: { threads: { type: 'string' }, rounds: { type: 'string' } } })
const threads = Number(flags.threads ?? availableParallelism())
const rounds = Number(flags.rounds ?? 5)
const modelDir = 'models/lookalike-clip-v0'
const silent = { info() {}, warn() {}, error() {} }

const started = performance.now()
const embedder = createEmbedder({
  modelDir,
  command: [process.execPath, 'test/platform/embedder/entry.ts'],
  inferenceThreads: threads,
  log: silent,
})
const constructedMs = performance.now() - started
await embedder.settled()
const readyMs = performance.now() - started
const idle = formatResidentSizes()

const pictures = await drawPhotographs(16)
hardenDecoder()
const treatment = readTreatment(modelDir)
const decode = createPictureDecoder(treatment)
const vision = await loadVisionModel(modelDir, treatment.input, threads)
const text = await loadTextModel(modelDir, 1)
const decoded = await Promise.all(pictures.map((bytes) => decode(bytes)))
const tokens = text.tokenize('red running shoes')

const measured = {
  decode: [] as number[],
  inference: [] as number[],
  embedder: [] as number[],
  text: [] as number[],
  embedderText: [] as number[],
  searchIdle: [] as number[],
  searchBusy: [] as number[],
}
for (let round = 0; round < rounds; round++) {
  measured.decode.push(await measureRate(threads, (i) => decode(pick(pictures, i))))
  measured.inference.push(
    await measureRate(1, (i) => vision([pick(decoded, 2 * i), pick(decoded, 2 * i + 1)]), 2),
  )
  measured.embedder.push(
    await measureRate(24, (i) =>
      embedder.embedPicture(pick(pictures, i), { priority: 'index', storeId: 'bench' }),
    ),
  )
  measured.text.push(await measureRate(1, () => text.embed([tokens])))
  measured.embedderText.push(await measureRate(1, () => embedder.embedText('red running shoes', 'search')))
  measured.searchIdle.push(
    1000 /
      (await measureRate(1, (i) =>
        embedder.embedPicture(pick(pictures, i), { priority: 'search', storeId: 'bench' }),
      )),
  )
  measured.searchBusy.push(await searchWhileIndexing())
}

const rate = (name: keyof typeof measured) => median(measured[name])
const bound = 1 / (1 / rate('decode') + 1 / rate('inference'))
console.log(
  `threads ${threads}, pictures of 800 x 1000, ${Math.round((pictures[0]?.length ?? 0) / 1024)} KiB`,
)
console.log(`constructor ${constructedMs.toFixed(0)} ms, ready after ${readyMs.toFixed(0)} ms`)
console.log(`resident MB after start: ${idle}; now: ${formatResidentSizes()}`)
console.log(
  `pictures/s: decode alone ${rate('decode').toFixed(1)}, inference alone ${rate('inference').toFixed(1)}`,
)
console.log(
  `pictures/s: 1 / (decode + inference) ${bound.toFixed(1)}, embedder ${rate('embedder').toFixed(1)}`,
)
console.log(`embedder / bound: ${(rate('embedder') / bound).toFixed(2)} (goal 0.90)`)
const textMs = 1000 / rate('text')
const embedderTextMs = 1000 / rate('embedderText')
console.log(`text ms: alone ${textMs.toFixed(2)}, embedder ${embedderTextMs.toFixed(2)}`)
console.log(
  `search by picture ms: idle ${rate('searchIdle').toFixed(1)}, while indexing ${rate('searchBusy').toFixed(1)}`,
)
await embedder.close()

/** Measures the completed calls per second over about one second, `lanes` at a time. */
async function measureRate(lanes: number, call: (i: number) => Promise<unknown>, each = 1): Promise<number> {
  const end = performance.now() + 1000
  const begin = performance.now()
  let count = 0
  const lane = async (first: number) => {
    for (let i = first; performance.now() < end; i += lanes) {
      await call(i)
      count += each
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, i) => lane(i)))
  return (count / (performance.now() - begin)) * 1000
}

/** Measures the mean time of a search by picture in ms while 24 pictures always wait for indexing. */
async function searchWhileIndexing(): Promise<number> {
  const indexing = measureRate(24, (i) =>
    embedder.embedPicture(pick(pictures, i), { priority: 'index', storeId: 'bench' }),
  )
  const searches = await measureRate(1, (i) =>
    embedder.embedPicture(pick(pictures, i), { priority: 'search', storeId: 'bench' }),
  )
  await indexing
  return 1000 / searches
}

function pick<T>(items: readonly T[], i: number): T {
  const item = items[i % items.length]
  if (item === undefined) throw new Error('Nothing to pick from')
  return item
}

function formatResidentSizes(): string {
  const { text, vision } = embedder.pids()
  const size = (pid: number) => {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return Math.round((Number(pages) * 4096) / 1e6)
  }
  return `text ${text.map(size)}, vision ${vision.map(size)}`
}
