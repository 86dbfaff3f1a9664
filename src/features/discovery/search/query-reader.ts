import { isBrokenHex } from '../../../core/colours/colours.ts'
import { type Lab, parseHex, toLab } from '../../../core/colours/lab.ts'
import { notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { splitWords } from '../../../core/text.ts'
import { validationError } from '../../../http/validation.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { Alternative } from './alternatives.ts'
import type { CategoryNames } from './category-names.ts'
import type { FilterReader } from './filters.ts'
import type { KnownWords } from './known-words.ts'
import type { Priors } from './legs/clicks.ts'
import type { Dictionary } from './meaning/dictionary.ts'
import {
  listUnwanted,
  readForeignWords,
  type ShopFacts,
  type Understood,
  understand,
} from './meaning/understanding.ts'
import { noteRequest } from './noted-request.ts'
import { RANKING } from './parameters.ts'
import type { createPictureReader, QueryPicture } from './picture-source.ts'
import type { SearchKind } from './queries.ts'
import type { Query } from './query.ts'
import type { CommonSearch, PictureSource } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import type { QueryWords } from './sides.ts'
import { embedVariants, listUnexplained, listVariants, readForKeywords } from './variants.ts'
import { warnOfUnknownFields } from './warnings.ts'

export interface QueryReaderDeps extends Pick<Base, 'clock'> {
  findStore(storeId: string): SearchedStore | undefined
  filters: Pick<FilterReader, 'parse' | 'reaches'>
  readPicture: ReturnType<typeof createPictureReader>
  words: Pick<KnownWords, 'embed'>
  names: Pick<CategoryNames, 'ready'>
  readDefaults(storeId: string): SearchDefaults
  readShop(storeId: string): ShopFacts
  getDictionary(): Promise<Dictionary>
  models: Pick<ModelSet, 'of'>
  /** What the store's own words make of a query. */
  readStoreWords(storeId: string, query: string): Promise<Meaning>
  /** What products of a store gain by clicks; undefined unless the store has learned. */
  findPriors(storeId: string): Priors | undefined
}

/**
 * A store's values for parameters that a request leaves out; null for the default of the service. The schema of a request has
 * no defaults for them, because these would hide the store's.
 */
export type SearchDefaults = {
  readonly [Name in 'threshold' | 'cutoff' | 'category_boost' | 'second_look' | 'sold_out']: Exclude<
    CommonSearch[Name],
    undefined
  > | null
} & { readonly learn: boolean | null }

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
      const { storeId, learned } = searcher
      const defaults = { ...readDefaults(storeId), ...searcher.defaults }
      const warnings = checkBody(body, kind)
      return {
        searcher,
        kind,
        model: deps.models.of(storeId),
        startedAt,
        wanted: withDefaults(searcher, body, defaults),
        ...(searcher.sort && { sort: searcher.sort }),
        ...(defaults.learn && { priors: learned ?? deps.findPriors(storeId) }),
        noted: noteRequest(body),
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

    /** Reads the words of a query. `words` are undefined where they name nothing but prices. */
    async readWords(begun: PendingQuery, query: string): Promise<ReadWords> {
      const { storeId, isWithoutWords, isPatient } = begun.searcher
      const typed = query.trim()
      const own = await deps.readStoreWords(storeId, typed)
      // A query that leads to a page of the shop is not read for anything else.
      const isPlain = begun.wanted.interpret === false || own.redirectUrl !== undefined
      const meant = isPlain ? undefined : readMeant(begun.searcher, typed, await deps.getDictionary())
      const rest = meant?.understood.rest ?? typed
      if (meant && rest === '') return { words: undefined, warnings: [], understood: meant.understood }
      const { text, alternatives } = rest === typed ? own : await deps.readStoreWords(storeId, rest)
      const foreign = meant?.readForeign(text, alternatives)
      const variants = listVariants(text, [...alternatives, ...(foreign?.alternatives ?? [])])
      const { isTruncated, doubtfulWords, unknownWords, ...embedded } = await embedVariants(
        (variant) => words.embed(storeId, variant, isPatient ? 'index' : 'search'),
        variants,
      )
      const explained = [...alternatives, ...(foreign?.explained ?? [])]
      const written = foreign && new Set(splitWords(text))
      const isOwn = (word: string): boolean => !written || splitWords(word).every((part) => written.has(part))
      const read = readForKeywords(typed, text, alternatives)
      const { translation, standIns = [], colours } = foreign ?? {}
      return {
        words: {
          ...embedded,
          ...(doubtfulWords && {
            doubtfulWords: listUnexplained(
              [...doubtfulWords.filter(isOwn), ...(foreign?.uncertain ?? [])],
              text,
              explained,
            ),
          }),
          // Those of a translation nobody has written.
          ...(unknownWords && { unknownWords: unknownWords.filter(isOwn) }),
          text: typed,
          read: { ...read, standIns: [...read.standIns, ...standIns] },
          variants,
          foreignColours: colours,
          without: meant?.unwanted,
          redirectUrl: own.redirectUrl,
          isByModelOnly: isWithoutWords,
        },
        warnings: isTruncated ? ['the query is longer than the model reads; its end was ignored'] : [],
        // Ignored words are gone from what was translated.
        understood: meant && { ...meant.understood, rest: text, translation },
      }
    },
  }

  /** Reads what a query says besides what it names, in the language that it is in. */
  function readMeant(
    { storeId, isWithoutWords, isWithoutPrices = false }: Searcher,
    typed: string,
    dictionary: Dictionary,
  ) {
    const shop = deps.readShop(storeId)
    const store = isWithoutWords ? undefined : findStore(storeId)
    const isName = (text: string): boolean =>
      store !== undefined && [...store.words.findExact(text)].length > 0
    const understood = understand(typed, { shop, keepsPrices: isWithoutPrices, isName })
    return {
      understood,
      unwanted: listUnwanted(understood, dictionary, shop),
      readForeign: (text: string, taken: readonly Alternative[]) =>
        readForeignWords(text, taken, {
          ...{ shop, dictionary, languages: deps.models.of(storeId).embedder.calibration.languages },
          listUnheld: store && ((words, asked) => store.words.listUnheld(words, asked)),
        }),
    }
  }
}

export interface ReadWords {
  words: QueryWords | undefined
  warnings: string[]
  understood: Understood | undefined
}

/** What of a query is searched, and what may stand for stretches of it. */
export interface Meaning {
  text: string
  alternatives: readonly Alternative[]
  /** The page that it leads to. */
  redirectUrl?: string | undefined
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

function withDefaults({ isShopper }: Searcher, asked: CommonSearch, defaults: SearchDefaults): CommonSearch {
  const threshold = asked.threshold ?? defaults.threshold
  return {
    ...asked,
    ...(threshold !== null && { threshold }),
    cutoff: asked.cutoff ?? defaults.cutoff ?? (isShopper ? 'auto' : 'none'),
    category_boost: asked.category_boost ?? defaults.category_boost ?? RANKING.categoryBoost,
    second_look: asked.second_look ?? defaults.second_look ?? true,
    // Shoppers want what they can buy; a backend may have plans of its own.
    sold_out: asked.sold_out ?? defaults.sold_out ?? (isShopper ? 'last' : 'keep'),
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
