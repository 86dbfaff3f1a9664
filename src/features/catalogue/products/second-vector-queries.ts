import type { Db } from '../../../platform/db/open.ts'

/** The SQL of pictures that have vectors of two models. */
export function secondVectorQueries(db: Db) {
  const release = db.prepare(`
    UPDATE pictures SET model = CASE WHEN model = @model THEN second_model ELSE model END, second_model = NULL
    WHERE id = @picture AND second_model IS NOT NULL AND @model IN (model, second_model)`)
  const isOnly = db
    .prepare<[bigint, number], number>('SELECT 1 FROM pictures WHERE id = ? AND model = ?')
    .pluck()

  return {
    /**
     * Takes a model off a picture, unless it has no vector of another one. Joins a transaction.
     *
     * @returns whether the vector may go; that of a picture which is gone may, too.
     */
    releaseModel: (picture: number, model: number): boolean =>
      release.run({ picture: BigInt(picture), model }).changes > 0 ||
      isOnly.get(BigInt(picture), model) === undefined,
  }
}
