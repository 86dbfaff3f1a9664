/** A field that every product has, whatever its metadata. */
export type OwnField = 'product_id' | 'is_demo' | 'created_at' | 'indexed_at' | 'updated_at'

export type Field =
  | { kind: 'own'; name: OwnField }
  /** A key of the metadata; dots lead into objects, unless a key of the metadata has this whole name. */
  | { kind: 'metadata'; name: string }

/** Scalars that a product is compared with. */
export interface Scalars {
  /** As they were sent. */
  given: (string | number | boolean)[]
  /** Folded, except for `product_id`. */
  texts: string[]
  numbers: number[]
  booleans: boolean[]
}

/** One comparison. None of them is true for a field that is missing or null, except `null`. */
export type Test =
  /** The value, or an element of it, is one of these. */
  | ({ op: 'equals' } & Scalars)
  /** An element is one of these, or the text has one of these in it. */
  | ({ op: 'contains' } & Scalars)
  | ({ op: 'containsAll' } & Scalars)
  | { op: 'startsWith'; text: string }
  | {
      op: 'range'
      /** Times are in Unix ms. */
      of: 'number' | 'time'
      min?: { value: number; isOpen: boolean }
      max?: { value: number; isOpen: boolean }
    }
  | { op: 'exists' }
  | { op: 'null' }
  | { op: 'empty' }

export type Condition =
  | { field: Field; test: Test }
  /** The palette of the first picture has a main colour within this distance (ΔE2000). */
  | { near: { hex: string; deltaE: number } }

export type Node =
  | { all: Node[] }
  /** At least this many of them hold. */
  | { some: Node[]; min: number }
  | { not: Node }
  | { condition: Condition }

/** A filter that was checked. */
export interface Filter {
  root: Node
  /** The number of its conditions; without any every product passes. */
  conditions: number
}

/** The filter that every product passes. */
export const EVERYTHING: Filter = { root: { all: [] }, conditions: 0 }

/** All conditions of a filter, in its order. */
export function* listConditions(node: Node): Generator<Condition, void> {
  if ('condition' in node) yield node.condition
  else if ('not' in node) yield* listConditions(node.not)
  else for (const part of 'all' in node ? node.all : node.some) yield* listConditions(part)
}

/** Conditions that every product of the result meets. */
export function* listRequired(node: Node): Generator<Condition, void> {
  if ('condition' in node) yield node.condition
  else if ('all' in node) for (const part of node.all) yield* listRequired(part)
}
