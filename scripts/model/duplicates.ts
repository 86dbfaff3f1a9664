/**
 * Measures from which similarity two pictures show the same product: the default of the setting `duplicate_threshold`.
 *
 *     bun scripts/model/duplicates.ts [--photos FOLDER] [--model models/<name>]
 *
 * The sources are the demo pictures, each with its category, and with `--photos` a folder of photographs with `labels.csv`
 * (`file,label`). For each threshold it prints the share of copies (half size, JPEG of quality 25, 90 % of the width and
 * the height) that reach it beside their original, and the share of products whose nearest other product of the same kind
 * reaches it, too: these would be false alarms. Further columns ask for perceptual hashes that differ in few bits as well.
 */
import './silent.ts'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { calibrate } from '../../src/core/calibrate.ts'
import { readDemoPicture } from '../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../src/features/catalogue/demo/catalogue.ts'
import { createPictureDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'
import { printTable } from '../bench/parts/statistics.ts'

interface Labelled {
  bytes: Uint8Array
  label: string
}

/** A picture as the program knows it. */
interface Known {
  label: string
  vector: Float32Array
  phash: string
}

/** How alike two pictures are. */
interface Likeness {
  similarity: number
  /** Bits in which the perceptual hashes differ. */
  bits: number
}

const THRESHOLDS = [0.85, 0.88, 0.9, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97, 0.975, 0.98]
const BITS_MAX = [64, 24, 16, 10]

const { values: flags } = parseArgs({ options: { photos: { type: 'string' }, model: { type: 'string' } } })
const modelDir = flags.model ?? bundledModelDir()
const treatment = readTreatment(modelDir)
const decode = createPictureDecoder(treatment)
const embed = await loadVisionModel(modelDir, treatment.input, 2)
const map = readModelFiles(modelDir).calibration.image_image

await report('drawings', await readDemoDrawings())
if (flags.photos) await report('photographs', await readPhotographs(flags.photos))

async function report(title: string, source: readonly Labelled[]): Promise<void> {
  const originals: Known[] = []
  const copies: { [way: string]: Likeness[] } = {}
  for (const { bytes, label } of source) {
    const original = await know(bytes, label)
    originals.push(original)
    for (const [way, copy] of Object.entries(await copyInWays(bytes))) {
      copies[way] ??= []
      copies[way].push(compare(original, await know(copy, label)))
    }
  }
  const alarms = originals.map((one) =>
    originals
      .filter((other) => other !== one && other.label === one.label)
      .map((other) => compare(one, other)),
  )
  const ways = Object.keys(copies)
  const rows = [['similarity', ...BITS_MAX.flatMap((most) => [...ways, `false (${most} bits)`])]]
  for (const threshold of THRESHOLDS) {
    const cells = BITS_MAX.flatMap((most) => {
      const reaches = ({ similarity, bits }: Likeness) => similarity >= threshold && bits <= most
      const found = ways.map((way) => share(copies[way] ?? [], reaches))
      return [...found, share(alarms, (others) => others.some(reaches))]
    })
    rows.push([threshold.toFixed(3), ...cells])
  }
  console.log(`${title}: ${source.length}`)
  printTable(rows)
}

async function know(bytes: Uint8Array, label: string): Promise<Known> {
  const decoded = await decode(bytes)
  const [vector] = await embed([decoded])
  if (!vector) throw new Error('The model gave no vector')
  return { label, vector, phash: decoded.facts.phash }
}

function compare(one: Known, other: Known): Likeness {
  const cosine = one.vector.reduce((sum, value, n) => sum + value * (other.vector[n] ?? 0), 0)
  return { similarity: calibrate(cosine, map), bits: countBits(one.phash, other.phash) }
}

function countBits(one: string, other: string): number {
  const different = BigInt(`0x${one}`) ^ BigInt(`0x${other}`)
  return different.toString(2).replaceAll('0', '').length
}

function share<Item>(items: readonly Item[], fits: (item: Item) => boolean): string {
  return `${((100 * items.filter(fits).length) / items.length).toFixed(1)} %`
}

async function copyInWays(bytes: Uint8Array): Promise<{ [way: string]: Uint8Array }> {
  const { width, height } = await sharp(bytes).metadata()
  const inset = { left: Math.round(width * 0.05), top: Math.round(height * 0.05) }
  const inner = { ...inset, width: width - 2 * inset.left, height: height - 2 * inset.top }
  return {
    half: await sharp(bytes)
      .resize(Math.round(width / 2))
      .jpeg({ quality: 80 })
      .toBuffer(),
    'quality 25': await sharp(bytes).jpeg({ quality: 25 }).toBuffer(),
    'crop 90 %': await sharp(bytes).extract(inner).jpeg({ quality: 90 }).toBuffer(),
  }
}

async function readDemoDrawings(): Promise<Labelled[]> {
  return Promise.all(
    DEMO_PRODUCTS.map(async ({ picture, metadata }) => ({
      bytes: await readDemoPicture(picture),
      label: metadata.category,
    })),
  )
}

async function readPhotographs(folder: string): Promise<Labelled[]> {
  const [, ...lines] = (await Bun.file(join(folder, 'labels.csv')).text()).trim().split(/\r?\n/)
  return Promise.all(
    lines.map(async (line) => {
      const [file = '', label = ''] = line.split(',')
      return { bytes: await Bun.file(join(folder, basename(file))).bytes(), label }
    }),
  )
}
