import { type Actor, may, type Permission } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { ApiError, missingPermission, notFound } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { createChecksummedKey } from '../../../core/keys.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { API_KEY_PREFIX } from '../../../http/credential.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import type { Base } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import { deriveEffectiveScopes, deriveMakerState } from './effective.ts'
import { computeLifetime, isAhead } from './lifetime.ts'
import type { ApiKeyQueries, ApiKeyRow, ApiKeyWithMaker } from './queries.ts'
import {
  type ApiKey,
  type ApiKeyBody,
  type ApiKeyList,
  type ApiKeyPatch,
  KEYS_PER_STORE_MAX,
  type NewApiKey,
  PREFIX_CHARS,
  type RevokedApiKey,
  type RotatedApiKey,
  type Rotation,
} from './schema.ts'
import { readPermissions, toScopes } from './scopes.ts'

export interface ApiKeyDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: ApiKeyQueries
  tellOwners: TellOwners
}

/** Numbers for the security overview (contract 5.8). */
export interface ApiKeyOverview {
  active: number
  /** Active keys that expire within 30 days. */
  expiring_30d: number
  /** Active keys that were last used, or if never used created, at least 90 days ago. */
  unused_90d: number
}

export type ApiKeyService = ReturnType<typeof apiKeyService>

/** API keys of stores (contract 4.10). */
export function apiKeyService(deps: ApiKeyDeps) {
  const { queries, clock, ids, atomically, record } = deps

  /** @throws ApiError `not_found`, also for a key of another store. */
  function findOwned(storeId: string, id: string): ApiKeyWithMaker {
    const row = queries.findById(storeId, id)
    if (!row) throw notFound('api_key')
    return row
  }

  /** Finds a key that the actor may change: never one with more rights than the actor has. */
  function findManageable(actor: Actor, id: string): ApiKeyWithMaker {
    const row = findOwned(actor.storeId, id)
    assertHolds(actor, row.scopes)
    return row
  }

  /** A thief with an access token would create a key first, because a key lives longer. */
  function tellOwnersOfNewValue(actor: Actor): void {
    if (actor.kind === 'machine') deps.tellOwners(actor, 'api_key_made')
  }

  return {
    /**
     * Creates a key; only this answer contains its value.
     *
     * @throws ApiError `validation_error` for unknown scopes, `permission_denied` for scopes that the actor lacks,
     * `conflict` when the store has the maximum number of keys.
     */
    create(actor: Actor, body: ApiKeyBody): NewApiKey {
      const scopes = readPermissions(body.scopes)
      assertHolds(actor, scopes)
      const { key, ...value } = createValue(ids)
      const now = clock.now()
      const row = createRow(actor, ids.uuid(), { ...body, scopes }, value, now)
      return atomically(() => {
        if (queries.count(actor.storeId) >= KEYS_PER_STORE_MAX) throw tooManyKeys()
        queries.add(row)
        record(describeAct(actor, 'api_key.created', listRights(row)))
        tellOwnersOfNewValue(actor)
        return { ...view(findOwned(row.storeId, row.id), now), key }
      })
    },

    /** Lists the store's keys, oldest first. */
    list(storeId: string): ApiKeyList {
      const now = clock.now()
      const api_keys = queries.listByStore(storeId).map((row) => view(row, now))
      return { api_keys, count: api_keys.length }
    },

    /** @throws ApiError `not_found`. */
    read: (storeId: string, id: string): ApiKey => view(findOwned(storeId, id), clock.now()),

    /**
     * Changes the fields in the patch; a new lifetime counts from now and revives an expired key.
     *
     * @throws ApiError `not_found`, `validation_error`, `permission_denied` for scopes that the actor lacks, old or new,
     * `conflict`.
     */
    update(actor: Actor, id: string, patch: ApiKeyPatch, ifMatch: string | null = null): ApiKey {
      const wanted = patch.scopes && readPermissions(patch.scopes)
      const now = clock.now()
      return atomically(() => {
        const before = findManageable(actor, id)
        if (wanted) assertHolds(actor, wanted)
        demandVersion(ifMatch, tagOf(view(before, now)))
        const row: ApiKeyWithMaker = {
          ...before,
          ...(patch.expires_in_days !== undefined && computeLifetime(patch.expires_in_days, now)),
          name: patch.name ?? before.name,
          scopes: wanted ?? before.scopes,
        }
        const changed = PATCHABLE.filter((field) => patch[field] !== undefined)
        if (changed.length > 0) {
          queries.update(row)
          record(describeAct(actor, 'api_key.updated', { ...listRights(row), changed }))
        }
        return view(row, now)
      })
    },

    /**
     * Gives a key a new value and starts its lifetime again, even if the key has expired. The previous value works for the
     * grace period, but never beyond its own expiry; a value from an earlier grace period ends at once.
     *
     * @throws ApiError `not_found`, `permission_denied` for scopes that the actor lacks.
     */
    rotate(actor: Actor, id: string, { grace_seconds = 0 }: Rotation): RotatedApiKey {
      const { key, ...value } = createValue(ids)
      const now = clock.now()
      return atomically(() => {
        const before = findManageable(actor, id)
        const previousEnds = Math.min(now + grace_seconds * 1000, before.expiresAt ?? Infinity)
        const row = giveNewValue(before, value, previousEnds, now)
        queries.replace(row)
        const previous_expires_at = isoTime(previousEnds)
        record(
          describeAct(actor, 'api_key.rotated', {
            ...identify(row),
            prefix: row.prefix,
            previous_expires_at,
          }),
        )
        tellOwnersOfNewValue(actor)
        return { ...view(row, now), key, previous_expires_at }
      })
    },

    /** Ends a key at once, even one that may do more than the actor: a leaked key cannot wait. @throws ApiError `not_found`. */
    revoke(actor: Actor, id: string): RevokedApiKey {
      atomically(() => {
        const row = findOwned(actor.storeId, id)
        queries.remove(id)
        record(describeAct(actor, 'api_key.revoked', { ...identify(row), prefix: row.prefix }))
      })
      return { status: 'revoked', id }
    },

    /** Ends every key of a store. Call it inside a transaction. */
    removeByStore: queries.removeByStore,

    /** Counts the keys that have not expired and whose makers have left the store. @param now Unix ms. */
    countByFormerMembers: (storeId: string, now: number): number =>
      queries.countByFormerMembers(storeId, now),

    /** @param now Unix ms. */
    countByState(storeId: string, now: number): ApiKeyOverview {
      const { active, expiring, unused } = queries.countByState({
        storeId,
        now,
        expiresBefore: now + 30 * DAY_MS,
        usedBefore: now - 90 * DAY_MS,
      })
      return { active, expiring_30d: expiring, unused_90d: unused }
    },
  }
}

