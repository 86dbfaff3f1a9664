import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import type { Problem } from '../core/problem.ts'
import { UPLOAD, UploadedFile } from './schema.ts'
import { findTextFault, TEXT } from './text-schema.ts'

/** A 422 that lists every problem at once and never repeats the values that were sent. */
export function validationError(problems: Problem[]): ApiError {
  const listed = problems.slice(0, LIMITS.validationProblemsMax).map(withShortPointer)
  const [first] = listed
  const field = first?.pointer.slice(1).replaceAll('/', '.')
  const message = first
    ? `${field || `the ${first.in}`} ${first.message}`
    : 'The request does not match the schema'
  return new ApiError('validation_error', message, { details: { errors: listed } })
}

/** Clients choose keys, and keys may be long; an answer must not repeat a long key for every problem below it. */
const POINTER_CHARS_MAX = 1_000

const withShortPointer = (problem: Problem): Problem =>
  problem.pointer.length > POINTER_CHARS_MAX
    ? { ...problem, pointer: `${problem.pointer.slice(0, POINTER_CHARS_MAX)}…` }
    : problem

/** Finds all problems of a value, in the schema's order. A union reports the problems of its nearest alternative. */
export function findProblems(schema: TSchema, value: unknown, place: Problem['in']): Problem[] {
  const found = new Map<string, Problem>()
  for (const error of listErrors(schema, value, '')) {
    // TypeBox reports a missing field twice: as missing, and as one of the wrong type.
    if (!found.has(error.path)) found.set(error.path, toProblem(error, place))
    if (found.size >= LIMITS.validationProblemsMax) break
  }
  return [...found.values()]
}

function* listErrors(schema: TSchema, value: unknown, path: string): Generator<ValueError> {
  for (const error of Value.Errors(schema, clip(schema, value))) {
    const branch =
      error.type === ValueErrorType.Union ? findNearestBranch(error.schema, error.value) : undefined
    const place = path + error.path
    if (branch) yield* listErrors(branch, error.value, place)
    else yield { ...error, path: place }
  }
}

/** Cuts each list after its first surplus item, which is still reported; the others are never walked. */
function clip(schema: TSchema, value: unknown): unknown {
  const { maxItems, items, properties } = schema as {
    maxItems?: number
    items?: TSchema
    properties?: Record<string, TSchema>
  }
  if (Array.isArray(value)) {
    const list = value.length > (maxItems ?? Infinity) + 1 ? value.slice(0, (maxItems as number) + 1) : value
    const isNested = items?.['type'] === 'object' || items?.['type'] === 'array'
    return isNested ? list.map((item) => clip(items, item)) : list
  }
  if (!properties || typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const name in properties) {
    if (!Object.hasOwn(fields, name)) continue
    const field = clip(properties[name] as TSchema, fields[name])
    if (field === fields[name]) continue
    copy ??= { ...fields }
    copy[name] = field
  }
  return copy ?? value
}

/** Finds the alternative with the fewest problems among those of the value's JSON type. */
function findNearestBranch(schema: TSchema, value: unknown): TSchema | undefined {
  const branches = (schema['anyOf'] ?? []) as TSchema[]
  if (branches.every((branch) => branch['const'] !== undefined)) return undefined
  const counted = branches
    .filter((branch) => matchesType(branch, value))
    .map((branch) => ({ branch, problems: countErrors(branch, value) }))
  return counted.reduce<(typeof counted)[number] | undefined>(
    (best, next) => (best && best.problems <= next.problems ? best : next),
    undefined,
  )?.branch
}

const matchesType = ({ type }: TSchema, value: unknown): boolean =>
  type === undefined || (type === 'integer' ? 'number' : type) === nameType(value)

/** Counts the problems of a value, up to a limit. */
const countErrors = (schema: TSchema, value: unknown): number =>
  Iterator.from(Value.Errors(schema, clip(schema, value)))
    .take(2 * LIMITS.validationProblemsMax)
    .toArray().length

function toProblem(error: ValueError, place: Problem['in']): Problem {
  const { schema, path: pointer } = error
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return { in: place, pointer, code: 'required', message: 'is required' }
  }
  // The router gives null for %-sequences that are not UTF-8.
  if (place === 'path' && error.value === null) {
    return { in: place, pointer, code: 'encoding', message: 'must be percent-encoded UTF-8' }
  }
  const fault =
    schema[Kind] === TEXT && typeof error.value === 'string' ? findTextFault(schema, error.value) : undefined
  if (fault) return { in: place, pointer, ...fault }
  const bound = BOUNDS[error.type]
  if (bound) return { in: place, pointer, code: bound.code, message: bound.message(schema) }
  const expected = describeExpectation(schema)
  return {
    in: place,
    pointer,
    code: expected.isChoice ? 'enum' : 'type',
    message: `must be ${expected.phrase}`,
    expected: expected.type,
    received: nameType(error.value),
  }
}

const BOUNDS: Partial<Record<ValueErrorType, { code: string; message: (schema: TSchema) => string }>> = {
  [ValueErrorType.NumberMinimum]: { code: 'min', message: ({ minimum }) => `must be at least ${minimum}` },
  [ValueErrorType.IntegerMinimum]: { code: 'min', message: ({ minimum }) => `must be at least ${minimum}` },
  [ValueErrorType.NumberMaximum]: { code: 'max', message: ({ maximum }) => `must be at most ${maximum}` },
  [ValueErrorType.IntegerMaximum]: { code: 'max', message: ({ maximum }) => `must be at most ${maximum}` },
  [ValueErrorType.ArrayMinItems]: {
    code: 'min_items',
    message: ({ minItems }) => `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`,
  },
  [ValueErrorType.ArrayMaxItems]: {
    code: 'max_items',
    message: ({ maxItems }) => `must have at most ${maxItems} items`,
  },
  [ValueErrorType.StringFormat]: { code: 'format', message: ({ format }) => `must be a valid ${format}` },
  [ValueErrorType.ObjectAdditionalProperties]: { code: 'unknown', message: () => 'is unknown' },
}

interface Expectation {
  /** JSON type. */
  type: string
  /** The same in words. */
  phrase: string
  isChoice: boolean
}

/** Describes the values that a schema allows. */
function describeExpectation(schema: TSchema): Expectation {
  const choices = (schema['anyOf'] as TSchema[] | undefined)?.map(({ const: value }) => value)
  if (choices?.every((value) => typeof value === 'string')) {
    const listed = choices.map((value) => `"${value}"`).join(', ')
    return { type: 'string', phrase: `one of ${listed}`, isChoice: true }
  }
  if (schema['const'] !== undefined) {
    return { type: typeof schema['const'], phrase: JSON.stringify(schema['const']), isChoice: true }
  }
  if (schema[Kind] === UPLOAD) return { type: 'file', phrase: 'a file', isChoice: false }
  const type = typeof schema['type'] === 'string' ? schema['type'] : listAlternatives(schema)
  return { type, phrase: /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`, isChoice: false }
}

const listAlternatives = (schema: TSchema): string =>
  [...new Set(((schema['anyOf'] as TSchema[] | undefined) ?? []).map(({ type }) => String(type)))].join(
    ' or ',
  ) || 'value'

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof UploadedFile) return 'file'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'number out of range'
  return Array.isArray(value) ? 'array' : typeof value
}
