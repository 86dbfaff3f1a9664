import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { UPLOAD } from './schema.ts'

/** One thing wrong with a request; `pointer` is a JSON pointer (RFC 6901). */
export interface Problem {
  in: 'body' | 'query' | 'path' | 'header'
  pointer: string
  code: string
  message: string
  expected?: string
  received?: string
}

/** A 422 that lists every problem at once and never repeats what was sent. */
export function validationError(problems: Problem[]): ApiError {
  const listed = problems.slice(0, LIMITS.validationProblemsMax)
  const [first] = listed
  const field = first?.pointer.slice(1).replaceAll('/', '.')
  const message = first
    ? `${field || `the ${first.in}`} ${first.message}`
    : 'The request does not match the schema'
  return new ApiError('validation_error', message, { details: { errors: listed } })
}

/** All problems of a value, in the schema's order. Of a union the alternative with the fewest problems speaks. */
export function problemsOf(schema: TSchema, value: unknown, place: Problem['in']): Problem[] {
  const found = new Map<string, Problem>()
  for (const error of errorsOf(schema, value)) {
    // A missing field is reported twice by TypeBox: as missing, and as of the wrong type.
    if (!found.has(error.path)) found.set(error.path, toProblem(error, place))
    if (found.size >= LIMITS.validationProblemsMax) break
  }
  return [...found.values()]
}

function errorsOf(schema: TSchema, value: unknown): ValueError[] {
  const branches = schema['anyOf'] as TSchema[] | undefined
  if (branches?.every((branch) => branch[Kind] === 'Object')) {
    const tried = branches.map((branch) => [...Value.Errors(branch, value)])
    return tried.reduce((best, errors) => (errors.length < best.length ? errors : best))
  }
  return [...Value.Errors(schema, value)]
}

function toProblem(error: ValueError, place: Problem['in']): Problem {
  const { schema } = error
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return { in: place, pointer: error.path, code: 'required', message: 'is required' }
  }
  const bound = BOUNDS[error.type]
  if (bound) return { in: place, pointer: error.path, code: bound.code, message: bound.message(schema) }
  const expected = expectation(schema)
  return {
    in: place,
    pointer: error.path,
    code: error.type === ValueErrorType.Union || error.type === ValueErrorType.Literal ? 'enum' : 'type',
    message: `must be ${expected.phrase}`,
    expected: expected.type,
    received: typeName(error.value),
  }
}

const BOUNDS: Partial<Record<ValueErrorType, { code: string; message: (schema: TSchema) => string }>> = {
  [ValueErrorType.NumberMinimum]: { code: 'min', message: ({ minimum }) => `must be at least ${minimum}` },
  [ValueErrorType.IntegerMinimum]: { code: 'min', message: ({ minimum }) => `must be at least ${minimum}` },
  [ValueErrorType.NumberMaximum]: { code: 'max', message: ({ maximum }) => `must be at most ${maximum}` },
  [ValueErrorType.IntegerMaximum]: { code: 'max', message: ({ maximum }) => `must be at most ${maximum}` },
  [ValueErrorType.StringMinLength]: {
    code: 'min_length',
    message: ({ minLength }) => `must have at least ${minLength} character${minLength === 1 ? '' : 's'}`,
  },
  [ValueErrorType.StringMaxLength]: {
    code: 'max_length',
    message: ({ maxLength }) => `must have at most ${maxLength} characters`,
  },
  [ValueErrorType.ArrayMinItems]: {
    code: 'min_items',
    message: ({ minItems }) => `must have at least ${minItems} items`,
  },
  [ValueErrorType.ArrayMaxItems]: {
    code: 'max_items',
    message: ({ maxItems }) => `must have at most ${maxItems} items`,
  },
  [ValueErrorType.StringPattern]: {
    code: 'pattern',
    message: ({ description }) => `has the wrong form${description ? `: ${description}` : ''}`,
  },
  [ValueErrorType.StringFormat]: { code: 'format', message: ({ format }) => `must be a valid ${format}` },
  [ValueErrorType.ObjectAdditionalProperties]: { code: 'unknown', message: () => 'is not known here' },
}

/** What the schema asks for, as a JSON type and in words. */
function expectation(schema: TSchema): { type: string; phrase: string } {
  const choices = (schema['anyOf'] as TSchema[] | undefined)?.map(({ const: value }) => value)
  if (choices?.every((value) => typeof value === 'string')) {
    return { type: 'string', phrase: `one of ${choices.map((value) => `"${value}"`).join(', ')}` }
  }
  if (schema['const'] !== undefined)
    return { type: typeof schema['const'], phrase: JSON.stringify(schema['const']) }
  if (schema[Kind] === UPLOAD) return { type: 'file', phrase: 'a file' }
  const type = typeof schema['type'] === 'string' ? schema['type'] : alternatives(schema)
  return { type, phrase: /^[aeio]/.test(type) ? `an ${type}` : `a ${type}` }
}

const alternatives = (schema: TSchema): string =>
  [...new Set(((schema['anyOf'] as TSchema[] | undefined) ?? []).map(({ type }) => String(type)))].join(
    ' or ',
  ) || 'value'

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Blob) return 'file'
  return Array.isArray(value) ? 'array' : typeof value
}
