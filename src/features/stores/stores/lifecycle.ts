import type { Actor } from '../../../core/actor.ts'
import { describeAct, describeOperation, type Operator } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { storePaused } from '../../../core/move-errors.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from '../people/owner-mails.ts'
import { type StateChange, stateMail } from './mails.ts'
import type { StoreQueries, StoreState } from './queries.ts'

export interface LifecycleDeps extends Pick<Base, 'clock' | 'atomically' | 'record' | 'baseUrl'> {
  rows: Pick<StoreQueries, 'findState' | 'setState' | 'readMoveState'>
  mailOwners: MailOwners
}

/** Time between planning a deletion and the deletion, in which the store can be restored. */
const GRACE_MS = 7 * DAY_MS

/** Suspends stores, resumes them, and plans their deletion. Their owners get a mail about each. */
export function storeLifecycle(deps: LifecycleDeps) {
  const { rows, clock, atomically, record } = deps

  function require(storeId: string): StoreState {
    const state = rows.findState(storeId)
    if (!state) throw notFound('store')
    return state
  }

  /** Commands write in a process of their own, so the row says it. @throws ApiError `read_only` while the store is paused. */
  function demandUnpaused(storeId: string): void {
    const state = rows.readMoveState(storeId)
    if (state === 'paused' || state === 'switching') throw storePaused()
  }

  /** Makes the change, with its mails. */
  function changeState(before: StoreState, after: Partial<StoreState>, kind: StateChange): StoreState {
    demandUnpaused(before.id)
    const state = { ...before, ...after }
    const { id, slug, suspendedReason, deleteAt } = state
    rows.setState(state)
    const facts = {
      slug,
      baseUrl: deps.baseUrl(),
      reason: kind === 'resumed' ? null : suspendedReason,
      deleteAt: deleteAt === null ? null : formatUtc(deleteAt),
    }
    deps.mailOwners(id, (to) => stateMail(to, kind, facts))
    return state
  }

  function requireDeletable(storeId: string, confirm: string): StoreState {
    const state = require(storeId)
    if (confirm !== state.slug) throw notConfirmed()
    if (state.deleteAt === null) return state
    throw new ApiError('conflict', `The deletion of the store is planned for ${formatUtc(state.deleteAt)}`)
  }

  function deleteLater({ suspendedAt }: StoreState, deleteAskedBy: string | null) {
    const now = clock.now()
    return { suspendedAt: suspendedAt ?? now, deleteAt: now + GRACE_MS, deleteAskedBy }
  }

  return {
    /** @throws ApiError `not_found`. */
    find: require,

    demandUnpaused,

    /**
     * Suspends a store: from the next request on it answers nothing and does no work, but loses no data. If it is suspended
     * already, only the reason changes.
     */
    suspend: (storeId: string, reason: string, by: Operator): StoreState =>
      atomically(() => {
        const before = require(storeId)
        const suspendedAt = before.suspendedAt ?? clock.now()
        record(describeOperation(by, storeId, 'store.suspended', { reason }))
        return changeState(before, { suspendedAt, suspendedReason: reason }, 'suspended')
      }),

    /** Ends the suspension of a store, and its deletion if one is planned. @throws ApiError `conflict` if it is not suspended. */
    resume: (storeId: string, by: Operator): StoreState =>
      atomically(() => {
        const before = require(storeId)
        if (before.suspendedAt === null) throw new ApiError('conflict', 'The store is not suspended')
        const was_to_be_deleted = before.deleteAt !== null
        record(describeOperation(by, storeId, 'store.resumed', { was_to_be_deleted }))
        const works = { suspendedAt: null, suspendedReason: null, deleteAt: null, deleteAskedBy: null }
        return changeState(before, works, 'resumed')
      }),

    /**
     * Suspends a store, and has it deleted for good after 7 days unless it is resumed.
     *
     * @param confirm the slug of the store, as the operator has typed it.
     * @throws ApiError `validation_error` for another slug, `conflict` if its deletion is planned already.
     */
    planDeletion: (storeId: string, confirm: string, by: Operator): StoreState =>
      atomically(() => {
        const before = requireDeletable(storeId, confirm)
        const after = deleteLater(before, by?.userId ?? null)
        record(describeOperation(by, storeId, 'store.deletion_planned', tellWhen(after)))
        return changeState(before, after, 'deletion_planned')
      }),

    /** The same for an owner, who ends the store on their own. @throws ApiError as for the operator. */
    planOwnDeletion: (owner: Actor, confirm: string): StoreState =>
      atomically(() => {
        const before = requireDeletable(owner.storeId, confirm)
        const after = deleteLater(before, owner.userId)
        record(describeAct(owner, 'store.deletion_planned', tellWhen(after)))
        return changeState(before, after, 'own_deletion_planned')
      }),
  }
}

const tellWhen = ({ deleteAt }: { deleteAt: number }) => ({ delete_at: isoTime(deleteAt) })

const notConfirmed = () =>
  validationError([
    { in: 'body', pointer: '/confirm', code: 'not_confirmed', message: 'must be the slug of the store' },
  ])

const formatUtc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
