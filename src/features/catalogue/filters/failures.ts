import { ApiError } from '../../../core/errors.ts'
import type { Problem } from '../../../core/problem.ts'
import { FILTER_OPERATORS } from './schema.ts'

/** Characters of a key of the client's that a pointer repeats. */
const TOKEN_CHARS_MAX = 100

export type Failures = ReturnType<typeof createFailures>

/** The refusals of a filter. Each names the place, and what may stand there. */
export function createFailures() {
  return {
    /** A key as a part of a JSON pointer (RFC 6901). */
    token: (key: string): string => key.slice(0, TOKEN_CHARS_MAX).replaceAll('~', '~0').replaceAll('/', '~1'),

    /** @param allowed what may stand there instead. */
    invalid(pointer: string, code: string, message: string, allowed?: readonly string[]): ApiError {
      const problem: Problem = { in: 'body', pointer, code, message }
      const name = pointer.slice(1).replaceAll('/', '.')
      return new ApiError('validation_error', `${name || 'the filter'} ${message}`, {
        details: { errors: [problem], pointer, ...(allowed && { allowed }) },
      })
    },

    unknownOperator: (pointer: string): ApiError =>
      new ApiError('filter_operator_unknown', 'There is no such filter operator', {
        details: { pointer, allowed: FILTER_OPERATORS },
      }),

    /** @param allowed the types that fit, or the operators, where no value would. */
    mismatch: (pointer: string, message: string, value: unknown, allowed: readonly string[]): ApiError =>
      new ApiError('filter_type_mismatch', message, {
        details: { pointer, received: nameType(value), allowed },
      }),
  }
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'array' : typeof value
}
