import { fold } from '../../../core/text.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { ProductSort } from './schema.ts'

export interface ProductFilter {
  storeId: string
  category?: string | undefined
  brand?: string | undefined
  /** Part of the name, without case and accents, or of the id, without the case of A to Z. */
  q?: string | undefined
  /** Unix ms. */
  updatedSince?: number | undefined
}

/** The place of a product in a list. It means the same in every database that holds the store. */
export interface ProductPosition {
  /** By which the list is sorted. */
  value: string | number
  /** The product's `vector_id`, which orders products with equal values by their age. */
  id: string
}

/** A row of a list: the product and its place. */
export interface ListedProduct extends ProductPosition {
  productId: string
}

const ORDERS: Record<ProductSort, { expression: string; direction: 'ASC' | 'DESC' }> = {
  newest: { expression: 'created_at', direction: 'DESC' },
  oldest: { expression: 'created_at', direction: 'ASC' },
  updated: { expression: 'updated_at', direction: 'DESC' },
  name: { expression: "coalesce(name, '')", direction: 'ASC' },
  price_asc: { expression: `coalesce(price, ${Number.MAX_VALUE})`, direction: 'ASC' },
  price_desc: { expression: `coalesce(price, -${Number.MAX_VALUE})`, direction: 'DESC' },
}

export type ProductListQueries = ReturnType<typeof productListQueries>

/** SQL of GET /v1/products: filters, sorting and keyset pages. */
export function productListQueries(db: Db) {
  return {
    /** How many products pass the filter. */
    count(filter: ProductFilter): number {
      const { conditions, values } = toConditions(filter)
      const { n } = db.prepare(`SELECT count(*) AS n FROM products WHERE ${conditions}`).get(values) as {
        n: number
      }
      return n
    },

    /** At most `limit` products after a place, in the sort's order. */
    page(
      filter: ProductFilter,
      sort: ProductSort,
      limit: number,
      after: ProductPosition | undefined,
    ): ListedProduct[] {
      const { conditions, values } = toConditions(filter)
      const { expression, direction } = ORDERS[sort]
      const beyond = direction === 'ASC' ? '>' : '<'
      const seek = after ? `AND (${expression}, vector_id) ${beyond} (@afterValue, @afterId)` : ''
      return db
        .prepare(`
          SELECT product_id AS productId, ${expression} AS value, vector_id AS id
          FROM products WHERE ${conditions} ${seek}
          ORDER BY ${expression} ${direction}, vector_id ${direction} LIMIT @limit`)
        .all({
          ...values,
          limit: BigInt(limit),
          ...(after && { afterValue: after.value, afterId: after.id }),
        }) as ListedProduct[]
    },
  }
}

function toConditions({ storeId, category, brand, q, updatedSince }: ProductFilter) {
  const parts = ['store_id = @storeId']
  const values: Record<string, unknown> = { storeId }
  if (category !== undefined) parts.push('category = @category')
  if (brand !== undefined) parts.push('brand = @brand')
  if (updatedSince !== undefined) parts.push('updated_at >= @updatedSince')
  if (q !== undefined) {
    parts.push("(instr(coalesce(name, ''), @folded) > 0 OR instr(lower(product_id), lower(@q)) > 0)")
  }
  if (category !== undefined) values['category'] = category
  if (brand !== undefined) values['brand'] = brand
  if (q !== undefined) Object.assign(values, { q, folded: fold(q) })
  if (updatedSince !== undefined) values['updatedSince'] = BigInt(Math.trunc(updatedSince))
  return { conditions: parts.join(' AND '), values }
}
