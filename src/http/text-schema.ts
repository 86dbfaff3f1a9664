import { Kind, type SchemaOptions, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { isLongerThan } from '../core/text.ts'

/** Name of {@link text}'s kind among TypeBox's. */
export const TEXT = 'Text'

interface TextOptions extends SchemaOptions {
  /** Code points, as OpenAPI means it. */
  minLength?: number
  /** Code points, as OpenAPI means it. */
  maxLength?: number
  pattern?: string
  /** Values that are refused. */
  not?: { enum: readonly string[] }
}

/**
 * A string with bounds.
 *
 * TypeBox's own counts UTF-16 units, so that it would refuse 128 emoji where the document allows 128 characters.
 */
export const text = (options: TextOptions) =>
  Type.Unsafe<string>({ ...options, [Kind]: TEXT, type: 'string' })

/** No control characters or line ends, and no half of a surrogate pair, which the database could not keep. */
const PRINTABLE =
  '(?:[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])'

/** One line of printable characters, perhaps none. */
export const LINE = `^${PRINTABLE}*$`

/** One line of printable characters, not only spaces. */
export const NAME = `^(?=.*\\S)${PRINTABLE}+$`

/** A moment in a query: ISO 8601 with its offset from UTC, or a date. */
export const moment = (description: string) =>
  text({
    // A time without an offset would mean another moment on each machine. A raw + arrives as a space.
    pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+ -]\\d\\d:\\d\\d))?$',
    description,
    examples: ['2030-01-01T00:00:00Z'],
  })

/** What is wrong with a string, in the terms of the schema; undefined for one that fits. */
export function faultOfText(
  schema: TextOptions,
  value: string,
): { code: string; message: string } | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, not } = schema
  if (minLength > 0 && !isLongerThan(value, minLength - 1)) {
    const unit = minLength === 1 ? 'character' : 'characters'
    return { code: 'min_length', message: `must have at least ${minLength} ${unit}` }
  }
  if (isLongerThan(value, maxLength)) {
    return { code: 'max_length', message: `must have at most ${maxLength} characters` }
  }
  if (pattern !== undefined && !compiled(pattern).test(value)) {
    const expected = schema.description ? `: ${schema.description}` : ''
    return { code: 'pattern', message: `has the wrong form${expected}` }
  }
  if (not?.enum.includes(value)) {
    return { code: 'reserved', message: `is reserved; choose another than ${not.enum.join(', ')}` }
  }
  return undefined
}

const patterns = new Map<string, RegExp>()

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern)
  patterns.set(pattern, known)
  return known
}

TypeRegistry.Set(
  TEXT,
  (schema: TSchema, value) => typeof value === 'string' && faultOfText(schema, value) === undefined,
)
