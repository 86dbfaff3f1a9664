import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { changesExpired } from '../../../core/errors.ts'
import type { EmitEvent, ReadChange } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES, PLANS } from '../../../core/plans.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { ChangeQueries } from './queries.ts'
import type { Change, ChangeList, ChangesQuery } from './schema.ts'

export interface ChangeLogDeps extends Pick<Base, 'clock' | 'withoutFsync'> {
  queries: ChangeQueries
  /** Learn of each change inside its transaction. One that throws undoes the change. */
  readers: readonly ReadChange[]
}

/** Changes deleted in one step, and steps of one run of the chore. */
const PRUNED_AT_ONCE = 200
const PRUNE_STEPS_MAX = 5_000

/** No plan keeps less. */
const LEAST_BYTES_MAX = Math.min(...PLAN_NAMES.map((name) => PLANS[name].changeBytesMax))

/** Changes that go with each new one of a store with too many: more than one, so that a smaller plan comes into force. */
const SHORTENED_AT_ONCE = 20

export type ChangeLogService = ReturnType<typeof changeLogService>

/** The change log: every change of a store's products, numbered without gaps (contract 9.1). */
export function changeLogService({ queries, clock, readers, withoutFsync }: ChangeLogDeps) {
  /** Records an event and tells the readers. Call it inside the transaction of the change. */
  const emit: EmitEvent = ({ name: event, storeId, origin, data }) => {
    const createdAt = clock.now()
    const { number, bytes } = queries.add({ storeId, event, origin, data: JSON.stringify(data), createdAt })
    const max = bytes > LEAST_BYTES_MAX ? PLANS[queries.findPlan(storeId) ?? 'free'].changeBytesMax : Infinity
    if (bytes > max) queries.shorten(storeId, bytes - max, SHORTENED_AT_ONCE)
    for (const read of readers) read({ storeId, number, event, origin })
  }

  return {
    emit,

    /**
     * Lists the changes after a number, oldest first. A page ends early where its data would become large.
     *
     * @throws ApiError `changes_expired` if changes after this number are gone, or if it lies beyond the last one.
     */
    list(storeId: string, query: ChangesQuery): ChangeList {
      const { after = 0, limit = LIMITS.changesPageDefault } = query
      const bounds = queries.findBounds(storeId)
      if (after < bounds.oldest - 1 || after > bounds.last) throw changesExpired(after, bounds)
      const changes: Change[] = []
      let bytes = 0
      for (const row of queries.iterateAfter(storeId, after, limit)) {
        const { number, event, origin, createdAt } = row
        const data = JSON.parse(row.data) as Record<string, unknown>
        changes.push({ number, event, origin, timestamp: isoTime(createdAt), data })
        bytes += row.data.length
        if (bytes >= LIMITS.changesPageBytes) break
      }
      return {
        changes,
        count: changes.length,
        oldest_number: bounds.oldest,
        last_number: bounds.last,
        has_more: (changes.at(-1)?.number ?? after) < bounds.last,
      }
    },

    /** Deletes changes that are older than 30 days, and those that a delivery has kept, in small steps. */
    async prune(): Promise<void> {
      while (withoutFsync(() => queries.removePassed(PRUNED_AT_ONCE)) === PRUNED_AT_ONCE) await turn()
      const before = clock.now() - LIMITS.changesKeptDays * DAY_MS
      for (let step = 0; step < PRUNE_STEPS_MAX; step++) {
        if (withoutFsync(() => queries.prune(before, PRUNED_AT_ONCE)) < PRUNED_AT_ONCE) return
        await turn()
      }
    },
  }
}
