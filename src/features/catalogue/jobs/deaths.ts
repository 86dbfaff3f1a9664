import { ApiError } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { Accounting } from './accounting.ts'
import type { ItemQueries, LeasedItem } from './item-queries.ts'
import { toItemError } from './worker.ts'

export interface DeathDeps extends Pick<Base, 'log' | 'withoutFsync'> {
  items: Pick<ItemQueries, 'markBegun' | 'listDeadly' | 'releaseAll'>
  accounting: Pick<Accounting, 'end'>
}

/** An item is not begun again after the program has died this often during it. */
const DEATHS_MAX = 3

/** Keeps an item that ends the program from doing it again and again. */
export function createDeaths({ items, accounting, withoutFsync, log }: DeathDeps) {
  return {
    /** Call it right before the work on items begins. */
    begin: (begun: readonly LeasedItem[]): void => withoutFsync(() => items.markBegun(begun, true)),

    /** Marks an item that nobody works on any more, although its outcome could not be written. */
    leave(item: LeasedItem): void {
      try {
        withoutFsync(() => items.markBegun([item], false))
      } catch {
        // The disk may be full. At worst a death is counted that the item had no part in.
      }
    },

    /** Releases the items that an earlier run of the program was working on, and ends those that it died of too often. */
    takeBack(): void {
      for (const item of items.listDeadly(DEATHS_MAX)) {
        log.error({ job: item.job, item: item.id }, `the program died ${DEATHS_MAX} times during this item`)
        accounting.end(item, { state: 'failed', error: toItemError(deadly()), canRetry: true })
      }
      withoutFsync(() => items.releaseAll({ isDead: true }))
    },
  }
}

/** Whether an item may be begun beside others of its store: of two that the program may have died of, the next death tells which. */
export const isSuspect = ({ deaths }: LeasedItem): boolean => deaths > 0

const deadly = () =>
  new ApiError(
    'internal_error',
    `The service ended ${DEATHS_MAX} times while it worked on this product, so it left it out. Look at its pictures before you try it again`,
  )
