import type { AuditEvent } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { WidgetKeyQueries, WidgetKeyRow } from '../widget-keys/queries.ts'
import { deriveEffectiveScopes, deriveMakerState } from './effective.ts'
import type { ApiKeyQueries, ApiKeyWithMaker } from './queries.ts'
import type { MakerState } from './schema.ts'

export interface KeyOperatorDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  storeRows: Pick<StoreQueries, 'listStores'>
  apiKeys: Pick<ApiKeyQueries, 'listByStore' | 'findByHash' | 'remove'>
  widgetKeys: Pick<WidgetKeyQueries, 'listByStore' | 'findByHash' | 'remove'>
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
  /** The scopes that work now. */
  effective_scopes: string[]
  maker: MakerState
  expires_at: string | null
  is_expired: boolean
  last_used_at: string | null
  last_used_ip: string | null
}

export interface ListedWidgetKey extends AnyKey {
  kind: 'widget_key'
  /** null: made by a version that kept only its hash. */
  key: string | null
  origins: string[]
  allowed: string[]
}

/** A key as `lookalike key list --json` prints it. */
export type ListedKey = ListedApiKey | ListedWidgetKey

/** Lists and revokes the keys of all stores, for the operator at the command line. */
export function keyOperator(deps: KeyOperatorDeps) {
  const { storeRows, apiKeys, widgetKeys, clock, atomically, record } = deps

  function list(slug?: string): ListedKey[] {
    const now = clock.now()
    return storeRows
      .listStores()
      .filter((store) => slug === undefined || store.slug === slug)
      .flatMap(({ id, slug: store }) => [
        ...apiKeys.listByStore(id).map((row) => apiKeyView(row, store, now)),
        ...widgetKeys.listByStore(id).map((row) => widgetKeyView(row, store)),
      ])
  }

  /** Lists the ids of the keys with this value; for an API key, the value before its last rotation also counts. */
  function listIdsByValue(value: string): (string | undefined)[] {
    const hash = hashSecret(value)
    return [apiKeys.findByHash(hash)?.id, widgetKeys.findByHash(hash)?.id]
  }

  return {
    /** Lists the keys of one store or of all stores: API keys first, each kind oldest first. */
    list,

    /**
     * Revokes the key that a word names: by its id, by the prefix that lists show, or by its whole value.
     *
     * @returns the keys that match. If exactly one matches, it has been revoked; otherwise nothing has changed.
     */
    revoke: (word: string): ListedKey[] =>
      atomically(() => {
        const byValue = listIdsByValue(word)
        const matches = list().filter(
          ({ id, prefix }) => id === word.toLowerCase() || prefix === word || byValue.includes(id),
        )
        const [only] = matches
        if (only && matches.length === 1) {
          const keys = only.kind === 'api_key' ? apiKeys : widgetKeys
          keys.remove(only.id)
          record(describeRevocation(only))
        }
        return matches
      }),
  }
}

const describeRevocation = ({ kind, id, store_id: storeId, name, prefix }: ListedKey): AuditEvent => ({
  action: kind === 'api_key' ? 'api_key.revoked' : 'public_key.deleted',
  actorKind: 'operator',
  storeId,
  userId: null,
  keyId: null,
  details: { id, name, prefix },
  clientInfo: null,
})

function apiKeyView(row: ApiKeyWithMaker, store: string, now: number): ListedApiKey {
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = row
  return {
    kind: 'api_key',
    ...{ id, store_id: row.storeId, store, name, prefix, scopes },
    effective_scopes: deriveEffectiveScopes(row),
    maker: deriveMakerState(row),
    created_at: isoTime(createdAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    is_expired: expiresAt !== null && expiresAt <= now,
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    last_used_ip: row.lastUsedIp,
  }
}

const widgetKeyView = (row: WidgetKeyRow, store: string): ListedWidgetKey => {
  const { id, storeId: store_id, name, key, prefix, origins, allowed } = row
  return {
    kind: 'widget_key',
    ...{ id, store_id, store, name, key, prefix, origins, allowed },
    created_at: isoTime(row.createdAt),
  }
}
