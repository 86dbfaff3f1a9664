import { isoTime } from '../../../core/clock.ts'
import { parseRetryAfter } from '../../../core/retry-after.ts'
import type { Poster } from '../../../platform/outbound/poster.ts'
import type { Base } from '../../module.ts'
import type { Attempted, DeliveryQueries, DeliveryRow } from './delivery-queries.ts'
import type { WebhookHealthService } from './health.ts'
import type { WebhookQueries } from './queries.ts'
import { findRetryWait, isDelivered, isGone, type Outcome } from './retry-waits.ts'
import { CALLBACKS } from './secret-queries.ts'
import type { SigningSecrets } from './secrets.ts'
import { signMessage } from './signatures.ts'

export interface AttemptDeps extends Pick<Base, 'clock'> {
  deliveries: Pick<DeliveryQueries, 'find' | 'recordAttempt'>
  webhooks: Pick<WebhookQueries, 'find'>
  secrets: Pick<SigningSecrets, 'read'>
  health: WebhookHealthService
  poster: Poster
  /** Runs some writes as one transaction that does not wait for the disk: what is lost is sent again. */
  write(work: () => void): void
}

/** The result of one attempt. */
export interface Attempting {
  isFailure: boolean
  /** Writes it down. May be repeated if it throws. */
  record(): void
}

/** Sends one delivery once; undefined if its webhook is off or deleted. */
export type Attempt = (storeId: string, id: string) => Promise<Attempting | undefined>

/** A request as it is sent. */
export interface Envelope {
  url: string
  headers: Record<string, string>
  /** null if the change is kept no longer. */
  body: string | null
}

const NOTHING: Attempting = { isFailure: false, record: () => {} }

export type Attempts = ReturnType<typeof createAttempts>

export function createAttempts(deps: AttemptDeps) {
  const { deliveries, webhooks, secrets, health, poster, clock } = deps

  /**
   * Writes the request of a delivery (contract 9.3, 9.4).
   *
   * @param at Unix ms of the attempt.
   * @param number of the attempt, from 1.
   */
  function build(delivery: DeliveryRow, url: string, at: number, number: number): Envelope {
    const { id, storeId, endpoint, event, callbackUrl } = delivery
    const body = formatBody(delivery)
    const seconds = Math.floor(at / 1000)
    const keys = secrets.read(storeId, callbackUrl === null ? endpoint : CALLBACKS)
    return {
      url,
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Lookalike (webhooks)',
        'X-Webhook-Event': event,
        'X-Webhook-Attempt': String(number),
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        ...(body !== null && keys.length > 0 && signMessage({ id, seconds, body }, keys)),
      },
    }
  }

  async function post({ url, headers, body }: Envelope): Promise<Outcome> {
    if (body === null) return { error: 'data_expired' }
    if (!('webhook-signature' in headers)) return { error: 'secret_unreadable' }
    try {
      const { status, text, retryAfter } = await poster.post(url, { headers, body })
      const retryAfterMs = retryAfter === undefined ? 0 : parseRetryAfter(retryAfter, clock.now())
      return { status, answer: text, retryAfterMs }
    } catch (error) {
      // Every other error would be a bug; it must not stop the scheduler.
      return { error: (error as { reason?: string }).reason ?? 'internal' }
    }
  }

  function judge(delivery: DeliveryRow, outcome: Outcome, at: number, ms: number): Attempted {
    const isDone = isDelivered(outcome)
    const canRepeat = !delivery.isTest && delivery.data !== null
    const wait = isDone || !canRepeat ? undefined : findRetryWait(delivery.id, delivery.step, outcome)
    return {
      state: isDone ? 'delivered' : wait === undefined ? 'failed' : 'pending',
      step: delivery.step + 1,
      attempts: delivery.attempts + 1,
      nextAttemptAt: wait === undefined ? null : clock.now() + wait,
      lastAttemptAt: at,
      lastStatus: 'status' in outcome ? outcome.status : null,
      lastError: 'error' in outcome ? outcome.error : null,
      lastAnswer: 'answer' in outcome ? outcome.answer : null,
      lastMs: Math.round(ms),
    }
  }

  /** Sends a delivery to an address. */
  async function send(delivery: DeliveryRow, url: string): Promise<Attempting> {
    const at = clock.now()
    const begin = clock.monotonic()
    const outcome = await post(build(delivery, url, at, delivery.attempts + 1))
    // An attempt that the stop of the service cut off proves nothing.
    if (poster.isStopping() && 'error' in outcome) return NOTHING
    const attempted = judge(delivery, outcome, at, clock.monotonic() - begin)
    const { storeId, id, endpoint, callbackUrl, isTest } = delivery
    return {
      isFailure: !isDelivered(outcome),
      record: () =>
        deps.write(() => {
          deliveries.recordAttempt(storeId, id, attempted)
          if (callbackUrl === null && !isTest)
            health.recordResult(storeId, endpoint, {
              isDelivered: isDelivered(outcome),
              isGone: isGone(outcome),
              status: attempted.lastStatus,
            })
        }),
    }
  }

  /** Finds the address that a delivery goes to; undefined if its webhook is deleted, or off while only `ifEnabled`. */
  function findUrl(delivery: DeliveryRow, { ifEnabled }: { ifEnabled: boolean }): string | undefined {
    if (delivery.callbackUrl !== null) return delivery.callbackUrl
    const webhook = webhooks.find(delivery.storeId, delivery.endpoint)
    return webhook && (webhook.enabled || !ifEnabled) ? webhook.url : undefined
  }

  return {
    /** Sends one delivery once, unless its webhook is off or deleted. */
    attempt: async (storeId: string, id: string): Promise<Attempting | undefined> => {
      const delivery = deliveries.find(storeId, id)
      const url = delivery?.state === 'pending' ? findUrl(delivery, { ifEnabled: true }) : undefined
      return delivery && url !== undefined ? send(delivery, url) : undefined
    },

    /** Sends one delivery once, even if its webhook is off. */
    async attemptAnyway(storeId: string, id: string): Promise<void> {
      const delivery = deliveries.find(storeId, id)
      const url = delivery && findUrl(delivery, { ifEnabled: false })
      if (delivery && url !== undefined) (await send(delivery, url)).record()
    },

    /** The request of the last attempt, or of the first one to come. */
    show(delivery: DeliveryRow): Envelope {
      const at = delivery.lastAttemptAt ?? delivery.createdAt
      return build(
        delivery,
        findUrl(delivery, { ifEnabled: false }) ?? '',
        at,
        Math.max(1, delivery.attempts),
      )
    },
  }
}

/** Formats the body of a delivery. The data of a change is sent exactly as the change log stores it. */
function formatBody({ event, endpoint, happenedAt, data }: DeliveryRow): string | null {
  return data === null || happenedAt === null ? null : formatEnvelope(event, happenedAt, endpoint, data)
}

/**
 * Writes the envelope of a message (contract 9.3).
 *
 * @param data JSON.
 */
export const formatEnvelope = (event: string, at: number, webhookId: string | null, data: string): string =>
  `{"event":${JSON.stringify(event)},"timestamp":"${isoTime(at)}","webhook_id":${JSON.stringify(webhookId)},"data":${data}}`
