/** A payment provider that takes money by subscriptions. Every function but `readEvent` may throw ApiError `billing_unavailable`. */
export interface PaymentGateway {
  /** Makes a page where a subscription is paid for. */
  startCheckout(wish: CheckoutWish): Promise<StartedCheckout>
  /** Makes a link to the page where a customer sees invoices and changes or cancels what is paid. */
  openPortal(wish: PortalWish): Promise<string>
  /** Reads a subscription as it is now; undefined if there is none. */
  readSubscription(id: string): Promise<GatewaySubscription | undefined>
  /** Reads an invoice as it is now; undefined if there is none. */
  readInvoice(id: string): Promise<GatewayInvoice | undefined>
  /** Ends a subscription at once and credits what was paid for the rest of its period. One that has ended is left alone. */
  endSubscription(id: string): Promise<void>
  /**
   * Reads a message of the provider.
   *
   * @param signature header of the message.
   * @param now Unix ms, against which the age of the signature is checked.
   * @returns undefined for a signature that is wrong or older than five minutes.
   * @throws ApiError `invalid_json`, `invalid_request` for a signed message that is no event.
   */
  readEvent(body: string, signature: string, now: number): Promise<GatewayEvent | undefined>
}

export interface CheckoutWish {
  /** Our own id of the checkout; a repeated call with it makes no second page. */
  id: string
  storeId: string
  plan: string
  /** Shown to the payer on the page and on invoices. */
  title: string
  amountCents: number
  /** ISO 4217. */
  currency: string
  /** The provider's id of who pays; undefined for somebody new. */
  customer: string | undefined
  /** Fills in the e-mail address of somebody new. */
  email: string | undefined
  /** Where the page leads, paid or not. */
  returnUrl: string
}

export interface StartedCheckout {
  url: string
  /** Unix ms. */
  expiresAt: number
}

export interface PortalWish {
  customer: string
  returnUrl: string
  /** Leads straight to the question whether this subscription shall end. */
  subscriptionToEnd?: string | undefined
}

/** Moments are Unix ms. */
export interface GatewaySubscription {
  id: string
  customer: string
  status: string
  /** Whether what is subscribed to is due now: paid, on trial, or within the provider's tries to collect a late payment. */
  isLive: boolean
  /** Whether it ends with the period. */
  willEnd: boolean
  createdAt: number
  periodEnd: number
  /** The store that {@link PaymentGateway.startCheckout} noted; undefined for a subscription to something else. */
  storeId: string | undefined
  plan: string | undefined
}

/** Moments are Unix ms. */
export interface GatewayInvoice {
  id: string
  /** The subscription that it is for; undefined for other invoices. */
  subscription: string | undefined
  /** null: no invoice yet, or none that anybody need pay. */
  status: 'open' | 'paid' | 'void' | null
  number: string | null
  amountCents: number
  currency: string
  /** The document for people; null if there is none. */
  url: string | null
  issuedAt: number
  settledAt: number | null
  periodStart: number
  periodEnd: number
}

/** The subject of an event. Its content is not used, because the subject may have changed since. */
export interface GatewayEvent {
  id: string
  subject:
    | { kind: 'checkout'; checkoutId: string; subscription: string | undefined }
    | { kind: 'subscription'; id: string }
    | { kind: 'invoice'; id: string }
    /** Nothing that concerns us. */
    | { kind: 'other' }
}
