import { Elysia } from 'elysia'
import { FOR_SUPER_ADMIN, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { AdminJobList, JobListQuery } from '../../catalogue/jobs/schema.ts'
import { AdminDeliveryList, AdminDeliveryQuery } from '../../delivery/webhooks/schema.ts'

export interface AdminWork {
  listJobs(query: JobListQuery): AdminJobList
  listDeliveries(query: AdminDeliveryQuery): AdminDeliveryList
}

const LIST = [...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'] as const

/** Contract 8.12: the work of all stores, for super-admins. */
export const adminWorkRoutes = ({ forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>, work: AdminWork) =>
  new Elysia({ name: 'admin.work', prefix: '/v1/admin', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/jobs', ({ query }) => work.listJobs(query), {
      superAdmin: true,
      query: JobListQuery,
      response: { 200: AdminJobList, ...failures(...LIST) },
      detail: {
        operationId: 'listJobsAsOperator',
        summary: 'List the jobs of all stores and of the node',
        description:
          'As each store lists its own, with the store, in pages. Act for the store to read the errors of a job, to cancel or to retry it. Jobs of the node have no store.',
      },
    })
    .get('/deliveries', ({ query }) => work.listDeliveries(query), {
      superAdmin: true,
      query: AdminDeliveryQuery,
      response: { 200: AdminDeliveryList, ...failures(...LIST) },
      detail: {
        operationId: 'listDeliveriesAsOperator',
        summary: 'List the webhook deliveries of all stores',
        description:
          'Without what was sent and without addresses, in pages; `state` narrows the list to those that wait or have failed.',
      },
    })
