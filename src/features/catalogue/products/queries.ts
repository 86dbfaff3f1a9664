import { foldLevels } from '../../../core/category-path.ts'
import { nextTurn, paidAt, readPrices } from '../../../core/sale.ts'
import { fold } from '../../../core/text.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { PictureFacts } from '../../../platform/embedder/embedder.ts'
import type { VectorTable } from '../../../platform/vectors/vec0.ts'
import type { Metadata } from './schema.ts'

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
  /** Whether its vector is of the model in use. */
  hasVector: boolean
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

/** A product as the API shows it. */
export interface ShownProduct
  extends Pick<ProductRow, 'productId' | 'vectorId' | 'imageUrl' | 'metadata' | 'indexedAt' | 'updatedAt'> {
  /** The first picture. */
  picture: PictureFacts & { bytes: number }
  /** The addresses of the other pictures, in the product's order. */
  otherUrls: string[]
}

/** A picture to save: one that the product already has, or a new one with its vector. */
export type PictureToSave = { kept: PictureRow } | { added: NewPicture; vector: Float32Array }

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
  isReembedding?: boolean
}

export interface SavedProduct {
  id: number
  vectorId: string
  pictureIds: number[]
  removedPictureIds: number[]
}

/** A picture that arrived as bytes, and whose file the service keeps. */
export interface KeptPicture {
  address: string
  contentHash: Buffer
  contentType: string
}

export type ProductQueries = ReturnType<typeof productQueries>

interface RawProduct extends Omit<ProductRow, 'metadata' | 'isDemo' | 'pictures'> {
  metadata: string
  demo: number
}

interface RawPicture extends Omit<PictureRow, 'palette' | 'hasVector' | 'isPrecomputed'> {
  palette: string
  precomputed: number
  model: number
}

interface RawShown
  extends Omit<ShownProduct, 'metadata' | 'picture' | 'otherUrls'>,
    Omit<PictureFacts, 'palette'> {
  id: number
  metadata: string
  bytes: number
  palette: string
  /** A list as JSON; null for none. */
  otherUrls: string | null
}

const PRODUCT_COLUMNS = `id, store_id AS storeId, product_id AS productId, vector_id AS vectorId,
  image_url AS imageUrl, metadata, is_demo AS demo, indexed_at AS indexedAt, updated_at AS updatedAt`

const PICTURE_COLUMNS = `id, image_url AS imageUrl, model, content_hash AS contentHash, content_type AS contentType,
  bytes, width, height, phash, palette, is_given AS precomputed`

/** One statement, because each takes and releases the read lock. Only few products have a second picture to look for. */
const SHOWN = `
  SELECT products.id, product_id AS productId, vector_id AS vectorId, products.image_url AS imageUrl, metadata,
    indexed_at AS indexedAt, updated_at AS updatedAt, content_type AS contentType, bytes, width, height, phash, palette,
    CASE WHEN EXISTS (SELECT 1 FROM pictures WHERE product = products.id AND position = 1) THEN
      (SELECT json_group_array(image_url ORDER BY position) FROM pictures WHERE product = products.id AND position > 0)
    END AS otherUrls
  FROM products JOIN pictures ON product = products.id AND position = 0`

/**
 * All SQL that reads and writes single products. Every call is synchronous, knows no rule and opens no transaction.
 *
 * @param model the row in `models` whose vectors are used.
 */
