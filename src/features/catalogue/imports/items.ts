import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { sizeInWords } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { ZipEntry } from '../../../platform/archives/zip.ts'
import type { Precomputed, Product } from '../products/schema.ts'
import { assembleProducts } from './mapping/assemble.ts'
import type { Plan } from './mapping/mapping.ts'
import type { Reading } from './mapping/variants.ts'
import type { Pace } from './pace.ts'
import type { ImportSource } from './source.ts'

/** One product of a file, checked. */
export type CheckedItem =
  | {
      line: number
      kind: 'put'
      product: Product
      precomputed?: Precomputed | undefined
      hasOtherVectors?: boolean
    }
  | { line: number; kind: 'wrong'; productId: string | null; error: ApiError }
  | { line: number; kind: 'hidden'; reason: string }

export interface ItemDeps {
  /** @throws ApiError `validation_error`. */
  checkProduct(value: unknown): Product
  /** The vectors that came with a product. @throws ApiError `validation_error` for some that cannot be used. */
  findPrecomputed(storeId: string, value: object): Precomputed | 'other_model' | undefined
}

interface ReadOptions {
  storeId: string
  /** Puts pictures that came along in the place of their names; without it they are looked for alone. */
  bringsPictures: boolean
  reading: Reading
  pace: Pace
}

/**
 * Reads the products of a file, one by one; what is wrong with one does not touch the others.
 */
export async function* readItems(
  source: ImportSource,
  plan: Plan,
  { storeId, checkProduct, findPrecomputed, bringsPictures, reading, pace }: ItemDeps & ReadOptions,
): AsyncGenerator<CheckedItem> {
  const resolve = (product: Product) =>
    bringsPictures ? pace.outside(() => bringPictures(product, source)) : checkPictures(product, source)
  for await (const item of assembleProducts(source.table.records, plan, reading)) {
    const { line } = item
    if ('hidden' in item) yield { line, kind: 'hidden', reason: item.hidden }
    else if ('problem' in item) {
      const error = new ApiError('validation_error', item.problem, { details: { line } })
      yield { line, kind: 'wrong', productId: null, error }
    } else yield await toItem(line, item.product, { storeId, checkProduct, findPrecomputed }, resolve)
  }
}

async function toItem(
  line: number,
  value: unknown,
  { storeId, checkProduct, findPrecomputed }: ItemDeps & Pick<ReadOptions, 'storeId'>,
  resolve: (product: Product) => Product | Promise<Product>,
): Promise<CheckedItem> {
  try {
    const product = checkProduct(value)
    // A product that is wrong in itself was refused, so this is an object.
    const precomputed = findPrecomputed(storeId, value as object)
    const item = { line, kind: 'put', product: await resolve(product) } as const
    return precomputed === 'other_model' ? { ...item, hasOtherVectors: true } : { ...item, precomputed }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = { line, ...error.extras.details }
    return {
      ...{ line, kind: 'wrong', productId: findProductId(value) },
      error: new ApiError(error.code, error.message, { details }),
    }
  }
}

/** The id that an invalid product names, if it is a valid id. */
function findProductId(value: unknown): string | null {
  const { product_id: id } = value as { product_id?: unknown }
  const isId = typeof id === 'string' && id.length <= LIMITS.productIdCharsMax && id.isWellFormed()
  return isId ? id : null
}

const isAddress = (url: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(url)

/**
 * Finds the pictures of a product that came along, by their names.
 *
 * @throws ApiError for a name that no file has, `image_too_large` for a picture and for all of them together: the product
 *   is held in memory as a whole. Nothing is unpacked.
 */
function checkPictures(product: Product, source: ImportSource): Product {
  const { image_url, additional_image_urls = [] } = product
  let total = 0
  for (const [n, url] of [image_url, ...additional_image_urls].entries()) {
    if (isAddress(url)) continue
    const entry = requirePicture(url, n === 0 ? '/image_url' : `/additional_image_urls/${n - 1}`, source)
    total += entry.bytes
    if (entry.bytes > LIMITS.pictureBytesMax)
      throw tooLarge(`The picture ${entry.path} is`, LIMITS.pictureBytesMax)
    if (total > PICTURES_BYTES_MAX)
      throw tooLarge('The pictures of the product are together', PICTURES_BYTES_MAX)
  }
  return product
}

/** The pictures of one product that came along: in base64 what an item of a bulk request may have. */
const PICTURES_BYTES_MAX = 11 * 1024 * 1024

function requirePicture(url: string, pointer: string, source: ImportSource): ZipEntry {
  const entry = source.findPicture(url)
  if (entry) return entry
  const message =
    source.packing === 'zip'
      ? `names ${url}, which the zip file does not hold`
      : 'must be an http(s) URL; pictures in files come with the table in one zip file'
  throw validationError([{ in: 'body', pointer, code: 'picture_missing', message }])
}

/** Puts pictures that came along in the place of their names. @throws ApiError as {@link checkPictures}. */
async function bringPictures(product: Product, source: ImportSource): Promise<Product> {
  checkPictures(product, source)
  const { image_url, additional_image_urls } = product
  if ([image_url, ...(additional_image_urls ?? [])].every(isAddress)) return product
  const brought = { ...product, image_url: await bringPicture(image_url, source) }
  if (!additional_image_urls) return brought
  const others: string[] = []
  for (const url of additional_image_urls) others.push(await bringPicture(url, source))
  return { ...brought, additional_image_urls: others }
}

/** The address of a picture: its own, or a `data:` URI of one that came along. */
export async function bringPicture(url: string, source: ImportSource): Promise<string> {
  const entry = isAddress(url) ? undefined : source.findPicture(url)
  if (!entry) return url
  const pieces: Uint8Array[] = []
  for await (const piece of entry.open()) pieces.push(piece)
  await turn()
  // The decoder looks at the bytes alone, so the type says nothing.
  return `data:;base64,${Buffer.concat(pieces).toString('base64')}`
}

const tooLarge = (what: string, max_bytes: number): ApiError =>
  new ApiError('image_too_large', `${what} larger than ${sizeInWords(max_bytes)}`, { details: { max_bytes } })
