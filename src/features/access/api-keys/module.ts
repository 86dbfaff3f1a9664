import type { Guards } from '../../../http/guards.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base, Module } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { WidgetKeysModule } from '../widget-keys/module.ts'
import { createKeyCheck } from './key-check.ts'
import { keyOperator } from './operator.ts'
import { apiKeyQueries } from './queries.ts'
import { apiKeyRoutes } from './routes.ts'
import { apiKeyService } from './service.ts'

export interface ApiKeyNeeds {
  storeRows: StoreQueries
  tellOwners: TellOwners
  widgetKeys: WidgetKeysModule['rows']
  reads: Reads
}

/**
 * Wires API keys, and the operator's commands for keys of every kind. A key may do what its scopes and its maker's
 * present rights both allow (`effective.ts`): a former member's key does nothing. `key-check.ts` finds the key of a
 * request; the old value of a renewed key works for a grace period.
 */
export function buildApiKeys(base: Base, { storeRows, tellOwners, widgetKeys, reads }: ApiKeyNeeds) {
  const queries = apiKeyQueries(base.db)
  const service = apiKeyService({ ...base, queries, tellOwners })
  return {
    service,
    rows: { findById: queries.findById },
    /** Finds the keys that requests come with. */
    check: createKeyCheck({ ...base, queries, remember: reads.remember }),
    /** The keys of any store, API keys and widget keys, for the operator. */
    ofEveryStore: keyOperator({ ...base, storeRows, apiKeys: queries, widgetKeys }),
    routes: (guards: Guards) => apiKeyRoutes(guards, service),
  } satisfies Module<unknown> & Record<string, unknown>
}
