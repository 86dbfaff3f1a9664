/**
 * Writes the `calibration.json` of a model folder: the maps from raw cosines to scores from 0 to 1.
 *
 *     bun scripts/model/calibrate.ts [model folder] [--photos FOLDER]
 *
 * The sources are the demo pictures, each with its category, and with `--photos` a folder of photographs with
 * `labels.csv` (`file,label`). Both pictures of a pair come from one source, because a store's pictures resemble each
 * other in style. Each source has the same weight.
 *
 * The map for two pictures goes through two anchors:
 *
 *     the same picture at half size    0.97, at the 10th percentile of the source where that is lowest
 *     pictures of the same kind        0.50, at the mean of the sources' medians
 *
 * A logistic has two parameters, so the anchors determine the scores of "clearly alike" pictures (0.8) and of identical
 * ones. The script only prints the other groups.
 *
 * The map for words and a picture uses two groups: the picture's own kind 0.80, another kind 0.05. (No word means "the
 * same picture".)
 *
 * The map `1 / (1 + exp(-slope * (cosine - midpoint)))` is a straight line in log-odds. For words it is the least-squares
 * line through one point per group and source: median cosine, log-odds of the target. It uses medians because labels are
 * rough (a white chair and a wooden one are "the same kind"). The script prints the scores of each group.
 */
import './silent.ts'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { readDemoPicture } from '../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../src/features/catalogue/demo/catalogue.ts'
import { createPictureDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import type { Calibration, LogisticMap } from '../../src/platform/embedder/embedder.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'

interface Labelled {
  bytes: Uint8Array
  /** The kind of product, as a shopper would type it. */
  label: string
}

/** Cosines that should all get the same score. */
interface Group {
  name: string
  /** Undefined for a group that the script only prints. */
  target?: number
  cosines: number[]
}

const HALF_SIZE = 'the same picture, half size'
const SAME_KIND = 'the same kind'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { photos: { type: 'string' } },
})
const modelDir = positionals[0] ?? bundledModelDir()
const treatment = readTreatment(modelDir)
const decode = createPictureDecoder(treatment)
const vision = await loadVisionModel(modelDir, treatment.input, 2)
const text = await loadTextModel(modelDir, 1)

const sources = [await readDemoDrawings(), ...(flags.photos ? [await readPhotographs(flags.photos)] : [])]
const groups = await Promise.all(sources.map(measureGroups))
const calibration: Calibration = {
  image_image: fitAnchors(groups.map(({ pictures }) => pictures)),
  text_image: fitLine(
    'words to picture',
    groups.map(({ words }) => words),
  ),
}
await Bun.write(join(modelDir, 'calibration.json'), `${JSON.stringify(calibration, null, 2)}\n`)

async function readDemoDrawings(): Promise<Labelled[]> {
  return Promise.all(
    DEMO_PRODUCTS.map(async ({ picture, metadata }) => ({
      bytes: await readDemoPicture(picture),
      label: metadata.category.replaceAll('-', ' '),
    })),
  )
}

async function readPhotographs(folder: string): Promise<Labelled[]> {
  const [, ...lines] = (await Bun.file(join(folder, 'labels.csv')).text()).trim().split(/\r?\n/)
  return Promise.all(
    lines.map(async (line) => {
      const [file = '', label = ''] = line.split(',')
      return { bytes: await Bun.file(join(folder, basename(file))).bytes(), label: label.toLowerCase() }
    }),
  )
}

async function measureGroups(source: Labelled[]): Promise<{ pictures: Group[]; words: Group[] }> {
  const same: number[] = []
  const other: number[] = []
  const halved: number[] = []
  const altered: number[] = []
  const own: number[] = []
  const foreign: number[] = []
  const vectors: Float32Array[] = []
  for (const { bytes } of source) {
    const vector = await embed(bytes)
    vectors.push(vector)
    halved.push(dot(vector, await embed(await halve(bytes))))
    for (const copy of await alter(bytes)) altered.push(dot(vector, await embed(copy)))
  }
  for (const [i, a] of source.entries()) {
    for (const [j, b] of source.entries()) {
      if (j > i) (a.label === b.label ? same : other).push(dot(vectors[i], vectors[j]))
    }
  }
  for (const label of new Set(source.map((item) => item.label))) {
    const [query] = await text.embed([text.tokenize(label)])
    for (const [i, item] of source.entries())
      (item.label === label ? own : foreign).push(dot(query, vectors[i]))
  }
  return {
    pictures: [
      { name: 'another kind', cosines: other },
      { name: SAME_KIND, target: 0.5, cosines: same },
      { name: 'the same picture, altered', cosines: altered },
      { name: HALF_SIZE, target: 0.97, cosines: halved },
    ],
    words: [
      { name: 'another kind', target: 0.05, cosines: foreign },
      { name: 'its own kind', target: 0.8, cosines: own },
    ],
  }
}

