import { LIMITS } from '../../../core/limits.ts'
import { readTime } from '../../../core/moments.ts'
import { fold, isLongerThan } from '../../../core/text.ts'
import type { Failures } from './failures.ts'
import type { Field, Scalars, Test } from './filter.ts'
import type { FilterOperator } from './schema.ts'

const DELTA_E_DEFAULT = 20
const DELTA_E_MAX = 100

type Json = string | number | boolean

export type RangeOperator = 'gt' | 'gte' | 'lt' | 'lte' | 'between'

interface Bound {
  of: 'number' | 'time'
  value: number
}

/** Reads the values of the conditions of one filter, and counts those in lists. */
export function createValueReader(fail: Failures) {
  let inLists = 0

  function checkText(text: string, at: string): void {
    if (isLongerThan(text, LIMITS.filterTextCharsMax)) {
      throw fail.invalid(at, 'max_length', `must have at most ${LIMITS.filterTextCharsMax} characters`)
    }
    // SQLite ends a text there in some of its functions.
    if (text.includes('\0')) throw fail.invalid(at, 'pattern', 'must not contain U+0000')
  }

  function readScalar(value: unknown, field: Field, operator: FilterOperator, at: string): Json {
    const allowed = scalarTypes(field)
    if (!allowed.includes(typeof value) || (typeof value === 'number' && !Number.isFinite(value))) {
      const hint = value === null ? '; is_null finds null' : ''
      throw fail.mismatch(at, `${operator} compares with a ${allowed.join(', ')}${hint}`, value, allowed)
    }
    if (typeof value === 'string') checkText(value, at)
    return value as Json
  }

  function readScalars(value: unknown, field: Field, operator: FilterOperator, at: string): Json[] {
    if (!Array.isArray(value)) throw fail.mismatch(at, `${operator} takes a list`, value, ['array'])
    // An empty list comes from a program that has found nothing; its negation would let everything pass.
    if (value.length === 0) throw fail.invalid(at, 'min_items', 'must have at least 1 item')
    inLists += value.length
    if (value.length > LIMITS.filterValuesMax || inLists > LIMITS.filterValuesTotalMax) {
      const message = `must have at most ${LIMITS.filterValuesMax} items, and all lists of a filter ${LIMITS.filterValuesTotalMax}`
      throw fail.invalid(at, 'max_items', message)
    }
    return value.map((one, n) => readScalar(one, field, operator, `${at}/${n}`))
  }

  const readOne = (value: unknown, field: Field, operator: FilterOperator, at: string): Scalars =>
    toScalars([readScalar(value, field, operator, at)], field)

  const readSeveral = (value: unknown, field: Field, operator: FilterOperator, at: string): Scalars =>
    toScalars(readScalars(value, field, operator, at), field)

  /** A text that folds to nothing would be a part of every text. */
  function requireLetters(texts: readonly string[], at: string): void {
    if (texts.some((text) => text === ''))
      throw fail.invalid(at, 'min_length', 'must have at least 1 character')
  }

  function readStart(field: Field, value: unknown, at: string): string {
    if (typeof value !== 'string') throw fail.mismatch(at, 'starts_with takes a string', value, ['string'])
    checkText(value, at)
    const text = field.kind === 'own' ? value : fold(value)
    requireLetters([text], at)
    return text
  }

  function readFlag(value: unknown, operator: FilterOperator, at: string): boolean {
    if (value === undefined) return true
    if (typeof value !== 'boolean') throw fail.mismatch(at, `${operator} takes a boolean`, value, ['boolean'])
    return value
  }

  function readRange(field: Field, operator: RangeOperator, value: unknown, at: string): Test {
    const isBetween = operator === 'between'
    if (isBetween && !(Array.isArray(value) && value.length === 2)) {
      throw fail.mismatch(at, 'between takes [min, max]', value, ['[number, number]', '[date, date]'])
    }
    const bounds = (isBetween ? (value as unknown[]) : [value]).map((bound, n) =>
      readBound(field, operator, bound, isBetween ? `${at}/${n}` : at),
    )
    const [first, last] = [bounds[0], bounds.at(-1)] as [Bound, Bound]
    if (first.of !== last.of) {
      throw fail.mismatch(at, 'between takes two numbers or two dates', value, [
        '[number, number]',
        '[date, date]',
      ])
    }
    if (first.value > last.value)
      throw fail.invalid(at, 'range', 'must not begin above its end', ['[min, max]'])
    const isOpen = operator === 'gt' || operator === 'lt'
    return {
      op: 'range',
      of: first.of,
      ...(operator !== 'lt' && operator !== 'lte' && { min: { value: first.value, isOpen } }),
      ...(operator !== 'gt' && operator !== 'gte' && { max: { value: last.value, isOpen } }),
    }
  }

  function readBound(field: Field, operator: FilterOperator, value: unknown, at: string): Bound {
    if (typeof value === 'number' && Number.isFinite(value) && field.kind !== 'own') {
      return { of: 'number', value }
    }
    const time = typeof value === 'string' ? readTime(value) : undefined
    if (time !== undefined) return { of: 'time', value: time }
    const allowed = field.kind === 'own' ? ['date'] : ['number', 'date']
    throw fail.mismatch(
      at,
      `${operator} compares with a ${allowed.join(' or a ')} (ISO 8601)`,
      value,
      allowed,
    )
  }

  /** A colour, and how far others may be from it. */
  function readColour(value: unknown, at: string): { hex: string; deltaE: number } {
    const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
    if (!given) throw fail.mismatch(at, 'color_near takes {hex, delta_e}', value, ['object'])
    for (const key in given) {
      if (key !== 'hex' && key !== 'delta_e') {
        throw fail.invalid(`${at}/${fail.token(key)}`, 'unknown', 'is unknown', ['hex', 'delta_e'])
      }
    }
    const { hex, delta_e: deltaE = DELTA_E_DEFAULT } = given as { hex?: unknown; delta_e?: unknown }
    const digits = typeof hex === 'string' ? /^#?([0-9a-f]{6})$/i.exec(hex)?.[1] : undefined
    if (digits === undefined) {
      throw fail.invalid(`${at}/hex`, 'format', 'must be a colour like #d93025', ['#rrggbb'])
    }
    if (typeof deltaE !== 'number' || !(deltaE > 0 && deltaE <= DELTA_E_MAX)) {
      throw fail.invalid(`${at}/delta_e`, 'range', `must be a number above 0, at most ${DELTA_E_MAX}`)
    }
    return { hex: `#${digits.toLowerCase()}`, deltaE }
  }

  return { checkText, readOne, readSeveral, requireLetters, readStart, readFlag, readRange, readColour }
}

function scalarTypes(field: Field): readonly string[] {
  if (field.kind === 'metadata') return ['string', 'number', 'boolean']
  return field.name === 'is_demo' ? ['boolean'] : ['string']
}

/** Ids are compared as they are: two that differ in case are two products. */
function toScalars(given: Json[], { kind }: Field): Scalars {
  const strings = given.filter((value) => typeof value === 'string')
  return {
    given,
    texts: [...new Set(kind === 'own' ? strings : strings.map(fold))],
    numbers: [...new Set(given.filter((value) => typeof value === 'number'))],
    booleans: [...new Set(given.filter((value) => typeof value === 'boolean'))],
  }
}
