import { decodeBase64 } from '../../../core/data-uri.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { UploadedFile } from '../../../http/schema.ts'
import { validationError } from '../../../http/validation.ts'
import type { Box, EmbeddedPicture, PictureCrop } from '../../../platform/embedder/embedder.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { SearchQueries } from './queries.ts'
import type { QueryPictureEntry, QueryPictures, Region, SeenPart } from './query-pictures.ts'
import type { CropFields, PictureSource } from './schema.ts'
import type { Searcher } from './searcher.ts'

/** The query picture of a search. */
export interface QueryPicture {
  vector: Float32Array
  imageId?: string
  /** In small, where the store keeps the pictures that find nothing. */
  thumbnail?: Uint8Array | undefined
  /** The first picture of the product that the query names. */
  pictureId?: number
  /** The size and the parts of the picture; undefined for a vector and for a product's own picture. */
  view?: { width: number; height: number; crop: Box | null; regions: readonly Region[] }
}

export interface PictureReaderDeps {
  queries: Pick<SearchQueries, 'findFirstPicture'>
  /** The vector of an indexed picture. */
  findVector(storeId: string, pictureId: number): Float32Array | undefined
  pictures: Pick<QueryPictures, 'remember' | 'recall'>
  models: Pick<ModelSet, 'of'>
  /** Whether a store keeps thumbnails of query pictures that find nothing, and has room for one. */
  keepsUnmatched(storeId: string): boolean
  /** Reads and uses the picture at an address, in a `data:` URI, or at the address of a picture that the store keeps. */
  withPicture<Result>(
    storeId: string,
    url: string,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result>
  /** The public form of a saved address. */
  toPublicUrl(url: string): string
}

const SOURCES = ['image_url', 'image', 'product_id', 'image_id', 'vector'] as const

/** The picture sources that a body names. */
export const listSources = (body: PictureSource): (typeof SOURCES)[number][] =>
  SOURCES.filter((name) => body[name] !== undefined)

/** A form without its empty fields, which name no source. */
export const withoutEmptyFields = <Body extends object>(form: Body): Body =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => value !== '')) as Body

/** Names a crop, so that the vector of the same crop is made once. */
const keyOf = (crop: PictureCrop | undefined): string =>
  crop ? JSON.stringify([crop.x, crop.y, crop.width, crop.height, crop.padding ?? 0]) : ''

/** Creates what reads the query picture of a search, from whichever source names it. */
export function createPictureReader(deps: PictureReaderDeps) {
  const { queries, findVector, pictures, models, withPicture, toPublicUrl } = deps
  const findSide = (storeId: string) =>
    deps.keepsUnmatched(storeId) ? LIMITS.unmatchedThumbnailSide : undefined

  async function embedBytes(
    searcher: Searcher,
    bytes: Uint8Array,
    crop: PictureCrop | undefined,
  ): Promise<QueryPicture> {
    const model = models.of(searcher.storeId)
    const embedded = await model.embedder.embedPicture(bytes, {
      priority: 'search',
      storeId: searcher.storeId,
      preview: true,
      regions: true,
      thumbnail: findSide(searcher.storeId),
      ...(crop && { crop }),
    })
    const { width, height, object, regions = object ? [{ box: object, score: 1 }] : [] } = embedded.facts
    const asked = crop && toRelative(crop, { width, height })
    const entry = {
      width,
      height,
      regions,
      preview: embedded.preview,
      seen: toPart(keyOf(asked), model, embedded),
    }
    const { thumbnail } = embedded
    return { ...toPicture(pictures.remember(searcher, entry), entry, entry.seen), thumbnail }
  }

  async function readRecent(
    searcher: Searcher,
    imageId: string,
    crop: PictureCrop | undefined,
  ): Promise<QueryPicture> {
    const entry = pictures.recall(searcher, imageId)
    if (!entry) throw notFound('image')
    const asked = crop && toRelative(crop, entry)
    const key = keyOf(asked)
    const model = models.of(searcher.storeId)
    // A vector of another model says nothing about the pictures of the store as it is now.
    if (key === entry.seen.key && model.row === entry.seen.model) return toPicture(imageId, entry, entry.seen)
    if (!entry.preview) throw notFound('image')
    const embedded = await model.embedder.embedPicture(entry.preview, {
      priority: 'search',
      storeId: searcher.storeId,
      thumbnail: findSide(searcher.storeId),
      ...(asked && { crop: asked }),
    })
    entry.seen = toPart(key, model, embedded)
    return { ...toPicture(imageId, entry, entry.seen), thumbnail: embedded.thumbnail }
  }

  async function readProduct(
    searcher: Searcher,
    productId: string,
    crop: PictureCrop | undefined,
  ): Promise<QueryPicture> {
    const { storeId } = searcher
    const product = queries.findFirstPicture(storeId, productId)
    if (!product) throw notFound('product')
    const { pictureId, imageUrl } = product
    const vector = pictureId === null ? undefined : findVector(storeId, pictureId)
    if (pictureId === null || !vector) throw wrongModel()
    if (!crop) return { vector, pictureId }
    const picture = await withPicture(storeId, toPublicUrl(imageUrl), (bytes) =>
      embedBytes(searcher, bytes, crop),
    )
    return { ...picture, pictureId }
  }

  /**
   * @param pointer of the object that names the source.
   * @throws ApiError `image_source_invalid` for none or several sources, `not_found`, and the codes of the picture.
   */
  return async function readPicture(
    searcher: Searcher,
    body: PictureSource,
    pointer = '',
  ): Promise<QueryPicture> {
    const named = listSources(body)
    if (named.length !== 1) throw notOneSource(named, pointer)
    const crop = readCrop(body, pointer)
    const { image, image_url, image_id, product_id, vector } = body
    if (named[0] === 'vector') {
      if (crop) throw noPictureToCrop(pointer)
      const { dimension } = models.of(searcher.storeId).embedder.model
      return { vector: normalize(vector ?? [], dimension, pointer) }
    }
    if (named[0] === 'image_id') return readRecent(searcher, image_id ?? '', crop)
    if (named[0] === 'product_id') return readProduct(searcher, product_id ?? '', crop)
    if (image instanceof UploadedFile) return embedBytes(searcher, await image.bytes(), crop)
    const isBase64 = image !== undefined && !/^data:/i.test(image)
    return isBase64
      ? embedBytes(searcher, await decodeBase64(image, LIMITS.pictureBytesMax), crop)
      : withPicture(searcher.storeId, image ?? image_url ?? '', (bytes) => embedBytes(searcher, bytes, crop))
  }
}