export function productQueries(db: Db, vectors: VectorTable, model: number) {
  const one = db.prepare<[string, string], RawProduct>(
    `SELECT ${PRODUCT_COLUMNS} FROM products WHERE store_id = ? AND product_id = ?`,
  )
  const someIds = db.prepare<[string, string, bigint], { productId: string }>(`
    SELECT product_id AS productId FROM products WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?`)
  const pictures = db.prepare<[number], RawPicture>(
    `SELECT ${PICTURE_COLUMNS} FROM pictures WHERE product = ? ORDER BY position`,
  )
  const shown = db.prepare<[string, string], RawShown>(
    `${SHOWN} WHERE products.store_id = ? AND product_id = ?`,
  )
  const severalShown = db.prepare<[ids: string], RawShown>(
    `${SHOWN} WHERE products.id IN (SELECT value FROM json_each(?))`,
  )
  const upsert = db.prepare<Record<string, unknown>, { id: number; vectorId: string }>(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, category, levels, brand, color, price,
      regular_price, sale, sale_from, sale_until, price_turns_at, name, is_demo, created_at, indexed_at, updated_at)
    VALUES (@storeId, @productId, @vectorId, @imageUrl, @metadata, @category, @levels, @brand, @color, @price,
      @regularPrice, @sale, @saleFrom, @saleUntil, @priceTurnsAt, @name, @demo, @now, @now, @now)
    ON CONFLICT (store_id, product_id) DO UPDATE SET
      image_url = excluded.image_url, metadata = excluded.metadata, category = excluded.category,
      levels = excluded.levels, brand = excluded.brand, color = excluded.color, price = excluded.price,
      regular_price = excluded.regular_price, sale = excluded.sale, sale_from = excluded.sale_from,
      sale_until = excluded.sale_until, price_turns_at = excluded.price_turns_at, name = excluded.name,
      is_unfolded = 0, is_demo = excluded.is_demo, updated_at = CASE WHEN @keepsTime THEN updated_at ELSE excluded.updated_at END,
      indexed_at = CASE WHEN @hasNewPicture THEN excluded.indexed_at ELSE indexed_at END
    RETURNING id, vector_id AS vectorId`)
  const pictureIds = db.prepare<[number], { id: number }>('SELECT id FROM pictures WHERE product = ?')
  const dropPicture = db.prepare('DELETE FROM pictures WHERE id = ?')
  const movePicture = db.prepare('UPDATE pictures SET position = ?, image_url = ? WHERE id = ?')
  const addPicture = db.prepare<Record<string, unknown>, { id: number }>(`
    INSERT INTO pictures (product, store_id, position, image_url, model, content_hash, content_type, bytes, width,
      height, phash, palette, is_given)
    VALUES (@product, @storeId, @position, @imageUrl, @model, @contentHash, @contentType, @bytes, @width,
      @height, @phash, @palette, @precomputed)
    RETURNING id`)
  const dropProduct = db.prepare('DELETE FROM products WHERE id = ?')
  // Not those whose content hash and vector are a client's word: they would spread to pictures that the service has read.
  const sameContent = db.prepare<[string, Buffer, number], RawPicture>(`
    SELECT ${PICTURE_COLUMNS} FROM pictures
    WHERE store_id = ? AND content_hash = ? AND model = ? AND is_given = 0 LIMIT 1`)
  const keep = db.prepare<Record<string, unknown>, { address: string }>(`
    INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at)
    VALUES (@address, @storeId, @contentHash, @contentType, @bytes, @now)
    ON CONFLICT (store_id, content_hash) DO UPDATE SET created_at = excluded.created_at, bytes = excluded.bytes
    RETURNING address`)
  const keptAt = db.prepare<[string], KeptPicture & { storeId: string; bytes: number }>(`
    SELECT address, store_id AS storeId, content_hash AS contentHash, content_type AS contentType, bytes
    FROM kept_pictures WHERE address = ?`)
  const hold = db.prepare('UPDATE kept_pictures SET created_at = ? WHERE address = ?')
  const stillKept = db.prepare<[Buffer], { found: 1 }>(
    'SELECT 1 AS found FROM kept_pictures WHERE content_hash = ? LIMIT 1',
  )
  const unfolded = db.prepare<[bigint], { id: number; metadata: string }>(
    'SELECT id, metadata FROM products INDEXED BY products_unfolded WHERE is_unfolded = 1 LIMIT ?',
  )
  const refold = db.prepare<Record<string, unknown>>(`
    UPDATE products SET levels = @levels, price = @price, regular_price = @regularPrice, sale = @sale,
      sale_from = @saleFrom, sale_until = @saleUntil, price_turns_at = @priceTurnsAt, is_unfolded = 0
    WHERE id = @id`)
  const demoIds = db.prepare<[string], { productId: string }>(
    'SELECT product_id AS productId FROM products WHERE store_id = ? AND is_demo = 1 ORDER BY id',
  )

  const toPicture = ({ palette, precomputed, model: ofModel, ...row }: RawPicture): PictureRow => ({
    ...row,
    isPrecomputed: precomputed === 1,
    hasVector: ofModel === model,
    palette: JSON.parse(palette),
  })

  function removePictures(ids: number[]): void {
    for (const id of ids) {
      vectors.remove(id)
      dropPicture.run(BigInt(id))
    }
  }

  function placePictures(product: number, storeId: string, prepared: PictureToSave[]): number[] {
    // Positions are unique, so the pictures that stay get out of the way first.
    for (const [n, picture] of prepared.entries()) {
      if ('kept' in picture) movePicture.run(BigInt(-1 - n), picture.kept.imageUrl, BigInt(picture.kept.id))
    }
    return prepared.map((picture, position) => {
      if ('kept' in picture) {
        movePicture.run(BigInt(position), picture.kept.imageUrl, BigInt(picture.kept.id))
        return picture.kept.id
      }
      const { palette, isPrecomputed, ...facts } = picture.added
      const row = addPicture.get({
        ...facts,
        product,
        storeId,
        position,
        model,
        palette: JSON.stringify(palette),
        precomputed: isPrecomputed ? 1 : 0,
      })
      if (!row) throw new Error('an insert always returns its row')
      vectors.put(storeId, row.id, picture.vector)
      return row.id
    })
  }

  return {
    model,
    has: (storeId: string, productId: string): boolean => one.get(storeId, productId) !== undefined,

    find(storeId: string, productId: string): ProductRow | undefined {
      const row = one.get(storeId, productId)
      return row && toProduct(row, pictures.all(row.id).map(toPicture))
    },

    /**
     * Some ids of the store's products, by the bytes of their UTF-8.
     *
     * @param after goes on behind this id; an empty text stands before all.
     */
    listIds: (storeId: string, after: string, limit: number): string[] =>
      someIds.all(storeId, after, BigInt(limit)).map(({ productId }) => productId),

    /** What the API shows of a product. */
    findShown(storeId: string, productId: string): ShownProduct | undefined {
      const row = shown.get(storeId, productId)
      return row && toShown(row)
    },

    /** The same of some products by their rows, in this order and without those that are gone. */
    listShown(ids: readonly number[]): ShownProduct[] {
      const rows = new Map(severalShown.all(JSON.stringify(ids)).map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const row = rows.get(id)
        return row ? [toShown(row)] : []
      })
    },

    /** A picture of the store with the same bytes, which the service has read itself and whose vector can be used again. */
    findSameContent(storeId: string, contentHash: Buffer): PictureRow | undefined {
      const row = sameContent.get(storeId, contentHash, model)
      return row && toPicture(row)
    },

    /**
     * Writes a product with its pictures and vectors, in place of an older one with the same id. Several statements: to
     * be called inside a transaction.
     */
    save(product: ProductToSave, prepared: PictureToSave[]): SavedProduct {
      const { metadata, isDemo, isReembedding = false, ...columns } = product
      const saved = upsert.get({
        ...columns,
        ...foldColumns(metadata, columns.now),
        metadata: JSON.stringify(metadata),
        demo: isDemo ? 1 : 0,
        keepsTime: isReembedding ? 1 : 0,
        hasNewPicture: prepared.some((picture) => 'added' in picture) ? 1 : 0,
      })
      if (!saved) throw new Error('an upsert always returns its row')
      const staying = new Set(prepared.flatMap((picture) => ('kept' in picture ? [picture.kept.id] : [])))
      const removedPictureIds = pictureIds.all(saved.id).flatMap(({ id }) => (staying.has(id) ? [] : [id]))
      removePictures(removedPictureIds)
      const ids = placePictures(saved.id, product.storeId, prepared)
      return { id: saved.id, vectorId: saved.vectorId, pictureIds: ids, removedPictureIds }
    },

    /** Deletes a product with all its pictures and vectors; to be called inside a transaction. */
    remove({ id, pictures }: Pick<ProductRow, 'id' | 'pictures'>): void {
      removePictures(pictures.map((picture) => picture.id))
      dropProduct.run(BigInt(id))
    },

    /**
     * Makes the copies anew of some products that an older version has written; to be called inside a transaction.
     *
     * @returns whether there were any.
     */
    foldSome(now: number, limit: number): boolean {
      const rows = unfolded.all(BigInt(limit))
      for (const { id, metadata } of rows) {
        const {
          category: _c,
          brand: _b,
          color: _o,
          name: _n,
          ...columns
        } = foldColumns(JSON.parse(metadata), now)
        refold.run({ ...columns, id: BigInt(id) })
      }
      return rows.length > 0
    },

    /** Ids of the store's demo products. */
    listDemoIds: (storeId: string): string[] => demoIds.all(storeId).map(({ productId }) => productId),

    /** Registers a picture that arrived as bytes, or finds it. @returns its address. */
    keepPicture(picture: KeptPicture & { storeId: string; bytes: number; now: number }): string {
      // Not `get`, which hides a commit that fails.
      const [row] = keep.all({ ...picture })
      if (!row) throw new Error('an upsert always returns its row')
      return row.address
    },
    findKeptPicture: (address: string) => keptAt.get(address),
    /** Starts the time again after which an unused picture is deleted; false when the picture is gone. */
    holdPicture: (address: string, now: number): boolean => hold.run(BigInt(now), address).changes > 0,
    /** Whether any store keeps a picture of this content. */
    isKept: (contentHash: Buffer): boolean => stillKept.get(contentHash) !== undefined,
  }
}

const toProduct = ({ metadata, demo, ...row }: RawProduct, pictures: PictureRow[]): ProductRow => ({
  ...row,
  metadata: JSON.parse(metadata),
  isDemo: demo === 1,
  pictures,
})

const toShown = (row: RawShown): ShownProduct => {
  const { productId, vectorId, imageUrl, metadata, indexedAt, updatedAt, palette, otherUrls } = row
  const { contentType, bytes, width, height, phash } = row
  return {
    ...{ productId, vectorId, imageUrl, metadata: JSON.parse(metadata), indexedAt, updatedAt },
    picture: { contentType, bytes, width, height, phash, palette: JSON.parse(palette) },
    otherUrls: otherUrls === null ? [] : JSON.parse(otherUrls),
  }
}

/** Copies of the metadata that filters and lists look up, without case and accents. @param now for what is paid. */
function foldColumns(metadata: Metadata, now: number) {
  const foldText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? fold(value) : null)
  const category = foldText(metadata['category'])
  const prices = readPrices(metadata)
  const turnsAt = nextTurn(prices, now)
  return {
    category,
    levels: foldLevels(metadata['category'], metadata['category_path']),
    brand: foldText(metadata['brand']),
    color: foldText(metadata['color_name']),
    name: foldText(metadata['name']),
    price: paidAt(prices, now),
    regularPrice: prices.sale === null ? null : prices.price,
    sale: prices.sale,
    saleFrom: toInteger(prices.from),
    saleUntil: toInteger(prices.until),
    priceTurnsAt: toInteger(turnsAt),
  }
}

/** A number is bound as REAL, which a STRICT table takes for a whole number. */
const toInteger = (ms: number | null): number | null => (ms === null ? null : Math.trunc(ms))
