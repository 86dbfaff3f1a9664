import { isBrokenHex } from '../../../core/colours/colours.ts'
import { type Lab, parseHex, toLab } from '../../../core/colours/lab.ts'
import { LIMITS } from '../../../core/limits.ts'
import { validationError } from '../../../http/validation.ts'
import type { SearchFilter } from '../../catalogue/product-index/columns.ts'
import type { SearchKind } from './queries.ts'
import type { CommonSearch } from './schema.ts'
import { warnOfUnknownFields } from './warnings.ts'

/** Checks the rules that no schema can state. @returns warnings about unknown fields. @throws ApiError `validation_error`. */
export function checkBody(body: CommonSearch, kind: SearchKind): string[] {
  const { limit = LIMITS.searchLimitDefault, offset = 0, price_min, price_max } = body
  if (offset + limit > LIMITS.searchDepthMax) {
    const message = `plus limit must be at most ${LIMITS.searchDepthMax}`
    throw validationError([{ in: 'body', pointer: '/offset', code: 'max', message }])
  }
  if (price_min !== undefined && price_max !== undefined && price_min > price_max) {
    throw validationError([
      { in: 'body', pointer: '/price_max', code: 'min', message: 'must not be below price_min' },
    ])
  }
  if (body.color !== undefined && isBrokenHex(body.color)) {
    const message = 'must be a hex such as #1a2b3c, or a word'
    throw validationError([{ in: 'body', pointer: '/color', code: 'pattern', message }])
  }
  return warnOfUnknownFields(body, kind)
}

/** A store's values for parameters that a request leaves out; null for the default of the service. */
export type SearchDefaults = {
  readonly [Name in 'threshold' | 'cutoff' | 'category_boost']: Exclude<CommonSearch[Name], undefined> | null
}

export function withDefaults(asked: CommonSearch, defaults: SearchDefaults): CommonSearch {
  const threshold = asked.threshold ?? defaults.threshold
  const cutoff = asked.cutoff ?? defaults.cutoff
  const category_boost = asked.category_boost ?? defaults.category_boost
  return {
    ...asked,
    ...(threshold !== null && { threshold }),
    ...(cutoff !== null && { cutoff }),
    ...(category_boost !== null && { category_boost }),
  }
}

/** The pre-filters of a search. An empty field of a form is no filter. */
export const readFields = ({ category, color, price_min, price_max }: CommonSearch): SearchFilter => ({
  category: category?.trim() || undefined,
  color: color?.trim() || undefined,
  priceMin: price_min,
  priceMax: price_max,
})

/** @throws ApiError `validation_error` for a colour that is none. */
export function readColours(colors: readonly string[] = []): Lab[] {
  const read = colors.map((color) => {
    const rgb = parseHex(color)
    return rgb === undefined ? undefined : toLab(rgb)
  })
  const problems = read.flatMap((lab, n) =>
    lab
      ? []
      : [
          {
            in: 'body' as const,
            pointer: `/colors/${n}`,
            code: 'color',
            message: 'must be a colour such as #cc2200',
          },
        ],
  )
  if (problems.length > 0) throw validationError(problems)
  return read.filter((lab) => lab !== undefined)
}
