import { type Client, readRefusal, type ServiceError } from './client.ts'
import { QUEUE, type Storage } from './storage.ts'
import type { Feedback } from './tracking.ts'

/**
 * An event that waits: since when, in milliseconds of this browser's clock, and what. It may have arrived already where it
 * has a key: it goes out again with that key, among the same events, so that the service counts it once.
 */
type Waiting = [since: number, event: Feedback, repeatKey?: string | undefined]

const keyOf = ([, , repeatKey]: Waiting) => repeatKey ?? ''

/** Sends events, and keeps them while nobody answers. */
export interface Outbox {
  add(event: Feedback): void
  /** Sends the events that wait. */
  flush(): void
}

const QUEUE_MAX = 50
const RETRY_SECONDS = 30
/** Events that waited longer say when they happened; for others the service's own clock is the better one. */
const DATED_MS = 60_000

/** @returns 128 random bits as 32 characters. */
export const makeRandom = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join(
    '',
  )

/**
 * @param refuse receives events that the service refuses for good, with its message.
 * @param signal ends the repeating. Events that come later are still sent once, and kept.
 */
export function createOutbox(
  client: Client,
  storage: Storage,
  refuse: (event: Feedback, message: unknown) => void,
  signal: AbortSignal,
): Outbox {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFlushing = false

  function keep(events: Waiting[]): void {
    storage.write(QUEUE, [...storage.list<Waiting>(QUEUE), ...events].slice(-QUEUE_MAX))
  }

  function flushLater(seconds = RETRY_SECONDS): void {
    clearTimeout(timer)
    timer = setTimeout(() => signal.aborted || flush(), seconds * 1000)
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

  async function flush(): Promise<void> {
    const waiting = storage.list<Waiting>(QUEUE).filter((one) => Array.isArray(one))
    if (isFlushing || !navigator.onLine || waiting.length === 0) return
    isFlushing = true
    // Taken out first, so that another tab does not send them a second time.
    storage.write(QUEUE, [])
    let isAnswered = true
    for (const repeatKey of new Set(waiting.map(keyOf))) {
      const group = waiting.filter((one) => keyOf(one) === repeatKey)
      const events = group.map(([since, event]) => ({
        ...event,
        ...(Date.now() - since > DATED_MS && { occurred_at: new Date(since).toISOString() }),
      }))
      if (isAnswered) isAnswered = await send(group, { events }, repeatKey || makeRandom())
      else keep(group)
    }
    isFlushing = false
  }

  addEventListener('online', flush, { signal })

  return {
    flush,
    add(event) {
      const waiting: Waiting[] = [[Date.now(), event]]
      if (navigator.onLine) {
        // Clicks and lines of an order count once by what they say.
        const isOnce = event.action === 'click' || event.order_id !== undefined
        void send(waiting, event, isOnce ? undefined : makeRandom()).then((isAnswered) => {
          if (isAnswered) void flush()
        })
      } else {
        keep(waiting)
        flushLater()
      }
    },
  }
}
