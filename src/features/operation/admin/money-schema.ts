import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NamedStore } from '../../stores/stores/schema.ts'
import { newestFirst, paged, pageOf } from './schema.ts'

const amount = {
  amount: t.Number({ description: 'In units of the currency, not in cents.' }),
  currency: t.String({ examples: ['USD'] }),
}

export const PlanRequestQuery = t.Object(paged)
export type PlanRequestQuery = typeof PlanRequestQuery.static

/** A request for another plan that the operator has yet to confirm. */
const PlanRequest = named(
  'AdminPlanRequest',
  t.Object({
    id: t.String({ description: 'The `session_id` of the checkout.' }),
    store: NamedStore,
    plan_name: oneOf(PLAN_NAMES, 'The plan that the store has.'),
    asks_for: oneOf(PLAN_NAMES),
    ...amount,
    created_at: Moment,
    expires_at: Moment,
    checkout_url: t.String({ description: 'The page on which a super-admin can confirm it, too.' }),
  }),
)

export const PlanRequestList = named(
  'AdminPlanRequestList',
  t.Object({ requests: newestFirst(PlanRequest), ...pageOf('Requests') }),
)
export type PlanRequestList = typeof PlanRequestList.static

export const ConfirmBody = named(
  'AdminPlanConfirmation',
  t.Object({
    is_paid: t.Optional(
      t.Boolean({ description: 'Whether the money has arrived: the invoice is then issued as paid.' }),
    ),
  }),
  { is_paid: true },
)
export type ConfirmBody = typeof ConfirmBody.static

export const PlanConfirmed = named(
  'AdminPlanConfirmed',
  t.Object({
    status: oneOf(
      ['completed', 'already_completed'],
      '`already_completed`: it was confirmed before, and nothing has changed.',
    ),
    store: NamedStore,
    plan_name: oneOf(PLAN_NAMES),
    invoice_number: t.Union([t.String(), t.Null()], {
      description: 'null where there is nothing to pay, and where it was confirmed before.',
    }),
    invoice_url: t.Union([t.String(), t.Null()]),
  }),
)
export type PlanConfirmed = typeof PlanConfirmed.static

const INVOICE_STATUSES = ['open', 'paid', 'void'] as const

export const AdminInvoice = named(
  'AdminInvoice',
  t.Object({
    id: t.String(),
    store: NamedStore,
    number: t.Union([t.String(), t.Null()]),
    plan_name: t.Union([t.String(), t.Null()]),
    ...amount,
    status: oneOf(INVOICE_STATUSES),
    provider: oneOf(['manual', 'stripe'], 'Who takes the money. Only those of `manual` can be settled here.'),
    date: Moment,
    settled_at: MomentOrNull,
    pdf_url: t.Union([t.String(), t.Null()]),
  }),
)
export type AdminInvoice = typeof AdminInvoice.static

export const AdminInvoiceQuery = t.Object({ ...paged, status: t.Optional(oneOf(INVOICE_STATUSES)) })
export type AdminInvoiceQuery = typeof AdminInvoiceQuery.static

export const AdminInvoiceList = named(
  'AdminInvoiceList',
  t.Object({ invoices: newestFirst(AdminInvoice), ...pageOf('Invoices') }),
)
export type AdminInvoiceList = typeof AdminInvoiceList.static

export const SettleBody = named(
  'AdminInvoiceSettlement',
  t.Object({ status: oneOf(['paid', 'void'] as const, '`void`: it need not be paid any more.') }),
  { status: 'paid' },
)
export type SettleBody = typeof SettleBody.static
