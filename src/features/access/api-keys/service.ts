import { type Actor, type CallerStore, may, type Permission } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, missingPermission, notFound } from '../../../core/errors.ts'
import { createChecksummedKey } from '../../../core/keys.ts'
import { hashSecret, isSameHash } from '../../../core/secrets.ts'
import { createTouch } from '../../../core/touch.ts'
import { API_KEY_PREFIX } from '../../../http/credential.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import { deriveEffectiveScopes, deriveMakerState } from './effective.ts'
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

export interface ApiKeyDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync' | 'record'> {
  queries: ApiKeyQueries
  tellOwners: TellOwners
  /** Reads something, unless the database is as it was when it was read last. */
  remember: Reads['remember']
  log: { warn(fields: { err: unknown }, message: string): void }
}

/** A key that came with a request. */
export interface KnownKey {
  id: string
  store: CallerStore
  /** The permissions of the key at this moment. */
  scopes: Permission[]
  /** Unix ms; null if the key was never used. */
  lastUsedAt: number | null
  state: 'valid' | 'expired'
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

const DAY_MS = 86_400_000

/** API keys of stores (contract 4.10). */
export function apiKeyService(deps: ApiKeyDeps) {
  const { queries, clock, ids, atomically, record, remember } = deps
  const touch = createTouch({ ...deps, name: 'an API key' })

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

  function createValue() {
    const key = createChecksummedKey(API_KEY_PREFIX, ids)
    return { key, keyHash: hashSecret(key), prefix: key.slice(0, PREFIX_CHARS) }
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
      const { key, ...value } = createValue()
      const now = clock.now()
      const row: ApiKeyRow = {
        ...value,
        ...computeLifetime(body.expires_in_days ?? null, now),
        id: ids.uuid(),
        storeId: actor.storeId,
        name: body.name,
        scopes,
        createdAt: now,
        createdBy: actor.userId,
        isByMachine: actor.kind === 'machine',
        lastUsedAt: null,
        lastUsedIp: null,
        rotatedAt: null,
        previousKeyHash: null,
        previousExpiresAt: null,
      }
      return atomically(() => {
        if (queries.count(actor.storeId) >= KEYS_PER_STORE_MAX) throw tooManyKeys()
        queries.add(row)
        record(
          describeAct(actor, 'api_key.created', {
            ...identify(row),
            scopes,
            expires_at: timeOrNull(row.expiresAt),
          }),
        )
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
     * @throws ApiError `not_found`, `validation_error`, `permission_denied` for scopes that the actor lacks, old or new.
     */
    update(actor: Actor, id: string, patch: ApiKeyPatch): ApiKey {
      const wanted = patch.scopes && readPermissions(patch.scopes)
      const now = clock.now()
      return atomically(() => {
        const before = findManageable(actor, id)
        if (wanted) assertHolds(actor, wanted)
        const row: ApiKeyWithMaker = {
          ...before,
          ...(patch.expires_in_days !== undefined && computeLifetime(patch.expires_in_days, now)),
          name: patch.name ?? before.name,
          scopes: wanted ?? before.scopes,
        }
        const changed = PATCHABLE.filter((field) => patch[field] !== undefined)
        if (changed.length > 0) {
          queries.update(row)
          const { scopes, expiresAt } = row
          record(
            describeAct(actor, 'api_key.updated', {
              ...identify(row),
              changed,
              scopes,
              expires_at: timeOrNull(expiresAt),
            }),
          )
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
      const { key, ...value } = createValue()
      const now = clock.now()
      return atomically(() => {
        const before = findManageable(actor, id)
        const previousEnds = Math.min(now + grace_seconds * 1000, before.expiresAt ?? Infinity)
        const stillWorks = previousEnds > now
        const row: ApiKeyWithMaker = {
          ...before,
          ...value,
          ...computeLifetime(before.lifetimeDays, now),
          rotatedAt: now,
          previousKeyHash: stillWorks ? before.keyHash : null,
          previousExpiresAt: stillWorks ? previousEnds : null,
        }
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

    /**
     * Finds a key by its present value, or by its previous one during the grace period. Any other text takes the same time
     * and gives undefined.
     *
     * @param now Unix ms.
     */
    find(key: string, now: number): KnownKey | undefined {
      const hash = hashSecret(key)
      const row = remember(`key ${hash.toString('base64')}`, () => queries.findByHash(hash))
      const isPresent = isSameHash(hash, row?.keyHash)
      const isPrevious = isSameHash(hash, row?.previousKeyHash ?? undefined)
      if (!row || !(isPresent || (isPrevious && isAhead(row.previousExpiresAt, now)))) return undefined
      const { id, store, lastUsedAt, expiresAt } = row
      return {
        id,
        store,
        lastUsedAt,
        scopes: deriveEffectiveScopes(row),
        state: expiresAt === null || isAhead(expiresAt, now) ? 'valid' : 'expired',
      }
    },

    /** Records when and from where a key was used, at most once a minute. */
    touch: ({ id, lastUsedAt: lastAt }: KnownKey, address: string): void =>
      touch({ lastAt, write: (now) => queries.touch(id, address, now) }),

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

const tooManyKeys = () =>
  new ApiError('conflict', `A store may have ${KEYS_PER_STORE_MAX} API keys`, {
    details: { limit: KEYS_PER_STORE_MAX },
  })

const computeLifetime = (lifetimeDays: number | null, now: number) => ({
  lifetimeDays,
  expiresAt: lifetimeDays === null ? null : now + lifetimeDays * DAY_MS,
})

const isAhead = (at: number | null, now: number): boolean => at !== null && at > now

const identify = ({ id, name }: ApiKeyRow) => ({ id, name })

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

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
