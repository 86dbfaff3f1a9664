import type { Cells } from '../formats/record.ts'
import type { Plan, Role, Target } from './mapping.ts'

export const isFilled = (cell: string): boolean => cell.trim() !== ''

/** The columns that a plan reads for a field or for what a platform says beside. */
export const columnsOf = (
  { mapping, roles }: Pick<Plan, 'mapping' | 'roles'>,
  name: Target | Role,
): readonly string[] => mapping[name as Target] ?? roles[name as Role] ?? []

/** Looks up the first value in the rows of a product, trimmed: the columns in their order, each in all rows. */
export const createFinder =
  (plan: Plan, rows: readonly Cells[]) =>
  (name: Target | Role): string | undefined => {
    for (const column of columnsOf(plan, name)) {
      for (const cells of rows) {
        const cell = cells.get(column)?.find(isFilled)
        if (cell !== undefined) return cell.trim()
      }
    }
    return undefined
  }

/** The most characters of all values of one field, which are taken apart in one step; one value counts whatever its length. */
const LISTED_CHARS_MAX = 128 * 1024

/** Looks up the values in the rows of a product, row by row; of thousands of rows the first ones. */
export const createLister =
  (plan: Plan, rows: readonly Cells[]) =>
  (name: Target | Role): string[] => {
    const columns = columnsOf(plan, name)
    const values: string[] = []
    let chars = 0
    for (const cells of rows) {
      for (const column of columns) {
        for (const cell of cells.get(column) ?? []) {
          if (!isFilled(cell)) continue
          if (values.length > 0 && chars + cell.length > LISTED_CHARS_MAX) return values
          values.push(cell)
          chars += cell.length
        }
      }
    }
    return values
  }
