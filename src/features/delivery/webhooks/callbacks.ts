import type { Base } from '../../module.ts'
import type { DeliveryQueries } from './delivery-queries.ts'
import type { DeliveryScheduler } from './scheduler.ts'
import type { DeliveryState } from './schema.ts'
import { CALLBACKS } from './secret-queries.ts'
import type { SigningSecrets } from './secrets.ts'

export interface CallbackDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: Pick<DeliveryQueries, 'add' | 'listLog'>
  secrets: Pick<SigningSecrets, 'create' | 'readHint'>
  scheduler: Pick<DeliveryScheduler, 'expect'>
}

/** The end of a job, for the address that its client named. */
export interface Callback {
  /** The id of the job, which is the `webhook_id` of the envelope. */
  jobId: string
  /** From a client; checked with `checkUrl`. */
  url: string
  event: 'job.completed' | 'job.failed' | 'job.cancelled'
  data: Record<string, unknown>
}

export interface CallbackState {
  state: DeliveryState
  attempts: number
  last_status: number | null
}

/** Greater than every id. */
const END = '~'

/** Callbacks of jobs: deliveries like those of webhooks, signed with a secret of the store (contract 9.7). */
export function createCallbacks({ queries, secrets, scheduler, clock, ids }: CallbackDeps) {
  return {
    /** Queues a callback. Call it inside the transaction that ends the job. */
    send(storeId: string, { jobId, url, event, data }: Callback): void {
      if (secrets.readHint(storeId, CALLBACKS) === undefined) secrets.create(storeId, CALLBACKS)
      queries.add({
        ...{ id: ids.uuid(), storeId, endpoint: jobId, callbackUrl: url, event },
        ...{ data: JSON.stringify(data), createdAt: clock.now() },
      })
      scheduler.expect(jobId, storeId)
    },

    /** Finds what became of the last callback of a job; undefined before one is queued, and once its log is gone. */
    find(storeId: string, jobId: string): CallbackState | undefined {
      const states = ['pending', 'delivered', 'failed'] as const
      const [row] = queries.listLog(storeId, jobId, { beforeId: END, states, limit: 1 })
      return row && { state: row.state, attempts: row.attempts, last_status: row.lastStatus }
    },

    /** The end of the secret that signs callbacks, as in `…a1b2`; null if none was needed yet. */
    readSecretHint: (storeId: string): string | null => secrets.readHint(storeId, CALLBACKS) ?? null,
  }
}
