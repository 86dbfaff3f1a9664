import type { Db } from '../../../platform/db/open.ts'
import type { PictureFacts } from '../../../platform/embedder/embedder.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import { foldColumns } from './folded-columns.ts'
import type { Metadata } from './schema.ts'
import type { GonePicture, Thumbnails } from './thumbnails.ts'

/** A picture that a product can be saved with. */
export interface NewPicture extends PictureFacts {
  /** A public address, or `/pictures/<address>` for a kept picture. */
  imageUrl: string
  contentHash: Buffer
  bytes: number
  /** Its vector and its facts came with an import: a client's word, never to be used for another picture. */
  isPrecomputed?: boolean | undefined
}

/** One saved picture of a product. */
export interface PictureRow extends NewPicture {
  /** The row of the picture, and of its vector. */
  id: number
  /** Whether it has a vector of the model of its store. */
  hasVector: boolean
  /** Whether its store is moving to a model that it has no vector of yet. */
  isAwaited: boolean
  isPrecomputed: boolean
}

export interface ProductRow {
  id: number
  storeId: string
  productId: string
  vectorId: string
  imageUrl: string
  metadata: Metadata
  isDemo: boolean
  /** Unix ms. */
  indexedAt: number
  updatedAt: number
  /** In the product's order. */
  pictures: PictureRow[]
}

/** The models that make the vectors of a write: that of the store, and the one that it is moving to. */
export interface WritingModels {
  present: Pick<ServingModel, 'row' | 'vectors'>
  coming?: Pick<ServingModel, 'row' | 'vectors'> | undefined
}

/**
 * A picture to save: one that the product already has, or a new one with its vector. The second vector is of the model
 * that the store is moving to.
 */
export type PictureToSave =
  | { kept: PictureRow; second?: Float32Array | undefined }
  | {
      added: NewPicture
      vector: Float32Array
      second?: Float32Array | undefined
      thumbnail?: Uint8Array | undefined
    }

export interface ProductToSave {
  storeId: string
  productId: string
  /** Used only for a new product. */
  vectorId: string
  imageUrl: string
  metadata: Metadata
  isDemo: boolean
  now: number
  /** Keeps the time of the last change. */
  keepsTime: boolean
}

export interface SavedProduct {
  id: number
  vectorId: string
  pictureIds: number[]
  removedPictureIds: number[]
}

export type ProductQueries = ReturnType<typeof productQueries>

interface RawProduct extends Omit<ProductRow, 'metadata' | 'isDemo' | 'pictures'> {
  metadata: string
  demo: number
}

interface RawPicture extends Omit<PictureRow, 'palette' | 'hasVector' | 'isAwaited' | 'isPrecomputed'> {
  palette: string
  precomputed: number
  model: number
  secondModel: number | null
}

const PRODUCT_COLUMNS = `id, store_id AS storeId, product_id AS productId, vector_id AS vectorId,
  image_url AS imageUrl, metadata, is_demo AS demo, indexed_at AS indexedAt, updated_at AS updatedAt`

const PICTURE_COLUMNS = `id, image_url AS imageUrl, model, second_model AS secondModel, content_hash AS contentHash, content_type AS contentType,
  bytes, width, height, phash, palette, is_given AS precomputed`

/**
 * All SQL that reads and writes single products as they are stored. Every call is synchronous, knows no rule and opens no transaction.
 *
 * @param models says whose vectors a store uses.
 * @param thumbnails keeps the thumbnails of pictures that come, and releases those of pictures that go.
 */
