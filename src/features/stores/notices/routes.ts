import { Elysia } from 'elysia'
import { FOR_STORE, FOR_SUPER_ADMIN, failures, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { NodeOverview, OverviewQuery, StoreOverview } from './schema.ts'
import type { NoticeService } from './service.ts'

/** Contract 4.16: what a store should do next. */
export function storeNoticeRoutes({ forStore }: Pick<Guards, 'forStore'>, notices: NoticeService) {
  return new Elysia({ name: 'notices.store', prefix: '/v1/store/overview', tags: ['Store'] })
    .use(forStore)
    .get('', ({ actor, query }) => notices.show(actor, query.searches), {
      can: 'products:read',
      query: OverviewQuery,
      // Every request first writes the queued searches and events.
      response: { 200: StoreOverview, ...failures(...FOR_STORE, ...WRITING, 'validation_error') },
      detail: {
        operationId: 'getStoreOverview',
        summary: 'Read what to do next and what needs attention',
        description:
          'Lines about products, imports, feeds, searches, the plan, keys and people, each only for callers who may read what it is about. The setting `hidden` leaves kinds out.',
      },
    })
}

/** Contract 8.12: the same over all stores. */
export function nodeNoticeRoutes({ forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>, notices: NoticeService) {
  return new Elysia({ name: 'notices.node', prefix: '/v1/admin/overview', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('', () => notices.showAll(), {
      superAdmin: true,
      response: { 200: NodeOverview, ...failures(...FOR_SUPER_ADMIN, ...READING) },
      detail: {
        operationId: 'getNodeOverview',
        summary: 'Read what needs attention in any store',
        description:
          'Warnings and errors of all stores that are not suspended, errors first; at most a minute old, older where there are very many stores.',
      },
    })
}
