import type { Atomically, AuditEvent, RecordEvent } from '../../../core/audit.ts'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { PublicKeyQueries, PublicKeyRow } from '../widget-keys/queries.ts'
import { effectiveScopes, makerOf } from './effective.ts'
import type { ApiKeyQueries, MadeApiKeyRow } from './queries.ts'
import type { MakerState } from './schema.ts'

export interface KeyOperatorDeps {
  stores: Pick<StoreQueries, 'listStores'>
  apiKeys: Pick<ApiKeyQueries, 'ofStore' | 'byHash' | 'remove'>
  widgetKeys: Pick<PublicKeyQueries, 'ofStore' | 'byHash' | 'remove'>
  clock: Clock
  atomically: Atomically
  record: RecordEvent
}

interface AnyKey {
  id: string
  store_id: string
  /** Slug. */
  store: string
  name: string
  prefix: string
  created_at: string
}

export interface ListedApiKey extends AnyKey {
  kind: 'api_key'
  /** Permission names. */
  scopes: string[]
  /** Those of them that the key has now. */
  effective_scopes: string[]
  maker: MakerState
  expires_at: string | null
  is_expired: boolean
  last_used_at: string | null
  last_used_ip: string | null
}

export interface ListedWidgetKey extends AnyKey {
  kind: 'widget_key'
  origins: string[]
  allowed: string[]
}

/** A key as `lookalike key list --json` prints it. */
export type ListedKey = ListedApiKey | ListedWidgetKey

/** What the operator does about the keys of all stores at the command line. */
export function keyOperator(deps: KeyOperatorDeps) {
  const { stores, apiKeys, widgetKeys, clock, atomically, record } = deps

  function list(slug?: string): ListedKey[] {
    const now = clock.now()
    return stores
      .listStores()
      .filter((store) => slug === undefined || store.slug === slug)
      .flatMap(({ id, slug: store }) => [
        ...apiKeys.ofStore(id).map((row) => apiKeyView(row, store, now)),
        ...widgetKeys.ofStore(id).map((row) => widgetKeyView(row, store)),
      ])
  }

  /** Ids of the keys with that value; of an API key also the value before the last rotation. */
  function idsByValue(value: string): (string | undefined)[] {
    const hash = hashSecret(value)
    return [apiKeys.byHash(hash)?.id, widgetKeys.byHash(hash)?.id]
  }

  return {
    /** The keys of a store, or of all; API keys first, each kind oldest first. */
    list,

    /**
     * Ends the one key that a word means: by its id, by the prefix that lists show, or by its whole value.
     *
     * @returns the keys that the word fits: where it is exactly one, that key has ended; otherwise nothing was done.
     */
    revoke: (word: string): ListedKey[] =>
      atomically(() => {
        const byValue = idsByValue(word)
        const fitting = list().filter(
          ({ id, prefix }) => id === word.toLowerCase() || prefix === word || byValue.includes(id),
        )
        const [only] = fitting
        if (only && fitting.length === 1) {
          const keys = only.kind === 'api_key' ? apiKeys : widgetKeys
          keys.remove(only.id)
          record(revocation(only))
        }
        return fitting
      }),
  }
}

const revocation = ({ kind, id, store_id: storeId, name, prefix }: ListedKey): AuditEvent => ({
  action: kind === 'api_key' ? 'api_key.revoked' : 'public_key.deleted',
  actorKind: 'operator',
  storeId,
  userId: null,
  keyId: null,
  details: { id, name, prefix },
  trace: null,
})

function apiKeyView(row: MadeApiKeyRow, store: string, now: number): ListedApiKey {
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = row
  return {
    kind: 'api_key',
    ...{ id, store_id: row.storeId, store, name, prefix, scopes },
    effective_scopes: effectiveScopes(row),
    maker: makerOf(row),
    created_at: isoTime(createdAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    is_expired: expiresAt !== null && expiresAt <= now,
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    last_used_ip: row.lastUsedIp,
  }
}

const widgetKeyView = (row: PublicKeyRow, store: string): ListedWidgetKey => {
  const { id, storeId: store_id, name, prefix, origins, allowed } = row
  return {
    kind: 'widget_key',
    ...{ id, store_id, store, name, prefix, origins, allowed },
    created_at: isoTime(row.createdAt),
  }
}
