import { type Breathe, createFound, type Found } from './found.ts'
import { createPrints, type Prints } from './prints.ts'
import type { ProductPlace, ReportQueries } from './queries.ts'

const AT_ONCE = 300
/** The model sees 224 pixels a side; a picture below this shows little of the thing. */
const SIDE_MIN = 150

/** Walks once over all products, for what each of them says of itself. */
export async function walkProducts(
  queries: Pick<ReportQueries, 'listProducts'>,
  storeId: string,
  breathe: Breathe,
): Promise<{ tiny: Found; wordless: Found; prints: Prints; products: number }> {
  const tiny = createFound('tiny_picture')
  const wordless = createFound('no_words')
  const prints = createPrints()
  let products = 0
  let after: ProductPlace = { createdAt: 0, vectorId: '' }
  for (;;) {
    const rows = queries.listProducts(storeId, after, AT_ONCE)
    for (const { row, productId, pictureId, width, height, phash, isWordless } of rows) {
      products++
      if (Math.min(width, height) < SIDE_MIN) tiny.add(productId, { width, height })
      if (isWordless === 1) wordless.add(productId, {})
      prints.add(row, pictureId, phash)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < AT_ONCE) break
    after = last
    await breathe()
  }
  return { tiny: tiny.found, wordless: wordless.found, prints, products }
}
