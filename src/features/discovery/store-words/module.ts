import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createLexicons } from './lexicons.ts'
import { storeWordsQueries } from './queries.ts'
import { storeWordsRoutes } from './routes.ts'
import { storeWordsService } from './service.ts'

/**
 * Wires the words of stores. They lie below the searches, which let `readQuery` read each query: it takes ignored words out, and
 * says what may stand for the others. The words of a store that is searched are kept ready in memory (`lexicons.ts`).
 */
export function buildStoreWords(base: Base) {
  const queries = storeWordsQueries(base.db)
  const lexicons = createLexicons(queries)
  const service = storeWordsService({ ...base, queries, lexicons })
  return {
    service,
    routes: (guards: Guards) => storeWordsRoutes(guards, service),
    forgetStore: lexicons.forgetStore,
  } satisfies Module<object>
}
