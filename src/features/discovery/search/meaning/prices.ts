import {
  COMPARISONS,
  COMPARISONS_BEHIND,
  type Comparison,
  CURRENCIES,
  FILLERS,
  FOLLOWERS,
  LEADS,
  RANGE_BEGINNINGS,
  RANGE_JOINTS,
  SIZES,
  UNITS,
} from './price-words.ts'
import { findPhrase, type Stretch, type Token } from './tokens.ts'

/** The prices that a text asks for, and where it says so. */
export interface Prices {
  min?: number
  max?: number
  stretches: Stretch[]
}

/**
 * Reads what a text says of prices. A number is a price beside a comparison ("under 20", "bis 15 €"), or as a range with a
 * currency ("20-30 €"). Sizes, ages, model numbers and measures are none. What is said last wins.
 *
 * @param currency the code of the store's; what names another one is left alone. Null where the store has none, which then takes all for
 *   its own.
 */
export function readPrices(tokens: readonly Token[], currency: string | null): Prices {
  const prices: Prices = { stretches: [] }
  for (let at = 0; at < tokens.length; ) {
    const clause = readClause(tokens, at, isFree(prices, at))
    if (!clause) {
      at++
      continue
    }
    at = clause.to
    if (!isOwn(clause.codes, currency)) continue
    take(prices, clause)
    prices.stretches.push({ from: leadOf(tokens, clause.from, prices), to: clause.to })
  }
  return prices
}

interface Clause extends Stretch {
  min?: number
  max?: number
  codes?: readonly string[] | undefined
}

/** Whether no price ends right before a token. */
const isFree = ({ stretches }: Prices, at: number): boolean => stretches.at(-1)?.to !== at

const isOwn = (codes: readonly string[] | undefined, currency: string | null): boolean =>
  codes === undefined || currency === null || codes.includes(currency) || codes.length === 0

/** Takes the bounds of a clause; those before that contradict it are dropped. */
function take(prices: Prices, { min, max }: Clause): void {
  if (min !== undefined) prices.min = min
  if (max !== undefined) prices.max = max
  if (prices.min === undefined || prices.max === undefined || prices.min <= prices.max) return
  if (max === undefined) delete prices.max
  else delete prices.min
}

/** Where a clause begins with the words that lead to it. */
function leadOf(tokens: readonly Token[], from: number, prices: Prices): number {
  const end = prices.stretches.at(-1)?.to ?? 0
  let at = from
  while (at > end && at > from - 3 && LEADS.has(tokens[at - 1]?.text ?? '')) at--
  return at
}

/** @param isFirst whether the token before, if it is a number, belongs to no price. */
function readClause(tokens: readonly Token[], at: number, isFirst: boolean): Clause | undefined {
  return readRange(tokens, at) ?? readCompared(tokens, at, isFirst) ?? readBehind(tokens, at)
}

/** "between 10 and 20", "von 10 bis 20 €", "20-30 €". */
function readRange(tokens: readonly Token[], at: number): Clause | undefined {
  const before = findPhrase(tokens, at, COMPARISONS)
  const isNamed = before?.meaning.bound === 'range'
  const start = isNamed ? before.to : RANGE_BEGINNINGS.has(tokens[at]?.text ?? '') ? at + 1 : at
  const low = readAmount(tokens, skipFiller(tokens, start))
  if (!low || !RANGE_JOINTS.has(tokens[low.to]?.text ?? '')) return undefined
  const high = readAmount(tokens, skipFiller(tokens, low.to + 1), true)
  if (!high || (high.isMeasure && !high.codes)) return undefined
  const codes = high.codes ?? low.codes
  const isSize = SIZES.has(tokens[at - 1]?.text ?? '')
  if (!codes && (!isNamed || isSize || !endsWell(tokens, high.to, at))) return undefined
  const [min, max] = low.value < high.value ? [low.value, high.value] : [high.value, low.value]
  return { from: at, to: high.to, min, max, codes }
}

/** "under 20", "ab 50 €". */
function readCompared(tokens: readonly Token[], at: number, isFirst: boolean): Clause | undefined {
  const before = findPhrase(tokens, at, COMPARISONS)
  if (!before || before.meaning.bound === 'range') return undefined
  const amount = readAmount(tokens, skipFiller(tokens, before.to))
  if (!amount) return undefined
  const { value, codes, to } = amount
  const behind = tokens[at - 1]
  const isCounted = SIZES.has(behind?.text ?? '') || (isFirst && behind?.kind === 'number')
  if (!codes && (isCounted || !speaksOfMoney(before.meaning, value) || !endsWell(tokens, to, at)))
    return undefined
  return { from: at, to, [before.meaning.bound]: value, codes }
}

/** "20 € max", "50 euros or less". */
function readBehind(tokens: readonly Token[], at: number): Clause | undefined {
  const amount = readAmount(tokens, at)
  if (!amount?.codes) return undefined
  const behind = findPhrase(tokens, amount.to, COMPARISONS_BEHIND)
  return behind && { from: at, to: behind.to, [behind.meaning]: amount.value, codes: amount.codes }
}

const AGE_MAX = 18
const [YEAR_MIN, YEAR_MAX] = [1900, 2100]

