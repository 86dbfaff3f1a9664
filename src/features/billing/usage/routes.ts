import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { CurrentPlan, PlanList, Usage } from './schema.ts'
import type { UsageService } from './service.ts'

const REFUSALS = failures(...FOR_STORE, ...READING)

/**
 * Routes about the plan of a store (contract 6.6). They spend no budget of the plan, so that a store can find out why it is
 * being refused.
 */
export function usageRoutes({ forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>, usage: UsageService) {
  return new Elysia({ name: 'usage.routes', prefix: '/v1/billing', tags: ['Billing'] })
    .use(forStoreSecurity)
    .get('/current-plan', ({ actor }) => usage.showPlan(actor.store), {
      can: 'billing:read',
      response: { 200: CurrentPlan, ...REFUSALS },
      detail: {
        operationId: 'getCurrentPlan',
        summary: 'Read the plan of the store, its limits and its price',
        description: 'The plan of the store with its limits and its price, and when it renews.',
      },
    })
    .get('/plans', ({ actor }) => usage.listPlans(actor.store), {
      can: 'billing:read',
      response: { 200: PlanList, ...REFUSALS },
      detail: {
        operationId: 'listPlans',
        summary: 'List the plans with their prices and limits',
        description:
          'The plans that this service has, smallest first. `POST /v1/billing/checkout` asks for one.',
      },
    })
    .get('/usage', ({ actor }) => usage.show(actor.store), {
      can: 'billing:read',
      response: { 200: Usage, ...REFUSALS },
      detail: {
        operationId: 'getUsage',
        summary: 'Read what the store uses of its plan, in this month and in all',
        description: 'Months are those of UTC. Every number is exact at the moment of the answer.',
      },
    })
}
