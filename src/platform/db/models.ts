import type { ModelFingerprint } from '../embedder/embedder.ts'
import { type VectorTable, vectorTable } from '../vectors/vec0.ts'
import type { Db } from './open.ts'

/** A model that has a place for its vectors here. */
export interface KnownModel {
  /** Row in `models`. */
  row: number
  vectors: VectorTable
}

/**
 * Finds the row and the vector table of a model, or makes them: vectors of different models never share a table.
 *
 * @param now Unix ms.
 */
export const registerModel = (db: Db, model: ModelFingerprint, now: number): KnownModel =>
  db.transaction((): KnownModel => {
    const known = db.prepare<[string], { id: number }>('SELECT id FROM models WHERE hash = ?').get(model.hash)
    const row =
      known?.id ??
      Number(
        db
          .prepare('INSERT INTO models (name, hash, dimension, created_at) VALUES (?, ?, ?, ?)')
          .run(model.id, model.hash, BigInt(model.dimension), BigInt(now)).lastInsertRowid,
      )
    const vectors = vectorTable(db, `vectors_${row}`, model.dimension)
    if (!known) vectors.create()
    return { row, vectors }
  })()
