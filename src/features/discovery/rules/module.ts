import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Base, Module } from '../../module.ts'
import type { FoundSearch } from '../search/queries.ts'
import { createArranger } from './arranging.ts'
import type { ListWords } from './entries.ts'
import { listMovers } from './movers.ts'
import { ruleQueries } from './queries.ts'
import { createRuleReader } from './reading.ts'
import { ruleRoutes } from './routes.ts'
import { type RuleDeps, ruleService } from './service.ts'

export interface RuleNeeds extends Pick<RuleDeps, 'hasKey' | 'flush'> {
  filters: Pick<FilterService, 'parse' | 'resolve' | 'readState'>
  listWords: ListWords
}

/**
 * Wires rules: what a merchant decides about the results of searches. They lie below searches, which ask `arrange` for each
 * query what the rules of its store do to the list, and obey it.
 *
 * A search in which rules acted carries their ids in its row of the history. The transaction that writes the row counts
 * their uses, and that of a click asks the row which rules had moved the product: so what is counted of rules is kept and lost
 * together with searches and clicks.
 */
export function buildRules(base: Base, needs: RuleNeeds) {
  const { filters, listWords, hasKey, flush } = needs
  const queries = ruleQueries(base.db)
  const { arrange, forgetStore } = createArranger({ ...base, queries, filters, listWords })
  const { read } = createRuleReader({ parseFilters: filters.parse, listWords, hasKey })
  const service = ruleService({
    ...base,
    ...{ queries, filters, hasKey, flush, turn },
    readBody: read,
    changed: forgetStore,
  })
  return {
    service: { ...service, arrange },
    rows: {
      countUses: (storeId: string, ids: readonly string[]): void => queries.count(storeId, ids, 'uses'),
      countClick(search: FoundSearch, productId: string): void {
        const movers = listMovers(search, productId)
        if (movers.length > 0) queries.count(search.storeId, movers, 'clicks')
      },
    },
    routes: (guards: Guards) => ruleRoutes(guards, service),
    forgetStore,
  } satisfies Module<object>
}