const PATCHABLE = ['name', 'scopes', 'expires_in_days'] as const

/** @throws ApiError `permission_denied` naming the first permission that the actor lacks. */
function assertHolds(actor: Actor, scopes: readonly Permission[]): void {
  const lacking = scopes.find((scope) => !may(actor, scope))
  if (lacking !== undefined) throw missingPermission(lacking)
}

type KeyValue = Pick<ApiKeyRow, 'keyHash' | 'prefix'>

/** Creates the value of a key, with the parts of it that are stored. */
function createValue(ids: Pick<Ids, 'secret'>): KeyValue & { key: string } {
  const key = createChecksummedKey(API_KEY_PREFIX, ids)
  return { key, keyHash: hashSecret(key), prefix: key.slice(0, PREFIX_CHARS) }
}

const createRow = (
  actor: Actor,
  id: string,
  { name, scopes, expires_in_days = null }: Omit<ApiKeyBody, 'scopes'> & { scopes: Permission[] },
  value: KeyValue,
  now: number,
): ApiKeyRow => ({
  ...value,
  ...computeLifetime(expires_in_days, now),
  id,
  storeId: actor.storeId,
  name,
  scopes,
  createdAt: now,
  createdBy: actor.userId,
  isByMachine: actor.kind === 'machine',
  lastUsedAt: null,
  lastUsedIp: null,
  rotatedAt: null,
  previousKeyHash: null,
  previousExpiresAt: null,
})

/** @param previousEnds Unix ms until which the present value still works. */
function giveNewValue(
  before: ApiKeyWithMaker,
  value: KeyValue,
  previousEnds: number,
  now: number,
): ApiKeyWithMaker {
  const stillWorks = previousEnds > now
  return {
    ...before,
    ...value,
    ...computeLifetime(before.lifetimeDays, now),
    rotatedAt: now,
    previousKeyHash: stillWorks ? before.keyHash : null,
    previousExpiresAt: stillWorks ? previousEnds : null,
  }
}

const tooManyKeys = () =>
  new ApiError('conflict', `A store may have ${KEYS_PER_STORE_MAX} API keys`, {
    details: { limit: KEYS_PER_STORE_MAX },
  })

const identify = ({ id, name }: ApiKeyRow) => ({ id, name })

/** What a key may do and for how long, in the audit log. */
const listRights = (row: ApiKeyRow) => ({
  ...identify(row),
  scopes: row.scopes,
  expires_at: timeOrNull(row.expiresAt),
})

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

/** The version of what a form about a key shows. */
export const tagOf = ({ name, scopes, expires_at }: ApiKey): string => versionTag([name, scopes, expires_at])

const view = (row: ApiKeyWithMaker, now: number): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: toScopes(row.scopes),
  effective_scopes: toScopes(deriveEffectiveScopes(row)),
  maker: deriveMakerState(row),
  created_at: isoTime(row.createdAt),
  created_by: row.createdBy,
  expires_at: timeOrNull(row.expiresAt),
  last_used_at: timeOrNull(row.lastUsedAt),
  last_used_ip: row.lastUsedIp,
  rotated_at: timeOrNull(row.rotatedAt),
  previous_expires_at: isAhead(row.previousExpiresAt, now) ? timeOrNull(row.previousExpiresAt) : null,
})
