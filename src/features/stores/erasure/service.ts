import { DAY_MS } from '../../../core/clock.ts'
import { eachAlone } from '../../../core/each-alone.ts'
import { shareRun } from '../../../core/share-run.ts'
import { turn } from '../../../core/turns.ts'
import type { StoreRows } from '../../../platform/db/store-rows.ts'
import type { Base } from '../../module.ts'
import type { ErasedStore, StoreQueries, StoreState } from '../stores/queries.ts'

export interface ErasureDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'record' | 'gate'> {
  storeRows: Pick<
    StoreQueries,
    | 'findState'
    | 'listDueForDeletion'
    | 'beginErasing'
    | 'listErasing'
    | 'removeErased'
    | 'findMoved'
    | 'listRemains'
    | 'setEmptied'
  >
  rows: StoreRows
  /** Deletes the jobs of a store with their files, in small steps. */
  dropJobs(storeId: string): Promise<void>
  /** Ends what the store pays for at the provider. @throws ApiError `billing_unavailable`. */
  endSubscriptions(storeId: string): Promise<void>
  /** Drops what memory holds about a store that is gone. */
  dropStore(storeId: string): void
  isStopping(): boolean
}

/** How long the deletion of a store waits for the provider of payments. */
const PROVIDER_WAIT_MS = DAY_MS

/** Rows of one statement, and how long one transaction runs further statements. */
const STEP = 10
const STEP_MS = 5

/** The rows of a store that has moved away stay here for so long, for whoever must look at them. */
const REMAINS_KEPT_MS = DAY_MS

export type ErasureService = ReturnType<typeof erasureService>

/**
 * Deletes the stores that are due for good, with all their rows, in steps that hold up nobody. The rows that are left are
 * its progress, so it resumes after a kill.
 */
export function erasureService(deps: ErasureDeps) {
  const { storeRows, rows, clock, atomically, withoutFsync, record, log } = deps

  /** Hides the store from everybody, in one step: no credential finds it, and its slug is free. */
  function begin({ id, slug, name, deleteAskedBy }: StoreState): void {
    atomically(() => {
      // It may have been resumed by a command in the meantime.
      const now = storeRows.findState(id)
      if (now?.deleteAt == null || now.deleteAt > clock.now()) return
      storeRows.beginErasing(id, clock.now())
      rows.removeCredentials(id)
      record({
        ...{
          action: 'store.deleted',
          actorKind: 'operator',
          storeId: null,
          userId: null,
          keyId: null,
          clientInfo: null,
        },
        details: { store_id: id, slug, name, ...(deleteAskedBy !== null && { by_user_id: deleteAskedBy }) },
      })
    })
  }

  /** Deletes rows of a table for a few ms. @returns whether there were any. */
  function removeSome(table: string, storeId: string): boolean {
    const end = clock.monotonic() + STEP_MS
    return withoutFsync(() =>
      atomically(() => {
        let removed = rows.removeSome(table, storeId, STEP)
        const found = removed > 0
        while (removed > 0 && clock.monotonic() < end) removed = rows.removeSome(table, storeId, STEP)
        return found
      }),
    )
  }

  /** @returns whether anything was left. */
  async function removeAll(storeId: string): Promise<boolean> {
    let found = false
    for (const table of rows.tables) {
      while (!deps.isStopping() && removeSome(table, storeId)) {
        found = true
        await turn()
      }
      await turn()
    }
    return found
  }

  async function erase({ id }: ErasedStore): Promise<void> {
    await deps.dropJobs(id)
    // Requests in flight at the beginning may have written rows since.
    while (await removeAll(id));
    if (deps.isStopping()) return
    atomically(() => storeRows.removeErased(id))
    deps.dropStore(id)
    log.info({ store_id: id }, 'a store was deleted for good')
  }

  /** Erases what a store that has moved away left here. Its own row stays, and says where it is. */
  async function emptyMoved(id: string): Promise<void> {
    await deps.dropJobs(id)
    while (await removeAll(id));
    if (deps.isStopping()) return
    atomically(() => storeRows.setEmptied(id, clock.now()))
    deps.dropStore(id)
    log.info({ store_id: id }, 'the remains of a store that has moved away were erased')
  }

  /**
   * Ends the store's subscriptions, so that nobody pays for a store that is gone. Where the provider of payments does not
   * answer, the deletion waits for it for a day.
   */
  async function isPaidUp({ id, slug, deleteAt }: StoreState): Promise<boolean> {
    try {
      await deps.endSubscriptions(id)
      return true
    } catch (err) {
      const isLate = clock.now() - (deleteAt ?? 0) > PROVIDER_WAIT_MS
      const then = isLate ? 'deleted now: end it at the provider of payments' : 'not deleted yet'
      log.error({ err, store_id: id, slug }, `a subscription could not be ended; its store is ${then}`)
      return isLate
    }
  }

  async function run(): Promise<void> {
    const tell = (err: unknown, { id }: { id: string }): void =>
      log.error({ err, store_id: id }, 'a store could not be deleted; the next run tries again')
    await eachAlone(
      storeRows.listDueForDeletion(clock.now()),
      async (store) => {
        // What is moving is erased where it stays.
        if (deps.gate.isPaused(store.id)) return
        if ((await isPaidUp(store)) && !deps.gate.isPaused(store.id)) begin(store)
      },
      tell,
    )
    await eachAlone(
      storeRows.listErasing(clock.now()),
      async (store) => {
        if (!deps.isStopping()) await erase(store)
      },
      tell,
    )
    await eachAlone(
      storeRows.listRemains(clock.now() - REMAINS_KEPT_MS).map((id) => ({ id })),
      async ({ id }) => {
        if (!deps.isStopping()) await emptyMoved(id)
      },
      tell,
    )
  }

  return {
    /** Deletes what is due. Call it every minute; a call during another one joins it. */
    run: shareRun(run),

    /**
     * Erases at once what a store that has moved away left here, because it comes back, or because its coming back was given
     * up. Resolves when nothing is left; does nothing for any other store.
     */
    async eraseRemains(storeId: string): Promise<void> {
      if (storeRows.findMoved(storeId)) await emptyMoved(storeId)
    },
  }
}
