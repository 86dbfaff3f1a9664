import '../../model/silent.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { createRowSet } from '../../../src/features/catalogue/filters/rows.ts'
import {
  createProductIndex,
  type IndexedStore,
} from '../../../src/features/catalogue/product-index/product-index.ts'
import { createCategoryNames } from '../../../src/features/discovery/search/category-names.ts'
import { makePlan } from '../../../src/features/discovery/search/plan.ts'
import { readColours } from '../../../src/features/discovery/search/query-reader.ts'
import { rank } from '../../../src/features/discovery/search/ranking.ts'
import type { QueryWords } from '../../../src/features/discovery/search/sides.ts'
import { createPictureDecoder } from '../../../src/platform/embedder/child/decoder.ts'
import { addVectors, loadTextModel, loadVisionModel } from '../../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../../src/platform/embedder/child/treatment.ts'
import type { Calibration, PictureCrop, PictureFacts } from '../../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../../src/platform/embedder/model-files.ts'
import { createVectorArena } from '../../../src/platform/vectors/arena.ts'
import type { LabelledSet } from './sets.ts'
import { describe, type Shop } from './shops.ts'
import type { Question } from './tasks.ts'

const ROOT = join(import.meta.dir, '../../..')
/** What the vectors and palettes of pictures depend on, beside the model. */
const SOURCES = ['src/platform/embedder/child', 'src/core/colours']

interface SeenPicture {
  vector: Float32Array
  palette: PictureFacts['palette']
}

export type Models = Awaited<ReturnType<typeof loadModels>>

interface Seen {
  pictures: Map<string, SeenPicture>
  words: Map<string, QueryWords>
}

/**
 * The model of a folder in this process. It remembers what it has seen in a file below `dist`, which counts as long as neither
 * the model nor the code that embeds has changed.
 *
 * @param addsObject overrides the folder's flag.
 */
export async function loadModels(modelDir: string, addsObject?: boolean) {
  const own = readTreatment(modelDir)
  const treatment = { ...own, addsObject: addsObject ?? own.addsObject }
  const decode = createPictureDecoder(treatment)
  const path = join(
    ROOT,
    `dist/bench/seen-${readModelFiles(modelDir).fingerprint.hash.slice(0, 16)}-${hashSources()}`,
  )
  const seen: Seen = existsSync(path)
    ? (deserialize(readFileSync(path)) as Seen)
    : { pictures: new Map(), words: new Map() }
  const known = { pictures: seen.pictures.size, words: seen.words.size }
  let vision: ReturnType<typeof loadVisionModel> | undefined
  let text: ReturnType<typeof loadTextModel> | undefined

  async function lookAt(bytes: Uint8Array, isIndexed: boolean, crop?: PictureCrop): Promise<SeenPicture> {
    vision ??= loadVisionModel(modelDir, treatment.input, 2)
    const { tensor, objectTensor, facts } = await decode(bytes, { isIndexed, ...(crop && { crop }) })
    const inputs = objectTensor ? [tensor, objectTensor] : [tensor]
    const vectors = await (await vision)(inputs.map((one) => ({ tensor: one })))
    return { vector: addVectors(vectors), palette: facts.palette }
  }

  async function readWords(query: string): Promise<QueryWords> {
    text ??= loadTextModel(modelDir, 1)
    const model = await text
    const [vector] = await model.embed([model.tokenize(query)])
    if (!vector) throw new Error('The model gave no vector')
    const known = await model.look(query)
    return { text: query, vector, ...known, isUnknown: known.unknownShare === 1 }
  }

  return {
    async see(bytes: Uint8Array, isIndexed = false, crop?: PictureCrop): Promise<SeenPicture> {
      const key = `${Bun.hash(bytes)} ${isIndexed && treatment.addsObject} ${JSON.stringify(crop)}`
      const known = seen.pictures.get(key) ?? (await lookAt(bytes, isIndexed, crop))
      seen.pictures.set(key, known)
      return known
    },
    async read(query: string): Promise<QueryWords> {
      const known = seen.words.get(query) ?? (await readWords(query))
      seen.words.set(query, known)
      return known
    },
    /** Writes what is new into the file. */
    async save(): Promise<void> {
      if (seen.pictures.size > known.pictures || seen.words.size > known.words)
        await Bun.write(path, serialize(seen))
    },
  }
}

