import { notFound } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { CategoryNames } from './category-names.ts'
import type { FilterReader } from './filters.ts'
import type { KnownWords } from './known-words.ts'
import type { createPictureReader, QueryPicture } from './picture-source.ts'
import type { SearchKind } from './queries.ts'
import type { Query } from './query.ts'
import { checkBody, type SearchDefaults, withDefaults } from './request.ts'
import type { CommonSearch, PictureSource } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import type { QueryWords } from './sides.ts'

export interface QueryReaderDeps extends Pick<Base, 'clock'> {
  findStore(storeId: string): SearchedStore | undefined
  filters: Pick<FilterReader, 'parse' | 'reaches'>
  readPicture: ReturnType<typeof createPictureReader>
  words: Pick<KnownWords, 'embed'>
  names: Pick<CategoryNames, 'ready'>
  readDefaults(storeId: string): SearchDefaults
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
        wanted: withDefaults(body, readDefaults(searcher.storeId)),
        filters: filters.parse(searcher, { filters: body.filters, ...moreFilters }),
        warnings,
      }
    },

    /** Reads a picture; beside that the names of the store's categories, which say what it shows. */
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
