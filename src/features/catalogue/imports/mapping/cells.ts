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

/** Looks up all values in the rows of a product, row by row. */
export const createLister =
  (plan: Plan, rows: readonly Cells[]) =>
  (name: Target | Role): string[] =>
    rows.flatMap((cells) =>
      columnsOf(plan, name)
        .flatMap((column) => cells.get(column) ?? [])
        .filter(isFilled),
    )
