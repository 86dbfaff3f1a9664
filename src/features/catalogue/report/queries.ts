import type { Db } from '../../../platform/db/open.ts'

/** A product with its first picture, as far as a report reads it. */
export interface WalkedProduct {
  /** Row of the product. */
  row: number
  productId: string
  pictureId: number
  width: number
  height: number
  phash: string
  /** Whether nothing says what it is. */
  isWordless: number
  createdAt: number
  vectorId: string
}

/** Where a walk over products goes on. */
export type ProductPlace = Pick<WalkedProduct, 'createdAt' | 'vectorId'>

/** A picture with its product, in the order of contents. */
export interface WalkedPicture {
  id: number
  contentHash: Buffer
  productId: string
  name: string | null
  variantGroup: string | null
}

/** A product whose picture could not be loaded. */
export interface DeadLink {
  productId: string
  /** JSON of the error. */
  error: string
}

export interface StoredReport {
  askedAt: number | null
  madeAt: number | null
  /** JSON. */
  report: string | null
}

export type ReportQueries = ReturnType<typeof reportQueries>

/** Nobody can find such a product by words, nor tell what it is. */
const IS_WORDLESS = `(coalesce(trim(name), '') = '' AND category IS NULL AND brand IS NULL
  AND coalesce(metadata ->> '$.description', '') = '' AND coalesce(json_array_length(metadata, '$.tags'), 0) = 0)`

