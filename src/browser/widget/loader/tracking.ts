import type { Client } from './client.ts'
import { createOutbox, makeRandom } from './outbox.ts'
import { CLICKS, ORDERS, SESSION, type Storage } from './storage.ts'

/** A purchase, as the shop reports it. */
export interface Purchase {
  /** Sum of the line, in units of the currency. */
  order_value: number
  /** ISO 4217. */
  currency: string
  quantity?: number
  /** With it, a thank-you page that loads again counts once. */
  order_id?: string
}

export interface Feedback extends Partial<Purchase> {
  result_product_id: string
  action: 'click' | 'add_to_cart' | 'purchase'
  search_id?: string
  session_id?: string
}

export interface Tracking {
  /** The session's id, from local storage; undefined until the shopper has consented where that is required. */
  session(): string | undefined
  trackClick(productId: string, searchId: string | undefined): void
  trackAddToCart(productId: string): void
  trackPurchase(productId: string, purchase: Purchase): void
  /** Sends the events that wait. */
  flush(): void
  hasConsent(): boolean
  consent(isGiven: boolean): void
}

const ATTRIBUTION_MS = 7 * 24 * 3600 * 1000
/** Products whose last click is remembered, and orders. */
const REMEMBERED_MAX = 200

/** Tells the service of clicks, carts and purchases, and remembers which search a product came from. */
export function createTracking(
  client: Client,
  storage: Storage,
  hasConsentFirst: boolean,
  warn: (message: string) => void,
  signal: AbortSignal,
): Tracking {
  const outbox = createOutbox(client, storage, refuse, signal)
  let hasConsent = hasConsentFirst

  function session(): string | undefined {
    if (!hasConsent) return undefined
    const known = storage.read(SESSION, '')
    // 64 characters is what the service takes.
    if (/^[\x21-\x7e]{1,64}$/.test(known)) return known
    const made = makeRandom()
    storage.write(SESSION, made)
    return made
  }

  /** Clicks of the last seven days: product, search, time. */
  const readClicks = () =>
    storage.list<[string, string, number]>(CLICKS).filter(([, , at]) => Date.now() - at < ATTRIBUTION_MS)

  /** A line of an order, as it is remembered so that it counts once. */
  const lineOf = (orderId: unknown, productId: string) => `${orderId}\n${productId}`

  /** Tells the developer. A line that was refused may come again, after its mistake is mended. */
  function refuse({ action, order_id, result_product_id }: Feedback, message: unknown): void {
    warn(`${action} of ${result_product_id} was refused: ${message}`)
    if (order_id === undefined) return
    const line = lineOf(order_id, result_product_id)
    storage.write(
      ORDERS,
      storage.list<string>(ORDERS).filter((one) => one !== line),
    )
  }

  function track(event: Feedback, searchId?: string): void {
    const search = searchId ?? readClicks().find(([product]) => product === event.result_product_id)?.[1]
    const sid = session()
    outbox.add({ ...event, ...(search && { search_id: search }), ...(sid && { session_id: sid }) })
  }

  return {
    session,
    flush: outbox.flush,
    hasConsent: () => hasConsent,
    trackClick(productId, searchId) {
      if (searchId && hasConsent) {
        const others = readClicks().filter(([product]) => product !== productId)
        storage.write(CLICKS, [[productId, searchId, Date.now()], ...others].slice(0, REMEMBERED_MAX))
      }
      track({ result_product_id: productId, action: 'click' }, searchId)
    },
    trackAddToCart(productId) {
      track({ result_product_id: String(productId), action: 'add_to_cart' })
    },
    trackPurchase(productId, purchase) {
      // A page may say nothing of it.
      const { order_value, currency, quantity, order_id } = Object(purchase) as Purchase
      if (order_id !== undefined) {
        const line = lineOf(order_id, productId)
        const lines = storage.list<string>(ORDERS)
        if (lines.includes(line)) return
        storage.write(ORDERS, [line, ...lines].slice(0, REMEMBERED_MAX))
      }
      track({
        result_product_id: String(productId),
        action: 'purchase',
        // Templates of shops write numbers as texts.
        order_value: Number(order_value),
        currency,
        ...(quantity !== undefined && { quantity: Number(quantity) }),
        ...(order_id !== undefined && { order_id: String(order_id) }),
      })
    },
    consent(isGiven) {
      hasConsent = isGiven
      storage.allow(isGiven)
    },
  }
}
