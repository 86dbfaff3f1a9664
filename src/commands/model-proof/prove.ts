import { createPictureDecoder } from '../../platform/embedder/child/decoder.ts'
import { addVectors, loadTextModel, loadVisionModel } from '../../platform/embedder/child/model.ts'
import { readTreatment } from '../../platform/embedder/child/treatment.ts'
import type { Calibration } from '../../platform/embedder/embedder.ts'
import { readGolden, readModelFiles } from '../../platform/embedder/model-files.ts'
import { readModelLayout } from '../../platform/embedder/model-layout.ts'
import type { Made, Makes, ProofProgress } from '../../platform/models/proof.ts'
import {
  countPairPictures,
  describeFit,
  fitPictures,
  fitWords,
  measurePairs,
  type Pairs,
  tellsPictures,
  tellsWords,
} from './cosine-maps.ts'
import { fitFinals } from './final-maps.ts'
import { embedPlainly, type PlainVectors, toGoldenFile } from './golden.ts'
import { drawGoldenPictures } from './golden-pictures.ts'
import { findLanguages } from './languages.ts'
import { type KnownSet, readKnownSets } from './pictures.ts'
import type { Eyes, SeenPicture } from './shop.ts'
import { dot, median } from './statistics.ts'

type Tell = (progress: ProofProgress) => void

/** A model in this process, which remembers what it has seen. */
export interface LoadedModel extends Eyes {
  /** Milliseconds of each picture and text so far. */
  readonly times: { picture: number[]; text: number[] }
  embedPlainly(): Promise<PlainVectors>
  /** Tells each picture and text, in the place of an earlier listener. */
  onEmbedded(listener: () => void): void
}

/** @param threads of one inference. */
export async function loadModel(dir: string, threads = 2): Promise<LoadedModel> {
  const treatment = readTreatment(dir)
  const decode = createPictureDecoder(treatment)
  const vision = await loadVisionModel(dir, treatment.input, threads)
  const text = await loadTextModel(dir, 1)
  const times: LoadedModel['times'] = { picture: [], text: [] }
  const pictures = new Map<string, Promise<SeenPicture>>()
  const words = new Map<string, ReturnType<Eyes['read']>>()
  let tell = (): void => {}

  async function look(...[bytes, isIndexed = false, crop]: Parameters<Eyes['see']>): Promise<SeenPicture> {
    const { tensor, objectTensor, facts } = await decode(bytes, { isIndexed, ...(crop && { crop }) })
    const begin = performance.now()
    const vectors = await vision(
      (objectTensor ? [tensor, objectTensor] : [tensor]).map((one) => ({ tensor: one })),
    )
    times.picture.push((performance.now() - begin) / vectors.length)
    tell()
    return { vector: addVectors(vectors), palette: facts.palette }
  }

  async function embedText(query: string): Promise<Float32Array> {
    const begin = performance.now()
    const [vector] = await text.embed([text.tokenize(query)])
    if (!vector) throw new Error('The model gave no vector')
    times.text.push(performance.now() - begin)
    tell()
    return vector
  }

  async function readNow(query: string): ReturnType<Eyes['read']> {
    const vector = await embedText(query)
    const known = await text.look(query)
    return { text: query, vector, ...known, isUnknown: known.unknownShare === 1 }
  }

  return {
    times,
    onEmbedded(listener) {
      tell = listener
    },
    see(bytes, isIndexed = false, crop) {
      const key = `${Bun.hash(bytes)} ${isIndexed && treatment.addsObject} ${JSON.stringify(crop)}`
      const seen = pictures.get(key) ?? look(bytes, isIndexed, crop)
      pictures.set(key, seen)
      return seen
    },
    read(query) {
      const known = words.get(query) ?? readNow(query)
      words.set(query, known)
      return known
    },
    embedPlainly: () => embedPlainly(vision, embedText, treatment),
  }
}

/** Loads the model of a folder, measures it on this machine, and makes what its folder lacks. */
export async function proveModel(dir: string, makes: Makes, tell: Tell): Promise<Made> {
  tell({ step: 'load', done: 0, total: 1 })
  const files = readModelFiles(dir, 'unneeded')
  const golden = readGolden(dir)
  const model = await loadModel(dir)
  const plain = await model.embedPlainly()
  refuseOtherLength(plain, files.fingerprint.dimension)
  tell({ step: 'load', done: 1, total: 1 })

  const accuracy = { ...(await compareToPlain(model, plain)), fast: await measureFast(dir) }
  const sets = await readKnownSets()
  const pairs = await measureSets(sets, model, tell)
  const languages = await findLanguages(sets.at(-1)?.catalogue ?? [], model)
  const warnings = warnOf(pairs, accuracy)

  const makesCalibration = makes === 'all' || (makes === 'missing' && !files.hasCalibration)
  const calibration = makesCalibration ? await fitModel(sets, pairs, languages, model, tell) : undefined
  const makesGolden = makes === 'all' || (makes === 'missing' && golden === undefined)
  return {
    proof: {
      accuracy,
      speed: { pictureMs: round(median(model.times.picture)), textMs: round(median(model.times.text)) },
      fit: describeFit(pairs, calibration ?? files.calibration),
      languages: calibration ? languages : [...(files.calibration.languages ?? ['en'])],
      warnings,
    },
    ...(calibration && { calibration }),
    ...(makesGolden && { golden: toGoldenFile(await readOwnVectors(model, plain)) }),
  }
}