/** All SQL of reports about a catalogue. */
export function reportQueries(db: Db) {
  const find = db.prepare<[string], StoredReport>(
    'SELECT asked_at AS askedAt, made_at AS madeAt, report FROM catalogue_reports WHERE store_id = ?',
  )
  const ask = db.prepare(`
    INSERT INTO catalogue_reports (store_id, asked_at) VALUES (@storeId, @now)
    ON CONFLICT (store_id) DO UPDATE SET asked_at = coalesce(asked_at, excluded.asked_at)`)
  const save = db.prepare(`
    INSERT INTO catalogue_reports (store_id, made_at, report)
    SELECT id, @madeAt, @report FROM stores WHERE id = @storeId
    ON CONFLICT (store_id) DO UPDATE SET made_at = excluded.made_at, report = excluded.report,
      asked_at = CASE WHEN asked_at > @madeAt THEN asked_at END`)
  const asked = db
    .prepare<[bigint, bigint], string>(`
    SELECT store_id FROM catalogue_reports INDEXED BY catalogue_reports_asked
    WHERE asked_at IS NOT NULL AND coalesce(made_at, 0) <= ? ORDER BY asked_at LIMIT ?`)
    .pluck()
  const stores = db.prepare<[], string>('SELECT id FROM stores ORDER BY id').pluck()
  const changed = db
    .prepare<{ storeId: string; since: bigint }, number>(`
    SELECT coalesce((SELECT updated_at FROM products INDEXED BY products_updated WHERE store_id = @storeId
        ORDER BY updated_at DESC LIMIT 1) >= @since, 0)
      OR coalesce((SELECT created_at FROM jobs INDEXED BY jobs_newest WHERE store_id = @storeId
        ORDER BY created_at DESC LIMIT 1) >= @since, 0)`)
    .pluck()
  const products = db.prepare<ProductPlace & { storeId: string; limit: bigint }, WalkedProduct>(`
    SELECT products.id AS row, product_id AS productId, pictures.id AS pictureId, width, height, phash,
      ${IS_WORDLESS} AS isWordless, created_at AS createdAt, vector_id AS vectorId
    FROM products INDEXED BY products_created
      CROSS JOIN pictures ON pictures.product = products.id AND pictures.position = 0
    WHERE products.store_id = @storeId AND (created_at, vector_id) > (@createdAt, @vectorId)
    ORDER BY created_at, vector_id LIMIT @limit`)
  const pictures = db.prepare<{ storeId: string; hash: Buffer; id: number; limit: bigint }, WalkedPicture>(`
    SELECT pictures.id, content_hash AS contentHash, product_id AS productId, name, variant_group AS variantGroup
    FROM pictures INDEXED BY pictures_content CROSS JOIN products ON products.id = pictures.product
    WHERE pictures.store_id = @storeId AND (content_hash, pictures.id) > (@hash, @id)
    ORDER BY content_hash, pictures.id LIMIT @limit`)
  const failures = db.prepare<[string, string, bigint], DeadLink>(`
    SELECT product_id AS productId, error FROM job_items INDEXED BY job_items_open_failures
    WHERE store_id = ? AND product_id > ? AND state = 'failed' AND is_overtaken = 0 AND product_id IS NOT NULL
    ORDER BY product_id LIMIT ?`)
  const retries = db
    .prepare<[string, bigint], string>(`
    SELECT product_id FROM reembedding_tries INDEXED BY reembedding_tries_store
      CROSS JOIN products ON products.id = reembedding_tries.product
    WHERE reembedding_tries.store_id = ? AND error = 'image_download_failed' LIMIT ?`)
    .pluck()
  const twins = db.prepare<[string], { row: number; productId: string; variantGroup: string | null }>(`
    SELECT id AS row, product_id AS productId, variant_group AS variantGroup FROM products
    WHERE id IN (SELECT value FROM json_each(?))`)
  const faces = db.prepare<
    [string],
    { row: number; productId: string; category: string | null; color: string | null; palette: string }
  >(`
    SELECT products.id AS row, product_id AS productId, metadata ->> '$.category' AS category,
      metadata ->> '$.color_name' AS color, palette
    FROM products JOIN pictures ON pictures.product = products.id AND pictures.position = 0
    WHERE products.id IN (SELECT value FROM json_each(?))`)
  const names = db.prepare<[string, string], { productId: string; name: string | null }>(`
    SELECT product_id AS productId, metadata ->> '$.name' AS name FROM json_each(?) AS wanted
      CROSS JOIN products ON products.product_id = wanted.value WHERE store_id = ?`)

  return {
    find: (storeId: string): StoredReport | undefined => find.get(storeId),
    /** Notes that somebody wants a new report; an earlier wish stays. */
    ask: (storeId: string, now: number): void => void ask.run({ storeId, now: BigInt(now) }),
    /** Keeps a report, and forgets the wishes that it answers. @param madeAt when the work on it began. */
    save: (storeId: string, report: object, madeAt: number): void =>
      void save.run({ storeId, report: JSON.stringify(report), madeAt: BigInt(madeAt) }),
    /** Stores that wait for a report and have none after a moment, by the time of the wish. */
    listAsked: (before: number, limit: number): string[] => asked.all(BigInt(before), BigInt(limit)),
    listStores: (): string[] => stores.all(),
    /** Whether a product was written, or a job began, since a moment. */
    hasChanged: (storeId: string, since: number): boolean =>
      changed.get({ storeId, since: BigInt(since) }) === 1,
    /** The next products after a place, oldest first. */
    listProducts: (storeId: string, after: ProductPlace, limit: number): WalkedProduct[] =>
      products.all({ storeId, ...after, limit: BigInt(limit) }),
    /** The next pictures after one, those of the same content one after another. */
    listPictures: (storeId: string, after: { hash: Buffer; id: number }, limit: number): WalkedPicture[] =>
      pictures.all({ storeId, ...after, limit: BigInt(limit) }),
    /** Failures of jobs after which nobody wrote the product, by product; of one there may be several. */
    listFailures: (storeId: string, after: string, limit: number): DeadLink[] =>
      failures.all(storeId, after, BigInt(limit)),
    /** Products whose picture a new model could not load again. */
    listFailedRetries: (storeId: string, limit: number): string[] => retries.all(storeId, BigInt(limit)),
    findTwins: (rows: readonly number[]) =>
      new Map(twins.all(JSON.stringify(rows)).map((one) => [one.row, one])),
    /** Products with the palette of their first picture, in the order of the rows. */
    listFaces(rows: readonly number[]) {
      const found = new Map(faces.all(JSON.stringify(rows)).map((one) => [one.row, one]))
      return rows.map((row) => found.get(row))
    },
    /** Names of the products that are there. */
    findNames: (storeId: string, ids: readonly string[]) =>
      new Map(names.all(JSON.stringify(ids), storeId).map(({ productId, name }) => [productId, name])),
  }
}
