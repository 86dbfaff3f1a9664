import type { ClientInfo } from '../../../core/actor.ts'
import { type DescribeStoreAct, type Operator, operatorAct } from '../../../core/audit.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { addMonth } from '../../../core/months.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import type { Links } from './links.ts'
import { confirmedMail } from './mails.ts'
import type { InvoiceRow, ListedCheckout, ListedInvoice, PaymentQueries } from './queries.ts'
import { readState, warnOfPlan } from './service.ts'

export interface ConfirmDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'plans'> {
  queries: PaymentQueries
  storeRows: Pick<StoreQueries, 'countProducts'>
  stores: Pick<StoreService, 'setPlan'>
  links: Pick<Links, 'checkout' | 'invoice'>
  mailOwners: MailOwners
}

/** A super-admin, or the operator at the command line. */
export type Confirmer = { userId: string | null; clientInfo: ClientInfo } | 'operator'

/** The result of a confirmation. */
export interface Confirmation {
  checkout: ListedCheckout
  /** Whether the request had been confirmed before, so that nothing changed. */
  isRepeated: boolean
  /** null where there is nothing to pay. */
  invoice: { number: string; link: string } | null
}

/** An invoice with the address of its document; null if the provider gave none. */
export type ShownInvoice = ListedInvoice & { link: string | null }

const LISTED_MAX = 1_000

export type ConfirmService = ReturnType<typeof confirmService>

