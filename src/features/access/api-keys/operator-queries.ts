import type { Db } from '../../../platform/db/open.ts'

export type OperatorKeyQueries = ReturnType<typeof operatorKeyQueries>

/** SQL about the stores whose keys the operator looks after. */
export function operatorKeyQueries(db: Db) {
  const stores = db.prepare<[], { id: string; slug: string }>('SELECT id, slug FROM stores ORDER BY slug')
  return {
    /** By their slugs. */
    stores: () => stores.all(),
  }
}
