import { isoTimeOrNull } from '../core/clock.ts'
import type { StoreState } from '../features/stores/stores/queries.ts'

/** A store's state, as the commands that change it print it. */
export const describeState = ({ id, slug, plan, suspendedAt, suspendedReason, deleteAt }: StoreState) => ({
  ...{ store_id: id, slug, plan },
  suspended_at: isoTimeOrNull(suspendedAt),
  suspended_reason: suspendedReason,
  delete_at: isoTimeOrNull(deleteAt),
})
