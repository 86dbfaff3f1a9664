import type { Db } from '../../../platform/db/open.ts'
import { personExportQueries } from './person-export-queries.ts'
import { shopperExportQueries } from './shopper-export-queries.ts'
import { storeExportQueries } from './store-export-queries.ts'

export type ExportQueries = ReturnType<typeof exportQueries>

/**
 * All SQL of the exports of data about people. It reads tables of many features and writes none. Every list is read in
 * pages along an index, so that no step holds the event loop.
 */
export const exportQueries = (db: Db) => ({
  ofStore: storeExportQueries(db),
  ofPerson: personExportQueries(db),
  ofShoppers: shopperExportQueries(db),
})
