import { Elysia } from 'elysia'
import { jsonBody, jsonOrNothing } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { AdminMoneyService } from './money.ts'
import {
  AdminInvoice,
  AdminInvoiceList,
  AdminInvoiceQuery,
  ConfirmBody,
  PlanConfirmed,
  PlanRequestList,
  PlanRequestQuery,
  SettleBody,
} from './money-schema.ts'
import { IdParams } from './schema.ts'

const LIST = [...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'] as const
const ACT = [...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY] as const

/** Contract 8.13: the payments of all stores, for super-admins. */
export const adminMoneyRoutes = (
  { forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>,
  money: AdminMoneyService,
) =>
  new Elysia({ name: 'admin.money', prefix: '/v1/admin/billing', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/requests', ({ query }) => money.listRequests(query), {
      superAdmin: true,
      query: PlanRequestQuery,
      response: { 200: PlanRequestList, ...failures(...LIST) },
      detail: {
        operationId: 'listPlanRequests',
        summary: 'List the stores that ask for another plan',
        description:
          'Requests that wait for you, in pages. Those that a payment provider settles are not among them.',
      },
    })
    .post('/requests/:id/confirm', ({ caller, params, body }) => money.confirm(caller, params.id, body), {
      superAdmin: true,
      parse: jsonOrNothing(),
      params: IdParams,
      body: ConfirmBody,
      response: {
        200: PlanConfirmed,
        ...failures(
          ...ACT,
          ['not_found', 'There is no request with this id.'],
          ['conflict', 'The request has expired, was replaced by a newer one, or Stripe takes the payment.'],
        ),
      },
      detail: {
        operationId: 'confirmPlanRequest',
        summary: 'Give a store the plan that it asks for',
        description:
          'Moves the store to the plan, issues the invoice and mails the owners, all at once. A second confirmation changes nothing.',
      },
    })
    .get('/invoices', ({ query }) => money.listInvoices(query), {
      superAdmin: true,
      query: AdminInvoiceQuery,
      response: { 200: AdminInvoiceList, ...failures(...LIST) },
      detail: {
        operationId: 'listInvoicesAsOperator',
        summary: 'List the invoices of all stores',
        description: 'In pages; `status` narrows the list to open, paid or void ones.',
      },
    })
    .post('/invoices/:id/settle', ({ caller, params, body }) => money.settle(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: SettleBody,
      response: {
        200: AdminInvoice,
        ...failures(
          ...ACT,
          ['not_found', 'There is no invoice with this id.'],
          ['conflict', 'The invoice is settled already, or Stripe settles it.'],
        ),
      },
      detail: {
        operationId: 'settleInvoice',
        summary: 'Mark an open invoice as paid or void',
        description: 'For invoices of manual payments. The log of the store names you.',
      },
    })
