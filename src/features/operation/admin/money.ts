import type { Caller } from '../../../core/actor.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { toAmount } from '../../../core/money.ts'
import type { ConfirmService, ShownInvoice } from '../../billing/payments/confirm.ts'
import type {
  AdminInvoice,
  AdminInvoiceList,
  AdminInvoiceQuery,
  ConfirmBody,
  PlanConfirmed,
  PlanRequestList,
  PlanRequestQuery,
  SettleBody,
} from './money-schema.ts'
import { createPages } from './pages.ts'

export interface AdminMoneyDeps {
  /** The operator's side of payments, which the command line uses, too. */
  desk: Pick<ConfirmService, 'listRequests' | 'listInvoices' | 'confirm' | 'settleById'>
}

const readRequests = createPages('admin_plan_requests')
const readInvoices = createPages('admin_invoices')

export type AdminMoneyService = ReturnType<typeof adminMoneyService>

/** What stores ask for and owe, for super-admins. */
export const adminMoneyService = ({ desk }: AdminMoneyDeps) => ({
  /** @throws ApiError `invalid_cursor`. */
  listRequests(page: PlanRequestQuery): PlanRequestList {
    const { rows, nextCursor } = readRequests(page, desk.listRequests)
    return {
      requests: rows.map((row) => ({
        id: row.id,
        store: { id: row.storeId, slug: row.slug },
        plan_name: row.before,
        asks_for: row.plan,
        amount: toAmount(row.amountCents, row.currency),
        currency: row.currency,
        created_at: isoTime(row.createdAt),
        expires_at: isoTime(row.expiresAt),
        checkout_url: row.link,
      })),
      count: rows.length,
      next_cursor: nextCursor,
    }
  },

  /** Gives the store its plan. A second confirmation changes nothing. @throws ApiError `not_found`, `conflict`. */
  confirm(by: Caller, id: string, { is_paid = false }: ConfirmBody): PlanConfirmed {
    const { checkout, isRepeated, invoice } = desk.confirm(id, by, is_paid)
    return {
      status: isRepeated ? 'already_completed' : 'completed',
      store: { id: checkout.storeId, slug: checkout.slug },
      plan_name: checkout.plan,
      invoice_number: invoice?.number ?? null,
      invoice_url: invoice?.link ?? null,
    }
  },

  /** @throws ApiError `invalid_cursor`. */
  listInvoices({ status, ...page }: AdminInvoiceQuery): AdminInvoiceList {
    const { rows, nextCursor } = readInvoices(page, (beforeId, limit) =>
      desk.listInvoices(status, beforeId, limit),
    )
    return { invoices: rows.map(viewInvoice), count: rows.length, next_cursor: nextCursor }
  },

  /** Marks an open invoice as paid or void. @throws ApiError `not_found`, `conflict`. */
  settle: (by: Caller, id: string, { status }: SettleBody): AdminInvoice =>
    viewInvoice(desk.settleById(id, status, by)),
})

const viewInvoice = (row: ShownInvoice): AdminInvoice => ({
  id: row.id,
  store: { id: row.storeId, slug: row.slug },
  number: row.number,
  plan_name: row.plan,
  amount: toAmount(row.amountCents, row.currency),
  currency: row.currency,
  status: row.status,
  provider: row.provider,
  date: isoTime(row.issuedAt),
  settled_at: isoTimeOrNull(row.settledAt),
  pdf_url: row.link,
})
