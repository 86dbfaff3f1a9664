import { isBrokenHex } from '../../../core/colours/colours.ts'
import { type Lab, parseHex, toLab } from '../../../core/colours/lab.ts'
import { notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { CategoryNames } from './category-names.ts'
import type { FilterReader } from './filters.ts'
import type { KnownWords } from './known-words.ts'
import { RANKING } from './parameters.ts'
import type { createPictureReader, QueryPicture } from './picture-source.ts'
import type { SearchKind } from './queries.ts'
import type { Query } from './query.ts'
import type { CommonSearch, PictureSource } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import type { QueryWords } from './sides.ts'
import { warnOfUnknownFields } from './warnings.ts'

export interface QueryReaderDeps extends Pick<Base, 'clock'> {
  findStore(storeId: string): SearchedStore | undefined
  filters: Pick<FilterReader, 'parse' | 'reaches'>
  readPicture: ReturnType<typeof createPictureReader>
  words: Pick<KnownWords, 'embed'>
  names: Pick<CategoryNames, 'ready'>
  readDefaults(storeId: string): SearchDefaults
}

/**
 * A store's values for parameters that a request leaves out; null for the default of the service. The schema of a request has
 * no defaults for them, because these would hide the store's.
 */
export type SearchDefaults = {
  readonly [Name in 'threshold' | 'cutoff' | 'category_boost' | 'second_look']: Exclude<
    CommonSearch[Name],
    undefined
  > | null
}

/** A search before its picture and words have been read. */
export type PendingQuery = Omit<Query, 'rankBy'>

/** Creates what reads a query from a request, step by step. */
export function createQueryReader(deps: QueryReaderDeps) {
  const { clock, findStore, filters, words, names, readDefaults } = deps
  return {
    /**
     * Checks a request, its filters included, before anything costly, and starts its clock.
     *
     * @param moreFilters by the field of the body that holds them.
     */
    begin(
      searcher: Searcher,
      body: CommonSearch,
      kind: SearchKind,
      moreFilters: Readonly<Record<string, unknown>> = {},
    ): PendingQuery {
      const startedAt = clock.monotonic()
      const warnings = checkBody(body, kind)
      return {
        searcher,
        kind,
        startedAt,
        wanted: withDefaults(body, readDefaults(searcher.storeId), searcher),
        ...(searcher.sort && { sort: searcher.sort }),
        filters: filters.parse(searcher, { filters: body.filters, ...moreFilters }, body),
        warnings,
      }
    },

    /** Reads a picture, and meanwhile readies the store's category names, which say what it shows. */
    async readPicture(
      { searcher, filters: asked }: PendingQuery,
      source: PictureSource,
      pointer?: string,
    ): Promise<QueryPicture> {
      const { storeId } = searcher
      const { product_id } = source
      // A searcher that may not find a product must not learn of it by its neighbours.
      if (product_id !== undefined && !(await filters.reaches(storeId, asked, product_id)))
        throw notFound('product')
      const store = findStore(storeId)
      const [picture] = await Promise.all([
        deps.readPicture(searcher, source, pointer),
        store && names.ready(storeId, store),
      ])
      return picture
    },

    async readWords(
      { searcher: { storeId, isWithoutWords } }: PendingQuery,
      query: string,
    ): Promise<{ words: QueryWords; warnings: string[] }> {
      const text = query.trim()
      const { isTruncated, ...embedded } = await words.embed(storeId, text)
      return {
        words: { ...embedded, text, isByModelOnly: isWithoutWords },
        warnings: isTruncated ? ['the query is longer than the model reads; its end was ignored'] : [],
      }
    },
  }
}

/** Checks the rules that no schema can state. @returns warnings about unknown fields. @throws ApiError `validation_error`. */
function checkBody(body: CommonSearch, kind: SearchKind): string[] {
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

function withDefaults(
  asked: CommonSearch,
  defaults: SearchDefaults,
  { isForShoppers }: Searcher,
): CommonSearch {
  const threshold = asked.threshold ?? defaults.threshold
  return {
    ...asked,
    ...(threshold !== null && { threshold }),
    cutoff: asked.cutoff ?? defaults.cutoff ?? (isForShoppers ? 'auto' : 'none'),
    category_boost: asked.category_boost ?? defaults.category_boost ?? RANKING.categoryBoost,
    second_look: asked.second_look ?? defaults.second_look ?? true,
  }
}

/** @throws ApiError `validation_error` for an invalid colour. */
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
