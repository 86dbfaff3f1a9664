import { dateOf, dayOf } from '../../../core/days.ts'
import { readIsoMoment } from '../../../core/moments.ts'
import { validationError } from '../../../http/validation.ts'
import type { Days } from './day-queries.ts'
import type { AnalyticsQuery } from './schema.ts'

const DAYS_DEFAULT = 7
const DAYS_MAX = 365

/**
 * Reads the period that a query asks for.
 *
 * @param today the last day that has begun.
 * @throws ApiError `validation_error` for a date that does not exist, a period that is too long, begins in the future or ends before it begins, and for
 *   `days` beside dates.
 */
export function readPeriod(storeId: string, query: AnalyticsQuery, today: number): Days {
  if (query.from === undefined) {
    if (query.to !== undefined) throw invalid('from', 'required', 'is required with `to`')
    return { storeId, from: today - (query.days ?? DAYS_DEFAULT) + 1, to: today }
  }
  if (query.days !== undefined) throw invalid('days', 'conflict', 'cannot be sent with `from`')
  const from = readDay('from', query.from)
  const to = query.to === undefined ? today : readDay('to', query.to)
  if (from > today) throw invalid('from', 'maximum', `must not be after ${dateOf(today)}`)
  if (to < from) throw invalid('to', 'minimum', 'must not be before `from`')
  if (to - from >= DAYS_MAX)
    throw invalid('from', 'minimum', `must be at most ${DAYS_MAX} days before \`to\``)
  return { storeId, from, to }
}

/** The period of the same length before one. */
export const periodBefore = ({ storeId, from, to }: Days): Days => ({
  storeId,
  from: from - (to - from + 1),
  to: from - 1,
})

function readDay(name: 'from' | 'to', date: string): number {
  const ms = readIsoMoment(date)
  if (ms === undefined) throw invalid(name, 'format', 'must be an existing date')
  return dayOf(ms)
}

const invalid = (name: string, code: string, message: string) =>
  validationError([{ in: 'query', pointer: `/${name}`, code, message }])
