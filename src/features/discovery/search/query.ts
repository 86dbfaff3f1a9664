import type { Lab } from '../../../core/colours/lab.ts'
import type { ServingModel } from '../../../platform/models/model-set.ts'
import type { Sort } from './browse.ts'
import type { SearchFilters } from './filters.ts'
import type { Priors } from './legs/clicks.ts'
import type { Understood } from './meaning/understanding.ts'
import type { NotedRequest } from './noted-request.ts'
import type { QueryPicture } from './picture-source.ts'
import type { SearchKind } from './queries.ts'
import type { CommonSearch } from './schema.ts'
import type { Searcher } from './searcher.ts'
import type { QueryWords } from './sides.ts'

/** A search that has been checked, and whose picture and words have been read. */
export interface Query {
  searcher: Searcher
  kind: SearchKind
  /** The model of the store when the search began; nothing of another one is compared with it. */
  model: Pick<ServingModel, 'row' | 'embedder'>
  /** Monotonic ms. */
  startedAt: number
  /** The request, with the store's defaults. */
  wanted: CommonSearch
  /** What the log keeps of the request so that it can be made again. */
  noted: NotedRequest
  /** What products gain by clicks. */
  priors?: Priors | undefined
  filters: SearchFilters
  rankBy: RankBy
  /** Orders what was found; the default is best first. */
  sort?: Sort | undefined
  warnings: readonly string[]
  /** What the words say besides what they name; undefined for a search without words, and where nobody reads that. */
  understood?: Understood | undefined
}

/** Data to rank a store by. `makePlan` turns it into numbers, for the store as it is then. */
export type RankBy =
  /** Nothing is compared: the products are listed. */
  { kind: 'nothing' } | GivenList | Comparison

/** Products in an order that another feature found: nothing is compared. */
export interface GivenList {
  kind: 'given'
  products: readonly GivenProduct[]
}

export interface GivenProduct {
  productId: string
  /** 0 to 1; what it means is up to whoever gives the list. */
  score: number
}

export type Comparison = SidesComparison | MixedComparison | ReferencesComparison

/** A picture, words and colours, whichever are there. Each is scored apart, and the scores are added (late fusion). */
export interface SidesComparison {
  kind: 'sides'
  picture?: QueryPicture | undefined
  words?: QueryWords | undefined
  colours?: readonly Lab[]
  /** Weight of the picture where there are words too; they have the rest. */
  visualWeight?: number | undefined
}

/** One vector that is made of a picture and of words (early fusion). */
export interface MixedComparison {
  kind: 'mixed'
  picture: QueryPicture
  words: QueryWords
  /** Of the picture, 0 to 1; the words have the rest. */
  pictureWeight: number
}

/** Several pictures. */
export interface ReferencesComparison {
  kind: 'references'
  aggregation: 'average' | 'best' | 'union'
  references: readonly Reference[]
  /** Pictures that results are kept away from. */
  negatives: readonly Reference[]
  /** The direction of all references, and with `average` away from the negatives. */
  mean: Float32Array
}

export interface Reference {
  picture: QueryPicture
  weight: number
}

export const wordsOf = (rankBy: RankBy): QueryWords | undefined =>
  'words' in rankBy ? rankBy.words : undefined

/** The one query picture, which the answer names. */
export const pictureOf = (rankBy: RankBy): QueryPicture | undefined =>
  'picture' in rankBy ? rankBy.picture : undefined

/** Vectors of the references, with which results are matched. */
export const referencesOf = (rankBy: RankBy): Float32Array[] | undefined =>
  rankBy.kind === 'references' ? rankBy.references.map(({ picture }) => picture.vector) : undefined

/** Pictures of the store itself that a query names. Their products are left out. */
export function ownPicturesOf(rankBy: RankBy): number[] {
  const pictures =
    rankBy.kind === 'references'
      ? [...rankBy.references, ...rankBy.negatives].map(({ picture }) => picture)
      : [pictureOf(rankBy)]
  return pictures.flatMap((picture) => picture?.pictureId ?? [])
}