/** Makes the maps of a model without a look at those that it has. */
export async function fitModel(
  sets: readonly KnownSet[],
  pairs: readonly Pairs[],
  languages: readonly string[],
  model: LoadedModel,
  tell: Tell,
): Promise<Calibration> {
  const plain: Calibration = { image_image: fitPictures(pairs), text_image: fitWords(pairs) }
  const [pictures, words] = [tellsPictures(pairs), tellsWords(pairs)]
  const trusts = { text: words, picture: pictures, hybrid: words && pictures, fusion: words && pictures }
  // The catalogues are known by now, their queries are not.
  const total = sets.reduce((sum, { queries }) => sum + queries.length, 0)
  countPictures(model, total, (done) => tell({ step: 'fit', done, total }))
  const final = await fitFinals(sets, model, plain, trusts)
  return { ...plain, final, ...(languages.length > 1 && { languages: [...languages] }) }
}

/** Tells each picture that is embedded from now on. */
function countPictures(model: LoadedModel, total: number, tell: (done: number) => void): void {
  const before = model.times.picture.length
  tell(0)
  model.onEmbedded(() => tell(Math.min(total, model.times.picture.length - before)))
}

async function measureSets(sets: readonly KnownSet[], model: LoadedModel, tell: Tell): Promise<Pairs[]> {
  const total = sets.reduce((sum, set) => sum + countPairPictures(set), 0)
  countPictures(model, total, (done) => tell({ step: 'measure', done, total }))
  const pairs: Pairs[] = []
  for (const set of sets) pairs.push(await measurePairs(set, model))
  return pairs
}

/**
 * The lowest cosine between the exact arithmetic of 8 bits, which the service takes where it must, and the fast one of this processor: 1
 * where they are the same. Null for weights of more bits.
 */
async function measureFast(dir: string): Promise<number | null> {
  if (readModelLayout(dir).towers.vision.precision !== 'q8') return null
  const treatment = readTreatment(dir)
  const decode = createPictureDecoder(treatment)
  const [exact, fast] = [
    await loadVisionModel(dir, treatment.input, 1, true),
    await loadVisionModel(dir, treatment.input, 1, false),
  ]
  let lowest = 1
  for (const { bytes } of await drawGoldenPictures()) {
    // A vector without a direction is as wrong as one can be.
    const picture = await decode(bytes)
    const [vector] = await fast([picture]).catch(() => [])
    const [right] = await exact([picture])
    lowest = Math.min(lowest, vector && right ? dot(vector, right) : -1)
  }
  return round(lowest)
}

/** The lowest cosine between what the service computes and the plain path. */
async function compareToPlain(
  model: LoadedModel,
  plain: PlainVectors,
): Promise<{ pictures: number; texts: number }> {
  let [pictures, texts] = [1, 1]
  for (const { bytes, vector } of plain.pictures)
    pictures = Math.min(pictures, dot((await model.see(bytes)).vector, vector))
  for (const { text, vector } of plain.texts)
    texts = Math.min(texts, dot((await model.read(text)).vector, vector))
  return { pictures: round(pictures), texts: round(texts) }
}

/**
 * The vectors that the service itself computes, for the self-test of each start. How far they are from the plain path is measured
 * apart: a model may be so sensitive that a picture turned before or after it was made small gives another vector.
 */
async function readOwnVectors(model: LoadedModel, plain: PlainVectors): Promise<PlainVectors> {
  const pictures: PlainVectors['pictures'] = []
  for (const { name, bytes } of plain.pictures)
    pictures.push({ name, bytes, vector: (await model.see(bytes)).vector })
  return { pictures, texts: plain.texts }
}

function refuseOtherLength({ pictures, texts }: PlainVectors, dimension: number): void {
  const lengths = [...pictures, ...texts].map(({ vector }) => vector.length)
  const other = lengths.find((length) => length !== dimension)
  if (other !== undefined)
    throw new Error(`its vectors have ${other} numbers, and config.json says ${dimension}`)
}

/** Faults of preprocessing give less: 0.89 for swapped channels, 0.77 without alpha on white, 0.64 without the rotation of EXIF. */
const ACCURACY_MIN = 0.9

function warnOf(pairs: readonly Pairs[], { pictures }: { pictures: number }): string[] {
  return [
    ...(pictures >= ACCURACY_MIN
      ? []
      : [
          `The model is very sensitive to how a picture is made small: the service's way and the plain one give a cosine of ${pictures} at the worst.`,
        ]),
    ...(tellsPictures(pairs)
      ? []
      : ['The model does not tell kinds of products apart by their pictures: its scores are kept low.']),
    ...(tellsWords(pairs)
      ? []
      : [
          'The model does not connect words with pictures, perhaps because its tokenizer belongs to another model: its scores are kept low.',
        ]),
  ]
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000
