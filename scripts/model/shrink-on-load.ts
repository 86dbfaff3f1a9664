/**
 * Measures what `"shrink_on_load": true` in a model's preprocessor_config.json would change: the cosine between the
 * vectors of a JPEG decoded with and without it, the neighbours that stay among the ten nearest, and the CPU time.
 *
 *     bun scripts/model/shrink-on-load.ts [--folder <pictures>] [--megapixels 1,2,4,8,12] [--model models/<name>]
 *
 * Every picture is enlarged to each size and saved again as a JPEG, as a camera would have it: the sizes decide how far a
 * decoder shrinks. Without a folder it draws photographs. The goal: cosines of at least 0.99, 98 of 100 neighbours.
 */
import './silent.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { createPictureDecoder, hardenDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'
import { drawPhotographs } from '../bench/parts/photographs.ts'
import { median, printTable, quantile } from '../bench/parts/statistics.ts'

const NEAREST = 10

const { values: flags } = parseArgs({
  options: { folder: { type: 'string' }, megapixels: { type: 'string' }, model: { type: 'string' } },
})
const modelDir = flags.model ?? bundledModelDir()
const pictures = flags.folder ? readPictures(flags.folder) : await drawPhotographs(80)
const sizes = (flags.megapixels ?? '1,2,4,8,12').split(',').map(Number)

hardenDecoder()
const treatment = readTreatment(modelDir)
const embed = await loadVisionModel(modelDir, treatment.input, 1)
const ways = [false, true].map((shrinksOnLoad) => createPictureDecoder({ ...treatment, shrinksOnLoad }))

const rows = [
  ['megapixels', 'cosine: lowest', '1 %', 'median', 'nearest ten that stay', 'decode CPU ms', 'shrunk'],
]
for (const size of sizes) {
  const vectors: [Float32Array[], Float32Array[]] = [[], []]
  const times: [number[], number[]] = [[], []]
  for (const picture of pictures) {
    const bytes = await enlarge(picture, size)
    for (const [n, decode] of ways.entries()) {
      const begin = process.cpuUsage()
      const decoded = await decode(bytes)
      const { user, system } = process.cpuUsage(begin)
      times[n]?.push((user + system) / 1000)
      vectors[n]?.push((await embed([decoded]))[0] as Float32Array)
    }
  }
  const cosines = vectors[0].map((vector, n) => dot(vector, vectors[1][n] as Float32Array))
  rows.push([
    String(size),
    ...[Math.min(...cosines), quantile(cosines, 0.01), median(cosines)].map((each) => each.toFixed(4)),
    `${(100 * shareOfKept(...vectors)).toFixed(1)} %`,
    ...times.map((each) => median(each).toFixed(1)),
  ])
}
printTable(rows)

function readPictures(folder: string): Uint8Array[] {
  const names = readdirSync(folder).filter((name) => /\.jpe?g$/i.test(name))
  return names.map((name) => readFileSync(join(folder, name)))
}

async function enlarge(picture: Uint8Array, megapixels: number): Promise<Uint8Array> {
  const { width, height } = (await sharp(picture).metadata()).autoOrient
  const scale = Math.sqrt((megapixels * 1e6) / (width * height))
  const jpeg = sharp(picture)
    .autoOrient()
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: 'fill' })
    .jpeg({ quality: 88 })
  return new Uint8Array(await jpeg.toBuffer())
}

/** Of a picture's nearest, with both taken in the same way, the share that is the same in both ways. */
function shareOfKept(before: readonly Float32Array[], after: readonly Float32Array[]): number {
  let kept = 0
  for (let n = 0; n < before.length; n++) {
    const old = new Set(findNearest(before, n))
    kept += findNearest(after, n).filter((each) => old.has(each)).length
  }
  return kept / (before.length * Math.min(NEAREST, before.length - 1))
}

function findNearest(vectors: readonly Float32Array[], of: number): number[] {
  const scores = vectors.map((vector, n) => ({ n, score: dot(vector, vectors[of] as Float32Array) }))
  return scores
    .filter(({ n }) => n !== of)
    .sort((a, b) => b.score - a.score)
    .slice(0, NEAREST)
    .map(({ n }) => n)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}
