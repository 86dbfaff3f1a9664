import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { createNetworkMatcher, readNetwork } from '../../../core/networks.ts'
import { personNeeded } from '../../../http/auth.ts'
import { validationError } from '../../../http/validation.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import { createAdmission } from './admission.ts'
import type { IpAllowlistQueries, IpEntryRow } from './queries.ts'
import {
  IP_ENTRIES_MAX,
  type IpEntry,
  type IpEntryBody,
  type IpEntryList,
  type RemovedIpEntry,
} from './schema.ts'

export interface IpAllowlistDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: IpAllowlistQueries
  readDataVersion: Reads['readDataVersion']
  tellOwners: TellOwners
}

export type IpAllowlistService = ReturnType<typeof ipAllowlistService>

/** The addresses that may call for a store (contract 4.12). Without entries, every address may. */
export function ipAllowlistService(deps: IpAllowlistDeps) {
  const { queries, clock, ids, atomically, record, tellOwners } = deps
  const admission = createAdmission(deps)

  /** Changes a list in one transaction, and forgets the cached one. */
  function change<Result>(storeId: string, work: (rows: IpEntryRow[]) => Result): Result {
    try {
      return atomically(() => work(queries.listByStore(storeId)))
    } finally {
      admission.forgetStore(storeId)
    }
  }

  /**
   * Judges a change of the list before it is made. Mails the owners of the store if the change is forced against the caller's
   * own address, or switches the list on or off.
   *
   * @throws ApiError `would_lock_out` if the new list does not contain the caller's address and is not forced, and for a first
   * entry of a machine grant that would leave nobody inside who can undo it.
   */
  function judge(actor: Actor, before: string[], after: string[], isForced: boolean): void {
    const { address } = actor.clientInfo
    const isInside = createNetworkMatcher(after)
    if (actor.kind !== 'person' && after.length > 0) demandSomebodyInside(actor, { before, after, isForced })
    if (after.length > 0 && !isInside(address)) {
      if (!isForced) throw wouldLockOut(address)
      tellOwners(actor, 'ip_list_forced')
    } else if (before.length === 0 || after.length === 0) {
      tellOwners(actor, 'ip_list_switched')
    }
  }

  /**
   * A stolen token of a machine grant must not lock the store's people out: somebody who may undo the list has to have
   * signed in from inside it lately, and a change must not take that away.
   *
   * @throws ApiError `would_lock_out`.
   */
  function demandSomebodyInside(
    { storeId, clientInfo: { address } }: Actor,
    { before, after, isForced }: { before: string[]; after: string[]; isForced: boolean },
  ): void {
    const isOff = before.length === 0
    if (isOff && !isForced) throw forceNeeded(address)
    const addresses = queries.listSignInAddresses(storeId, clock.now() - DAY_MS)
    const isAnyIn = (networks: string[]) => addresses.some(createNetworkMatcher(networks))
    // Entries that leave nobody outside could otherwise be put first and taken away later.
    if ((isOff || isAnyIn(before)) && !isAnyIn(after)) throw nobodyInside(address)
  }

  return {
    /**
     * Adds an address or a block to the list; the first one switches the list on.
     *
     * @throws ApiError `validation_error` for an invalid block, `conflict` for a listed block and for a full list,
     * `would_lock_out` unless forced, `permission_denied` if anyone but a person forces it on a list that is on.
     */
    add(actor: Actor, body: IpEntryBody): IpEntry {
      const isForced = body.force === true
      const row: IpEntryRow = {
        id: ids.uuid(),
        storeId: actor.storeId,
        network: assertNetwork(readNetwork(body.ip_address.trim())),
        description: body.description ?? '',
        createdAt: clock.now(),
        createdBy: actor.userId,
      }
      return change(actor.storeId, (rows) => {
        const networks = rows.map(({ network }) => network)
        if (networks.length > 0) assertMayForce(actor, isForced)
        if (networks.includes(row.network)) throw alreadyListed(row.network)
        if (rows.length >= IP_ENTRIES_MAX) throw listIsFull()
        judge(actor, networks, [...networks, row.network], isForced)
        queries.add(row)
        record(describeAct(actor, 'ip_whitelist.added', identify(row)))
        return view(row)
      })
    },

    /** Oldest first. */
    list(storeId: string): IpEntryList {
      const entries = queries.listByStore(storeId).map(view)
      return { entries, count: entries.length, enabled: entries.length > 0 }
    },

    /**
     * Removes an entry from the list; removing the last one switches the list off.
     *
     * @throws ApiError `not_found`, `would_lock_out` unless forced, `permission_denied` if anyone but a person forces it.
     */
    remove(actor: Actor, id: string, isForced: boolean): RemovedIpEntry {
      assertMayForce(actor, isForced)
      return change(actor.storeId, (rows) => {
        const row = rows.find((entry) => entry.id === id)
        if (!row) throw notFound('ip_entry')
        const networks = rows.map(({ network }) => network)
        judge(
          actor,
          networks,
          networks.filter((network) => network !== row.network),
          isForced,
        )
        queries.remove(id)
        record(describeAct(actor, 'ip_whitelist.removed', identify(row)))
        return { status: 'deleted', id }
      })
    },

    /** Empties the list, for an operator who helps people locked out. @returns the number of deleted entries. */
    clear: (storeId: string): number =>
      change(storeId, () => {
        const entries = queries.clear(storeId)
        if (entries > 0) {
          const nobody = { userId: null, keyId: null, clientInfo: null }
          const act = { action: 'ip_whitelist.cleared', actorKind: 'operator' } as const
          record({ ...act, ...nobody, storeId, details: { entries } })
        }
        return entries
      }),

    /** Empties the list as part of another change. Call it inside a transaction. */
    removeByStore(storeId: string): void {
      queries.clear(storeId)
      admission.forgetStore(storeId)
    },

    /** Counts the entries of the list. */
    count: (storeId: string): number => queries.count(storeId),

    admit: admission.admit,
    forgetStore: admission.forgetStore,
  }
}

