import { findBlame } from '../../../core/blame.ts'
import type { DepartureQueries, SampleProduct } from './queries.ts'
import type { SearchForProof, Target } from './target.ts'
import type { Digest, Hit } from './world.ts'

export interface ProofDeps {
  queries: Pick<DepartureQueries, 'findSample'>
  /** Makes a search that nothing counts. */
  search(storeId: string, body: SearchForProof): Promise<readonly Hit[]>
}

const HITS = 10
/** Scores are rounded to four digits, and what they are summed up of stands in another order on the other node. */
const SCORES_APART_MAX = 0.001
/** Where product ids are looked for: at the beginning, among letters, behind all that begin with digits and capitals. */
const FROM = ['', 'M', 'h'] as const

/** Names the tables whose rows are not the same on both sides. */
export function findDifferences(here: Digest, there: Digest): string[] {
  const tables = new Set([...Object.keys(here), ...Object.keys(there)])
  const isSame = (table: string) => {
    const [a, b] = [here[table], there[table]]
    return (a?.rows ?? 0) === (b?.rows ?? 0) && ((a?.rows ?? 0) === 0 || a?.sum === b?.sum)
  }
  return [...tables].filter((table) => !isSame(table)).sort()
}

/** Three searches of a store, made of its own products: two by words and one by a picture. */
function chooseSearches(products: readonly SampleProduct[]): SearchForProof[] {
  const words = products.filter(({ name }) => name.trim() !== '').slice(0, 2)
  // Another one than those of the words, where there is one.
  const pictured = products.findLast(({ hasPicture }) => hasPicture === 1)
  return [
    ...words.map(({ name }) => ({ query: name.slice(0, 200), limit: HITS })),
    ...(pictured ? [{ product_id: pictured.productId, limit: HITS }] : []),
  ]
}

/**
 * Whether two nodes answer alike. Scores may be apart by a little, and products whose scores are that near may change places, also with
 * those behind the end of the list.
 */
function isSameList(here: readonly Hit[], there: readonly Hit[]): boolean {
  const isNear = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined && Math.abs(one - other) <= SCORES_APART_MAX
  const scores = new Map(there.map(({ product_id, similarity_score }) => [product_id, similarity_score]))
  const last = there.at(-1)?.similarity_score
  return (
    here.length === there.length &&
    here.every(
      ({ product_id, similarity_score }, n) =>
        isNear(similarity_score, there[n]?.similarity_score) &&
        isNear(similarity_score, scores.has(product_id) ? scores.get(product_id) : last),
    )
  )
}

/** Makes the same searches on both nodes. */
export function createProof({ queries, search }: ProofDeps) {
  function choose(storeId: string): SearchForProof[] {
    const found = new Map<string, SampleProduct>()
    for (const from of FROM) {
      const product = queries.findSample(storeId, from)
      if (product) found.set(product.productId, product)
    }
    return chooseSearches([...found.values()])
  }

  /** @returns undefined for a search that nobody can make here, such as one with a picture that has no vector yet. */
  async function answer(storeId: string, body: SearchForProof): Promise<readonly Hit[] | undefined> {
    try {
      return await search(storeId, body)
    } catch (error) {
      if (findBlame(error).on === 'work') return undefined
      throw error
    }
  }

  async function isSame(target: Target, storeId: string, body: SearchForProof): Promise<boolean> {
    const here = await answer(storeId, body)
    return here === undefined || isSameList(here, await target.search(body))
  }

  return {
    /** @returns the searches that answer otherwise on the target, in words. */
    async findDifferentSearches(target: Target, storeId: string): Promise<string[]> {
      const bodies = choose(storeId)
      const same = await Promise.all(bodies.map((body) => isSame(target, storeId, body)))
      return bodies
        .filter((_, n) => !same[n])
        .map((body) => ('query' in body ? `“${body.query}”` : `products like ${body.product_id}`))
    },
  }
}

export type Proof = ReturnType<typeof createProof>
