import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { readJsonList } from '../../../http/json/list.ts'
import type { SpooledBody } from '../../../http/spool.ts'
import { validationError } from '../../../http/validation.ts'
import type { Product } from '../products/schema.ts'
import type { JobItem, NewJob } from './item.ts'

export interface BulkDeps {
  /** @throws ApiError `validation_error`. */
  checkProduct(value: unknown): Product
  /** @throws ApiError for an address that gets no callback. */
  checkCallbackUrl(url: unknown): string | null
}

/** Fields beside the list. Each costs several microseconds, and a body can have millions. */
const FIELDS_MAX = 1_000

/** Reads the body of POST /v1/products/bulk as a job. A wrong item fails alone; a wrong body ends the reading. */
export function readBulk(body: Pick<SpooledBody, 'pieces'>, deps: BulkDeps): NewJob {
  let callbackUrl: string | null = null
  return {
    type: 'bulk_index',
    items: readItems(body, deps, (url) => {
      callbackUrl = url
    }),
    callbackUrl: () => callbackUrl,
  }
}

/** @throws ApiError `invalid_json`, `validation_error`, and those of the callback's address. */
async function* readItems(
  body: Pick<SpooledBody, 'pieces'>,
  { checkProduct, checkCallbackUrl }: BulkDeps,
  onCallback: (url: string | null) => void,
): AsyncGenerator<JobItem> {
  const options = { name: 'products', itemBytesMax: LIMITS.pictureJsonBytesMax }
  let hasList = false
  let count = 0
  let fields = 0
  for await (const part of readJsonList(body.pieces, options)) {
    if (part.kind === 'list') hasList = true
    else if (part.kind === 'field') {
      if (++fields > FIELDS_MAX) throw tooManyFields()
      if (part.name === options.name) throw wrongList('type', 'must be an array')
      if (part.name === 'callback_url') onCallback(checkCallbackUrl(part.value))
    } else {
      if (++count > LIMITS.bulkProductsMax) {
        throw wrongList('max_items', `must have at most ${LIMITS.bulkProductsMax} items`)
      }
      yield part.kind === 'refused'
        ? { kind: 'wrong', productId: null, error: part.error }
        : toItem(part.value, checkProduct)
    }
  }
  if (!hasList) throw wrongList('required', 'is required')
  if (count === 0) throw wrongList('min_items', 'must have at least 1 item')
}

function toItem(value: unknown, checkProduct: BulkDeps['checkProduct']): JobItem {
  try {
    return { kind: 'put', product: checkProduct(value) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { kind: 'wrong', productId: findProductId(value), error }
  }
}

/** The id that an invalid item names, if it is a valid id. */
function findProductId(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { product_id: id } = value as { product_id?: unknown }
  const isId = typeof id === 'string' && id.length <= LIMITS.productIdCharsMax && id.isWellFormed()
  return isId ? id : null
}

const tooManyFields = (): ApiError =>
  validationError([
    {
      ...{ in: 'body', pointer: '', code: 'max_fields' },
      message: `must have at most ${FIELDS_MAX} fields beside products`,
    },
  ])

const wrongList = (code: string, message: string): ApiError =>
  validationError([{ in: 'body', pointer: '/products', code, message }])
