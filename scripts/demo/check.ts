/**
 * Prints the first three products for each text and picture query, and counts the queries whose first product fits:
 * `bun scripts/demo/check.ts`.
 */
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../src/features/catalogue/demo/catalogue.ts'
import { loadBundledModel, rank } from './ranking.ts'
import { buildPicturePath } from './render.ts'
import { TEXT_QUERIES } from './text-queries.ts'

const eyes = await loadBundledModel()
const catalogue = new Map<string, Float32Array>()
for (const { product_id, picture } of DEMO_PRODUCTS)
  catalogue.set(product_id, await eyes.picture(buildPicturePath(picture)))

let right = 0
for (const { query, fits } of TEXT_QUERIES) {
  const top = rank(await eyes.text(query), catalogue).slice(0, 3)
  const isRight = fits.includes(top[0]?.name ?? '')
  right += isRight ? 1 : 0
  console.log(
    isRight ? 'ok   ' : 'WRONG',
    query.padEnd(24),
    top.map((t) => `${t.name.slice(5)} ${t.cosine.toFixed(3)}`).join('  '),
  )
}
console.log(`texts: ${right} of ${TEXT_QUERIES.length} right`)

const category = new Map(DEMO_PRODUCTS.map((product) => [product.product_id, product.metadata.category]))
for (const query of DEMO_QUERIES) {
  const top = rank(await eyes.picture(buildPicturePath(query.picture)), catalogue).slice(0, 4)
  const hits = top.slice(0, 3).filter((t) => category.get(t.name) === query.category).length
  console.log(
    `${hits} of 3`,
    query.picture.padEnd(24),
    top.map((t) => `${t.name.slice(5)} ${t.cosine.toFixed(3)}`).join('  '),
  )
}