const toPart = (
  key: string,
  { row }: Pick<ServingModel, 'row'>,
  { vector, crop }: EmbeddedPicture,
): SeenPart => ({
  key,
  model: row,
  vector,
  crop: crop ?? null,
})

const toPicture = (
  imageId: string,
  { width, height, regions }: QueryPictureEntry,
  { vector, crop }: SeenPart,
): QueryPicture => ({ vector, imageId, view: { width, height, crop, regions } })

const notOneSource = (named: readonly string[], pointer: string) =>
  new ApiError(
    'image_source_invalid',
    named.length === 0
      ? 'The picture to search with is missing'
      : `Send one picture, not ${named.join(' and ')}`,
    { details: { given: named, allowed: SOURCES, pointer } },
  )

/** A search of several parts that names none of them. */
export const noPart = () =>
  new ApiError('image_source_invalid', 'Send a picture, words in query, or colors to search with', {
    details: { given: [], allowed: [...SOURCES, 'query', 'colors'], pointer: '' },
  })

export const wrongModel = () =>
  new ApiError('model_not_ready', 'The products were indexed with another model', {
    details: {
      hint: 'They are embedded again in the background, or start with the model that they were indexed with (MODEL_DIR)',
    },
    retryAfterSeconds: 60,
  })

const noPictureToCrop = (pointer: string) =>
  validationError([
    { in: 'body', pointer: `${pointer}/crop`, code: 'conflict', message: 'needs a picture, not a vector' },
  ])

/** Scales a vector to length 1. @throws ApiError `validation_error` for another dimension, or without a direction. */
function normalize(numbers: readonly number[], dimension: number, pointer: string): Float32Array {
  const problem = (code: string, message: string) =>
    validationError([{ in: 'body', pointer: `${pointer}/vector`, code, message }])
  if (numbers.length !== dimension) throw problem('length', `must hold ${dimension} numbers`)
  // Dividing by the largest number first keeps every square in the range of doubles.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (largest === 0) throw problem('length', 'must hold a number that is not 0')
  const scaled = numbers.map((number) => number / largest)
  const length = Math.hypot(...scaled)
  return Float32Array.from(scaled, (number) => number / length)
}

/**
 * Reads the part of a picture that a request asks for: `crop`, or the four corners of `box`, which are shares of the picture
 * where none exceeds 1, and pixels otherwise.
 *
 * @param pointer of the object that has the fields.
 * @returns undefined for the whole picture.
 * @throws ApiError `validation_error`
 */
function readCrop({ crop, box, padding }: CropFields, pointer: string): PictureCrop | undefined {
  const problem = (field: string, code: string, message: string) =>
    validationError([{ in: 'body', pointer: `${pointer}/${field}`, code, message }])
  if (crop && box) throw problem('box', 'conflict', 'must not be sent beside crop')
  if (!crop && !box) {
    if (padding !== undefined) throw problem('padding', 'conflict', 'needs crop or box')
    return undefined
  }
  const more = padding === undefined ? {} : { padding }
  if (crop) return { ...crop, unit: crop.unit ?? 'relative', ...more }
  const [x1, y1, x2, y2] = box as [number, number, number, number]
  if (x2 <= x1 || y2 <= y1) throw problem('box', 'order', 'must be [x1, y1, x2, y2] with x1 < x2 and y1 < y2')
  const unit = box?.every((number) => Math.abs(number) <= 1) ? 'relative' : 'pixel'
  return { x: x1, y: y1, width: x2 - x1, height: y2 - y1, unit, ...more }
}

/** The same crop in shares of the picture. */
function toRelative(crop: PictureCrop, { width, height }: { width: number; height: number }): PictureCrop {
  if (crop.unit === 'relative') return crop
  return {
    ...crop,
    x: crop.x / width,
    y: crop.y / height,
    width: crop.width / width,
    height: crop.height / height,
    unit: 'relative',
  }
}
