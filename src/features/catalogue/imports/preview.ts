import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Product } from '../products/schema.ts'
import type { Thumbnails } from '../products/thumbnails.ts'
import { type ComparisonDeps, compareWithStore } from './comparison.ts'
import { bringPicture, type CheckedItem } from './items.ts'
import type { Plan } from './mapping/mapping.ts'
import { shorten as cut, listValues, type Sample } from './mapping/sample.ts'
import type { Finding, ImportPreview, Loss, PreviewProduct, Problem } from './schema.ts'
import type { ImportSource } from './source.ts'

export interface PreviewDeps extends ComparisonDeps {
  clock: Pick<Clock, 'monotonic'>
  /** Downloads the first picture of a product and makes it small. @throws ApiError like indexing it. */
  showPicture(storeId: string, url: string): Promise<{ width: number; height: number; thumbnail: string }>
  addThumbnailUrls: Thumbnails['addUrls']
  /** Facts of the store that results use where a product has none of its own. */
  findFacts(storeId: string): { product_url_template: string | null; currency: string | null }
}

const PROBLEMS = 20
/** Wrong products after which a dry run has seen enough. */
const WRONG_MAX = 1_000
/** Pictures that are fetched at a time, and the time after which no further one is begun, in ms. */
const PICTURES_AT_ONCE = 4
const PICTURES_MS = 20_000

/** The findings of a dry run. */
export type Found = Pick<
  ImportPreview,
  'total' | 'valid' | 'invalid' | 'hidden' | 'errors' | 'errors_truncated' | 'diff'
> & { first: readonly { line: number; product: Product }[]; findings: Finding[] }

/** The parts of a dry run: reading, comparing with the store, and showing the first products. */
export function createPreviews(deps: PreviewDeps) {
  const { showPicture, addThumbnailUrls, findFacts, clock } = deps

  const show = (
    storeId: string,
    { product }: Found['first'][number],
    source: ImportSource,
  ): Promise<PreviewProduct['picture']> =>
    bringPicture(product.image_url, source)
      .then((url) => showPicture(storeId, url))
      .catch((error) => {
        if (!(error instanceof ApiError)) throw error
        const { code, message, extras } = error
        return { error: code, message, ...(extras.details && { details: extras.details }) }
      })

  return {
    /** Reads the products of a file and compares them with those of the store. */
    async inspect(storeId: string, items: AsyncIterable<CheckedItem>, sample: number): Promise<Found> {
      const comparison = compareWithStore(deps, storeId)
      const counts = { valid: 0, invalid: 0, hidden: 0 }
      const first: { line: number; product: Product }[] = []
      const errors: Problem[] = []
      const findings: Finding[] = []
      for await (const item of items) {
        if (item.kind === 'hidden') counts.hidden++
        else if (item.kind === 'put') {
          counts.valid++
          comparison.add(item.product)
          if (first.length < sample) first.push(item)
        } else {
          counts.invalid++
          comparison.addWrong(item.productId)
          if (errors.length < PROBLEMS) errors.push(toProblem(item))
          if (counts.invalid === WRONG_MAX) {
            findings.push(describeStop(item.line))
            break
          }
        }
      }
      return {
        ...{ ...counts, total: counts.valid + counts.invalid },
        ...{ first, errors, findings, diff: comparison.end() },
        errors_truncated: counts.invalid > errors.length,
      }
    },

    /** Shows products as they would be stored, with their pictures. One server that is slow must not keep the answer. */
    async showAll(storeId: string, first: Found['first'], source: ImportSource): Promise<PreviewProduct[]> {
      const until = clock.monotonic() + PICTURES_MS
      const shown: Omit<PreviewProduct, 'thumbnail_url'>[] = []
      const waiting = first.entries()
      // A picture that came along is held in memory, so these come one after the other.
      const workers = source.packing === 'zip' ? 1 : PICTURES_AT_ONCE
      await Promise.all(
        Array.from({ length: workers }, async () => {
          for (const [n, item] of waiting) {
            const isLate = clock.monotonic() > until
            shown[n] = { ...toShown(item), picture: isLate ? TOO_LATE : await show(storeId, item, source) }
          }
        }),
      )
      return addThumbnailUrls(storeId, shown)
    },

    /** Says what results would lack that neither the file nor the store gives. */
    warnOfDeadEnds(storeId: string, { mapping }: Plan, first: Found['first']): Finding[] {
      const facts = findFacts(storeId)
      const lacks = (key: 'url' | 'currency') =>
        first.length > 0 && first.every(({ product }) => !hasText(product, key))
      const findings: Finding[] = []
      if (!mapping.url && facts.product_url_template === null && lacks('url'))
        findings.push({
          code: 'results_without_links',
          text: 'No column gives the address of a product, and the store has none: results will not be links. Set product_url_template with PATCH /v1/store/settings, such as "/products/{product_id}" with a shop_url',
          data: {},
        })
      const hasPrices = first.some(({ product }) => product.metadata?.['price'] !== undefined)
      if (hasPrices && facts.currency === null && lacks('currency'))
        findings.push({
          code: 'prices_without_currency',
          text: 'No column gives a currency, and the store has none: prices are shown without one. Set currency with PATCH /v1/store/settings',
          data: {},
        })
      return findings
    },
  }
}

const hasText = ({ metadata }: Product, key: 'url' | 'currency'): boolean =>
  metadata?.[key] !== undefined && metadata[key] !== ''

/** The columns that nothing reads and that may say something, with what stands in the first rows. */
export const listLosses = ({ mayWant }: Plan, sample: Sample): Loss[] =>
  mayWant.map((field) => {
    const values = listValues(sample, field)
    return { field, count: values.length, example: cut(values[0] ?? '') }
  })

/** A picture within a line is not repeated in the answer. */
const shorten = (url: string): string => (/^data:/i.test(url) ? 'data:…' : url)

const toShown = ({
  line,
  product,
}: Found['first'][number]): Omit<PreviewProduct, 'picture' | 'thumbnail_url'> => {
  const { product_id, image_url, additional_image_urls = [], metadata = {} } = product
  return {
    ...{ line, product_id, metadata },
    image_url: shorten(image_url),
    additional_image_urls: additional_image_urls.map(shorten),
  }
}

const TOO_LATE = {
  error: 'overloaded',
  message: 'Not fetched, because the pictures before it took too long',
}

const toProblem = ({ line, productId, error }: Extract<CheckedItem, { kind: 'wrong' }>): Problem => ({
  ...{ line, product_id: productId, error: error.code, message: error.message },
  ...(error.extras.details && { details: error.extras.details }),
})

const describeStop = (line: number): Finding => ({
  code: 'dry_run_stopped',
  text: `The dry run stopped at line ${line}, after ${WRONG_MAX.toLocaleString('en')} wrong products: the counts are those up to there`,
  data: { line, products: WRONG_MAX },
})
