import type { CallerStore } from '../core/actor.ts'
import { isoTime, isoTimeOrNull } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { StoreRule } from './auth.ts'

/** The reason and the end of a suspension. */
export interface Suspension {
  /** As the operator wrote it; null if no reason was given. */
  reason: string | null
  /** Unix ms when the store is deleted for good; null if that is not planned. */
  deleteAt: number | null
}

/** Paths that a suspended store still reaches: its people must see its state, and pay. */
const OPEN = /^\/v1\/(me|billing)(\/|$)/

interface SuspendedRequest {
  kind: 'machine' | 'person' | 'key'
  rule: StoreRule
  /** Whether the request names its store. */
  isNamed: boolean
  path: string
}

/**
 * Whether the suspension of the active store ends a request. As with a store's IP list, a person's own account does not
 * belong to the store.
 */
export function isStoppedBySuspension({ kind, rule, isNamed, path }: SuspendedRequest): boolean {
  if (rule === 'optional' || OPEN.test(path)) return false
  return kind !== 'person' || rule === 'required' || isNamed
}

/** Refuses a request for a suspended store, and says how the operator or the owner can end the suspension. */
export function storeSuspended(
  { slug, suspendedAt }: Pick<CallerStore, 'slug' | 'suspendedAt'>,
  { reason, deleteAt }: Suspension,
): ApiError {
  const why = reason === null ? '' : `: ${reason.replace(/(?<![.\s])[.\s]+$/, '')}`
  const end =
    deleteAt === null
      ? 'Nothing of it is deleted.'
      : `It is deleted for good on ${isoTime(deleteAt)} unless that is cancelled.`
  return new ApiError(
    'store_suspended',
    `The store ${slug} is suspended${why}. ${end} ${HOW_IT_ENDS} (lookalike store resume ${slug})`,
    {
      details: {
        reason,
        suspended_at: isoTimeOrNull(suspendedAt),
        delete_at: isoTimeOrNull(deleteAt),
        contact: CONTACT,
      },
    },
  )
}

/** Refuses a page with the widget of a suspended store. Shoppers read it, so it says nothing about the store. */
export const widgetSuspended = (): ApiError =>
  new ApiError('store_suspended', 'The search of this shop is switched off at the moment')

const HOW_IT_ENDS = 'The operator of this service can end the suspension'

const CONTACT =
  'Ask the operator of this service. Owners can still sign in, read GET /v1/me, and see and pay bills under /v1/billing.'
