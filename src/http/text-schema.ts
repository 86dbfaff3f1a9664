import { Kind, type SchemaOptions, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { isLongerThan } from '../core/text.ts'

/** TypeBox's kind of {@link text}. */
export const TEXT = 'Text'

interface TextOptions extends SchemaOptions {
  /** Counted in code points, as in OpenAPI. */
  minLength?: number
  /** Counted in code points, as in OpenAPI. */
  maxLength?: number
  pattern?: string
  /** Refused values. */
  not?: { enum: readonly string[] }
}

/**
 * A string with bounds.
 *
 * TypeBox's own string counts UTF-16 units, and so would refuse 128 emoji where the document allows 128 characters.
 */
export const text = (options: TextOptions) =>
  Type.Unsafe<string>({ ...options, [Kind]: TEXT, type: 'string' })

/** No control characters or line ends, and no lone surrogates, which the database cannot store. */
const PRINTABLE =
  '(?:[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])'

/** One line of printable characters; may be empty. */
export const LINE = `^${PRINTABLE}*$`

/** One line of printable characters, not all of them spaces. */
export const NAME = `^(?=.*\\S)${PRINTABLE}+$`

/** Finds the reason why a string does not fit the schema, in the schema's terms; undefined if it fits. */
export function findTextFault(
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
    return { code: 'pattern', message: `has the wrong format${expected}` }
  }
  if (not?.enum.includes(value)) {
    return { code: 'reserved', message: `is reserved; choose a value other than ${not.enum.join(', ')}` }
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
  (schema: TSchema, value) => typeof value === 'string' && findTextFault(schema, value) === undefined,
)
