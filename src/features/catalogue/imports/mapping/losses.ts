import type { Finding } from '../schema.ts'

/** Counts of what was lost or guessed while a file was read. */
export interface Losses {
  /** Sales that cost as much as the product without a sale, or more. */
  saleNotBelow: number
  /** Sales whose dates cannot be read. */
  saleWithoutDates: number
  /** Categories with more levels than are kept. */
  deepCategories: number
  /** Variations whose parent is not in the file. */
  orphans: number
  /** Variations whose parent was not kept, because the file has too many. */
  unkept: number
}

export const noLosses = (): Losses => ({
  ...{ saleNotBelow: 0, saleWithoutDates: 0, deepCategories: 0 },
  ...{ orphans: 0, unkept: 0 },
})

/** Says what was counted, for whoever imports the file. */
export function describeLosses(losses: Losses): Finding[] {
  const say = (code: Finding['code'], count: number, one: string, many: string): Finding[] => {
    const text = count === 1 ? `1 ${one}` : `${count} ${many}`
    return count === 0 ? [] : [{ code, text, data: { products: count } }]
  }
  return [
    ...say(
      'sale_not_below_price',
      losses.saleNotBelow,
      'product has a sale price that is not below its price: the sale was left out',
      'products have a sale price that is not below their price: the sales were left out',
    ),
    ...say(
      'sale_dates_unreadable',
      losses.saleWithoutDates,
      'product has a sale whose dates cannot be read: the sale was left out. Write dates as 2030-12-24',
      'products have a sale whose dates cannot be read: the sales were left out. Write dates as 2030-12-24',
    ),
    ...say(
      'category_too_deep',
      losses.deepCategories,
      'product has a category of more than 10 levels: the first 10 were kept',
      'products have a category of more than 10 levels: the first 10 were kept',
    ),
    ...say(
      'parent_missing',
      losses.orphans,
      'variation names a parent that the file does not have: it got nothing from it. Export all products into one file',
      'variations name a parent that the file does not have: they got nothing from it. Export all products into one file',
    ),
    ...say(
      'parent_not_kept',
      losses.unkept,
      'variation got nothing from its parent, because the file has too many products with variations: split it',
      'variations got nothing from their parents, because the file has too many products with variations: split it',
    ),
  ]
}
