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
