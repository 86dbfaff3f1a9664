import '../../model/silent.ts'
import {
  createProductIndex,
  type IndexedStore,
} from '../../../src/features/catalogue/product-index/product-index.ts'
import { createCategoryNames } from '../../../src/features/discovery/search/category-names.ts'
import { makePlan } from '../../../src/features/discovery/search/plan.ts'
import { rank } from '../../../src/features/discovery/search/ranking.ts'
import type { QueryWords } from '../../../src/features/discovery/search/sides.ts'
import { createPictureDecoder } from '../../../src/platform/embedder/child/decoder.ts'
import { addVectors, loadTextModel, loadVisionModel } from '../../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../../src/platform/embedder/child/treatment.ts'
import type { Calibration, PictureCrop, PictureFacts } from '../../../src/platform/embedder/embedder.ts'
import { createVectorArena } from '../../../src/platform/vectors/arena.ts'
import type { LabelledSet } from './sets.ts'
import { describe, type Shop } from './shops.ts'
import type { Question } from './tasks.ts'

interface SeenPicture {
  vector: Float32Array
  palette: PictureFacts['palette']
}

export type Models = Awaited<ReturnType<typeof loadModels>>

/** The model of a folder in this process, which remembers what it has seen. @param addsObject overrides the folder's flag. */
export async function loadModels(modelDir: string, addsObject?: boolean) {
  const own = readTreatment(modelDir)
  const treatment = { ...own, addsObject: addsObject ?? own.addsObject }
  const decode = createPictureDecoder(treatment)
  const vision = await loadVisionModel(modelDir, treatment.input, 2)
  const text = await loadTextModel(modelDir, 1)
  const pictures = new Map<string, Promise<SeenPicture>>()
  const words = new Map<string, Promise<QueryWords>>()

  async function lookAt(bytes: Uint8Array, isIndexed: boolean, crop?: PictureCrop): Promise<SeenPicture> {
    const { tensor, objectTensor, facts } = await decode(bytes, { isIndexed, ...(crop && { crop }) })
    const inputs = objectTensor ? [tensor, objectTensor] : [tensor]
    return {
      vector: addVectors(await vision(inputs.map((one) => ({ tensor: one })))),
      palette: facts.palette,
    }
  }

  async function readWords(query: string): Promise<QueryWords> {
    const [vector] = await text.embed([text.tokenize(query)])
    if (!vector) throw new Error('The model gave no vector')
    const { unknownShare } = await text.look(query)
    return { text: query, vector, unknownShare, isUnknown: unknownShare === 1 }
  }

  return {
    see(bytes: Uint8Array, isIndexed = false, crop?: PictureCrop): Promise<SeenPicture> {
      const key = `${Bun.hash(bytes)} ${isIndexed && treatment.addsObject} ${JSON.stringify(crop)}`
      const seen = pictures.get(key) ?? lookAt(bytes, isIndexed, crop)
      pictures.set(key, seen)
      return seen
    },
    read(query: string): Promise<QueryWords> {
      const read = words.get(query) ?? readWords(query)
      words.set(query, read)
      return read
    },
  }
}

/** A product of an answer. */
export interface Found {
  id: string
  score: number
  /** The log-odds behind the score. */
  odds: number
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

  /** @param calibration of the model; the scores follow it, and so do the shares of a hybrid search. */
  return async function ask(
    { path, body, without }: Question,
    calibration: Calibration,
    boost?: number,
    looksTwice = true,
  ): Promise<Found[]> {
    const names = createCategoryNames({
      embedder: {
        ...{ model, calibration },
        embedText: async (name) => ({ ...(await models.read(name)), isTruncated: false }),
      },
      monotonic: () => 0,
    })
    await names.ready('store', store)
    const { query, image, crop, color } = body as Partial<Record<string, string>>
    const box = crop as unknown as Omit<PictureCrop, 'unit'> | undefined
    const seen =
      image === undefined
        ? undefined
        : await models.see(Buffer.from(image, 'base64'), false, box && { ...box, unit: 'relative' })
    const words = query === undefined ? undefined : await models.read(query)
    const plan = makePlan(
      {
        ...{ storeId: 'store', store, calibration, looksTwice },
        ...{ steering: { boost, isInOne: false }, compare: names.compare },
      },
      { kind: 'sides', picture: seen && { vector: seen.vector }, words },
    )
    const [fusion] = plan.fusions
    if (!fusion) throw new Error(`${path}: there is nothing to rank by`)
    const ranking = await rank(store, {
      ...{ fusion, condition: { fields: { color } }, threshold: 0, depth: 20 },
    })
    return (ranking?.hits ?? [])
      .map(({ product, score, value }) => ({
        id: ids[product - 1] as string,
        score,
        odds: fusion.map.slope * (value - fusion.map.midpoint),
      }))
      .filter(({ id }) => id !== without)
  }
}
