import { readDemoPicture } from '../../features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../features/catalogue/demo/catalogue.ts'
import { drawCatalogue } from './drawn.ts'

/** A picture with what is known of it. */
export interface KnownPicture {
  bytes: Uint8Array
  productId: string
  name: string
  /** The kind of product, as a shopper types it. */
  kind: string
  /** Empty where it is not known. */
  color: string
  /** Products that differ in colour only share it. */
  group: string
}

/** A catalogue with pictures to search it with, which are not in it. */
export interface KnownSet {
  name: string
  catalogue: KnownPicture[]
  queries: KnownPicture[]
}

/** Three of six, light, dark and bright: with all of them a large model would take twice the time for the same maps. */
const COLOURS = ['red', 'black', 'white']

/** The catalogues that the executable has: the demo, and a drawn one. */
export async function readKnownSets(): Promise<KnownSet[]> {
  return [await readDemo(), await readDrawn()]
}

async function readDemo(): Promise<KnownSet> {
  const toKind = (category: string) => category.replaceAll('-', ' ')
  const catalogue = DEMO_PRODUCTS.map(async ({ product_id, picture, metadata }) => ({
    ...{ bytes: await readDemoPicture(picture), productId: product_id, name: metadata.name },
    ...{ kind: toKind(metadata.category), color: metadata.color_name, group: metadata.category },
  }))
  const queries = DEMO_QUERIES.map(async ({ picture, category }) => ({
    ...{ bytes: await readDemoPicture(picture), productId: '', name: '' },
    ...{ kind: toKind(category), color: '', group: category },
  }))
  return { name: 'demo', catalogue: await Promise.all(catalogue), queries: await Promise.all(queries) }
}

async function readDrawn(): Promise<KnownSet> {
  const products = (await drawCatalogue()).filter(({ color }) => COLOURS.includes(color))
  const known = products.map(({ product_id, category, name, color, group, shop, phone }) => ({
    labels: { productId: product_id, name, kind: category, color, group },
    ...{ shop, phone },
  }))
  return {
    name: 'drawn',
    catalogue: known.map(({ labels, shop }) => ({ ...labels, bytes: shop })),
    queries: known.map(({ labels, phone }) => ({ ...labels, bytes: phone })),
  }
}
