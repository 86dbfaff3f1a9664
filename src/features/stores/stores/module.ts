import { createStoreRows } from '../../../platform/db/store-rows.ts'
import type { Base, Module } from '../../module.ts'
import { storeQueries } from './queries.ts'
import { type StoreDeps, type StoreService, storeService } from './service.ts'
import { createStateWatch, type StateWatchDeps } from './watch.ts'

const SECOND_MS = 1_000

/**
 * Wires the stores of this install.
 *
 * A suspension travels with the caller's store: `http/auth.ts` refuses the caller before the body is read, and
 * `http/suspension.ts` says which requests pass. Work for all stores leaves out the suspended ones, and `watch.ts` ends the
 * streams that were open, whichever process suspended the store. A planned deletion suspends the store at once;
 * `stores/erasure` deletes it when its time has come.
 */
export function buildStores(base: Base, needs: Pick<StoreDeps, 'people' | 'mailOwners'>) {
  const rows = storeQueries(base.db)
  const { removeCredentials } = createStoreRows(base.db)
  return {
    rows,
    service: storeService({ ...base, ...needs, rows, removeCredentials }),
  } satisfies Module<StoreService>
}

/** Wires the reaction of a running service when the service or a command suspends or resumes a store. */
export const buildStateWatch = (needs: StateWatchDeps) =>
  ({
    service: undefined,
    chores: [
      {
        name: 'watching for suspended stores and revoked rights',
        everyMs: SECOND_MS,
        reach: 'none',
        run: createStateWatch(needs),
      },
    ],
  }) satisfies Module<undefined>
