import { buildLearning } from '../features/discovery/learning/module.ts'
import { buildRules } from '../features/discovery/rules/module.ts'
import { buildStoreWords } from '../features/discovery/store-words/module.ts'
import { buildTogether } from '../features/discovery/together/module.ts'
import type { Install } from '../install.ts'
import type { Ports } from '../ports.ts'
import type { CatalogueWing } from './catalogue.ts'

interface Searches {
  historyDays: number
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  /** What the last replay with learning gained; null without one. */
  findGain(storeId: string): number | null
}

/** Builds what merchants decide about searches, and what shoppers teach. Searches obey it, so it lies below them. */
export function wireMerchandising(
  {
    foundation: { base },
    stores: { settings },
    keys,
  }: Pick<Install, 'foundation' | 'keys'> & {
    stores: Pick<Install['stores'], 'settings'>
  },
  { stop }: Pick<Ports, 'stop'>,
  { productIndex, filters }: Pick<CatalogueWing, 'productIndex' | 'filters'>,
  { historyDays, flush, findGain }: Searches,
) {
  const { read, dayOf } = settings.service
  const rules = buildRules(base, {
    filters: filters.service,
    listWords: productIndex.service.listWords,
    hasKey: (storeId, keyId) => keys.widgetKeys.rows.findById(storeId, keyId) !== undefined,
    flush,
  })
  const learning = buildLearning(base, {
    ...{ flush, dayOf, findGain },
    isOn: (storeId) => read(storeId).search_defaults.learn === true,
    days: historyDays,
  })
  return {
    rules,
    learning,
    storeWords: buildStoreWords(base),
    together: buildTogether(base, { dayOf, stop }),
  }
}
