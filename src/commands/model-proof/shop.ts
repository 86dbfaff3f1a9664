import { createRowSet } from '../../features/catalogue/filters/rows.ts'
import {
  createProductIndex,
  type IndexedStore,
} from '../../features/catalogue/product-index/product-index.ts'
import { createCategoryNames } from '../../features/discovery/search/category-names.ts'
import { makePlan } from '../../features/discovery/search/plan.ts'
import { readColours } from '../../features/discovery/search/query-reader.ts'
import { rank } from '../../features/discovery/search/ranking.ts'
import type { QueryWords } from '../../features/discovery/search/sides.ts'
import type { Calibration, PictureCrop, PictureFacts } from '../../platform/embedder/embedder.ts'
import { createVectorArena } from '../../platform/vectors/arena.ts'

export interface SeenPicture {
  vector: Float32Array
  palette: PictureFacts['palette']
}

/** A model in this process. */
export interface Eyes {
  /** @param isIndexed whether the picture belongs to a product, and not to a search. */
  see(bytes: Uint8Array, isIndexed?: boolean, crop?: PictureCrop): Promise<SeenPicture>
  read(query: string): Promise<QueryWords>
}

/** A picture of a product as a shop has it. Those of one product stand together. */
export interface ShopPicture {
  productId: string
  /** Views of one thing share it. */
  article: string
  bytes: Uint8Array
  metadata: Record<string, string>
}

/** A request of the service: a path and its JSON body, with pictures in base64. */
export interface ShopQuestion {
  path: string
  body: Record<string, unknown>
  /** A product that must not count, because the query shows it. */
  without?: string | undefined
  /** Articles that the catalogue is taken not to have. */
  absent?: readonly string[] | undefined
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

/** Indexes pictures in this process, as the service does, and answers questions by the service's own planning and ranking. */
export async function openShop(catalogue: readonly ShopPicture[], eyes: Eyes) {
  const [first] = catalogue
  if (!first) throw new Error('A shop without pictures')
  const { length } = (await eyes.see(first.bytes)).vector
  const index = createProductIndex(createVectorArena(length))
  const rows = new Map<string, number>()
  for (const [n, { productId, bytes, metadata }] of catalogue.entries()) {
    const product = rows.get(productId) ?? rows.size + 1
    const { vector, palette } = await eyes.see(bytes, true)
    index.put(
      {
        ...{ storeId: 'store', pictureId: n + 1, product, productId, isFirst: !rows.has(productId) },
        ...{ metadata, palette },
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
        .map(({ productId }) => rows.get(productId) as number),
    )

  let read: { calibration: Calibration; names: ReturnType<typeof createCategoryNames> } | undefined

  /** The names of the categories, which are embedded once for a calibration. */
  async function readNames(calibration: Calibration) {
    if (read?.calibration === calibration) return read.names
    const names = createCategoryNames({
      embedderOf: () => ({
        model,
        embedText: async (name) => ({ ...(await eyes.read(name)), isTruncated: false }),
      }),
      monotonic: () => 0,
    })
    await names.ready('store', store)
    read = { calibration, names }
    return names
  }

  /** @param calibration of the model; the scores follow it, and so do the shares of a hybrid search. */
  return async function ask(
    { path, body, without, absent }: ShopQuestion,
    calibration: Calibration,
    boost?: number,
    looksTwice = true,
  ): Promise<Found[]> {
    const names = await readNames(calibration)
    const { query, image, crop, color, colors } = body as Asked
    const seen =
      image === undefined
        ? undefined
        : await eyes.see(Buffer.from(image, 'base64'), false, crop && { ...crop, unit: 'relative' })
    const words = query === undefined ? undefined : await eyes.read(query)
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
