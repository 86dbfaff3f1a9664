import type { CountedProduct, Partner, PartnerPlace } from './counting-queries.ts'
import { relate } from './measure.ts'
import type { Run, TogetherQueries } from './queries.ts'
import type { TogetherList } from './service.ts'

/** Products that a list keeps. */
const LISTED_MAX = 20
/** Baskets in which a pair must be. What somebody looks at says less than what somebody pays for. */
const ORDERS_MIN = 3
const VISITORS_MIN = 5
const PARTNERS_AT_ONCE = 1_000
/** Candidates that are related before the best are kept. */
const CANDIDATES_AT_ONCE = 500

interface Candidate {
  number: number
  both: number
}

interface Related {
  productId: string
  score: number
  both: number
}

/** Makes the lists of products from what a run has counted. */
export function createLister(queries: TogetherQueries, breathe: () => Promise<void>) {
  /** Walks over all partners of a product, in small steps. */
  async function listPartners(
    storeId: string,
    number: number,
  ): Promise<{ bought: Candidate[]; seen: Candidate[] }> {
    const found = { bought: [] as Candidate[], seen: [] as Candidate[] }
    const take = ({ number, orders, visitors }: Partner) => {
      if (orders >= ORDERS_MIN) found.bought.push({ number, both: orders })
      if (visitors >= VISITORS_MIN) found.seen.push({ number, both: visitors })
    }
    const walk = async (list: (place: PartnerPlace) => Partner[]) => {
      for (let after = -1; ; ) {
        const partners = list({ storeId, number, after, limit: PARTNERS_AT_ONCE })
        partners.forEach(take)
        if (partners.length < PARTNERS_AT_ONCE) return
        after = partners.at(-1)?.number ?? after
        await breathe()
      }
    }
    await walk(queries.listPartners)
    await walk(queries.listPartnersBelow)
    return found
  }

  async function findBest(
    storeId: string,
    { productId, orders, visitors }: CountedProduct,
    candidates: readonly Candidate[],
    as: 'orders' | 'visitors',
    all: number,
  ): Promise<Related[]> {
    const own = as === 'orders' ? orders : visitors
    const group = queries.findVariantGroup(storeId, productId)
    let best: Related[] = []
    for (let start = 0; start < candidates.length; start += CANDIDATES_AT_ONCE) {
      const some = new Map(
        candidates.slice(start, start + CANDIDATES_AT_ONCE).map(({ number, both }) => [number, both]),
      )
      const products = queries.findProducts(storeId, [...some.keys()])
      const related = products.flatMap((product) => {
        // Another size of the same shirt is no other product.
        if (group !== null && product.variantGroup === group) return []
        const both = some.get(product.number) ?? 0
        const score = relate({ both, one: own, other: product[as], all })
        return score > 0 ? [{ productId: product.productId, score, both }] : []
      })
      best = [...best, ...related].sort(byRelation).slice(0, LISTED_MAX)
      await breathe()
    }
    return best
  }

  /** @returns undefined where too little is known of the product. */
  return async function makeList(
    storeId: string,
    run: Pick<Run, 'orders' | 'visitors'>,
    product: CountedProduct,
  ): Promise<TogetherList | undefined> {
    const { bought, seen } = await listPartners(storeId, product.number)
    for (const { basis, candidates, as } of [
      { basis: 'purchases', candidates: bought, as: 'orders' },
      { basis: 'clicks', candidates: seen, as: 'visitors' },
    ] as const) {
      const best = await findBest(storeId, product, candidates, as, run[as])
      if (best.length > 0)
        return { basis, products: best.map(({ productId, score }) => ({ productId, score: round(score) })) }
    }
    return undefined
  }
}

/** The closest first; of equal ones that with more baskets, and then a stable order. */
const byRelation = (a: Related, b: Related): number =>
  b.score - a.score || b.both - a.both || (a.productId < b.productId ? -1 : 1)

const round = (score: number): number => Math.round(score * 1e4) / 1e4
