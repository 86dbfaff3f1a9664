import type { Base, Module } from '../../module.ts'
import { type StoreQueries, storeQueries } from './queries.ts'

/** The stores of this install. */
export const buildStores = ({ db }: Pick<Base, 'db'>): Module<StoreQueries> => ({
  service: storeQueries(db),
})
