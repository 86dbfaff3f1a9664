import { Elysia } from 'elysia'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { Learning } from './schema.ts'
import type { LearningService } from './service.ts'

/** Contract 3.21: what a store learns from clicks. */
export const learningRoutes = (
  { forStore }: Pick<Guards, 'forStore'>,
  learning: Pick<LearningService, 'show'>,
) =>
  new Elysia({ name: 'learning.routes', prefix: '/v1/search/learning', tags: ['Search'] })
    .use(forStore)
    .get('', ({ actor }) => learning.show(actor.storeId), {
      can: 'search:read',
      response: { 200: Learning, ...failures(...FOR_STORE, ...WRITING) },
      detail: {
        operationId: 'getLearning',
        summary: 'Read whether a store may learn from clicks, and what it has learned',
        description:
          'A store learns while its setting `search_defaults.learn` is true, which needs clicks and a replay that shows a gain.',
      },
    })
