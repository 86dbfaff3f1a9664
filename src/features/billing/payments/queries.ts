import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export type Provider = 'manual' | 'stripe'

/** A request for another plan. Moments are Unix ms. */
export interface CheckoutRow {
  id: string
  storeId: string
  plan: PlanName
  provider: Provider
  status: 'open' | 'completed' | 'replaced'
  /** A month, in the smallest unit of the currency. */
  amountCents: number
  /** ISO 4217. */
  currency: string
  /** The person who asked, who may be gone. */
  askedBy: string | null
  createdAt: number
  expiresAt: number
  completedAt: number | null
}

/** Moments are Unix ms. */
export interface InvoiceRow {
  id: string
  storeId: string
  provider: Provider
  /** The provider's own id; null for manual. */
  providerId: string | null
  /** The checkout of a manual invoice. */
  checkoutId: string | null
  number: string | null
  plan: PlanName | null
  /** In the smallest unit of the currency. */
  amountCents: number
  currency: string
  status: 'open' | 'paid' | 'void'
  /** Of the provider's document; null for manual. */
  address: string | null
  periodStart: number
  periodEnd: number
  issuedAt: number
  settledAt: number | null
}

/** With the store, for the operator. */
export type ListedCheckout = CheckoutRow & { slug: string; storeName: string; before: PlanName }
export type ListedInvoice = InvoiceRow & { slug: string; storeName: string }

export type PaymentQueries = ReturnType<typeof paymentQueries>

const CHECKOUT = `checkouts.id, store_id AS storeId, checkouts.plan, provider, status, amount_cents AS amountCents, currency,
  asked_by AS askedBy, checkouts.created_at AS createdAt, expires_at AS expiresAt, completed_at AS completedAt`

const INVOICE = `invoices.id, store_id AS storeId, provider, provider_id AS providerId, checkout_id AS checkoutId, number,
  invoices.plan, amount_cents AS amountCents, currency, status, address, period_start AS periodStart,
  period_end AS periodEnd, issued_at AS issuedAt, settled_at AS settledAt`

const OF_STORE = 'stores.slug, stores.name AS storeName'

/** Greater than every id. */
const END = '~'

