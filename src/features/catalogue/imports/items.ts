import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { sizeInWords } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { ZipEntry } from '../../../platform/archives/zip.ts'
import type { Product } from '../products/schema.ts'
import { assembleProducts } from './mapping/assemble.ts'
import type { Plan } from './mapping/mapping.ts'
import type { ImportSource } from './source.ts'

/** One product of a file, checked. */
export type CheckedItem =
  | { line: number; kind: 'put'; product: Product }
  | { line: number; kind: 'wrong'; productId: string | null; error: ApiError }
  | { line: number; kind: 'hidden'; reason: string }

export interface ItemDeps {
  /** @throws ApiError `validation_error`. */
  checkProduct(value: unknown): Product
}

/** Reads the products of a file, one by one; what is wrong with one does not touch the others. */
export async function* readItems(
  source: ImportSource,
  plan: Plan,
  { checkProduct }: ItemDeps,
): AsyncGenerator<CheckedItem> {
  for await (const item of assembleProducts(source.table.records(), plan)) {
    const { line } = item
    if ('hidden' in item) yield { line, kind: 'hidden', reason: item.hidden }
    else if ('problem' in item) {
      const error = new ApiError('validation_error', item.problem, { details: { line } })
      yield { line, kind: 'wrong', productId: null, error }
    } else yield await toItem(line, item.product, source, checkProduct)
  }
}

async function toItem(
  line: number,
  value: unknown,
  source: ImportSource,
  checkProduct: ItemDeps['checkProduct'],
): Promise<CheckedItem> {
  try {
    const product = checkProduct(value)
    return { line, kind: 'put', product: await bringPictures(product, source) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = { line, ...error.extras.details }
    return {
      ...{ line, kind: 'wrong', productId: findProductId(value) },
      error: new ApiError(error.code, error.message, { details }),
    }
  }
}

/** The id that a wrong product names, as far as it is one. */
function findProductId(value: unknown): string | null {
  const { product_id: id } = value as { product_id?: unknown }
  const isId = typeof id === 'string' && id.length <= LIMITS.productIdCharsMax && id.isWellFormed()
  return isId ? id : null
}

const isAddress = (url: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(url)

/** Puts pictures that came along in the place of their names. @throws ApiError for a name that no file has. */
async function bringPictures(product: Product, source: ImportSource): Promise<Product> {
  const bring = async (url: string, pointer: string): Promise<string> => {
    if (isAddress(url)) return url
    const entry = source.findPicture(url)
    if (entry) return toDataUri(entry)
    const message =
      source.packing === 'zip'
        ? `names ${url}, which the zip file does not hold`
        : 'must be an http(s) URL; pictures in files come with the table in one zip file'
    throw validationError([{ in: 'body', pointer, code: 'picture_missing', message }])
  }
  const { image_url, additional_image_urls = [] } = product
  if ([image_url, ...additional_image_urls].every(isAddress)) return product
  const brought = { ...product, image_url: await bring(image_url, '/image_url') }
  if (additional_image_urls.length === 0) return brought
  const others: string[] = []
  for (const [n, url] of additional_image_urls.entries()) {
    others.push(await bring(url, `/additional_image_urls/${n}`))
  }
  return { ...brought, additional_image_urls: others }
}

/** @throws ApiError `image_too_large`, before the picture is unpacked. */
async function toDataUri({ path, bytes, open }: ZipEntry): Promise<string> {
  const max_bytes = LIMITS.pictureBytesMax
  if (bytes > max_bytes) {
    const message = `The picture ${path} is larger than ${sizeInWords(max_bytes)}`
    throw new ApiError('image_too_large', message, { details: { max_bytes } })
  }
  const pieces: Uint8Array[] = []
  for await (const piece of open()) pieces.push(piece)
  await turn()
  // The decoder looks at the bytes alone, so the type says nothing.
  return `data:;base64,${Buffer.concat(pieces).toString('base64')}`
}
