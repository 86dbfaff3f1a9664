import type { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { readTime } from '../../../core/moments.ts'
import { fold, isLongerThan } from '../../../core/text.ts'
import type { Failures } from './failures.ts'
import type { Field, Node, OwnField, Scalars, Test } from './filter.ts'
import { FILTER_OPERATORS, type FilterOperator } from './schema.ts'

const CONDITION_KEYS = ['field', 'operator', 'value'] as const
const PREFIX = 'metadata.'

const PRESENCE = ['exists', 'not_exists', 'is_null', 'is_empty'] as const
const RANGES = ['gt', 'gte', 'lt', 'lte', 'between'] as const
const TEXTS = ['contains', 'contains_any', 'contains_all', 'contains_none', 'starts_with'] as const
const EQUALITIES = ['eq', 'ne', 'neq', 'in', 'nin'] as const

/** The operators that fit the product's own fields, whose types are known. */
const OWN_OPERATORS: Record<OwnField, readonly FilterOperator[]> = {
  product_id: [...EQUALITIES, ...TEXTS, ...PRESENCE],
  is_demo: [...EQUALITIES, ...PRESENCE],
  created_at: [...RANGES, ...PRESENCE],
  indexed_at: [...RANGES, ...PRESENCE],
  updated_at: [...RANGES, ...PRESENCE],
}

/** Names under which the colours found in a product's picture are known. */
const PALETTE_FIELDS = ['palette', 'color', 'image.palette'] as const
const DELTA_E_DEFAULT = 20
const DELTA_E_MAX = 100

/** What one of them counts: it reads a picture of every product, and takes ten times as long as any other condition. */
const NEAR_CONDITIONS = 10

type Json = string | number | boolean

/** Reads the conditions of one filter, and counts what they ask for. */
export function createConditionReader(fail: Failures) {
  let conditions = 0
  let values = 0

  function count(more: number, at: string): void {
    conditions += more
    if (conditions > LIMITS.filterConditionsMax) throw tooMany(at)
  }

  const tooMany = (at: string): ApiError =>
    fail.invalid(
      at,
      'max_items',
      `has more than ${LIMITS.filterConditionsMax} conditions; each value of contains_any, contains_all and contains_none counts as one, and color_near as ${NEAR_CONDITIONS}`,
    )

  function read(item: Record<string, unknown>, at: string): Node {
    for (const key in item) {
      if (!(CONDITION_KEYS as readonly string[]).includes(key)) {
        throw fail.invalid(`${at}/${fail.token(key)}`, 'unknown', 'is unknown in a condition', CONDITION_KEYS)
      }
    }
    const { operator, value } = item
    if (!isOperator(operator)) throw fail.unknownOperator(`${at}/operator`)
    count(operator === 'color_near' ? NEAR_CONDITIONS : 1, at)
    if (operator === 'color_near') return readNear(item['field'], value, at)
    const field = readField(item['field'], `${at}/field`)
    if (field.kind === 'own' && !OWN_OPERATORS[field.name].includes(operator)) {
      const message = `${operator} does not fit ${field.name}`
      throw fail.mismatch(`${at}/operator`, message, value, OWN_OPERATORS[field.name])
    }
    return readTest(field, operator, value, `${at}/value`)
  }

  function readField(name: unknown, at: string): Field {
    if (typeof name !== 'string' || name === '') {
      throw fail.invalid(at, name === undefined ? 'required' : 'type', 'must be the name of a field', [
        'string',
      ])
    }
    checkText(name, at)
    if (Object.hasOwn(OWN_OPERATORS, name)) return { kind: 'own', name: name as OwnField }
    const key = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
    return { kind: 'metadata', name: key === '' ? name : key }
  }

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
    values += value.length
    if (value.length > LIMITS.filterValuesMax || values > LIMITS.filterValuesTotalMax) {
      const message = `must have at most ${LIMITS.filterValuesMax} items, and all lists of a filter ${LIMITS.filterValuesTotalMax}`
      throw fail.invalid(at, 'max_items', message)
    }
    return value.map((one, n) => readScalar(one, field, operator, `${at}/${n}`))
  }

  function readTest(field: Field, operator: FilterOperator, value: unknown, at: string): Node {
    const test = (test: Test): Node => ({ condition: { field, test } })
    const one = () => toScalars([readScalar(value, field, operator, at)], field)
    const several = () => toScalars(readScalars(value, field, operator, at), field)
    const parts = (): Scalars => {
      const scalars = operator === 'contains' ? one() : several()
      requireLetters(scalars.texts, at)
      count(scalars.given.length - 1, at)
      return scalars
    }
    switch (operator) {
      case 'eq':
        return test({ op: 'equals', ...one() })
      case 'ne':
      case 'neq':
        return { not: test({ op: 'equals', ...one() }) }
      case 'in':
        return test({ op: 'equals', ...several() })
      case 'nin':
        return { not: test({ op: 'equals', ...several() }) }
      case 'contains':
      case 'contains_any':
        return test({ op: 'contains', ...parts() })
      case 'contains_all':
        return test({ op: 'containsAll', ...parts() })
      case 'contains_none':
        return { not: test({ op: 'contains', ...parts() }) }
      case 'starts_with':
        return test({ op: 'startsWith', text: readStart(field, value, at) })
      case 'exists':
        return flipUnless(readFlag(value, operator, at), test({ op: 'exists' }))
      case 'not_exists':
        return flipUnless(!readFlag(value, operator, at), test({ op: 'exists' }))
      case 'is_null':
      case 'is_empty':
        return readEmptiness(field, operator, value, at)
      default:
        return test(readRange(field, operator as (typeof RANGES)[number], value, at))
    }
  }

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

  /** Their opposite holds only for a field that is there: null is no empty text, and a missing field is neither. */
  function readEmptiness(field: Field, operator: 'is_null' | 'is_empty', value: unknown, at: string): Node {
    const test = (op: 'null' | 'empty' | 'exists'): Node => ({ condition: { field, test: { op } } })
    if (readFlag(value, operator, at)) return test(operator === 'is_null' ? 'null' : 'empty')
    return operator === 'is_null' ? test('exists') : { all: [test('exists'), { not: test('empty') }] }
  }

  function readRange(field: Field, operator: (typeof RANGES)[number], value: unknown, at: string): Test {
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

  interface Bound {
    of: 'number' | 'time'
    value: number
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

  function readNear(field: unknown, value: unknown, at: string): Node {
    if (field !== undefined && !(PALETTE_FIELDS as readonly unknown[]).includes(field)) {
      throw fail.invalid(`${at}/field`, 'enum', 'of color_near is the palette', PALETTE_FIELDS)
    }
    const place = `${at}/value`
    const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
    if (!given) throw fail.mismatch(place, 'color_near takes {hex, delta_e}', value, ['object'])
    for (const key in given) {
      if (key !== 'hex' && key !== 'delta_e') {
        throw fail.invalid(`${place}/${fail.token(key)}`, 'unknown', 'is unknown', ['hex', 'delta_e'])
      }
    }
    const { hex, delta_e: deltaE = DELTA_E_DEFAULT } = given as { hex?: unknown; delta_e?: unknown }
    const digits = typeof hex === 'string' ? /^#?([0-9a-f]{6})$/i.exec(hex)?.[1] : undefined
    if (digits === undefined) {
      throw fail.invalid(`${place}/hex`, 'format', 'must be a colour like #d93025', ['#rrggbb'])
    }
    if (typeof deltaE !== 'number' || !(deltaE > 0 && deltaE <= DELTA_E_MAX)) {
      throw fail.invalid(`${place}/delta_e`, 'range', `must be a number above 0, at most ${DELTA_E_MAX}`)
    }
    return { condition: { near: { hex: `#${digits.toLowerCase()}`, deltaE } } }
  }

  return { read, tooMany, count: () => conditions }
}

const isOperator = (value: unknown): value is FilterOperator =>
  (FILTER_OPERATORS as readonly unknown[]).includes(value)

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

const flipUnless = (holds: boolean, node: Node): Node => (holds ? node : { not: node })
