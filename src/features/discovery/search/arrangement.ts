import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { Query } from './query.ts'

/** A rule of the store that acts on a search, as an explanation names it. */
export interface ActingRule {
  id: string
  name: string
}

/** Products that a rule moves in the list. */
export interface Shift {
  rule: ActingRule
  rows: Pick<RowSet, 'has' | 'size'>
  /** In log-odds of the score: above 0 is a boost, below 0 buries. */
  by: number
}

/** A product that a rule puts at a place. */
export interface Pin {
  rule: ActingRule
  productId: string
  /** From 1. */
  position: number
}

/** Products that a rule hides. */
export interface Hiding {
  rule: ActingRule
  rows: Pick<RowSet, 'has' | 'size'>
}

/**
 * What a store's rules do to one search. It changes the order of the list and who is in it, never a score. Hiding wins over pins, pins
 * win over shifts; shifts of a product add up, to 3 at most; of two pins for one place or one product the earlier in the list wins.
 */
export interface Arrangement {
  hidings: readonly Hiding[]
  /** Those of older rules first. */
  pins: readonly Pin[]
  shifts: readonly Shift[]
}

/** Finds what the rules of a store do to a search; undefined where none acts, which is the usual case and must cost next to nothing. */
export type Arrange = (query: Query) => Promise<Arrangement | undefined>

/** Learns which rules acted on the page that a search answered. */
export type NoteActed = (
  storeId: string,
  searchId: string,
  acted: readonly { rule: ActingRule; productIds: readonly string[] }[],
) => void
