import { Elysia } from 'elysia'
import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { noticeQueries } from './queries.ts'
import { nodeNoticeRoutes, storeNoticeRoutes } from './routes.ts'
import { type NoticeDeps, type NoticeService, noticeService } from './service.ts'

/**
 * Wires the overview of a store, and that of all stores. It lies above all that it reads, and counts nothing itself: what
 * would grow with a store is counted elsewhere and kept (`catalogue/filters/fields`).
 */
export function buildNotices({ db, clock }: Base, needs: Omit<NoticeDeps, 'queries' | 'clock' | 'turn'>) {
  const service = noticeService({ ...needs, clock, turn, queries: noticeQueries(db) })
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'notices' })
        .use(storeNoticeRoutes(guards, service))
        .use(nodeNoticeRoutes(guards, service)),
  } satisfies Module<NoticeService>
}
