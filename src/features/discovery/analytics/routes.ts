import { Elysia } from 'elysia'
import { csvResponse } from '../../../http/csv.ts'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  Analytics,
  AnalyticsQuery,
  PopularProducts,
  PopularQuery,
  Suggestions,
  SuggestionsQuery,
  UnmetDemand,
  UnmetQuery,
} from './schema.ts'
import type { AnalyticsService } from './service.ts'
import { analyticsTable, popularTable, suggestionsTable } from './tables.ts'

/** Every request first writes the queued searches and events. */
const FAILURES = failures(...FOR_STORE, ...WRITING, 'validation_error')

/** Contract 3.12: what shoppers look for, click and buy. */
export function analyticsRoutes({ forStore }: Pick<Guards, 'forStore'>, analytics: AnalyticsService) {
  return new Elysia({ name: 'analytics.routes', prefix: '/v1/search', tags: ['Analytics'] })
    .use(forStore)
    .get(
      '/feedback/popular',
      async ({ actor, query }): Promise<PopularProducts> => {
        const popular = await analytics.popular(actor.storeId, query)
        return query.format === 'csv' ? csvResponse('popular', popularTable(popular)) : popular
      },
      {
        can: 'search:read',
        query: PopularQuery,
        response: { 200: PopularProducts, ...FAILURES },
        detail: {
          operationId: 'listPopularProducts',
          summary: 'List the products that shoppers like most',
          description:
            'A click counts 1, a product in the cart 3, a purchase 5; all of them count half after 7 days.',
        },
      },
    )
    .get(
      '/analytics',
      async ({ actor, query }): Promise<Analytics> => {
        const report = await analytics.read(actor.storeId, query)
        return query.format === 'csv' ? csvResponse('analytics', analyticsTable(report)) : report
      },
      {
        can: 'search:read',
        query: AnalyticsQuery,
        response: { 200: Analytics, ...FAILURES },
        detail: {
          operationId: 'readAnalytics',
          summary: 'Read what shoppers search for, click and buy',
          description:
            'Numbers of searches, clicks and revenue of a period, by day and in all. Every answer is up to date.',
        },
      },
    )
    .get('/analytics/unmet', ({ actor, query }) => analytics.readUnmet(actor.storeId, query), {
      can: 'search:read',
      query: UnmetQuery,
      response: { 200: UnmetDemand, ...FAILURES },
      detail: {
        operationId: 'readUnmetDemand',
        summary: 'Read what shoppers showed pictures of and did not find; made anew every night',
        description:
          'Groups the picture searches without a plausible result, and says in words what the pictures show.',
      },
    })
    .get(
      '/suggestions',
      async ({ actor, query }): Promise<Suggestions> => {
        const suggestions = await analytics.suggest(actor.storeId, query)
        return query.format === 'csv'
          ? csvResponse('suggestions', suggestionsTable(suggestions))
          : suggestions
      },
      {
        can: 'search:read',
        query: SuggestionsQuery,
        response: { 200: Suggestions, ...FAILURES },
        detail: {
          operationId: 'listSuggestions',
          summary: 'List queries that begin as the shopper typed',
          description:
            'Comes from the searches of the last 90 days that found something, then from the names in the catalogue.',
        },
      },
    )
}
