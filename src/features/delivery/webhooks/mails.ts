import type { Mail } from '../../../platform/mail/mailer.ts'
import type { DisabledReason } from './schema.ts'

export interface DisabledFacts {
  url: string
  slug: string
  reason: DisabledReason
  /** ISO 8601. */
  at: string
  baseUrl: string
}

const REASONS: Readonly<Record<DisabledReason, string>> = {
  requested: 'someone switched it off',
  receiver_gone: 'its receiver answered 410, which means that it is gone for good',
  always_failing: 'every attempt to deliver to it has failed for five days',
}

/** Tells an owner that a webhook was disabled, and how to switch it on again. */
export function disabledMail(to: string, { url, slug, reason, at, baseUrl }: DisabledFacts): Mail {
  const host = URL.canParse(url) ? new URL(url).host : 'unknown host'
  const paragraphs = [
    `A webhook of your store ${slug} to ${host} was disabled at ${at}, because ${REASONS[reason]}.`,
    'Events are no longer sent to it. Deliveries that were waiting are kept for 30 days.',
    'Once the receiver works, switch the webhook on (PATCH /v1/search/webhooks/{id} with enabled: true); waiting deliveries then go out. To send what happened in the meantime, use POST /v1/search/webhooks/{id}/recover.',
    `The service is at ${baseUrl}.`,
  ]
  return { to, subject: `A webhook of ${slug} was disabled`, text: `${paragraphs.join('\n\n')}\n` }
}
