import type { Row, Value } from '../../../core/row-lines.ts'
import { listModels, type StoredModel } from '../models.ts'
import type { Db } from '../open.ts'
import { MODEL_OF_PICTURE } from '../store-copy/plan.ts'
import { hashLine, type Piece, type Sum } from './row-format.ts'
import { type Key, shapeOf, toJson } from './rows.ts'

/** Products that one step lists. */
const IDS_AT_ONCE = 5_000

/** A walk that is under way. */
interface Walk {
  /** Rows so far, in no order that matters. */
  listed: number[]
  /** The client's id behind which the list goes on. */
  after: string
  /** All rows, in the order in which they were made. */
  ids: Float64Array | undefined
}

/** Reads products, each with its pictures and their vectors of the store's model. */
export function createProductReader(db: Db) {
  const shape = shapeOf(db, 'products')
  const byId = db.prepare<[bigint, string], Row>(
    `SELECT ${shape.list}, products.id AS key_id FROM products WHERE id = ? AND store_id = ?`,
  )
  const byName = db.prepare<[string, string], Row>(
    `SELECT ${shape.list}, products.id AS key_id FROM products WHERE store_id = ? AND product_id = ?`,
  )
  const findId = db
    .prepare<[string, string], number>('SELECT id FROM products WHERE store_id = ? AND product_id = ?')
    .pluck()
  const listIds = db
    .prepare<[string, string, bigint], [id: number, productId: string]>(
      'SELECT id, product_id FROM products WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?',
    )
    .raw()
  const pictureColumns = listPictureColumns(db)
  const pictures = db.prepare<[bigint], Row>(`
    SELECT ${pictureColumns.join(', ')}, id AS key_id, ${MODEL_OF_PICTURE} AS key_model,
      CASE WHEN thumbnail > 0 THEN (SELECT hex(hash) FROM thumbnails WHERE thumbnails.id = pictures.thumbnail)
        ELSE thumbnail END AS thumbnail
    FROM pictures WHERE product = ? ORDER BY position`)
  const [endFirst, endNext] = ['', 'AND product_id > @after'].map((more) =>
    db
      .prepare<[Row], string>(
        `SELECT product_id FROM products WHERE store_id = @storeId ${more} ORDER BY product_id LIMIT 1 OFFSET @skip`,
      )
      .pluck(),
  )
  const listNames = (conditions: string) =>
    db
      .prepare<[Row], string>(
        `SELECT product_id FROM products WHERE store_id = @storeId ${conditions} ORDER BY product_id`,
      )
      .pluck()
  const names = {
    all: listNames(''),
    after: listNames('AND product_id > @after'),
    upTo: listNames('AND product_id <= @end'),
    both: listNames('AND product_id > @after AND product_id <= @end'),
  }
  const walks = new Map<string, Walk>()
  let models = new Map<number, StoredModel>()
  function modelOf(row: number): StoredModel | undefined {
    if (!models.has(row)) models = new Map(listModels(db).map((model) => [model.row, model]))
    return models.get(row)
  }

  function formatProduct(storeId: string, read: Row | undefined): string | undefined {
    if (!read) return undefined
    const { key_id: id, ...product } = read
    const list = pictures.all(BigInt(Number(id))).map(({ key_id: picture, key_model: row, ...facts }) => {
      const model = modelOf(Number(row))
      const vector = model?.vectors.find(storeId, Number(picture))
      const bytes = vector && new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
      const whole: Row = { ...facts, model: model?.hash ?? null, vector: bytes ?? null }
      return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, toJson(value)]))
    })
    const put = Object.fromEntries(
      Object.entries(product).map(([name, value]) => [name, toJson(value as Value)]),
    )
    return JSON.stringify({ t: 'products', put: { ...put, pictures: list } })
  }

  const readById = (storeId: string, id: number) => formatProduct(storeId, byId.get(BigInt(id), storeId))
  const readByName = (storeId: string, productId: string) =>
    formatProduct(storeId, byName.get(storeId, productId))

  /** Lists some more products. @returns all of them once it has come to the end. */
  function listOn(storeId: string, walk: Walk): Float64Array | undefined {
    const found = listIds.all(storeId, walk.after, BigInt(IDS_AT_ONCE))
    for (const [id] of found) walk.listed.push(id)
    walk.after = found.at(-1)?.[1] ?? walk.after
    if (found.length === IDS_AT_ONCE) return undefined
    walk.ids = Float64Array.from(walk.listed).sort()
    walk.listed = []
    return walk.ids
  }

  function walk(storeId: string, after: Key | null, maxBytes: number): Piece {
    const last = Number(after?.[0] ?? -1)
    const begun = walks.get(storeId) ?? { listed: [], after: '', ids: undefined }
    walks.set(storeId, begun)
    const ids = begun.ids ?? listOn(storeId, begun)
    if (!ids) return { lines: [], next: ['products', [last]] }
    const lines: string[] = []
    let bytes = 0
    let at = findBehind(ids, last)
    for (; at < ids.length && bytes < maxBytes; at++) {
      const line = readById(storeId, ids[at] as number)
      if (line === undefined) continue
      lines.push(line)
      bytes += line.length
    }
    if (at < ids.length) return { lines, next: ['products', [ids[at - 1] as number]] }
    walks.delete(storeId)
    return { lines, next: undefined }
  }

  return {
    walk,
    /** Drops what a walk that does not go on has left in memory. */
    forget: (storeId: string): void => void walks.delete(storeId),
    readByName,
    /** @returns undefined for a product that is gone. */
    findId: (storeId: string, productId: string): number | undefined => findId.get(storeId, productId),
    findEnd(storeId: string, after: Key | null, rows: number): Key | undefined {
      const skip = BigInt(rows - 1) as unknown as number
      const end = after
        ? endNext?.get({ storeId, after: String(after[0]), skip })
        : endFirst?.get({ storeId, skip })
      return end === undefined ? undefined : [end]
    },
    *sums(storeId: string, after: Key | null, end: Key | undefined): Generator<Sum> {
      const statement = after ? (end ? names.both : names.after) : end ? names.upTo : names.all
      const place: Row = {
        storeId,
        ...(after && { after: String(after[0]) }),
        ...(end && { end: String(end[0]) }),
      }
      for (const name of statement.all(place)) {
        const line = readByName(storeId, name)
        if (line !== undefined) yield { key: [name], sum: hashLine(line) }
      }
    },
  }
}

/** The place of the first number above `last`. */
function findBehind(sorted: Float64Array, last: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) > last) high = middle
    else low = middle + 1
  }
  return low
}

/** Columns of a picture that travel as they are. */
export const listPictureColumns = (db: Db): string[] =>
  db
    .prepare<[], string>("SELECT name FROM pragma_table_info('pictures') ORDER BY cid")
    .pluck()
    .all()
    .filter((name) => !['id', 'product', 'store_id', 'model', 'second_model', 'thumbnail'].includes(name))
