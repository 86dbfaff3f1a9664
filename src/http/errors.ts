import { Elysia, ValidationError } from 'elysia'
import { ApiError, ERRORS, type ErrorCode } from '../core/errors.ts'
import { isStorageFault, storageFailure } from '../core/storage.ts'
import { type Problem, validationError } from './validation.ts'

export interface ErrorDeps {
  log: { error(fields: { err: unknown; path: string; request_id: unknown }, message: string): void }
  /** Methods that a path answers; empty for a path that does not exist. */
  methodsOf(path: string): string[]
  /** What was found wrong with a request before Elysia looked at it. */
  problemsOf(request: Request): Problem[] | undefined
  baseUrl(): string
  /** Remembers a fault of the storage. */
  noteFault?(fault: ApiError): void
}

/** The one place where something thrown becomes an answer (spec §7). Mounted before every route. */
export function errorPlugin({ log, methodsOf, problemsOf, baseUrl, noteFault }: ErrorDeps) {
  return new Elysia({ name: 'http.errors' }).onError(
    { as: 'global' },
    ({ code, error, path, set, request }) => {
      const failure = toApiError(
        code,
        error,
        () => methodsOf(path),
        () => problemsOf(request),
      )
      if (isStorageFault(failure)) noteFault?.(failure)
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
      if (status === 401) set.headers['www-authenticate'] = challenge(failure.code)
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

/**
 * What the listener does with an error that reached nobody: by default Bun shows a page with pieces of the source,
 * unless NODE_ENV says production.
 */
export const lastResort = (log: ErrorDeps['log']) => ({
  development: false,
  error(err: unknown): Response {
    log.error({ err, path: '', request_id: undefined }, 'request failed outside every route')
    const { code, message } = storageFailure(err) ?? new ApiError('internal_error', 'Something went wrong')
    return Response.json({ error: code, message }, { status: ERRORS[code].status })
  },
})

function toApiError(
  code: string | number,
  error: unknown,
  methodsOf: () => string[],
  problemsOf: () => Problem[] | undefined,
): ApiError {
  if (error instanceof ApiError) return error
  // Elysia wraps what a body parser throws.
  if (code === 'PARSE' && error instanceof Error) {
    const known = error.cause instanceof ApiError ? error.cause : storageFailure(error.cause)
    if (known) return known
  }
  if (code === 'NOT_FOUND') return noRoute(methodsOf())
  if (code === 'PARSE') return new ApiError('invalid_request', 'The body could not be read')
  if (code === 'INVALID_COOKIE_SIGNATURE') return new ApiError('invalid_request', 'The cookie is not valid')
  // Elysia uses one error for both directions; an answer that breaks its own schema is our bug.
  if (error instanceof ValidationError && error.type !== 'response')
    return validationError(problemsOf() ?? [])
  // While it words its own refusal Elysia trips over some values, such as {"toString": ""}.
  const problems = problemsOf()
  if (problems) return validationError(problems)
  return storageFailure(error) ?? new ApiError('internal_error', 'Something went wrong', { cause: error })
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

/** How to come in, which every 401 says (RFC 9110 §11.6.1, RFC 6750 §3). */
const challenge = (code: ErrorCode): string =>
  `Bearer realm="lookalike"${code === 'token_expired' ? ', error="invalid_token"' : ''}`