async function embed(bytes: Uint8Array): Promise<Float32Array> {
  const [vector] = await vision([await decode(bytes)])
  if (!vector) throw new Error('The model gave no vector')
  return vector
}

async function halve(bytes: Uint8Array): Promise<Uint8Array> {
  const { width } = await sharp(bytes).metadata()
  const copy = sharp(bytes).resize(Math.round(width / 2))
  return new Uint8Array(await copy.jpeg({ quality: 80 }).toBuffer())
}

/** Makes copies of a picture as shops and phones do. */
async function alter(bytes: Uint8Array): Promise<Uint8Array[]> {
  const { width, height } = await sharp(bytes).metadata()
  const inset = { left: Math.round(width * 0.04), top: Math.round(height * 0.04) }
  const inner = { ...inset, width: width - 2 * inset.left, height: height - 2 * inset.top }
  const copies = [
    sharp(bytes).webp({ quality: 60 }),
    sharp(bytes).linear(1.1, 0).jpeg({ quality: 90 }),
    sharp(bytes).extract(inner).jpeg({ quality: 90 }),
  ]
  return Promise.all(copies.map(async (copy) => new Uint8Array(await copy.toBuffer())))
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error('A vector is missing')
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}

/** Fits the map through both anchors. */
function fitAnchors(sources: Group[][]): LogisticMap {
  const quantiles = (group: string, share: number) =>
    sources.flatMap((groups) =>
      groups.flatMap(({ name, cosines }) => (name === group ? [quantile(cosines, share)] : [])),
    )
  const same = Math.min(...quantiles(HALF_SIZE, 0.1))
  const medians = quantiles(SAME_KIND, 0.5)
  const midpoint = medians.reduce((sum, cosine) => sum + cosine, 0) / medians.length
  const map = { midpoint: round(midpoint), slope: round(toLogOdds(0.97) / (same - midpoint)) }
  report('picture to picture', map, sources)
  return map
}

function toLogOdds(score: number): number {
  return Math.log(score / (1 - score))
}

/** Fits the least-squares line through the groups' medians, in log-odds. */
function fitLine(title: string, sources: Group[][]): LogisticMap {
  const points = sources.flat().map(({ target = 0.5, cosines }) => ({
    cosine: quantile(cosines, 0.5),
    logOdds: toLogOdds(target),
  }))
  const average = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const cosine = average((point) => point.cosine)
  const logOdds = average((point) => point.logOdds)
  const slope =
    average((point) => (point.cosine - cosine) * (point.logOdds - logOdds)) /
    average((point) => (point.cosine - cosine) ** 2)
  const map = { midpoint: round(cosine - logOdds / slope), slope: round(slope) }
  report(title, map, sources)
  return map
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0
}

function report(title: string, map: LogisticMap, sources: Group[][]): void {
  console.log(`\n${title}: ${JSON.stringify(map)}`)
  for (const [i, groups] of sources.entries()) {
    for (const { name, target, cosines } of groups) {
      const quantiles = [0.05, 0.1, 0.5, 0.95].map((share) => {
        const cosine = quantile(cosines, share)
        const score = 1 / (1 + Math.exp(-map.slope * (cosine - map.midpoint)))
        return `${cosine.toFixed(2)} -> ${score.toFixed(2)}`
      })
      const row = [
        i === 0 ? 'drawings' : 'photographs',
        name,
        `${cosines.length} pairs`,
        `target ${target ?? '-'}`,
        ...quantiles,
      ]
      console.log(row.join(' | '))
    }
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
