import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { drawCatalogue } from '../../../src/commands/model-proof/drawn.ts'
import { readDemoPicture } from '../../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../../src/features/catalogue/demo/catalogue.ts'
import { readStreetSet } from './street.ts'

/** One picture with what is known of its product. */
export interface LabelledPicture {
  bytes: Uint8Array
  product_id: string
  /** What is shown: entries that are views of one product share it. Elsewhere it is the product_id. */
  article: string
  name: string
  category: string
  /** Empty where it is not known. */
  color: string
  /** Products that differ in colour only share it. */
  group: string
}

/** A catalogue with pictures to search it with. */
export interface LabelledSet {
  name: string
  /** The pictures of a product stand together. */
  catalogue: LabelledPicture[]
  /** Pictures that are not in the catalogue. Those of a kind without a product of their own have an empty product_id. */
  queries: LabelledPicture[]
  /** Further views as shops take them, not in the catalogue either. */
  views?: LabelledPicture[]
}

/** The demo catalogue, searched with its query pictures. */
async function readDemoSet(): Promise<LabelledSet> {
  const singular = (category: string) => category.replaceAll('-', ' ')
  const catalogue = DEMO_PRODUCTS.map(async ({ product_id, picture, metadata }) => ({
    ...{ bytes: await readDemoPicture(picture), product_id, article: product_id },
    ...{ name: metadata.name, color: metadata.color_name },
    ...{ category: singular(metadata.category), group: metadata.category },
  }))
  const queries = DEMO_QUERIES.map(async ({ picture, category }) => ({
    ...{ bytes: await readDemoPicture(picture), product_id: '', article: '', name: '', color: '' },
    ...{ category: singular(category), group: category },
  }))
  return { name: 'demo', catalogue: await Promise.all(catalogue), queries: await Promise.all(queries) }
}

/** The larger drawn catalogue, searched with another view of each product. */
async function readDrawnSet(): Promise<LabelledSet> {
  const products = await drawCatalogue()
  return {
    name: 'drawn',
    catalogue: products.map(({ shop, phone: _, ...labels }) => ({
      ...labels,
      article: labels.product_id,
      bytes: shop,
    })),
    queries: products.map(({ shop: _, phone, ...labels }) => ({
      ...labels,
      article: labels.product_id,
      bytes: phone,
    })),
  }
}

/** Reads the sets of our own by name, and folders. @param names separated by commas. */
export async function readSets(names: string, folders: readonly string[]): Promise<LabelledSet[]> {
  const own = names.split(',').filter((name) => name !== '')
  const unknown = own.find((name) => !Object.hasOwn(READERS, name))
  if (unknown !== undefined)
    throw new Error(`There is no set ${unknown}; there are ${Object.keys(READERS).join(', ')}`)
  const sets: LabelledSet[] = []
  for (const name of own) sets.push(await READERS[name as keyof typeof READERS]())
  return [...sets, ...folders.map(readFolderSet)]
}

/** The drawn catalogue, its products small on the same plain ground: a third of the picture's width. */
async function readSmallSet(): Promise<LabelledSet> {
  const set = await readDrawnSet()
  const catalogue = set.catalogue.map(async ({ bytes, ...labels }, n) => {
    const left = 20 + ((n * 37) % 180)
    const top = 20 + ((n * 53) % 180)
    const small = sharp(bytes)
      .resize(120, 120)
      .extend({ left, top, right: 200 - left, bottom: 200 - top, background: '#ffffff' })
    return { ...labels, bytes: new Uint8Array(await small.jpeg({ quality: 90 }).toBuffer()) }
  })
  return { ...set, name: 'small', catalogue: await Promise.all(catalogue) }
}

/**
 * A folder with a `labels.jsonl` of `{file, product_id, name, category, color, group}`, or a `labels.csv` of `file,label`.
 *
 * With `labels.jsonl` the first picture of each product is in the catalogue, and its others are searched with. Of single pictures
 * with a kind each, two of three are in the catalogue.
 */
export function readFolderSet(folder: string): LabelledSet {
  const isListed = Bun.file(join(folder, 'labels.jsonl')).size > 0
  const labels = isListed ? readJsonLabels(folder) : readCsvLabels(folder)
  const seen = new Set<string>()
  const set: LabelledSet = { name: basename(folder), catalogue: [], queries: [] }
  for (const [n, { file, ...label }] of labels.entries()) {
    const isNew = isListed ? !seen.has(label.product_id) : n % 3 !== 2
    seen.add(label.product_id)
    const bytes = new Uint8Array(readFileSync(join(folder, file)))
    ;(isNew ? set.catalogue : set.queries).push({ ...label, bytes })
  }
  return set
}

const READERS = {
  demo: readDemoSet,
  drawn: readDrawnSet,
  small: readSmallSet,
  street: readStreetSet,
} as const

type Label = Omit<LabelledPicture, 'bytes'> & { file: string }

const readLines = (path: string): string[] => readFileSync(path, 'utf8').trim().split(/\r?\n/)

function readJsonLabels(folder: string): Label[] {
  return readLines(join(folder, 'labels.jsonl')).map((line) => {
    const label = JSON.parse(line) as Partial<Label> & Pick<Label, 'file' | 'product_id'>
    return { name: '', category: '', color: '', group: label.product_id, article: label.product_id, ...label }
  })
}

function readCsvLabels(folder: string): Label[] {
  return readLines(join(folder, 'labels.csv'))
    .slice(1)
    .map((line) => {
      const [file = '', category = ''] = line.split(',')
      const product_id = file.replace(/\.\w+$/, '')
      return { file, product_id, article: product_id, name: '', category, color: '', group: product_id }
    })
}
