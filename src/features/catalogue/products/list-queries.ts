import { fold } from '../../../core/text.ts'
import type { Db } from '../../../platform/db/open.ts'
import { PRODUCT_COLUMNS, type ProductQueries, type ProductRow } from './queries.ts'
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

/** The end of a page: the sort value and the row of its last product. */
export interface ProductCursor {
  sort: ProductSort
  value: string | number
  id: number
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

/** All SQL that lists products: filters, sorting and keyset pages. */
export function productListQueries(db: Db, products: Pick<ProductQueries, 'find'>) {
  return {
    /** Reads one page after the cursor, in the sort's order. Equal values are ordered by row. */
    readPage(filter: ProductFilter, sort: ProductSort, limit: number, after: ProductCursor | undefined) {
      const { expression, direction } = ORDERS[sort]
      const { conditions, values } = toConditions(filter)
      const total = db.prepare(`SELECT count(*) AS n FROM products WHERE ${conditions}`).get(values) as {
        n: number
      }
      const beyond = direction === 'ASC' ? '>' : '<'
      const seek = after ? `AND (${expression}, id) ${beyond} (@afterValue, @afterId)` : ''
      const rows = db
        .prepare(`
          SELECT ${PRODUCT_COLUMNS}, ${expression} AS sortValue FROM products WHERE ${conditions} ${seek}
          ORDER BY ${expression} ${direction}, id ${direction} LIMIT @limit`)
        .all({
          ...values,
          limit: BigInt(limit + 1),
          ...(after && { afterValue: after.value, afterId: BigInt(after.id) }),
        }) as { id: number; productId: string; sortValue: string | number }[]
      // One row more than the page holds means that there is a next page.
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const found = rows
        .slice(0, limit)
        .map(({ productId }) => products.find(filter.storeId, productId) as ProductRow)
      return {
        products: found,
        total: total.n,
        last: last && { sort, value: last.sortValue, id: last.id },
      }
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
