import type { ApiKey, WidgetKey } from '#generated/api.ts'
import { listScopes } from './key-fields.tsx'
import type { Keys } from './keys-page.tsx'

/** One thing that opens the store to a program, whatever its kind. */
export interface Credential {
  kind: 'secret' | 'api_key' | 'widget_key'
  id: string
  /** Empty for the client secret, of which there is one. */
  name: string
  /** What tells it from others without giving it away. */
  hint: string
  /** What it may do, as `products:read`; empty where its kind decides. */
  scopes: readonly string[]
  /** Of those, what works now. */
  effective: readonly string[]
  /** Id of the person who made it. */
  createdBy: string | null
  maker: ApiKey['maker'] | null
  createdAt: string | null
  lastUsedAt: string | null
  /** Address that used it last, or null. */
  lastUsedFrom: string | null
  /** Addresses that used the client secret within the last hour. */
  addresses: number
  endsAt: string | null
  /** Until when the value before the last rotation works. */
  previousEndsAt: string | null
  /** Pages that a widget key is for. */
  origins: readonly string[]
}

const NOTHING = {
  ...{ scopes: [], effective: [], createdBy: null, maker: null, createdAt: null, lastUsedAt: null },
  ...{ lastUsedFrom: null, addresses: 0, endsAt: null, previousEndsAt: null, origins: [] },
}

const ofApiKey = (key: ApiKey): Credential => ({
  ...NOTHING,
  kind: 'api_key',
  id: key.id,
  name: key.name,
  hint: `${key.prefix}…`,
  scopes: listScopes(key.scopes),
  effective: listScopes(key.effective_scopes),
  createdBy: key.created_by,
  maker: key.maker,
  createdAt: key.created_at,
  lastUsedAt: key.last_used_at,
  lastUsedFrom: key.last_used_ip,
  endsAt: key.expires_at,
  previousEndsAt: key.previous_expires_at,
})

/** The page that used a widget key last. */
function findLastSeen({ seen }: WidgetKey): { at: string; origin: string } | null {
  let last: { at: string; origin: string } | null = null
  for (const { origin, ...moments } of seen)
    for (const at of Object.values(moments)) if (at && (!last || at > last.at)) last = { at, origin }
  return last
}

function ofWidgetKey(key: WidgetKey): Credential {
  const last = findLastSeen(key)
  return {
    ...NOTHING,
    kind: 'widget_key',
    id: key.id,
    name: key.name,
    hint: `${key.prefix}…`,
    createdAt: key.created_at,
    lastUsedAt: last?.at ?? null,
    lastUsedFrom: last?.origin ?? null,
    origins: key.origins,
  }
}

/** Puts all credentials of a store into one list: the secret that opens everything, then the keys. */
export function listCredentials({ secret, apiKeys, widgetKeys }: Keys): Credential[] {
  const { client_id, rotated_at, last_used_at, addresses_last_hour } = secret
  return [
    {
      ...NOTHING,
      kind: 'secret',
      id: client_id,
      name: '',
      hint: client_id,
      createdAt: rotated_at,
      lastUsedAt: last_used_at,
      addresses: addresses_last_hour,
    },
    ...apiKeys.map(ofApiKey),
    ...widgetKeys.map(ofWidgetKey),
  ]
}
