import { isCurrency } from './currencies.ts'
import { toAmount, toMinor } from './money.ts'
import { findNearest } from './nearest.ts'
import { PLAN_NAMES, PLANS, type Plan, type PlanName, type Plans } from './plans.ts'

/** Most of anything that a file may say. */
const NUMBER_MAX = 1_000_000_000
const PRICE_MAX = 1_000_000
const TITLE_CHARS_MAX = 60

/**
 * Reads the operator's list of plans: `{currency, plans: {basic: {title, price_per_month, max_products, rate_per_minute}, …}}`.
 * A plan that the file does not name stays as contract 6.1 has it.
 *
 * @returns the plans, or everything that is wrong, each with its path in the file.
 */
export function readPlansFile(text: string): Plans | readonly string[] {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (error) {
    return [`it is not JSON (${(error as Error).message})`]
  }
  const problems: string[] = []
  const file = readObject(root, '', ['currency', 'plans'], problems)
  if (!file) return problems
  const currency = readCurrency(file['currency'], problems)
  const named = readObject(file['plans'], 'plans', PLAN_NAMES, problems)
  const plans: Record<PlanName, Plan> = { ...PLANS }
  for (const name of PLAN_NAMES) {
    if (!named || currency === undefined) break
    plans[name] = readPlan(name, named[name], currency, problems)
  }
  return problems.length > 0 || currency === undefined ? problems : { ...plans, currency }
}

export const isPlans = (read: Plans | readonly string[]): read is Plans => 'currency' in read

/** Reads an object that has no other keys. */
function readObject(
  value: unknown,
  path: string,
  keys: readonly string[],
  problems: string[],
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = value === undefined ? 'is missing' : 'is no object'
    problems.push(
      `${path || 'the file'} ${what}; it must be { ${keys.map((key) => `"${key}": …`).join(', ')} }`,
    )
    return undefined
  }
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue
    const near = findNearest(key, keys)
    const advice = near === undefined ? `known are ${keys.join(', ')}` : `did you mean ${near}?`
    problems.push(`${join(path, key.slice(0, 60))} is unknown; ${advice}`)
  }
  return value as Record<string, unknown>
}

function readCurrency(value: unknown, problems: string[]): string | undefined {
  const code = typeof value === 'string' ? value.toUpperCase() : ''
  if (isCurrency(code)) return code
  problems.push(
    `currency ${value === undefined ? 'is missing; it ' : ''}must be a code of ISO 4217 such as "EUR"`,
  )
  return undefined
}

const KEYS = ['title', 'price_per_month', 'max_products', 'rate_per_minute'] as const

function readPlan(name: PlanName, given: unknown, currency: string, problems: string[]): Plan {
  const known: Plan = PLANS[name]
  const path = `plans.${name}`
  if (given === undefined) {
    // The price of the specification is one in dollars.
    if (currency === PLANS.currency || known.pricePerMonth === 0) return known
    problems.push(
      `${path} is missing: without it the plan costs ${known.pricePerMonth} ${PLANS.currency}, which is no price in ${currency}`,
    )
    return known
  }
  const plan = readObject(given, path, KEYS, problems)
  if (!plan) return known
  const requestsPerMinute = readLimit(plan['rate_per_minute'], `${path}.rate_per_minute`, problems)
  return {
    ...known,
    title: readTitle(plan['title'], `${path}.title`, problems),
    pricePerMonth: readPrice(plan['price_per_month'], `${path}.price_per_month`, currency, problems),
    productsMax: readLimit(plan['max_products'], `${path}.max_products`, problems),
    requestsPerMinute,
    // A widget key always has a limit: anybody may read the key in the shop's pages.
    widgetRequestsPerMinute: Number.isFinite(requestsPerMinute)
      ? requestsPerMinute
      : PLANS.enterprise.widgetRequestsPerMinute,
  }
}

function readTitle(value: unknown, path: string, problems: string[]): string | null {
  if (value === undefined || value === null) return null
  const title = typeof value === 'string' ? value.trim() : ''
  if (title !== '' && title.length <= TITLE_CHARS_MAX && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(title)) return title
  problems.push(`${path} must be one line of 1 to ${TITLE_CHARS_MAX} characters`)
  return null
}

function readPrice(value: unknown, path: string, currency: string, problems: string[]): number {
  if (typeof value === 'number' && value >= 0 && value <= PRICE_MAX) {
    if (toAmount(toMinor(value, currency), currency) === value) return value
    problems.push(`${path} must have no more digits after the point than ${currency} has`)
    return 0
  }
  const what = value === undefined ? 'is missing; it ' : ''
  problems.push(`${path} ${what}must be a number from 0 to ${PRICE_MAX}`)
  return 0
}

/** Reads a limit; null means that there is none. */
function readLimit(value: unknown, path: string, problems: string[]): number {
  if (value === null) return Infinity
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= NUMBER_MAX)
    return value as number
  const what = value === undefined ? 'is missing; it ' : ''
  problems.push(`${path} ${what}must be a whole number from 1 to ${NUMBER_MAX}, or null for no limit`)
  return Infinity
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
