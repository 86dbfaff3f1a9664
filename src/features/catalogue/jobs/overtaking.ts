import type { Base } from '../../module.ts'
import { type Accounting, NO_COUNTS } from './accounting.ts'
import type { ItemQueries } from './item-queries.ts'

export interface OvertakingDeps extends Pick<Base, 'atomically'> {
  items: Pick<ItemQueries, 'listOvertaken' | 'dropWaiting' | 'markOvertaken'>
  accounting: Pick<Accounting, 'count'>
}

/**
 * Creates the function that drops a product's waiting items once a newer write has overtaken them.
 *
 * @returns takes the number of the last job whose items are dropped. Joins a transaction; needs none if nothing waits.
 */
export function createOvertaking({ items, accounting, atomically }: OvertakingDeps) {
  return (storeId: string, productId: string, upTo: number): void => {
    if (upTo <= 0) return
    const overtaken = items.listOvertaken(storeId, productId, upTo)
    if (overtaken.length === 0) return
    atomically(() => {
      for (const { id, job, state } of overtaken) {
        if (state === 'failed') items.markOvertaken(id)
        else {
          items.dropWaiting(id)
          accounting.count(job, { ...NO_COUNTS, unchanged: 1 })
        }
      }
    })
  }
}
