import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { searchLogQueries } from './queries.ts'
import { searchLogRoutes } from './routes.ts'
import { type SearchLogDeps, type SearchLogService, searchLogService } from './service.ts'

/**
 * Wires the log of searches. It reads the rows that searches and feedback leave, and writes nothing. The index
 * `searches_kind` has a list for each type and source in the order of time; a page merges those that it asks for.
 */
export function buildSearchLog({ db }: Base, needs: Omit<SearchLogDeps, 'queries'>) {
  const service = searchLogService({ ...needs, queries: searchLogQueries(db) })
  return {
    service,
    routes: (guards: Guards) => searchLogRoutes(guards, service),
  } satisfies Module<SearchLogService>
}