/** All SQL about requests for plans and about invoices. */
export function paymentQueries(db: Db) {
  const checkout = db.prepare<[id: string], ListedCheckout>(`
    SELECT ${CHECKOUT}, ${OF_STORE}, stores.plan AS before FROM checkouts JOIN stores ON stores.id = store_id
    WHERE checkouts.id = ?`)
  const open = db.prepare<[now: bigint, limit: bigint], ListedCheckout>(`
    SELECT ${CHECKOUT}, ${OF_STORE}, stores.plan AS before FROM checkouts JOIN stores ON stores.id = store_id
    WHERE status = 'open' AND expires_at > ? ORDER BY checkouts.created_at LIMIT ?`)
  const addCheckout = db.prepare(`
    INSERT INTO checkouts (id, store_id, plan, provider, status, amount_cents, currency, asked_by, created_at, expires_at)
    VALUES (@id, @storeId, @plan, @provider, 'open', @amountCents, @currency, @askedBy, @createdAt, @expiresAt)`)
  const replaceOpen = db.prepare(
    "UPDATE checkouts SET status = 'replaced' WHERE store_id = ? AND status = 'open'",
  )
  const trim = db.prepare(`
    DELETE FROM checkouts WHERE store_id = @storeId AND status <> 'completed' AND id NOT IN (
      SELECT id FROM checkouts WHERE store_id = @storeId AND status <> 'completed' ORDER BY created_at DESC, id DESC LIMIT @keep)`)
  const complete = db.prepare(
    "UPDATE checkouts SET status = 'completed', completed_at = @now WHERE id = @id AND status = 'open'",
  )
  const completeByPlan = db.prepare(`
    UPDATE checkouts SET status = 'completed', completed_at = @now
    WHERE store_id = @storeId AND plan = @plan AND provider = 'stripe' AND status = 'open'`)
  const prune = db.prepare("DELETE FROM checkouts WHERE created_at < ? AND status <> 'completed'")

  const nextNumber = db.prepare<[], { last: number }>(
    'UPDATE invoice_numbers SET last = last + 1 WHERE id = 1 RETURNING last',
  )
  const addInvoice = db.prepare(`
    INSERT INTO invoices (id, store_id, provider, provider_id, checkout_id, number, plan, amount_cents, currency, status,
      address, period_start, period_end, issued_at, settled_at)
    VALUES (@id, @storeId, @provider, @providerId, @checkoutId, @number, @plan, @amountCents, @currency, @status,
      @address, @periodStart, @periodEnd, @issuedAt, @settledAt)
    ON CONFLICT (provider_id) DO UPDATE SET number = excluded.number, amount_cents = excluded.amount_cents,
      currency = excluded.currency, status = excluded.status, address = excluded.address,
      issued_at = excluded.issued_at, settled_at = excluded.settled_at`)
  const invoice = db.prepare<[id: string], ListedInvoice>(`
    SELECT ${INVOICE}, ${OF_STORE} FROM invoices JOIN stores ON stores.id = store_id WHERE invoices.id = ?`)
  const invoiceByNumber = db.prepare<[number: string], ListedInvoice>(`
    SELECT ${INVOICE}, ${OF_STORE} FROM invoices JOIN stores ON stores.id = store_id
    WHERE number = ? AND provider = 'manual'`)
  const invoices = db.prepare<[storeId: string, limit: bigint], InvoiceRow>(`
    SELECT ${INVOICE} FROM invoices WHERE store_id = ? ORDER BY issued_at DESC, id DESC LIMIT ?`)
  const openInvoices = db.prepare<[limit: bigint], ListedInvoice>(`
    SELECT ${INVOICE}, ${OF_STORE} FROM invoices JOIN stores ON stores.id = store_id
    WHERE status = 'open' AND provider = 'manual' ORDER BY issued_at LIMIT ?`)
  const requests = db.prepare<Record<string, unknown>, ListedCheckout>(`
    SELECT ${CHECKOUT}, ${OF_STORE}, stores.plan AS before
    FROM checkouts INDEXED BY checkouts_waiting JOIN stores ON stores.id = store_id
    WHERE status = 'open' AND provider = 'manual' AND checkouts.id < @beforeId AND expires_at > @now
    ORDER BY checkouts.id DESC LIMIT @limit`)
  const everyInvoice = db.prepare<Record<string, unknown>, ListedInvoice>(`
    SELECT ${INVOICE}, ${OF_STORE} FROM invoices JOIN stores ON stores.id = store_id
    WHERE invoices.id < @beforeId ORDER BY invoices.id DESC LIMIT @limit`)
  const invoicesOfStatus = db.prepare<Record<string, unknown>, ListedInvoice>(`
    SELECT ${INVOICE}, ${OF_STORE}
    FROM invoices INDEXED BY invoices_by_status JOIN stores ON stores.id = store_id
    WHERE status = @status AND invoices.id < @beforeId ORDER BY invoices.id DESC LIMIT @limit`)
  const settle = db.prepare(
    "UPDATE invoices SET status = @status, settled_at = @now WHERE id = @id AND status = 'open'",
  )

  return {
    findCheckout: (id: string) => checkout.get(id),
    /** Lists what can still be confirmed or paid, oldest first. */
    listOpenCheckouts: (now: number, limit: number) => open.all(BigInt(now), BigInt(limit)),
    addCheckout: (row: Omit<CheckoutRow, 'status' | 'completedAt'>): void => void addCheckout.run(row),
    /** Ends the open requests of a store. */
    replaceOpen: (storeId: string): void => void replaceOpen.run(storeId),
    /** Deletes the oldest requests of a store that came to nothing. */
    trimCheckouts: (storeId: string, keep: number): void => void trim.run({ storeId, keep: BigInt(keep) }),
    complete: (id: string, now: number): void => void complete.run({ id, now: BigInt(now) }),
    /** Completes what a store asked the provider for, once it has the plan. */
    completeByPlan: (storeId: string, plan: PlanName, now: number): void =>
      void completeByPlan.run({ storeId, plan, now: BigInt(now) }),
    /** Deletes requests from before a moment that came to nothing. */
    prune: (before: number): void => void prune.run(BigInt(before)),

    /** Gives the next number of a manual invoice. To be called in a transaction. */
    takeNumber: (): number => nextNumber.get()?.last ?? 0,
    /** Writes an invoice, or the present state of a provider's invoice that is stored already. */
    saveInvoice: (row: InvoiceRow): void => void addInvoice.run(row),
    findInvoice: (id: string) => invoice.get(id),
    findInvoiceByNumber: (number: string) => invoiceByNumber.get(number),
    /** Lists the invoices of a store, newest first. */
    listInvoices: (storeId: string, limit: number) => invoices.all(storeId, BigInt(limit)),
    /** Lists the manual invoices that nobody has paid, oldest first. */
    listOpenInvoices: (limit: number) => openInvoices.all(BigInt(limit)),
    /** Newest first. @param beforeId only older ones. */
    listRequests: (now: number, beforeId: string | null, limit: number) =>
      requests.all({ now: BigInt(now), beforeId: beforeId ?? END, limit: BigInt(limit) }),
    /** The invoices of all stores, newest first. @param beforeId only older ones. */
    listEveryInvoice(status: InvoiceRow['status'] | undefined, beforeId: string | null, limit: number) {
      const place = { beforeId: beforeId ?? END, limit: BigInt(limit) }
      return status === undefined ? everyInvoice.all(place) : invoicesOfStatus.all({ ...place, status })
    },
    /** @returns false if the invoice is not open. */
    settle: (id: string, status: 'paid' | 'void', now: number): boolean =>
      settle.run({ id, status, now: BigInt(now) }).changes > 0,
  }
}
