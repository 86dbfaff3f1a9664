import { Elysia, ValidationError } from 'elysia'
import { ApiError, ERRORS, type ErrorCode } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import { isStorageFault, storageFailure } from '../core/storage.ts'
import { failurePage, isOpenedByPerson } from './failure-page.ts'
import { answerPage, prefersPage } from './page.ts'
import type { NearRoute } from './route-table.ts'
import { validationError } from './validation.ts'

export interface ErrorDeps {
  log: { error(fields: { err: unknown; path: string; request_id: unknown }, message: string): void }
  /** Lists the methods of a path; empty for a path that does not exist. */
  listMethods(path: string): string[]
  /** Finds the route that an unknown path probably meant. */
  findNearest(method: string, path: string): NearRoute | undefined
  /** Finds the problems that were found in a request before Elysia checked it. */
  findProblems(request: Request): Problem[] | undefined
  baseUrl(): string
  /** Remembers a fault of the storage. */
  reportFault?(fault: ApiError): void
}

/** The one place where a thrown error becomes an answer (contract 7.1). Mounted before every route. */
export function errorPlugin({
  log,
  listMethods,
  findNearest,
  findProblems,
  baseUrl,
  reportFault,
}: ErrorDeps) {
  return new Elysia({ name: 'http.errors' }).onError(
    { as: 'global' },
    ({ code, error, path, set, request }) => {
      const near = code === 'NOT_FOUND' ? findNearest(request.method, path) : undefined
      const failure = toApiError(
        code,
        error,
        () => noRoute(request.method, listMethods(path), near),
        () => findProblems(request),
      )
      if (isStorageFault(failure)) reportFault?.(failure)
      const { retryAfterSeconds, headers } = failure.extras
      const { status } = ERRORS[failure.code]
      const requestId = set.headers['x-request-id']
      if (status === 500) log.error({ err: error, path, request_id: requestId }, 'request failed')
      const { body, problem } = writeFailure(failure, requestId, baseUrl())
      set.status = status
      if (status === 401) set.headers['www-authenticate'] = challenge(failure.code)
      Object.assign(set.headers, headers)
      if (retryAfterSeconds !== undefined) set.headers['retry-after'] = String(retryAfterSeconds)
      set.headers['cache-control'] = 'no-store'
      if (isOpenedByPerson(request, prefersPage(request))) {
        const shown = {
          code: failure.code,
          message: failure.message,
          nearest: near?.isAddress ? near.path : undefined,
        }
        return answerPage(failurePage({ ...shown, ...(status === 500 && { requestId }) }), {}, status)
      }
      if (!request.headers.get('accept')?.includes('application/problem+json')) return body
      set.headers['content-type'] = 'application/problem+json'
      return JSON.stringify(problem)
    },
  )
}

/**
 * Writes the body of a failure, and the same as problem details (RFC 9457).
 *
 * @param baseUrl the public address of the service.
 */
export function writeFailure({ code, message, extras }: ApiError, requestId: unknown, baseUrl: string) {
  const { details, replacement, fields } = extras
  const { status, meaning } = ERRORS[code]
  const hasId = status === 500 || status === 422
  const body = {
    error: code,
    message,
    details: { ...details, ...(hasId && { request_id: requestId }), ...helpWith(code) },
    ...(replacement && { replacement }),
    ...fields,
  }
  const problem = { type: `${baseUrl}/errors/${code}`, title: meaning, status, detail: message, ...body }
  return { body, problem }
}

/** The answer to a fault that nobody expected. */
export const unexpected = (cause: unknown): ApiError =>
  new ApiError('internal_error', 'Something went wrong', { cause })

/**
 * Answers errors that no route caught: by default Bun shows a page with parts of the source, unless NODE_ENV is
 * `production`.
 */
export const lastResort = (log: ErrorDeps['log']) => ({
  development: false,
  error(err: unknown): Response {
    log.error({ err, path: '', request_id: undefined }, 'request failed outside every route')
    const { code, message } = storageFailure(err) ?? unexpected(err)
    return Response.json({ error: code, message, details: helpWith(code) }, { status: ERRORS[code].status })
  },
})

function toApiError(
  code: string | number,
  error: unknown,
  noRoute: () => ApiError,
  findProblems: () => Problem[] | undefined,
): ApiError {
  if (error instanceof ApiError) return error
  // Elysia wraps the errors of body parsers.
  if (code === 'PARSE' && error instanceof Error) {
    const known = error.cause instanceof ApiError ? error.cause : storageFailure(error.cause)
    if (known) return known
  }
  if (code === 'NOT_FOUND') return noRoute()
  if (code === 'PARSE') return new ApiError('invalid_request', 'The body could not be read')
  if (code === 'INVALID_COOKIE_SIGNATURE') return new ApiError('invalid_request', 'The cookie is not valid')
  // Elysia uses one error for requests and answers; an answer that breaks its own schema is a bug.
  if (error instanceof ValidationError && error.type !== 'response')
    return validationError(findProblems() ?? [])
  // Some values, such as {"toString": ""}, make Elysia throw while it writes its own refusal.
  const problems = findProblems()
  if (problems) return validationError(problems)
  return storageFailure(error) ?? unexpected(error)
}

/** Every error answer names the page about its code, which works without a network. */
const helpWith = (code: ErrorCode) => ({ help: `/errors/${code}` })

function noRoute(method: string, allowed: string[], near: NearRoute | undefined): ApiError {
  if (allowed.length === 0) {
    const meant = near && `did you mean ${near.method} ${near.path}? `
    return new ApiError('not_found', `No such endpoint; ${meant ?? ''}/docs lists them all`, {
      details: { resource: 'endpoint', ...(near && { nearest: near.path }) },
    })
  }
  // A browser sends this request before a page of another origin may call the API.
  const cors = method === 'OPTIONS' ? '; pages of other origins may call only /v1/widget/ (CORS)' : ''
  return new ApiError('method_not_allowed', `This path supports only ${allowed.join(', ')}${cors}`, {
    details: { allowed },
    headers: { allow: allowed.join(', ') },
  })
}

/** Names the way to authenticate, as every 401 must (RFC 9110 §11.6.1, RFC 6750 §3). */
const challenge = (code: ErrorCode): string =>
  `Bearer realm="lookalike"${code === 'token_expired' ? ', error="invalid_token"' : ''}`