/** The operator's side of manual payments: gives a store the plan it asked for, and issues the invoice. */
export function confirmService(deps: ConfirmDeps) {
  const { queries, storeRows, stores, links, clock, ids, atomically, record } = deps

  function issueInvoice(
    { id, storeId, plan, amountCents, currency }: ListedCheckout,
    isPaid: boolean,
  ): InvoiceRow {
    const now = clock.now()
    const invoice: InvoiceRow = {
      ...{ id: ids.uuid(), storeId, provider: 'manual', providerId: null, checkoutId: id, plan, amountCents },
      number: formatNumber(now, queries.takeNumber()),
      currency,
      status: isPaid ? 'paid' : 'open',
      address: null,
      periodStart: now,
      periodEnd: addMonth(now),
      issuedAt: now,
      settledAt: isPaid ? now : null,
    }
    queries.saveInvoice(invoice)
    return invoice
  }

  /** @throws ApiError `conflict` for a request that can no longer be confirmed, or that another provider settles. */
  function demandOpen(checkout: ListedCheckout): void {
    const state = readState(checkout, clock.now())
    if (checkout.provider !== 'manual')
      throw new ApiError('conflict', 'Stripe takes the payment for this request')
    if (state === 'expired')
      throw new ApiError('conflict', 'The request has expired: the store has to ask again')
    if (state === 'replaced')
      throw new ApiError('conflict', 'The store has asked for another plan since: confirm that request')
  }

  function give(checkout: ListedCheckout, by: Confirmer, isPaid: boolean): InvoiceRow | undefined {
    const { id, storeId, plan, before, slug } = checkout
    queries.complete(id, clock.now())
    const describe = confirmerAct(by)
    record(describe(storeId, 'billing.checkout_confirmed', { checkout_id: id, plan }))
    if (before !== plan) stores.setPlan(storeId, plan, describe)
    const invoice = checkout.amountCents > 0 ? issueInvoice(checkout, isPaid) : undefined
    const number = invoice?.number ?? ''
    if (invoice) record(describe(storeId, 'billing.invoice_issued', { invoice_id: invoice.id, number }))
    const shown = invoice && {
      number,
      amountCents: invoice.amountCents,
      currency: invoice.currency,
      link: links.invoice(invoice.id),
      isPaid,
    }
    deps.mailOwners(storeId, (to) => confirmedMail(to, { slug, plan, invoice: shown }))
    return invoice
  }

  const show = (row: ListedInvoice): ShownInvoice => ({
    ...row,
    link: row.provider === 'manual' ? links.invoice(row.id) : row.address,
  })

  /** Call it in a transaction. */
  function settle(invoice: ListedInvoice | undefined, status: 'paid' | 'void', by: Operator): ListedInvoice {
    if (!invoice) throw notFound('invoice')
    const { id, provider, storeId } = invoice
    const number = invoice.number ?? id
    if (provider !== 'manual') throw new ApiError('conflict', `Stripe settles the invoice ${number}`)
    const now = clock.now()
    if (!queries.settle(id, status, now))
      throw new ApiError('conflict', `Invoice ${number} is ${invoice.status} already`)
    record(operatorAct(by)(storeId, 'billing.invoice_settled', { invoice_id: id, number, status }))
    return { ...invoice, status, settledAt: now }
  }

  return {
    find: queries.findCheckout,
    findInvoice: queries.findInvoice,
    readState,
    demandOpen,
    /** Says what the plan would mean for the store that asks for it. */
    listWarnings: ({ plan, storeId }: ListedCheckout): string[] =>
      warnOfPlan(deps.plans, plan, storeRows.countProducts(storeId)),

    /** Lists the requests that wait for the operator, and the invoices that nobody has paid. */
    list: (): {
      requests: (ListedCheckout & { link: string })[]
      invoices: (ListedInvoice & { link: string })[]
    } => ({
      requests: queries
        .listOpenCheckouts(clock.now(), LISTED_MAX)
        .filter(({ provider }) => provider === 'manual')
        .map((row) => ({ ...row, link: links.checkout(row.id) })),
      invoices: queries.listOpenInvoices(LISTED_MAX).map((row) => ({ ...row, link: links.invoice(row.id) })),
    }),

    /**
     * Gives a store the plan it asked for and issues the invoice, in one transaction. A second confirmation changes nothing.
     *
     * @param isPaid whether the money has arrived.
     * @throws ApiError `not_found`, `conflict`.
     */
    confirm: (id: string, by: Confirmer, isPaid: boolean): Confirmation =>
      atomically(() => {
        const checkout = queries.findCheckout(id)
        if (!checkout) throw notFound('checkout')
        demandOpen(checkout)
        if (checkout.status === 'completed') return { checkout, isRepeated: true, invoice: null }
        const invoice = give(checkout, by, isPaid)
        return {
          checkout: { ...checkout, status: 'completed', completedAt: clock.now() },
          isRepeated: false,
          invoice: invoice ? { number: invoice.number ?? '', link: links.invoice(invoice.id) } : null,
        }
      }),

    /** Pages of the manual requests that can be confirmed, the newest first. @param beforeId only older ones. */
    listRequests: (beforeId: string | null, limit: number): (ListedCheckout & { link: string })[] =>
      queries
        .listRequests(clock.now(), beforeId, limit)
        .map((row) => ({ ...row, link: links.checkout(row.id) })),

    /** Pages of the invoices of all stores, the newest first. @param beforeId only older ones. */
    listInvoices: (
      status: InvoiceRow['status'] | undefined,
      beforeId: string | null,
      limit: number,
    ): ShownInvoice[] => queries.listEveryInvoice(status, beforeId, limit).map(show),

    /** Marks an open manual invoice as paid or void. @throws ApiError `not_found`, `conflict` for one that is settled. */
    settle: (number: string, status: 'paid' | 'void'): ListedInvoice =>
      atomically(() => settle(queries.findInvoiceByNumber(number), status, null)),

    /** The same for a super-admin, who knows its id. @throws ApiError `conflict` also where Stripe settles it. */
    settleById: (id: string, status: 'paid' | 'void', by: Operator): ShownInvoice =>
      atomically(() => show(settle(queries.findInvoice(id), status, by))),
  }
}

/** A super-admin confirms as the person who signed in on the page, without a role in the store. */
const confirmerAct = (by: Confirmer): DescribeStoreAct =>
  by === 'operator'
    ? operatorAct(null)
    : (storeId, action, details) => ({ ...by, action, actorKind: 'person', storeId, keyId: null, details })

/** As in `2026-0007`: the year, and a number that does not restart each year. */
const formatNumber = (now: number, number: number): string =>
  `${new Date(now).getUTCFullYear()}-${String(number).padStart(4, '0')}`
