import { malformed, type Row, type Value } from '../../../core/row-lines.ts'
import { listModels, type StoredModel } from '../models.ts'
import type { Db } from '../open.ts'
import { listPictureColumns } from './product-reading.ts'
import { INTEGER_MAX, listTypes, readValue, whole } from './row-values.ts'

const LENGTH_ERROR_MAX = 0.01
const PICTURES_MAX = 100

/** Writes the pictures of a product with their vectors. */
export function createProductWriter(db: Db, storeId: string) {
  const columns = listPictureColumns(db)
  const findProduct = db
    .prepare<[string, string], number>('SELECT id FROM products WHERE store_id = ? AND product_id = ?')
    .pluck()
  const isAnother = db
    .prepare<[string, string, Value], number>(
      'SELECT 1 FROM products WHERE store_id = ? AND product_id = ? AND vector_id IS NOT ?',
    )
    .pluck()
  const listPictures = db.prepare<[bigint], { id: number; position: number }>(
    'SELECT id, position FROM pictures WHERE product = ?',
  )
  const set = columns.map((column) => `${column} = @${column}`).join(', ')
  const THUMBNAIL = `iif(typeof(@thumbnail) = 'integer', @thumbnail, coalesce((SELECT id FROM thumbnails
    WHERE hash = unhex(@thumbnail) AND store_id = @store_id), -3))`
  const update = db.prepare<[Row]>(`
    UPDATE pictures SET ${set}, model = @model, second_model = NULL, thumbnail = ${THUMBNAIL} WHERE id = @id`)
  const insert = db.prepare<[Row]>(`
    INSERT INTO pictures (product, store_id, model, thumbnail, ${columns.join(', ')})
    VALUES (@product, @store_id, @model, ${THUMBNAIL}, ${columns.map((column) => `@${column}`).join(', ')})`)
  const drop = db.prepare<[bigint]>('DELETE FROM pictures WHERE id = ?')
  const integers = new Set(
    [...listTypes(db, 'pictures')].filter(([, type]) => type === 'INTEGER').map(([name]) => name),
  )
  let models = listModels(db)

  function findModel(hash: unknown): StoredModel {
    const known = () => models.find((model) => model.hash === hash)
    if (!known()) models = listModels(db)
    const model = known()
    if (!model) throw malformed('a vector of a model that was not announced')
    return model
  }

  function removeVector(picture: number): void {
    for (const { vectors } of models) vectors.remove(picture)
  }

  function write(product: number, given: unknown, id: number | undefined): number {
    if (typeof given !== 'object' || given === null) throw malformed('a picture')
    const { model: hash, vector: bytes, thumbnail, ...facts } = given as Record<string, unknown>
    const row: Row = { product: whole(product), store_id: storeId }
    if (Object.keys(facts).length !== columns.length) throw malformed('the facts of a picture')
    for (const column of columns) {
      if (!(column in facts)) throw malformed('the facts of a picture')
      const value = readValue(facts[column])
      const isWhole = integers.has(column) && typeof value === 'number'
      if (isWhole && (!Number.isInteger(value) || Math.abs(value) > INTEGER_MAX))
        throw malformed('the facts of a picture')
      row[column] = isWhole ? whole(value) : value
    }
    if (!isJson(row['palette'])) throw malformed('the colours of a picture')
    const model = findModel(hash)
    const vector = readVector(readValue(bytes ?? null), model.dimension)
    row['model'] = whole(model.row)
    row['thumbnail'] = readThumbnail(thumbnail)
    if (id !== undefined) update.run({ ...row, id: whole(id) })
    const written = id ?? Number(insert.run(row).lastInsertRowid)
    removeVector(written)
    if (vector) model.vectors.put(storeId, written, vector)
    return written
  }

  return {
    /** Whether the id was given to another product, which is gone and stood at another place. */
    isRemade: (productId: string, vectorId: Value): boolean =>
      isAnother.get(storeId, productId, vectorId) !== undefined,

    putPictures(productId: string, given: unknown, dropped: number[]): void {
      if (!Array.isArray(given) || given.length > PICTURES_MAX) throw malformed('the pictures of a product')
      const product = findProduct.get(storeId, productId) as number
      const here = new Map(listPictures.all(BigInt(product)).map(({ id, position }) => [position, id]))
      for (const picture of given) {
        const { position } = (picture ?? {}) as { position?: unknown }
        if (!Number.isInteger(position)) throw malformed('the facts of a picture')
        write(product, picture, here.get(position as number))
        here.delete(position as number)
      }
      for (const id of here.values()) {
        removeVector(id)
        drop.run(BigInt(id))
        dropped.push(id)
      }
    },

    removeVectors(productId: string, dropped: number[]): void {
      const product = findProduct.get(storeId, productId)
      if (product === undefined) return
      for (const { id } of listPictures.all(BigInt(product))) {
        removeVector(id)
        dropped.push(id)
      }
    },
  }
}

function readThumbnail(value: unknown): Value {
  if (Number.isInteger(value) && Number(value) <= 0) return whole(Number(value))
  if (typeof value === 'string' && /^[0-9A-F]{16,64}$/.test(value)) return value
  throw malformed('a thumbnail')
}

/** @throws UnreadableFile for one that is not of length 1. */
function readVector(bytes: Value, dimension: number): Float32Array | undefined {
  if (bytes === null) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length !== 4 * dimension) throw malformed('a vector')
  // A copy, because the bytes may lie anywhere in their buffer.
  const vector = new Float32Array(new Uint8Array(bytes).buffer)
  let squares = 0
  for (const value of vector) squares += value * value
  if (!(Math.abs(Math.sqrt(squares) - 1) <= LENGTH_ERROR_MAX)) throw malformed('a vector')
  return vector
}

function isJson(value: Value | undefined): boolean {
  try {
    JSON.parse(String(value))
    return true
  } catch {
    return false
  }
}