/** Whether a number without a currency is a price behind a comparison. */
function speaksOfMoney({ strength }: Comparison, value: number): boolean {
  if (strength === 'none' || value === 0) return false
  return strength === 'plain' || (value > AGE_MAX && (value < YEAR_MIN || value > YEAR_MAX))
}

/** Whether nothing behind a number without a currency says what it counts. @param at where its clause begins. */
function endsWell(tokens: readonly Token[], to: number, at: number): boolean {
  const next = tokens[to]
  if (!next || next.kind === 'number') return !next
  return (
    at === 0 || next.kind === 'sign' || FOLLOWERS.has(next.text) || COMPARISONS.get(next.text) !== undefined
  )
}

const skipFiller = (tokens: readonly Token[], at: number): number =>
  FILLERS.has(tokens[at]?.text ?? '') ? at + 1 : at

interface Amount {
  value: number
  /** What its currency may be; empty for ",-", undefined without one. */
  codes?: readonly string[] | undefined
  to: number
  /** Whether a unit stands behind it that is no currency. */
  isMeasure?: boolean
}

/** Reads a number with its currency, before or behind it. @param mayBeGlued whether it may follow without a space, as in "20-30". */
function readAmount(tokens: readonly Token[], start: number, mayBeGlued = false): Amount | undefined {
  const before = readCurrency(tokens, start)
  const at = before?.to ?? start
  const number = tokens[at]
  if (number?.kind !== 'number') return undefined
  const previous = tokens[at - 1]
  // "A4", "-5": the number is a part of something else.
  if (number.isGlued && !before && !mayBeGlued && previous?.kind !== 'sign') return undefined
  if (!before && !mayBeGlued && isMinus(previous) && number.isGlued) return undefined
  const { value, to } = readNumber(tokens, at)
  if (value === undefined) return undefined
  if (before) return { value, codes: before.codes, to: readCurrency(tokens, to)?.to ?? to }
  const behind = readCurrency(tokens, to) ?? readDash(tokens, to)
  if (behind) return { value, codes: behind.codes, to: behind.to }
  const next = tokens[to]
  const isJoined = next?.isGlued && isMinus(next) && tokens[to + 1]?.isGlued
  const isMeasure =
    next !== undefined &&
    (UNITS.has(next.text) ||
      (next.isGlued && next.kind === 'word') ||
      (isJoined && tokens[to + 1]?.kind === 'word'))
  return isMeasure ? undefined : { value, to }
}

const isMinus = (token: Token | undefined): boolean =>
  token?.text === '-' || token?.text === '–' || token?.text === '—' || token?.text === '−'

/** A sign or a word of a currency, also of two tokens: "US$". */
function readCurrency(
  tokens: readonly Token[],
  at: number,
): { codes: readonly string[]; to: number } | undefined {
  const [first, second] = [tokens[at], tokens[at + 1]]
  if (!first || first.kind === 'number') return undefined
  const joined =
    second?.isGlued && second.text === '$' ? CURRENCIES.get(`${first.text}${second.text}`) : undefined
  if (joined) return { codes: joined, to: at + 2 }
  const codes = CURRENCIES.get(first.text)
  return codes && { codes, to: at + 1 }
}

/** "20,-" is a price in any currency. */
function readDash(
  tokens: readonly Token[],
  at: number,
): { codes: readonly string[]; to: number } | undefined {
  const [before, dash, next] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (!isMinus(dash) || !dash?.isGlued || next?.isGlued || !before?.text.endsWith(',')) return undefined
  return { codes: [], to: at + 1 }
}

const DIGITS_MAX = 9

/** Reads a number in any local form, also with a space between thousands. */
function readNumber(tokens: readonly Token[], at: number): { value: number | undefined; to: number } {
  let written = tokens[at]?.text ?? ''
  let to = at + 1
  while (isThousands(written, tokens[to]) && tokens[to - 1]?.to === (tokens[to]?.from ?? 0) - 1)
    written += tokens[to++]?.text
  return { value: parseNumber(written), to }
}

/** Whether a token goes on with a number: "1 299,00". */
const isThousands = (before: string, token: Token | undefined): boolean =>
  token?.kind === 'number' &&
  /^\d{1,3}(?:\d{3}){0,2}$/.test(before) &&
  /^\d{3}(?:[.,]\d{0,2})?$/.test(token.text)

/** "1.299,00", "1,299.00", "1'299" and "19,99". Three digits behind a separator are thousands. */
function parseNumber(written: string): number | undefined {
  const groups = written.split(/[.,'’]/)
  if (groups.at(-1) === '') groups.pop()
  if (groups.some((group) => !/^\d+$/.test(group))) return undefined
  const last = groups.at(-1) as string
  const isDecimal = groups.length > 1 && last.length < 3
  const whole = (isDecimal ? groups.slice(0, -1) : groups).join('')
  const isGrouped = (isDecimal ? groups.slice(1, -1) : groups.slice(1)).every(({ length }) => length === 3)
  if (!isGrouped || whole.length > DIGITS_MAX) return undefined
  return Number(isDecimal ? `${whole}.${last}` : whole)
}