export function productQueries(
  db: Db,
  models: Pick<ModelSet, 'of' | 'comingOf'>,
  thumbnails: Pick<Thumbnails, 'keep' | 'release'>,
) {
  const one = db.prepare<[string, string], RawProduct>(
    `SELECT ${PRODUCT_COLUMNS} FROM products WHERE store_id = ? AND product_id = ?`,
  )
  const someIds = db.prepare<[string, string, bigint], { productId: string }>(`
    SELECT product_id AS productId FROM products WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?`)
  const pictures = db.prepare<[number], RawPicture>(
    `SELECT ${PICTURE_COLUMNS} FROM pictures WHERE product = ? ORDER BY position`,
  )
  const upsert = db.prepare<Record<string, unknown>, { id: number; vectorId: string }>(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, category, levels, brand, color, price,
      regular_price, sale, sale_from, sale_until, price_turns_at, sold_out, name, is_demo, created_at, indexed_at, updated_at)
    VALUES (@storeId, @productId, @vectorId, @imageUrl, @metadata, @category, @levels, @brand, @color, @price,
      @regularPrice, @sale, @saleFrom, @saleUntil, @priceTurnsAt, @soldOut, @name, @demo, @now, @now, @now)
    ON CONFLICT (store_id, product_id) DO UPDATE SET
      image_url = excluded.image_url, metadata = excluded.metadata, category = excluded.category,
      levels = excluded.levels, brand = excluded.brand, color = excluded.color, price = excluded.price,
      regular_price = excluded.regular_price, sale = excluded.sale, sale_from = excluded.sale_from,
      sale_until = excluded.sale_until, price_turns_at = excluded.price_turns_at,
      sold_out = excluded.sold_out, name = excluded.name,
      is_unfolded = 0, is_demo = excluded.is_demo, updated_at = CASE WHEN @keepsTime THEN updated_at ELSE excluded.updated_at END,
      indexed_at = CASE WHEN @hasNewPicture THEN excluded.indexed_at ELSE indexed_at END
    RETURNING id, vector_id AS vectorId`)
  const toPictures = pictureReader(models)
  const { removePictures, placePictures } = pictureWriting(db, models, thumbnails)
  const pictureIds = db.prepare<[number], { id: number }>('SELECT id FROM pictures WHERE product = ?')
  const dropProduct = db.prepare('DELETE FROM products WHERE id = ?')
  // Not those whose content hash and vector are a client's word: they would spread to pictures that the service has read.
  const sameContent = db.prepare<[string, Buffer, number], RawPicture>(`
    SELECT ${PICTURE_COLUMNS} FROM pictures
    WHERE store_id = ? AND content_hash = ? AND ? IN (model, second_model) AND is_given = 0 LIMIT 1`)
  const demoIds = db.prepare<[string], { productId: string }>(
    'SELECT product_id AS productId FROM products WHERE store_id = ? AND is_demo = 1 ORDER BY id',
  )

  return {
    has: (storeId: string, productId: string): boolean => one.get(storeId, productId) !== undefined,

    find(storeId: string, productId: string): ProductRow | undefined {
      const row = one.get(storeId, productId)
      return row && toProduct(row, toPictures(storeId, pictures.all(row.id)))
    },

    /**
     * Some ids of the store's products, by the bytes of their UTF-8.
     *
     * @param after goes on behind this id; an empty text stands before all.
     */
    listIds: (storeId: string, after: string, limit: number): string[] =>
      someIds.all(storeId, after, BigInt(limit)).map(({ productId }) => productId),

    /** A picture of the store with the same bytes, which the service has read itself and whose vector can be used again. */
    findSameContent(
      storeId: string,
      contentHash: Buffer,
      model: number = models.of(storeId).row,
    ): PictureRow | undefined {
      return toPictures(storeId, sameContent.all(storeId, contentHash, model))[0]
    },

    /**
     * Writes a product with its pictures and vectors, in place of an older one with the same id. Several statements: to
     * be called inside a transaction.
     *
     * @param writing the models that made the vectors.
     */
    save(
      product: ProductToSave,
      prepared: PictureToSave[],
      writing: WritingModels = { present: models.of(product.storeId) },
    ): SavedProduct {
      const { metadata, isDemo, keepsTime, ...columns } = product
      const saved = upsert.get({
        ...columns,
        ...foldColumns(metadata, columns.now),
        metadata: JSON.stringify(metadata),
        demo: isDemo ? 1 : 0,
        keepsTime: keepsTime ? 1 : 0,
        hasNewPicture: prepared.some((picture) => 'added' in picture) ? 1 : 0,
      })
      if (!saved) throw new Error('an upsert always returns its row')
      const staying = new Set(prepared.flatMap((picture) => ('kept' in picture ? [picture.kept.id] : [])))
      const removedPictureIds = pictureIds.all(saved.id).flatMap(({ id }) => (staying.has(id) ? [] : [id]))
      const gone = removePictures(product.storeId, removedPictureIds)
      const ids = placePictures(saved.id, product.storeId, prepared, writing)
      // Last, because a new picture may have the content of one that goes.
      thumbnails.release(gone)
      return { id: saved.id, vectorId: saved.vectorId, pictureIds: ids, removedPictureIds }
    },

    /** Deletes a product with all its pictures and vectors; to be called inside a transaction. */
    remove({ id, storeId, pictures }: Pick<ProductRow, 'id' | 'storeId' | 'pictures'>): void {
      thumbnails.release(
        removePictures(
          storeId,
          pictures.map((picture) => picture.id),
        ),
      )
      dropProduct.run(BigInt(id))
    },

    /** Ids of the store's demo products. */
    listDemoIds: (storeId: string): string[] => demoIds.all(storeId).map(({ productId }) => productId),
  }
}

/** Reads rows of pictures, by the models that their store is on. */
const pictureReader =
  (models: Pick<ModelSet, 'of' | 'comingOf'>) =>
  (storeId: string, rows: RawPicture[]): PictureRow[] => {
    const present = models.of(storeId).row
    const coming = models.comingOf(storeId)?.row
    return rows.map(({ palette, precomputed, model, secondModel, ...row }) => ({
      ...row,
      isPrecomputed: precomputed === 1,
      hasVector: model === present || secondModel === present,
      isAwaited: coming !== undefined && model !== coming && secondModel !== coming,
      palette: JSON.parse(palette),
    }))
  }

/** The statements that write and delete the pictures of a product with their vectors. */
function pictureWriting(db: Db, models: Pick<ModelSet, 'of'>, thumbnails: Pick<Thumbnails, 'keep'>) {
  const dropPicture = db.prepare<[bigint], GonePicture>(`
    DELETE FROM pictures WHERE id = ?
    RETURNING store_id AS storeId, content_hash AS contentHash, is_given AS precomputed, thumbnail`)
  const movePicture = db.prepare('UPDATE pictures SET position = ?, image_url = ? WHERE id = ?')
  const addPicture = db.prepare<Record<string, unknown>, { id: number }>(`
    INSERT INTO pictures (product, store_id, position, image_url, model, second_model, content_hash, content_type, bytes, width,
      height, phash, palette, is_given, thumbnail)
    VALUES (@product, @storeId, @position, @imageUrl, @model, @secondModel, @contentHash, @contentType, @bytes, @width,
      @height, @phash, @palette, @precomputed, @thumbnail)
    RETURNING id`)
  // What it has of a third model is not counted any more: nobody goes back to that one.
  const addSecond = db.prepare<[second: bigint, present: bigint, present: bigint, id: bigint]>(
    'UPDATE pictures SET second_model = ?, model = CASE second_model WHEN ? THEN ? ELSE model END WHERE id = ?',
  )

  function removePictures(storeId: string, ids: number[]): GonePicture[] {
    const { vectors } = models.of(storeId)
    return ids.flatMap((id) => {
      vectors.remove(id)
      return dropPicture.all(BigInt(id))
    })
  }

  function placePictures(
    product: number,
    storeId: string,
    prepared: PictureToSave[],
    { present, coming }: WritingModels,
  ): number[] {
    const putSecond = (id: number, second: Float32Array | undefined) =>
      second && coming?.vectors.put(storeId, id, second)
    // Positions are unique, so the pictures that stay get out of the way first.
    for (const [n, picture] of prepared.entries()) {
      if ('kept' in picture) movePicture.run(BigInt(-1 - n), picture.kept.imageUrl, BigInt(picture.kept.id))
    }
    return prepared.map((picture, position) => {
      if ('kept' in picture) {
        const { kept, second } = picture
        movePicture.run(BigInt(position), kept.imageUrl, BigInt(kept.id))
        if (second && coming) {
          addSecond.run(BigInt(coming.row), BigInt(present.row), BigInt(present.row), BigInt(kept.id))
          putSecond(kept.id, second)
        }
        return kept.id
      }
      const { palette, isPrecomputed, ...facts } = picture.added
      const row = addPicture.get({
        ...facts,
        product,
        storeId,
        position,
        model: present.row,
        secondModel: (picture.second && coming?.row) ?? null,
        palette: JSON.stringify(palette),
        precomputed: isPrecomputed ? 1 : 0,
        thumbnail: thumbnails.keep(storeId, picture.added, picture.thumbnail),
      })
      if (!row) throw new Error('an insert always returns its row')
      present.vectors.put(storeId, row.id, picture.vector)
      putSecond(row.id, picture.second)
      return row.id
    })
  }

  return { removePictures, placePictures }
}

const toProduct = ({ metadata, demo, ...row }: RawProduct, pictures: PictureRow[]): ProductRow => ({
  ...row,
  metadata: JSON.parse(metadata),
  isDemo: demo === 1,
  pictures,
})
