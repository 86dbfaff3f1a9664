import { fold } from '../../../core/text.ts'
import { type Breathe, createFound, type Found } from './found.ts'
import type { ReportQueries, WalkedPicture } from './queries.ts'

const AT_ONCE = 500
/** So many products, of as many different names, do not show the same thing. */
const PRODUCTS_MIN = 3
/** Products of one picture that are judged; more are only counted. */
const JUDGED_MAX = 200
/** Products that a report names of one picture. */
const NAMED_OF_GROUP = 5
/** Products that are left out of the search for duplicates, because their picture is one of these. */
const KNOWN_MAX = 100_000

/** The products of one picture, as the walk meets them. */
interface Group {
  hash: Buffer
  products: Map<string, WalkedPicture>
  count: number
}

/**
 * Finds pictures that many products of different names share: "picture follows", a logo, the wrong file.
 *
 * @returns with the ids of the products, so that nothing else is said of their pictures.
 */
export async function findSharedPictures(
  queries: Pick<ReportQueries, 'listPictures'>,
  storeId: string,
  breathe: Breathe,
): Promise<{ found: Found; products: ReadonlySet<string> }> {
  const { found, add } = createFound('shared_picture')
  const products = new Set<string>()
  let groups = 0
  let group: Group = { hash: Buffer.alloc(0), products: new Map(), count: 0 }

  function judge({ products: judged, count }: Group): void {
    const all = [...judged.values()]
    const names = new Set(all.map(({ name, productId }) => fold(name ?? productId)))
    const variants = new Set(all.map(({ variantGroup, productId }) => variantGroup ?? `\0${productId}`))
    if (Math.min(names.size, variants.size) < PRODUCTS_MIN) return
    groups++
    for (const [n, { productId }] of all.entries()) {
      if (products.size < KNOWN_MAX) products.add(productId)
      if (n < NAMED_OF_GROUP) add(productId, { products: count, group: groups })
    }
    found.count += count - Math.min(all.length, NAMED_OF_GROUP)
  }

  for (let after: { hash: Buffer; id: number } = { hash: Buffer.alloc(0), id: 0 }; ; ) {
    const rows = queries.listPictures(storeId, after, AT_ONCE)
    for (const row of rows) {
      if (!row.contentHash.equals(group.hash)) {
        judge(group)
        group = { hash: row.contentHash, products: new Map(), count: 0 }
      }
      if (group.products.has(row.productId)) continue
      group.count++
      if (group.products.size < JUDGED_MAX) group.products.set(row.productId, row)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < AT_ONCE) break
    after = { hash: last.contentHash, id: last.id }
    await breathe()
  }
  judge(group)
  return { found, products }
}
