import type { ModelFingerprint } from '../embedder/embedder.ts'
import { createVectorTable, type VectorTable } from '../vectors/vec0.ts'
import type { Db } from './open.ts'

/** A model with a table for its vectors. */
export interface KnownModel {
  /** Row in `models`. */
  row: number
  /** Its vectors; `remove` deletes a vector of any model. */
  vectors: VectorTable
}

interface OtherModel {
  id: number
  dimension: number
}

/** The tables of vectors, of every model that ever made one. */
export const listVectorTables = (db: Db): VectorTable[] =>
  db
    .prepare<[], OtherModel>('SELECT id, dimension FROM models')
    .all()
    .map(({ id, dimension }) => createVectorTable(db, nameTable(id), dimension))

/** A model whose vectors this install has. */
export interface StoredModel extends ModelFingerprint {
  /** Row in `models`. */
  row: number
  vectors: VectorTable
}

/** Every model that ever made a vector here, the newest last. */
export const listModels = (db: Db): StoredModel[] =>
  db
    .prepare<[], OtherModel & { name: string; hash: string }>(
      'SELECT id, name, hash, dimension FROM models ORDER BY id',
    )
    .all()
    .map(({ id, name, hash, dimension }) => ({
      ...{ row: id, id: name, hash, dimension },
      vectors: createVectorTable(db, nameTable(id), dimension),
    }))

/** The hash of the model that the stores are on; undefined before the first start. */
export const findHashInUse = (db: Db): string | undefined =>
  db
    .prepare<[], { hash: string }>('SELECT hash FROM models WHERE id = (SELECT in_use FROM model_state)')
    .get()?.hash

/** Notes where the files of a model lie. */
export function noteModelDir(db: Db, row: number, dir: string): void {
  db.prepare('UPDATE models SET dir = @dir WHERE id = @row AND dir IS NOT @dir').run({ row, dir })
}

const nameTable = (row: number): string => `vectors_${row}`

/** By model, the tables that a picture may have vectors in, of each database that is open. */
const openTables = new WeakMap<Db, Map<number, VectorTable>>()

function tablesOf(db: Db): Map<number, VectorTable> {
  const known = openTables.get(db) ?? new Map(listModels(db).map(({ row, vectors }) => [row, vectors]))
  openTables.set(db, known)
  return known
}

/**
 * Finds the row and the vector table of a model, or creates them. Models never share a table.
 *
 * @param now Unix ms.
 */
export const registerModel = (db: Db, model: ModelFingerprint, now: number): KnownModel =>
  // Immediate, because a command may write between the read and the write.
  db
    .transaction((): KnownModel => {
      const known = db
        .prepare<[string], { id: number }>('SELECT id FROM models WHERE hash = ?')
        .get(model.hash)
      const row =
        known?.id ??
        Number(
          db
            .prepare('INSERT INTO models (name, hash, dimension, created_at) VALUES (?, ?, ?, ?)')
            .run(model.id, model.hash, BigInt(model.dimension), BigInt(now)).lastInsertRowid,
        )
      const vectors = createVectorTable(db, nameTable(row), model.dimension)
      if (known) {
        // The same files may have been removed, and added again under another name.
        db.prepare('UPDATE models SET name = @name WHERE id = @row AND name <> @name').run({
          name: model.id,
          row,
        })
        vectors.complete()
      } else vectors.create()
      const tables = tablesOf(db).set(row, vectors)
      const remove = (rowid: number) => {
        for (const table of tables.values()) table.remove(rowid)
      }
      return { row, vectors: { ...vectors, remove } }
    })
    .immediate()
