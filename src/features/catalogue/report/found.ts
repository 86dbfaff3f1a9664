import type { FindingData, FindingKind } from './schema.ts'

/** One product of a finding as a report keeps it. */
export interface FoundProduct {
  productId: string
  data: FindingData
  /** Where the reason is no sentence of ours. */
  reason?: string
}

/** What was found of one kind. */
export interface Found {
  kind: FindingKind
  count: number
  products: FoundProduct[]
}

/** Products that a report names of one kind. */
const NAMED_MAX = 50

/** Counts what is found of a kind, and names the first of it. */
export function createFound(kind: FindingKind) {
  const found: Found = { kind, count: 0, products: [] }
  return {
    found,
    add(productId: string, data: FindingData, reason?: string): void {
      found.count++
      if (found.products.length < NAMED_MAX)
        found.products.push({ productId, data, ...(reason !== undefined && { reason }) })
    },
  }
}

/** Counts products, and names those that are the surest, the surest first. */
export function createSurest() {
  const kept: { margin: number; product: FoundProduct }[] = []
  let count = 0
  return {
    add(margin: number, product: FoundProduct): void {
      count++
      let at = kept.length
      while (at > 0 && (kept[at - 1] as { margin: number }).margin < margin) at--
      if (at === NAMED_MAX) return
      kept.splice(at, 0, { margin, product })
      if (kept.length > NAMED_MAX) kept.pop()
    },
    list: (): Pick<Found, 'count' | 'products'> => ({ count, products: kept.map(({ product }) => product) }),
  }
}

/** Lets others work between two steps. @throws once the service stops. */
export type Breathe = () => Promise<void>
