import type { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Failures } from './failures.ts'
import type { Field, Node, OwnField, Scalars, Test } from './filter.ts'
import { FILTER_OPERATORS, type FilterOperator } from './schema.ts'
import { createValueReader, type RangeOperator } from './values.ts'

const CONDITION_KEYS = ['field', 'operator', 'value'] as const
const PREFIX = 'metadata.'

const PRESENCE = ['exists', 'not_exists', 'is_null', 'is_empty'] as const
const RANGES = ['gt', 'gte', 'lt', 'lte', 'between'] as const satisfies readonly RangeOperator[]
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

/** The weight of a color_near in conditions: it reads a picture of every product and takes ten times as long as another. */
const NEAR_CONDITIONS = 10

/** Reads the conditions of one filter, and counts what they ask for. */
export function createConditionReader(fail: Failures) {
  const values = createValueReader(fail)
  let conditions = 0

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
    values.checkText(name, at)
    if (Object.hasOwn(OWN_OPERATORS, name)) return { kind: 'own', name: name as OwnField }
    const key = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
    return { kind: 'metadata', name: key === '' ? name : key }
  }

  function readTest(field: Field, operator: FilterOperator, value: unknown, at: string): Node {
    const test = (test: Test): Node => ({ condition: { field, test } })
    const one = () => values.readOne(value, field, operator, at)
    const several = () => values.readSeveral(value, field, operator, at)
    const parts = (): Scalars => {
      const scalars = operator === 'contains' ? one() : several()
      values.requireLetters(scalars.texts, at)
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
        return test({ op: 'startsWith', text: values.readStart(field, value, at) })
      case 'exists':
        return flipUnless(values.readFlag(value, operator, at), test({ op: 'exists' }))
      case 'not_exists':
        return flipUnless(!values.readFlag(value, operator, at), test({ op: 'exists' }))
      case 'is_null':
      case 'is_empty':
        return readEmptiness(field, operator, value, at)
      default:
        return test(values.readRange(field, operator as RangeOperator, value, at))
    }
  }

  /** Their opposite holds only for a field that is there: null is no empty text, and a missing field is neither. */
  function readEmptiness(field: Field, operator: 'is_null' | 'is_empty', value: unknown, at: string): Node {
    const test = (op: 'null' | 'empty' | 'exists'): Node => ({ condition: { field, test: { op } } })
    if (values.readFlag(value, operator, at)) return test(operator === 'is_null' ? 'null' : 'empty')
    return operator === 'is_null' ? test('exists') : { all: [test('exists'), { not: test('empty') }] }
  }

  function readNear(field: unknown, value: unknown, at: string): Node {
    if (field !== undefined && !(PALETTE_FIELDS as readonly unknown[]).includes(field)) {
      throw fail.invalid(`${at}/field`, 'enum', 'of color_near is the palette', PALETTE_FIELDS)
    }
    return { condition: { near: values.readColour(value, `${at}/value`) } }
  }

  return { read, tooMany, count: () => conditions }
}

const isOperator = (value: unknown): value is FilterOperator =>
  (FILTER_OPERATORS as readonly unknown[]).includes(value)

const flipUnless = (holds: boolean, node: Node): Node => (holds ? node : { not: node })
