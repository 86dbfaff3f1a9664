import { type Client, readRefusal } from './client.ts'
import { CLICKS, ORDERS, QUEUE, SESSION, type Storage } from './storage.ts'

/** What a shop says about a purchase. */
export interface Purchase {
  /** Sum of the line, in units of the currency. */
  order_value: number
  /** ISO 4217. */
  currency: string
  quantity?: number
  /** With it, a thank-you page that loads again counts once. */
  order_id?: string
}

interface Feedback extends Partial<Purchase> {
  result_product_id: string
  action: 'click' | 'add_to_cart' | 'purchase'
  search_id?: string
  session_id?: string
}

/** An event that waits: since when, in milliseconds of this browser's clock, and what. */
type Waiting = [since: number, event: Feedback]

export interface Tracking {
  /** The session's id, from local storage; undefined until the shopper has consented where that is required. */
  session(): string | undefined
  trackClick(productId: string, searchId: string | undefined): void
  trackAddToCart(productId: string): void
  trackPurchase(productId: string, purchase: Purchase): void
  /** Sends what could not be sent before. */
  flush(): void
  consent(isGiven: boolean): void
  stop(): void
}

const QUEUE_MAX = 50
const ATTRIBUTION_MS = 7 * 24 * 3600 * 1000
/** Products whose last click is remembered, and orders. */
const REMEMBERED_MAX = 200
const RETRY_SECONDS = 30
/** Events that waited longer say when they happened; for others the service's own clock is the better one. */
const DATED_MS = 60_000

/** Sends clicks, carts and purchases, keeps them while nobody answers, and remembers which search a product came from. */
export function createTracking(
  client: Client,
  storage: Storage,
  isConsentRequired: boolean,
  warn: (message: string) => void,
): Tracking {
  let hasConsent = !isConsentRequired
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFlushing = false

  const readList = <Entry>(name: string): Entry[] => {
    const list = storage.read<unknown>(name, [])
    return Array.isArray(list) ? list : []
  }

  function session(): string | undefined {
    if (!hasConsent) return undefined
    const known = storage.read(SESSION, '')
    // 64 characters is what the service takes.
    if (/^[\x21-\x7e]{1,64}$/.test(known)) return known
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    storage.write(SESSION, made)
    return made
  }

  /** Clicks of the last seven days: product, search, time. */
  const readClicks = () =>
    readList<[string, string, number]>(CLICKS).filter(([, , at]) => Date.now() - at < ATTRIBUTION_MS)

  const isWorthRepeating = (error: unknown) => {
    const { status } = readRefusal(error) ?? {}
    return status === undefined || status === 429 || status >= 500
  }

  function keep(events: Waiting[]): void {
    storage.write(QUEUE, [...readList<Waiting>(QUEUE), ...events].slice(-QUEUE_MAX))
  }

  function flushLater(seconds = RETRY_SECONDS): void {
    clearTimeout(timer)
    timer = setTimeout(flush, seconds * 1000)
  }

  /** @returns whether the service has answered, so that what waits can be sent, too. */
  async function send(event: Feedback): Promise<boolean> {
    const since = Date.now()
    try {
      if (!navigator.onLine) throw new TypeError('offline')
      await client.call('search/feedback', event, { keepalive: true })
      return true
    } catch (error) {
      if (isWorthRepeating(error)) {
        keep([[since, event]])
        flushLater(readRefusal(error)?.retryAfter)
        return false
      }
      warn(`${event.action} of ${event.result_product_id} was refused: ${(error as Error).message}`)
      return true
    }
  }

  async function flushQueue(): Promise<void> {
    const waiting = readList<Waiting>(QUEUE)
    if (isFlushing || !navigator.onLine || waiting.length === 0) return
    isFlushing = true
    // Taken out first, so that another tab does not send them a second time.
    storage.write(QUEUE, [])
    try {
      const events = waiting.map(([since, event]) => ({
        ...event,
        ...(Date.now() - since > DATED_MS && { occurred_at: new Date(since).toISOString() }),
      }))
      const { results } = await client.call<{ results?: { status: string; message?: string }[] }>(
        'search/feedback',
        { events },
        { keepalive: true },
      )
      for (const { status, message } of results ?? [])
        if (status === 'failed') warn(`an event was refused: ${message}`)
    } catch (error) {
      if (isWorthRepeating(error)) {
        keep(waiting)
        flushLater(readRefusal(error)?.retryAfter)
      } else warn(`${waiting.length} events were refused: ${(error as Error).message}`)
    } finally {
      isFlushing = false
    }
  }

  function flush(): void {
    void flushQueue()
  }

  function track(event: Feedback, searchId?: string): void {
    const search = searchId ?? readClicks().find(([product]) => product === event.result_product_id)?.[1]
    const sid = session()
    void send({ ...event, ...(search && { search_id: search }), ...(sid && { session_id: sid }) }).then(
      (isAnswered) => {
        if (isAnswered) flush()
      },
    )
  }

  addEventListener('online', flush)

  return {
    session,
    flush,
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
    trackPurchase(productId, { order_value, currency, quantity, order_id }) {
      if (order_id !== undefined) {
        const line = `${order_id}\n${productId}`
        const lines = readList<string>(ORDERS)
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
    stop() {
      clearTimeout(timer)
      removeEventListener('online', flush)
    },
  }
}