/** @throws ApiError `validation_error`. */
function assertNetwork(network: string | undefined): string {
  if (network !== undefined) return network
  const fault = {
    code: 'format',
    message: 'must be an IP address, or a block of addresses such as 203.0.113.0/24',
  }
  throw validationError([{ in: 'body', pointer: '/ip_address', ...fault }])
}

/** A stolen token of a machine grant must not lock the owner out. @throws ApiError `permission_denied`. */
function assertMayForce({ kind }: Actor, isForced: boolean): void {
  if (isForced && kind !== 'person') throw personNeeded()
}

const wouldLockOut = (address: string) =>
  new ApiError('would_lock_out', `The list would lock out your own address ${address}`, {
    details: { your_address: address },
  })

const forceNeeded = (your_address: string) =>
  new ApiError(
    'would_lock_out',
    'The first entry shuts everybody else out: a machine grant adds it with `force`, if an owner or an admin has signed in from inside it within the last 24 hours',
    { details: { your_address, reason: 'force_needed' } },
  )

const nobodyInside = (your_address: string) =>
  new ApiError(
    'would_lock_out',
    'No owner or admin has signed in from inside the changed list within the last 24 hours: let one of them sign in, or make the change',
    { details: { your_address, reason: 'nobody_inside' } },
  )

const alreadyListed = (network: string) =>
  new ApiError('conflict', `${network} is already on the list`, { details: { ip_address: network } })

const listIsFull = () =>
  new ApiError('conflict', `A store may have ${IP_ENTRIES_MAX} entries on its IP list`, {
    details: { limit: IP_ENTRIES_MAX },
  })

const identify = ({ id, network }: IpEntryRow) => ({ id, ip_address: network })

const view = ({ id, network, description, createdAt, createdBy }: IpEntryRow): IpEntry => ({
  id,
  ip_address: network,
  description,
  created_at: isoTime(createdAt),
  created_by: createdBy,
})
