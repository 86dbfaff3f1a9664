import type { ModelFingerprint } from '../../../platform/embedder/embedder.ts'
import type { VectorTable } from '../../../platform/vectors/vec0.ts'
import type { PictureRow, ProductRow } from '../products/queries.ts'
import type { ExportedPicture, ExportedProduct } from './schema.ts'

export interface NdjsonDeps {
  findRow(storeId: string, productId: string): ProductRow | undefined
  listIds(storeId: string, after: string, limit: number): string[]
  toPublicUrl(url: string): string
  vectors: Pick<VectorTable, 'find'>
  model: Pick<ModelFingerprint, 'id' | 'hash'>
}

export interface NdjsonOptions {
  hasVectors: boolean
}

/** Ids that are read ahead. */
const WINDOW = 100

/**
 * Reads the products of a store as lines of JSON, in the order of their ids: one that is deleted and written again
 * meanwhile keeps its place, so no product comes twice. Each is read when its line is asked for, at one moment.
 */
export function createProductNdjson({ findRow, listIds, toPublicUrl, vectors, model }: NdjsonDeps) {
  const toPicture = (storeId: string, picture: PictureRow): ExportedPicture => {
    const { contentType, bytes, width, height, phash, palette } = picture
    const vector = picture.hasVector ? vectors.find(storeId, picture.id) : undefined
    return {
      image_url: toPublicUrl(picture.imageUrl),
      content_hash: picture.contentHash.toString('hex'),
      content_type: contentType,
      ...{ bytes, width, height, phash, palette },
      vector: vector ? toBase64(vector) : null,
    }
  }

  const toProduct = (row: ProductRow, { hasVectors }: NdjsonOptions): ExportedProduct => ({
    product_id: row.productId,
    image_url: toPublicUrl(row.imageUrl),
    additional_image_urls: row.pictures.slice(1).map(({ imageUrl }) => toPublicUrl(imageUrl)),
    metadata: row.metadata,
    ...(hasVectors && {
      model: { id: model.id, hash: model.hash },
      pictures: row.pictures.map((picture) => toPicture(row.storeId, picture)),
    }),
  })

  return function* readNdjson(storeId: string, options: NdjsonOptions): Generator<string, void> {
    for (
      let ids = listIds(storeId, '', WINDOW);
      ids.length > 0;
      ids = listIds(storeId, ids.at(-1) ?? '', WINDOW)
    ) {
      for (const id of ids) {
        const row = findRow(storeId, id)
        if (row) yield `${JSON.stringify(toProduct(row, options))}\n`
      }
    }
  }
}

/** Every machine that the program runs on has the low byte first. */
const toBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64')
