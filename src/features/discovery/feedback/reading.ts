import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import { isCurrency } from '../../../core/currencies.ts'
import { readIsoMoment } from '../../../core/moments.ts'
import type { Problem } from '../../../core/problem.ts'
import { isEmpty } from '../../../http/empty-ids.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import { type FeedbackAction, FeedbackEvent } from './schema.ts'

/** An event that may be recorded. */
export interface ReadEvent {
  searchId: string | null
  productId: string
  action: FeedbackAction
  sale: { value: number; currency: string } | null
  quantity: number
  orderId: string | null
  sessionId: string | null
  /** Unix ms. */
  occurredAt: number
}

/** How old an event may be, and how far the clock of a shop may be ahead. */
const AGE_MAX_MS = 30 * DAY_MS
const AHEAD_MAX_MS = 5 * MINUTE_MS

/**
 * Reads one event.
 *
 * @param now Unix ms.
 * @throws ApiError `validation_error` with all problems.
 */
export function readEvent(given: unknown, now: number): ReadEvent {
  const value = isObject(given) ? tidy(given) : given
  const problems = findProblems(FeedbackEvent, value, 'body')
  // Rules between fields apply only if the fields themselves are valid.
  const isSound = (name: keyof FeedbackEvent) => !problems.some(({ pointer }) => pointer === `/${name}`)
  if (!isObject(value)) throw validationError(problems)
  const event = value as FeedbackEvent
  const problem = (name: keyof FeedbackEvent, code: string, message: string): Problem[] =>
    isSound(name) ? [{ in: 'body', pointer: `/${name}`, code, message }] : []
  if (isSound('action')) {
    for (const name of ['order_value', 'currency'] as const) {
      const isGiven = event[name] !== undefined
      if (event.action === 'purchase' && !isGiven)
        problems.push(...problem(name, 'required', 'is required with the action purchase'))
      if (event.action !== 'purchase' && isGiven)
        problems.push(...problem(name, 'not_allowed', 'is allowed only with the action purchase'))
    }
  }
  if (event.currency !== undefined && isSound('currency') && !isCurrency(event.currency))
    problems.push(...problem('currency', 'currency', 'must be a code of ISO 4217 such as EUR'))
  const occurredAt = event.occurred_at === undefined ? now : readTime(event.occurred_at)
  if (event.occurred_at !== undefined && isSound('occurred_at')) {
    if (Number.isNaN(occurredAt))
      problems.push(...problem('occurred_at', 'format', 'must be an existing date and time'))
    else if (occurredAt > now + AHEAD_MAX_MS)
      problems.push(...problem('occurred_at', 'max', 'must be at most 5 minutes ahead'))
    else if (occurredAt < now - AGE_MAX_MS)
      problems.push(...problem('occurred_at', 'min', 'must be at most 30 days ago'))
  }
  if (problems.length > 0) throw validationError(problems)
  const { order_value, currency } = event
  return {
    searchId: event.search_id?.toLowerCase() ?? null,
    productId: event.result_product_id,
    action: event.action,
    sale: order_value === undefined || currency === undefined ? null : { value: order_value, currency },
    quantity: event.quantity ?? 1,
    orderId: event.order_id ?? null,
    sessionId: event.session_id || null,
    occurredAt,
  }
}

/** Fields that a form may send empty. */
const OPTIONAL = [
  'search_id',
  'session_id',
  'order_id',
  'order_value',
  'currency',
  'quantity',
  'occurred_at',
] as const satisfies readonly (keyof FeedbackEvent)[]

/** Drops null and empty fields and normalizes the currency, so that no purchase is lost to the habits of a form. */
function tidy(given: Record<string, unknown>): Record<string, unknown> {
  const event = { ...given }
  const { currency } = event
  // A longer text cannot be a currency.
  if (typeof currency === 'string' && currency.length <= CURRENCY_CHARS_MAX)
    event['currency'] = currency.trim().toUpperCase()
  for (const name of OPTIONAL) if (isEmpty(event[name])) delete event[name]
  return event
}

const CURRENCY_CHARS_MAX = 64

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readTime = (value: unknown): number =>
  (typeof value === 'string' ? readIsoMoment(value) : undefined) ?? Number.NaN
