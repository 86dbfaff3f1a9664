import { Elysia } from 'elysia'
import { FOR_SUPER_ADMIN, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { CheckStandings, StandingQuery } from './schema.ts'
import type { CheckService } from './service.ts'

/** Contract 3.16: what a change of model did to the checks of all stores, for super-admins. */
export const operatorRoutes = ({ forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>, checks: CheckService) =>
  new Elysia({ name: 'searchChecks.operatorRoutes', prefix: '/v1/admin/models', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/checks', ({ query }) => checks.listForOperator(query), {
      superAdmin: true,
      query: StandingQuery,
      response: {
        200: CheckStandings,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listCheckStandingsAsOperator',
        summary: 'List how the saved checks of each store stand, and how they stood with the model before',
        description:
          'Stores that have saved checks, in pages: how many pass, and how many passed with the model that the store had before.',
      },
    })
