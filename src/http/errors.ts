import type { TSchema } from '@sinclair/typebox'
import { Elysia, ValidationError } from 'elysia'
import { ApiError, ERRORS } from '../core/errors.ts'
import { type Problem, problemsOf, validationError } from './validation.ts'

export interface ErrorDeps {
  log: { error(fields: { err: unknown; path: string; request_id: unknown }, message: string): void }
  /** Methods that a path answers; empty for a path that does not exist. */
  methodsOf(path: string): string[]
  baseUrl(): string
}

/** The one place where something thrown becomes an answer (spec §7). Mounted before every route. */
export function errorPlugin({ log, methodsOf, baseUrl }: ErrorDeps) {
  return new Elysia({ name: 'http.errors' }).onError(
    { as: 'global' },
    ({ code, error, path, set, request }) => {
      const failure = toApiError(code, error, () => methodsOf(path))
      const { details, replacement, retryAfterSeconds, headers, fields } = failure.extras
      const { status } = ERRORS[failure.code]
      const requestId = set.headers['x-request-id']
      if (status === 500) log.error({ err: error, path, request_id: requestId }, 'request failed')
      const shown = status === 500 || status === 422 ? { ...details, request_id: requestId } : details
      const body = {
        error: failure.code,
        message: failure.message,
        ...(shown && { details: shown }),
        ...(replacement && { replacement }),
        ...fields,
      }
      set.status = status
      Object.assign(set.headers, headers)
      if (retryAfterSeconds !== undefined) set.headers['retry-after'] = String(retryAfterSeconds)
      set.headers['cache-control'] = 'no-store'
      if (!request.headers.get('accept')?.includes('application/problem+json')) return body
      set.headers['content-type'] = 'application/problem+json'
      const type = `${baseUrl()}/errors/${failure.code}`
      return JSON.stringify({
        type,
        title: ERRORS[failure.code].meaning,
        status,
        detail: failure.message,
        ...body,
      })
    },
  )
}

function toApiError(code: string | number, error: unknown, methodsOf: () => string[]): ApiError {
  if (error instanceof ApiError) return error
  // Elysia wraps what a body parser throws.
  if (code === 'PARSE' && error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (code === 'NOT_FOUND') return noRoute(methodsOf())
  if (code === 'PARSE') return new ApiError('invalid_request', 'The body could not be read')
  if (code === 'INVALID_COOKIE_SIGNATURE') return new ApiError('invalid_request', 'The cookie is not valid')
  // Elysia uses one error for both directions; an answer that breaks its own schema is our bug.
  if (error instanceof ValidationError && error.type !== 'response') return rejected(error)
  if (isDiskFull(error)) {
    return new ApiError('storage_full', 'The disk is full; nothing was written', {
      retryAfterSeconds: 60,
      cause: error,
    })
  }
  return new ApiError('internal_error', 'Something went wrong', { cause: error })
}

function noRoute(allowed: string[]): ApiError {
  if (allowed.length === 0) {
    return new ApiError('not_found', 'There is no such endpoint', { details: { resource: 'endpoint' } })
  }
  return new ApiError('method_not_allowed', `This path answers ${allowed.join(', ')}`, {
    details: { allowed },
    headers: { allow: allowed.join(', ') },
  })
}

const PLACES: Record<string, Problem['in']> = { query: 'query', params: 'path', headers: 'header' }

function rejected(error: ValidationError): ApiError {
  const validator = error.validator as { schema?: TSchema } | TSchema
  const schema = ('schema' in validator ? validator.schema : validator) as TSchema
  return validationError(problemsOf(schema, error.value, PLACES[error.type] ?? 'body'))
}

/** SQLite's full disk, or the file system's. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'SQLITE_FULL' || error.code === 'ENOSPC')
