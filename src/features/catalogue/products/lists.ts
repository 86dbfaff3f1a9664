import { foldLevel } from '../../../core/category-path.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fold } from '../../../core/text.ts'
import {
  isOrdered,
  type ListedProduct,
  type ListQuery,
  type ProductFilter,
  type ProductListQueries,
  type Source,
} from './list-queries.ts'

/** How many products pass a filter. */
interface Total {
  total: number
  /** False where there are more than are counted. */
  isExact: boolean
}

export interface ProductListsDeps {
  queries: ProductListQueries
  /** The number of a store's products, in constant time. */
  countProducts(storeId: string): number
  bounds?: Bounds
}

export type ProductLists = ReturnType<typeof productLists>

/** Where one way to a page begins to cost more than another. */
export interface Bounds {
  /** Up to here the products that pass a filter are counted. */
  total: number
  /** Comparing each product of a store of this size is as quick as asking for words. */
  smallStore: number
  /** The most products with the trigrams of the words that are compared, because they may be of other stores. */
  candidates: number
  /** The most products that are read along the list before those that pass are sorted instead. */
  walk: number
}

const BOUNDS: Bounds = {
  total: LIMITS.productsTotalMax,
  smallStore: 2_000,
  candidates: 2 * LIMITS.productsTotalMax,
  walk: 2_500,
}

/**
 * Lists of products, whose cost does not grow with the store. A list without a filter is a range of an index. With a
 * filter there are two ways to a page: along the list's order past what the filter leaves out, which is quick where many
 * pass, or sorting those that pass, which is quick where they are few.
 */
export function productLists({ queries, countProducts, bounds = BOUNDS }: ProductListsDeps) {
  const toTotal = (n: number): Total => ({ total: Math.min(n, bounds.total), isExact: n <= bounds.total })

  return {
    /** The products of a category: its own ones, and those below a level of that name where the store has any. */
    inCategory(storeId: string, category: string): Pick<ProductFilter, 'category' | 'level'> {
      const path = foldLevel(category)
      const name = fold(category)
      return queries.hasLevel(storeId, path) ? { level: { name, path } } : { category: name }
    },

    /** At most `limit` products of a list, and how many there are in all. */
    list(query: ListQuery): Total & { found: ListedProduct[] } {
      const products = countProducts(query.filter.storeId)
      const { source, ...total } = count(query.filter, products)
      return { ...total, found: total.total === 0 ? [] : find(query, { ...total, source, products }) }
    },
  }

  function count(filter: ProductFilter, products: number): Total & { source: Source } {
    const { words } = filter
    const source = findSource(filter)
    if (source === 'store' && !words) return { source, total: products, isExact: true }
    if (words?.candidates !== undefined && products > bounds.smallStore) {
      const n = queries.count(filter, 'words', bounds.total + 1, bounds.candidates)
      const isAll = () =>
        queries.countCandidates(words.candidates as string, bounds.candidates + 1) <= bounds.candidates
      // Otherwise too many candidates are products of other stores, or of other categories.
      if (n > bounds.total || isAll()) return { source: 'words', ...toTotal(n) }
    }
    return { source, ...toTotal(queries.count(filter, source, bounds.total + 1)) }
  }

  function find(
    query: ListQuery,
    { source, total, isExact, products }: Total & { source: Source; products: number },
  ): ListedProduct[] {
    if (isOrdered(query.filter, query.sort)) return queries.walk(query)
    // Among products in any order, a page takes `limit * products / total` steps.
    if (isExact && total * total <= query.limit * products) return queries.sort(query, source)
    const until = queries.findPlace(query, bounds.walk)
    const found = queries.walk(query, until)
    return until === undefined || found.length === query.limit ? found : queries.sort(query, source)
  }
}

/** Where the fewest products are found that may pass the filter, its words aside. */
function findSource({ category, level, brand, updatedSince }: ProductFilter): Source {
  if (category !== undefined) return 'category'
  if (level !== undefined) return 'level'
  if (brand !== undefined) return 'brand'
  return updatedSince === undefined ? 'store' : 'updated'
}
