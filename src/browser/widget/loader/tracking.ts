import { type Client, readRefusal, type ServiceError } from './client.ts'
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

/**
 * An event that waits: since when, in milliseconds of this browser's clock, and what. It may have arrived already where it
 * has a key: it goes out again with that key, among the same events, so that the service counts it once.
 */
type Waiting = [since: number, event: Feedback, repeatKey?: string | undefined]

export interface Tracking {
  /** The session's id, from local storage; undefined until the shopper has consented where that is required. */
  session(): string | undefined
  trackClick(productId: string, searchId: string | undefined): void
  trackAddToCart(productId: string): void
  trackPurchase(productId: string, purchase: Purchase): void
  /** Sends what could not be sent before. */
  flush(): void
  hasConsent(): boolean
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
  let isStopped = false

  const readList = <Entry>(name: string): Entry[] => {
    const list = storage.read<unknown>(name, [])
    return Array.isArray(list) ? list : []
  }

  const makeRandom = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join(
      '',
    )

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
    readList<[string, string, number]>(CLICKS).filter(([, , at]) => Date.now() - at < ATTRIBUTION_MS)

  /** A line of an order, as it is remembered so that it counts once. */
  const lineOf = (orderId: unknown, productId: string) => `${orderId}\n${productId}`

  /** Tells the developer. A line that was refused may come again, after its mistake is mended. */
  function refuse({ action, order_id, result_product_id }: Feedback, message: unknown): void {
    warn(`${action} of ${result_product_id} was refused: ${message}`)
    if (order_id === undefined) return
    const line = lineOf(order_id, result_product_id)
    storage.write(
      ORDERS,
      readList<string>(ORDERS).filter((one) => one !== line),
    )
  }

  function keep(events: Waiting[]): void {
    storage.write(QUEUE, [...readList<Waiting>(QUEUE), ...events].slice(-QUEUE_MAX))
  }

  function flushLater(seconds = RETRY_SECONDS): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(flush, seconds * 1000)
  }

  /**
   * Sends events, and keeps them where they have to wait.
   *
   * @param body the events, or the only one. @returns whether the service has answered, so that what waits can be sent, too.
   */
  async function send(waiting: readonly Waiting[], body: object, repeatKey?: string): Promise<boolean> {
    try {
      const { results = [] } = await client.call<{ results?: { status: string; message?: string }[] }>(
        'search/feedback',
        body,
        { keepalive: true, repeatKey },
      )
      for (const [n, [, event]] of waiting.entries())
        if (results[n]?.status === 'failed') refuse(event, results[n].message)
    } catch (error) {
      const { status = 0, retryAfter, message } = (readRefusal(error) ?? {}) as Partial<ServiceError>
      const isPassing = status === 429 || status === 503
      if (isPassing || !status || status >= 500) {
        // Unless the service has said no, it may have recorded them, and only its answer was lost.
        keep(waiting.map(([since, event]) => [since, event, isPassing ? undefined : repeatKey]))
        flushLater(retryAfter)
        return false
      }
      for (const [, event] of waiting) refuse(event, message)
    }
    return true
  }

  async function flushQueue(): Promise<void> {
    const waiting = readList<Waiting>(QUEUE).filter((one) => Array.isArray(one))
    if (isFlushing || !navigator.onLine || waiting.length === 0) return
    isFlushing = true
    // Taken out first, so that another tab does not send them a second time.
    storage.write(QUEUE, [])
    const groups = new Map<string, Waiting[]>()
    for (const one of waiting) {
      const key = one[2] ?? ''
      groups.set(key, [...(groups.get(key) ?? []), one])
    }
    let isAnswered = true
    for (const [repeatKey, group] of groups) {
      const events = group.map(([since, event]) => ({
        ...event,
        ...(Date.now() - since > DATED_MS && { occurred_at: new Date(since).toISOString() }),
      }))
      if (isAnswered) isAnswered = await send(group, { events }, repeatKey || makeRandom())
      else keep(group)
    }
    isFlushing = false
  }

  function flush(): void {
    void flushQueue()
  }

  function track(event: Feedback, searchId?: string): void {
    const search = searchId ?? readClicks().find(([product]) => product === event.result_product_id)?.[1]
    const sid = session()
    const full = { ...event, ...(search && { search_id: search }), ...(sid && { session_id: sid }) }
    const waiting: Waiting[] = [[Date.now(), full]]
    if (navigator.onLine) {
      // Clicks and lines of an order count once by what they say.
      const isOnce = event.action === 'click' || event.order_id !== undefined
      void send(waiting, full, isOnce ? undefined : makeRandom()).then((isAnswered) => {
        if (isAnswered) flush()
      })
    } else {
      keep(waiting)
      flushLater()
    }
  }

  addEventListener('online', flush)

  return {
    session,
    flush,
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
    trackPurchase(productId, { order_value, currency, quantity, order_id }) {
      if (order_id !== undefined) {
        const line = lineOf(order_id, productId)
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
      isStopped = true
      clearTimeout(timer)
      removeEventListener('online', flush)
    },
  }
}
