import type { StoreOverview } from '#generated/api.ts'

export type Step = 2 | 3 | 4

/**
 * Picks the step of the first run. The store tells which one is next; somebody may also go back to an earlier one, or ahead once
 * there are products.
 *
 * @param asked the step that the address names.
 */
export function pickStep(asked: string | null, checklist: StoreOverview['checklist']): Step {
  // A checklist that was hidden belongs to a store that is past its first run.
  const isDone = (key: string) => checklist.find((item) => item.key === key)?.is_done ?? true
  if (asked === '2' || !isDone('products')) return 2
  if (asked === '3' || asked === '4') return asked === '3' ? 3 : 4
  return isDone('first_search') ? 4 : 3
}