function hashSources(): string {
  const files = SOURCES.flatMap((folder) => {
    const inner = join(ROOT, folder)
    return readdirSync(inner)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(inner, name), 'utf8'))
  })
  return Bun.hash(files.join('\n')).toString(16)
}

/** A product of an answer. */
export interface Found {
  id: string
  score: number
  /** The log-odds behind the score. */
  odds: number
}

/** What the bodies of questions have. */
interface Asked {
  query?: string
  image?: string
  crop?: Omit<PictureCrop, 'unit'>
  color?: string
  colors?: string[]
}

export type OpenShop = Awaited<ReturnType<typeof openShop>>

/** Indexes a set in this process, as the service does, and answers questions by the service's own planning and ranking. */
export async function openShop({ catalogue }: LabelledSet, shop: Shop, models: Models) {
  const [first] = catalogue
  if (!first) throw new Error('A set without pictures')
  const { length } = (await models.see(first.bytes)).vector
  const index = createProductIndex(createVectorArena(length))
  const rows = new Map<string, number>()
  for (const [n, picture] of catalogue.entries()) {
    const { product_id: productId } = picture
    const product = rows.get(productId) ?? rows.size + 1
    const { vector, palette } = await models.see(picture.bytes, true)
    index.put(
      {
        ...{ storeId: 'store', pictureId: n + 1, product, productId, isFirst: !rows.has(productId) },
        ...{ metadata: describe(picture, shop), palette },
      },
      vector,
    )
    rows.set(productId, product)
  }
  const store = index.findStore('store') as IndexedStore
  const ids = [...rows.keys()]
  const model = { id: 'model', hash: 'model', dimension: length }

  const listOthers = (absent: readonly string[]) =>
    createRowSet(
      catalogue
        .filter(({ article }) => !absent.includes(article))
        .map(({ product_id }) => rows.get(product_id) as number),
    )

  let read: { calibration: Calibration; names: ReturnType<typeof createCategoryNames> } | undefined

  /** The names of the categories, which are embedded once for a calibration. */
  async function readNames(calibration: Calibration) {
    if (read?.calibration === calibration) return read.names
    const names = createCategoryNames({
      embedderOf: () => ({
        model,
        embedText: async (name) => ({ ...(await models.read(name)), isTruncated: false }),
      }),
      monotonic: () => 0,
    })
    await names.ready('store', store)
    read = { calibration, names }
    return names
  }

  /** @param calibration of the model; the scores follow it, and so do the shares of a hybrid search. */
  return async function ask(
    { path, body, without, absent }: Question,
    calibration: Calibration,
    boost?: number,
    looksTwice = true,
  ): Promise<Found[]> {
    const names = await readNames(calibration)
    const { query, image, crop, color, colors } = body as Asked
    const seen =
      image === undefined
        ? undefined
        : await models.see(Buffer.from(image, 'base64'), false, crop && { ...crop, unit: 'relative' })
    const words = query === undefined ? undefined : await models.read(query)
    const picture = seen && { vector: seen.vector }
    const isMixed = path === '/v1/search/fusion'
    const plan = makePlan(
      {
        ...{ storeId: 'store', store, calibration, looksTwice },
        ...{ steering: { boost, isInOne: false }, compare: names.compare },
      },
      isMixed && picture && words
        ? { kind: 'mixed', picture, words, pictureWeight: 0.5 }
        : { kind: 'sides', picture, words, colours: readColours(colors) },
    )
    const [fusion] = plan.fusions
    if (!fusion) throw new Error(`${path}: there is nothing to rank by`)
    const condition = { fields: { color }, rows: absent === undefined ? undefined : listOthers(absent) }
    const ranking = await rank(store, { fusion, condition, threshold: 0, depth: 20 })
    return (ranking?.hits ?? [])
      .map(({ product, score, value }) => ({
        id: ids[product - 1] as string,
        score,
        odds: fusion.map.slope * (value - fusion.map.midpoint),
      }))
      .filter(({ id }) => id !== without)
  }
}
