import { Type } from '@sinclair/typebox'
import {
  ApiError,
  changesExpired,
  credentialMissing,
  missingPermission,
  notFound,
} from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import { storeNotHere } from '../../core/move-errors.ts'
import { productLimitExceeded } from '../../core/plan-limits.ts'
import { PLANS } from '../../core/plans.ts'
import { storageFailure } from '../../core/storage.ts'
import { refuse } from '../auth.ts'
import { payloadTooLarge, wrongType } from '../body.ts'
import { unexpected, writeFailure } from '../errors.ts'
import { inProgress } from '../idempotency.ts'
import { parseJson } from '../json/text.ts'
import { findProblems, validationError } from '../validation.ts'

/** Names of the shared answers, by status. */
export const FAILURE_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** Describes each status for readers of `components/responses`; operations say which codes they answer. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'The credential is missing, wrong or has expired.',
  402: 'The plan has no room for this.',
  403: 'The caller may not do this.',
  404: 'The store has nothing of this id.',
  409: 'The present state does not allow this.',
  410: 'What was asked for is no longer kept.',
  413: 'The body or the picture is too large.',
  415: 'The body has another media type than the operation takes.',
  421: 'The store has moved to another node.',
  422: 'The request does not fit the schema, or the picture cannot be used.',
  429: 'A budget of requests is used up.',
  500: 'The service failed.',
  503: 'The service cannot answer at the moment.',
}

const thrownBy = async (work: () => Promise<unknown>): Promise<ApiError> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('The example of a failure succeeded')
}

/** One failure of each status, made by the code that answers it. `test/http/failure-examples.test.ts` asks the service. */
async function collectFailures(baseUrl: string): Promise<Record<number, ApiError>> {
  const limited = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: LIMITS.searchLimitMax }) })
  const { requestsPerMinute, productsMax } = PLANS.free
  const verdict = { isAllowed: false, limit: requestsPerMinute, remaining: 0, resetSeconds: 60 }
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  return {
    400: await thrownBy(() => parseJson(new TextEncoder().encode('{"query": "red mug"'))),
    401: credentialMissing(),
    402: productLimitExceeded(PLANS, { plan: 'free' }, productsMax, baseUrl),
    403: missingPermission('products:write'),
    404: notFound('product'),
    409: inProgress(),
    410: changesExpired(0, { oldest: 1_201, last: 5_430 }),
    413: payloadTooLarge(LIMITS.jsonBytesMax),
    415: wrongType('application/json'),
    421: storeNotHere('shop', 'https://node-2.example'),
    422: validationError(findProblems(limited, { limit: 500 }, 'body')),
    429: refuse({ policy: 'plan', verdict }),
    500: unexpected(undefined),
    503: storageFailure(busy) ?? unexpected(busy),
  }
}

/** The request of the examples. */
const REQUEST_ID = '01920000-0000-7000-8000-000000000000'

/** Headers of a status, beside the request id that every answer has. */
const HEADERS: Readonly<Record<number, object>> = {
  401: {
    'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: { type: 'string' } },
  },
  421: {
    'X-Lookalike-Node': {
      description: 'The address of the node that has the store.',
      schema: { type: 'string' },
    },
  },
  429: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  503: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
}

export const ERROR_CONTENT = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
} as const

/**
 * The document's `components/responses`: one for each status, with one real example.
 *
 * @param baseUrl the public address of the service.
 */
export async function buildSharedFailures(baseUrl: string): Promise<Record<string, object>> {
  const failures = Object.entries(await collectFailures(baseUrl))
  return Object.fromEntries(
    failures.map(([status, failure]) => {
      const { body, problem } = writeFailure(failure, REQUEST_ID, baseUrl)
      const content = {
        'application/json': { ...ERROR_CONTENT['application/json'], example: body },
        'application/problem+json': { ...ERROR_CONTENT['application/problem+json'], example: problem },
      }
      const headers = HEADERS[Number(status)]
      const description = MEANINGS[Number(status)]
      return [FAILURE_NAMES[Number(status)], { description, ...(headers && { headers }), content }]
    }),
  )
}
