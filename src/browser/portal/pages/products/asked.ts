import type { FilterNode } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { explain } from '../jobs/words.ts'
import { fits } from './fits.ts'

export const SORTS = ['newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc'] as const
export type Sort = (typeof SORTS)[number]

/** What a merchant mends: products whose pictures could not be read, that lack a field, or that are sold out. */
export const PROBLEMS = ['failed', 'category', 'price', 'url', 'sold_out'] as const
export type Problem = (typeof PROBLEMS)[number]

/** What the address asks for. */
export interface Asked {
  q: string
  category: string
  brand: string
  sort: Sort
  problem: Problem | ''
}

export function readAsked(query: URLSearchParams): Asked {
  const read = (name: string) => query.get(name) ?? ''
  return {
    q: read('q'),
    category: read('category'),
    brand: read('brand'),
    sort: SORTS.find((sort) => sort === query.get('sort')) ?? 'newest',
    problem: PROBLEMS.find((problem) => problem === query.get('problem')) ?? '',
  }
}

/** A product of the list. */
export interface Listed {
  product_id: string
  thumbnail_url: string | null
  metadata: Readonly<Record<string, unknown>>
  /** Why its last change failed. */
  failure?: ReturnType<typeof explain>
}

export interface ListedPage {
  items: Listed[]
  next: string | null
  /** null where the API does not count. */
  total: number | null
}

const PAGE_SIZE = 48

/** As deep as a search goes. */
const DEPTH = 1_000

/** Reads one page of what is asked for, from the list, from the search or from the failures. @throws CallError */
export function readPage(asked: Asked, cursor: string | null, signal: AbortSignal): Promise<ListedPage> {
  if (asked.problem === '') return listProducts(asked, cursor, signal)
  if (asked.problem === 'failed') return listFailed(asked, cursor, signal)
  return findProducts(toFilter(asked, asked.problem), asked.sort, Number(cursor ?? 0), signal)
}

async function listProducts(
  { q, category, brand, sort }: Asked,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ListedPage> {
  const query = { q, category, brand, sort, limit: PAGE_SIZE, ...(cursor !== null && { cursor }) }
  const { products, next_cursor, total } = await call('GET /v1/products', { query, signal })
  return { items: products, next: next_cursor, total }
}

/** Pages of failures that are looked through for one page that fits the filters. */
const FAILED_PAGES_MAX = 10

/** Failures name products alone: what the store knows of them decides whether they fit the filters. */
async function listFailed(asked: Asked, cursor: string | null, signal: AbortSignal): Promise<ListedPage> {
  const items: Listed[] = []
  let next = cursor
  for (let n = 0; n < FAILED_PAGES_MAX; n++) {
    const page = await call('GET /v1/jobs/failures', {
      query: { limit: PAGE_SIZE, ...(next !== null && { cursor: next }) },
      signal,
    })
    const known = await findKnown(
      page.failures.map(({ product_id }) => product_id),
      signal,
    )
    for (const failed of page.failures) {
      const { product_id, thumbnail_url } = failed
      const metadata = known.get(product_id) ?? {}
      if (fits(asked, product_id, metadata))
        items.push({ product_id, thumbnail_url, metadata, failure: explain(failed) })
    }
    next = page.next_cursor
    if (next === null || items.length >= PAGE_SIZE / 2) break
  }
  return { items, next, total: null }
}

/** The metadata of those products that the store has; a first import that failed left none. */
async function findKnown(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Listed['metadata']>> {
  if (ids.length === 0) return new Map()
  const { results } = await call('POST /v1/search/filtered', {
    body: {
      filters: [{ field: 'product_id', operator: 'in', value: [...ids] }],
      ...{ limit: PAGE_SIZE, analytics: false },
    },
    signal,
  })
  return new Map(results.map(({ product_id, metadata }) => [product_id, metadata]))
}

async function findProducts(
  must: FilterNode[],
  sort: Sort,
  offset: number,
  signal: AbortSignal,
): Promise<ListedPage> {
  const { results, total_candidates } = await call('POST /v1/search/filtered', {
    body: {
      filters: { must },
      ...(isSearchSort(sort) && { sort }),
      ...{ limit: PAGE_SIZE, offset, analytics: false },
    },
    signal,
  })
  const end = offset + results.length
  const hasMore = results.length === PAGE_SIZE && end + PAGE_SIZE <= DEPTH
  return { items: results, next: hasMore ? String(end) : null, total: total_candidates }
}

/** The orders that a search has, too. */
const isSearchSort = (sort: Sort) => sort === 'newest' || sort === 'price_asc' || sort === 'price_desc'

function toFilter({ q, category, brand }: Asked, problem: Exclude<Problem, 'failed'>): FilterNode[] {
  const must: FilterNode[] =
    problem === 'sold_out'
      ? [{ field: 'in_stock', operator: 'eq', value: false }]
      : [{ field: problem, operator: 'not_exists' }]
  if (category !== '') must.push({ field: 'category', operator: 'eq', value: category })
  if (brand !== '') must.push({ field: 'brand', operator: 'eq', value: brand })
  if (q !== '')
    must.push({
      should: ['name', 'product_id'].map((field) => ({ field, operator: 'contains' as const, value: q })),
    })
  return must
}
