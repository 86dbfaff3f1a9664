import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { PictureRow, ProductRow } from '../products/queries.ts'
import type { ExportedPicture, ExportedProduct, ProductColumn } from './schema.ts'
import { createProductTable } from './table.ts'

export interface LineDeps {
  findRow(storeId: string, productId: string): ProductRow | undefined
  listIds(storeId: string, after: string, limit: number): string[]
  /** The ids of the products in some rows, in the order of the rows; those that are gone are left out. */
  listIdsOf(storeId: string, rows: readonly number[]): string[]
  toPublicUrl(url: string): string
  readThumbnail(storeId: string, picture: PictureRow): Buffer | undefined
  models: Pick<ModelSet, 'of'>
}

export interface LineOptions {
  /** The rows of the products that are asked for; undefined for all. */
  rows: Iterable<number> | undefined
  /** The columns of a table; undefined for lines of JSON. */
  columns: readonly ProductColumn[] | undefined
  hasVectors: boolean
  /** Only with vectors. */
  hasThumbnails: boolean
}

/** Ids that are read ahead. */
const WINDOW = 100

/**
 * Reads the products of a store as lines. All come in the order of their ids: one that is deleted and written again
 * meanwhile keeps its place, so no product comes twice. Each is read when its line is asked for, at one moment.
 */
export function createProductLines(deps: LineDeps) {
  const { findRow, listIds, listIdsOf, toPublicUrl, readThumbnail, models } = deps

  const toPicture = (
    storeId: string,
    picture: PictureRow,
    { hasThumbnails }: Pick<LineOptions, 'hasThumbnails'>,
  ): ExportedPicture => {
    const { contentType, bytes, width, height, phash, palette } = picture
    const vector = picture.hasVector ? models.of(storeId).vectors.find(storeId, picture.id) : undefined
    return {
      image_url: toPublicUrl(picture.imageUrl),
      content_hash: picture.contentHash.toString('hex'),
      content_type: contentType,
      ...{ bytes, width, height, phash, palette },
      vector: vector ? toBase64(vector) : null,
      ...(hasThumbnails && { thumbnail: readThumbnail(storeId, picture)?.toString('base64') ?? null }),
    }
  }

  const describeModel = (storeId: string): { id: string; hash: string } => {
    const { id, hash } = models.of(storeId).embedder.model
    return { id, hash }
  }

  const toProduct = (row: ProductRow, options: LineOptions): ExportedProduct => ({
    product_id: row.productId,
    image_url: toPublicUrl(row.imageUrl),
    additional_image_urls: row.pictures.slice(1).map(({ imageUrl }) => toPublicUrl(imageUrl)),
    metadata: row.metadata,
    ...(options.hasVectors && {
      model: describeModel(row.storeId),
      pictures: row.pictures.map((picture) => toPicture(row.storeId, picture, options)),
    }),
  })

  function* readAllIds(storeId: string): Generator<string, void> {
    for (
      let ids = listIds(storeId, '', WINDOW);
      ids.length > 0;
      ids = listIds(storeId, ids.at(-1) ?? '', WINDOW)
    )
      yield* ids
  }

  function* readIdsOf(storeId: string, rows: Iterable<number>): Generator<string, void> {
    let window: number[] = []
    for (const row of rows) {
      if (window.push(row) < WINDOW) continue
      yield* listIdsOf(storeId, window)
      window = []
    }
    yield* listIdsOf(storeId, window)
  }

  return function* readLines(storeId: string, options: LineOptions): Generator<string, void> {
    const { rows, columns } = options
    const table = columns && createProductTable(columns)
    if (table) yield table.heading
    for (const id of rows ? readIdsOf(storeId, rows) : readAllIds(storeId)) {
      const row = findRow(storeId, id)
      if (!row) continue
      const product = toProduct(row, options)
      yield table ? table.toLine(product) : `${JSON.stringify(product)}\n`
    }
  }
}

/** Every machine that the program runs on has the low byte first. */
const toBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64')
