import type { Cells } from '../formats/record.ts'
import { columnsOf, isFilled } from './cells.ts'
import type { Field, Plan } from './mapping.ts'
import type { Family } from './products.ts'
import { readDescription } from './texts.ts'
import { splitAddresses } from './values.ts'

/** The fate of one row, known after the whole file has been read. */
export type Placed =
  | { cells: Cells; family: Family }
  /** Its product's row stands for it. */
  | 'merged'
  /** The shop does not show it, because it does not show its product. */
  | 'hidden'

/** The variations of a file and the products that they belong to, wherever they stand. */
export interface Families {
  place(cells: Cells): Placed
}

/** Collects families from the rows of a file, which are read once before they are mapped. */
export interface FamilyCollector {
  add(cells: Cells): void
  done(): Families
}

/** Bounds the characters that a collector keeps. */
export interface CharBudget {
  /** @returns false if the budget is exhausted. */
  take(chars: number): boolean
}

/** Fields that a variation inherits from its product where its own are empty. */
const INHERITED = [
  'name',
  'description',
  'category',
  'brand',
  'tags',
  'currency',
  'url',
  'image_url',
] as const

/** The longest cell that is kept for variations. */
const CELL_CHARS_MAX = 4_096

/** Picks the cells of a product that its variations may need. */
export function pickInherited(plan: Plan, cells: Cells): Map<string, string[]> {
  const picked = new Map<string, string[]>()
  for (const field of INHERITED) {
    for (const column of columnsOf(plan, field)) {
      const values = cells.get(column)?.filter(isFilled) ?? []
      const kept =
        field === 'description'
          ? values.slice(0, 1).map((cell) => readDescription(cell) ?? '')
          : values.filter((cell) => cell.length <= CELL_CHARS_MAX)
      if (kept.length > 0) picked.set(column, kept)
    }
  }
  return picked
}

export function countChars(cells: Cells): number {
  let chars = 0
  for (const values of cells.values()) for (const value of values) chars += value.length
  return chars
}

/** Fills what a variation says nothing of from its product; of pictures its first. */
export function inherit(plan: Plan, own: Cells, parent: Cells): Cells {
  const merged = new Map(own)
  const isEmpty = (field: Field) => !columnsOf(plan, field).some((column) => own.get(column)?.some(isFilled))
  for (const field of INHERITED) {
    if (!isEmpty(field)) continue
    for (const column of columnsOf(plan, field)) {
      const values = parent.get(column)
      if (values) merged.set(column, field === 'image_url' ? values.map(firstAddress) : [...values])
    }
  }
  return merged
}

const firstAddress = (cell: string): string => splitAddresses(cell)[0] ?? ''
