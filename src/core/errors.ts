import { DOWNLOAD_FAILURES, PAGE_FAILURES, type Reason } from './download-failures.ts'
import { LIMITS } from './limits.ts'
import { PLAN_NAMES, PLANS, type Plan } from './plans.ts'
import type { RateVerdict } from './rate-window.ts'
import { decimalSize, sizeInWords } from './text.ts'

/** One row of the error register: the HTTP status, and what the page at `/errors/<code>` tells a developer. */
export interface ErrorKind<Status extends number = number> {
  status: Status
  /** The cause, in one sentence. */
  meaning: string
  /** Advice for the caller. */
  advice: string
  /** For a code with several causes: each cause and its cure. */
  reasons?: Readonly<Record<string, Reason>>
}

const kind = <Status extends number>(status: Status, meaning: string, advice: string): ErrorKind<Status> => ({
  status,
  meaning,
  advice,
})

/** A cause of a failed download. */
export type DownloadFailure = keyof typeof DOWNLOAD_FAILURES

/** Lists a limit of every plan, as in "free 50, basic 5000". */
const listByPlan = (limit: (plan: Plan) => number, inWords: (limit: number) => string = String): string =>
  PLAN_NAMES.map(
    (name) => `${name} ${Number.isFinite(limit(PLANS[name])) ? inWords(limit(PLANS[name])) : 'unlimited'}`,
  ).join(', ')

/**
 * Every failure that an answer can report (contract 7.3).
 *
 * The codes are a public contract; the messages are not. Add a row here before throwing a new code.
 */
export const ERRORS = {
  invalid_json: kind(400, 'The body is not valid JSON.', 'Look at the line and column in `details`.'),
  invalid_request: kind(
    400,
    'A parameter is missing or malformed, or the body cannot be read.',
    'Compare the request with the API page.',
  ),
  unsupported_grant_type: kind(
    400,
    'The token endpoint supports one grant type only.',
    'Send `grant_type=client_credentials`.',
  ),
  credential_ambiguous: kind(
    400,
    'More than one credential was sent, or a credential was sent in the URL.',
    'Send exactly one credential, in a header.',
  ),
  invalid_cursor: kind(
    400,
    'The cursor was not issued by this endpoint.',
    'Start again without `cursor`, and keep the same `sort` for every page.',
  ),

  unauthorized: kind(
    401,
    'The credentials are missing or invalid.',
    'Get a token at `POST /oauth/token` (backends) or `POST /oauth/login` (people) and send it as `Authorization: Bearer …`, or send an API key.',
  ),
  token_expired: kind(
    401,
    'The access token has expired.',
    'Exchange it at `POST /oauth/refresh` within five minutes after it expired, or get a new one at `POST /oauth/token` or `POST /oauth/login`; then repeat the request. `expires_in` tells how long a token lasts.',
  ),
  requires_2fa: kind(
    401,
    'The account requires a second factor.',
    'Repeat the sign-in with `totp_code`, or with a `recovery_code`.',
  ),
  invalid_2fa: kind(401, 'The two-factor code is wrong.', 'Send the code that the authenticator shows now.'),
  active_tenant_required: kind(
    401,
    'The user belongs to several stores, and the request names none.',
    'Name the store in the `X-Service-Active-Tenant` header.',
  ),
  api_key_expired: kind(401, 'The API key has expired.', 'Create a new key, or rotate this one.'),

  product_limit_exceeded: kind(
    402,
    'The store has as many products as its plan allows.',
    `Delete products or choose a larger plan. Products by plan, where the operator has set no others (\`/billing/plans\`): ${listByPlan(({ productsMax }) => productsMax)}.`,
  ),
  storage_limit_exceeded: kind(
    402,
    'The pictures sent as files or `data:` URIs take up all the storage of the plan.',
    `Delete such products (their space is free after about a minute), send smaller pictures, send the URLs of pictures instead, or choose a larger plan. Storage by plan: ${listByPlan(({ storageBytesMax }) => storageBytesMax, decimalSize)}.`,
  ),

  permission_denied: kind(
    403,
    'A required permission is missing.',
    '`details.required` names it; ask an owner of the store for it.',
  ),
  not_a_member: kind(
    403,
    'The credential does not belong to that store.',
    'Check the slug in `X-Service-Active-Tenant`, or ask for an invitation to the store.',
  ),
  origin_not_allowed: kind(
    403,
    'The widget key does not allow this origin, or a page of another origin asks for what only the pages of this service may.',
    'Add the exact origin to the widget key. For the pages of this service: set `BASE_URL` to the address that people open in the browser.',
  ),
  origin_missing: kind(
    403,
    'A widget request came without an `Origin` header.',
    'Serve the page over http or https.',
  ),
  ip_not_allowed: kind(
    403,
    'The IP list of the store does not include this address.',
    'Call from a listed address, or ask an admin of the store to add this one.',
  ),
  store_suspended: kind(
    403,
    'The operator of this service has suspended the store. Nothing of it is deleted.',
    'Ask the operator to end the suspension; `details.reason` says why it began. People can still sign in, read `GET /v1/me` and pay under `/v1/billing`. Jobs, feeds and webhooks go on when it ends.',
  ),
  account_not_verified: kind(
    403,
    'The e-mail address has not been verified, or nobody has shown that the account belongs to the owner of its mailbox.',
    'Open the link in the verification mail. If `details.required` is `password_reset`, set a new password by the link that was mailed.',
  ),

  not_found: kind(
    404,
    'No such resource in this store.',
    'Check the id; `details.resource` names the kind of resource.',
  ),
  method_not_allowed: kind(
    405,
    'The path does not support this method.',
    'The `Allow` header lists the supported methods.',
  ),

  conflict: kind(
    409,
    'The request conflicts with the current state.',
    '`message` describes the conflict; resolve it, then repeat the request.',
  ),
  idempotency_in_progress: kind(
    409,
    'The first request with this idempotency key is still running.',
    'Wait, then repeat the request.',
  ),
  invite_exists: kind(
    409,
    'That person has already been invited.',
    'Cancel the invitation (`details.invite_id`) to send a new one.',
  ),
  already_on_plan: kind(409, 'The store is already on that plan.', 'Nothing needs to be done.'),
  would_lock_out: kind(409, 'The change would lock you out.', 'Add your own address first, or send `force`.'),

  tls_required: kind(
    403,
    'Nodes talk to each other over TLS alone.',
    'Set `TLS_CERT`, `DOMAIN` or `NODE_PORT` on that node, and use the address that its `lookalike node invite` prints.',
  ),
  node_refused: kind(409, 'The other node refuses the store.', 'Its sentence is in `message`; cure that.'),
  gone: kind(410, 'The endpoint has been replaced.', 'Use the path in `replacement`.'),
  changes_expired: kind(
    410,
    'The feed does not hold the changes after this number: they are older than 30 days, or more than the plan of the store keeps, or the store was restored from a backup.',
    'Copy all products again (`GET /v1/products`), then read on after `details.last_number`.',
  ),

  payload_too_large: kind(
    413,
    'The body is too large.',
    `Send less; \`details.max_bytes\` is the limit of this endpoint. JSON without a picture may have up to ${sizeInWords(LIMITS.jsonBytesMax)}, on routes without sign-in up to ${sizeInWords(LIMITS.openBodyBytesMax)}.`,
  ),
  image_too_large: kind(
    413,
    'The picture is too large.',
    `Send at most ${sizeInWords(LIMITS.pictureBytesMax)} and ${LIMITS.picturePixelsMax / 1e6} megapixels.`,
  ),

  unsupported_media_type: kind(
    415,
    'The body has an unsupported media type.',
    'Send the `Content-Type` named in the message.',
  ),

  store_not_here: kind(
    421,
    'The store has moved to another node.',
    'Send the request, and all later ones, to `details.url`, which the header `X-Lookalike-Node` also names. Client id, client secret, API keys and widget keys are the same there; tokens and sign-ins are not.',
  ),

  validation_error: kind(
    422,
    'The request does not match the schema.',
    'Each item of `details.errors` describes one problem: `pointer` is the field, `message` says what is wrong with it.',
  ),
  image_source_invalid: kind(
    422,
    'The request must contain exactly one picture.',
    'Send exactly one of the fields in `details.allowed`, once.',
  ),
  image_download_failed: {
    ...kind(
      422,
      'The picture could not be downloaded.',
      'Look up `details.reason` below. If the URL cannot be opened to this service, upload the picture as a file.',
    ),
    reasons: DOWNLOAD_FAILURES,
  },
  page_fetch_failed: {
    ...kind(
      422,
      'The page could not be fetched.',
      'Look up `details.reason` below. The service asks as a stranger does, without cookies.',
    ),
    reasons: PAGE_FAILURES,
  },
  image_unreadable: kind(
    422,
    'The picture is damaged.',
    'Open the picture and save it again, or send another one.',
  ),
  image_unsupported_format: kind(422, 'Unsupported image format.', 'Send JPEG, PNG, WebP, AVIF or GIF.'),
  image_too_small: kind(
    422,
    'The picture is too small.',
    `The shorter side must have at least ${LIMITS.pictureSideMin} pixels.`,
  ),
  crop_too_small: kind(
    422,
    'The cropped region is too small.',
    `The shorter side must have at least ${LIMITS.pictureSideMin} pixels.`,
  ),
  filter_operator_unknown: kind(
    422,
    'The filter operator is unknown.',
    '`details.allowed` lists the operators.',
  ),
  filter_type_mismatch: kind(
    422,
    'The filter operator does not fit the type of the value.',
    'Compare numbers with numbers.',
  ),
  too_many_queries: kind(
    422,
    'The batch holds more than 20 queries.',
    'Split the queries into several batches.',
  ),
  idempotency_key_reused: kind(
    422,
    'The idempotency key was used for a different request.',
    'Use a new key for each request.',
  ),
  url_not_allowed: kind(
    422,
    'The URL is not allowed.',
    'Use an absolute public `https` URL (for pictures also `http`) on the standard port, without a user name.',
  ),

  rate_limit_exceeded: kind(
    429,
    'The request budget is used up; `Retry-After` says when to try again.',
    `Wait for \`Retry-After\` seconds. \`message\` says whose budget it is: that of a network address; that of the plan, which a larger plan raises; that of a person who only reads, or deletes or changes settings in the portal (${LIMITS.readsPerPersonPerMinute} a minute), or of all people of a store who do (${LIMITS.readsOfPeoplePerStorePerMinute}); that of a person who searches in the portal (${LIMITS.portalSearchesPerPersonPerMinute}), or of all people of a store who do (${LIMITS.portalSearchesPerStorePerMinute}); or, for requests about an account or the security of a store, that of a sign-in (${LIMITS.personRequestsPerMinute} a minute, in the portal ${LIMITS.readsPerPersonPerMinute}) or of the machine grant of a store whose plan has limits (${LIMITS.machineSecurityRequestsPerMinute} a minute). \`RateLimit-Policy\` calls all but the first \`plan\`, \`reads\`, \`people\`, \`searches\`, \`people_searches\`, \`person\` and \`security\`. Requests a minute by plan, where the operator has set no others (\`/billing/plans\`): ${listByPlan(({ requestsPerMinute }) => requestsPerMinute)}.`,
  ),
  too_many_requests: kind(429, 'Too many sign-ins failed.', 'Wait for `details.retry_after` seconds.'),

  internal_error: kind(
    500,
    'The service failed unexpectedly.',
    'Try again. If it keeps failing, report it with the request id (`details.request_id`).',
  ),

  overloaded: kind(
    503,
    'The service is overloaded, starting or shutting down.',
    'Repeat the request after `Retry-After` seconds, and send fewer requests at a time.',
  ),
  model_not_ready: kind(503, 'The model is not ready.', 'See `/health/ready`; it may still be starting.'),
  billing_unavailable: kind(
    503,
    'The payment provider cannot be reached, or refused the request.',
    'Try again after `Retry-After` seconds; the plan stays as it is. If it keeps failing, tell the operator, who finds the cause in the log.',
  ),
  storage_full: kind(
    503,
    'The disk of this service is full, or its memory for vectors.',
    'Ask the operator to free some space or memory; reading still works.',
  ),
  model_no_room: kind(
    503,
    'This machine has no room for the vectors or the processes of a second model.',
    'Free the disk or memory that `message` names, or choose a smaller model; the present model goes on.',
  ),
  storage_failed: kind(
    503,
    'The disk or the database of this service is faulty.',
    'Try again later; the operator finds the fault in the log and at `/health/ready`.',
  ),
  node_unreachable: kind(
    503,
    'The other node could not be reached, or is not the one of the code.',
    'Check its address and its certificate, then try again with a new code.',
  ),
  read_only: kind(
    503,
    'The service, or one store on it, accepts no writes at the moment.',
    'Repeat the request after `Retry-After` seconds. Searches and reads work.',
  ),
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

export interface ErrorExtras {
  /** Sent to the client. Nothing secret, no stack text. */
  details?: Record<string, unknown>
  /** Sent as the Retry-After header. */
  retryAfterSeconds?: number
  /** Further headers of the answer. */
  headers?: Record<string, string>
  /** Further fields of the body, beside `error` and `message`. */
  fields?: Record<string, string>
  /** The path that replaces a retired one; sent beside `error` (contract 1.2). */
  replacement?: string
  /** For the log only. */
  cause?: unknown
}

/** A foreseen failure. Any other thrown error is a bug and becomes a 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly extras: Readonly<ErrorExtras>

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ApiError'
    this.code = code
    this.extras = extras
  }
}

/** Missing is not wrong, and may be told apart from it. */
export const credentialMissing = () =>
  new ApiError(
    'unauthorized',
    'No credential was sent: send `Authorization: Bearer <access token>`, which POST /oauth/token gives, or an API key as `X-API-Key`',
  )

/** One answer for every refused credential, so that "does not exist" and "is wrong" read alike (contract 4.3). */
export const signInFirst = () => new ApiError('unauthorized', 'The credentials are not valid')

export const missingPermission = (permission: string) =>
  new ApiError('permission_denied', `Missing required permission: ${permission}`, {
    details: { required: permission },
  })

/** The error for everybody who is no super-admin, where only super-admins may act. */
export const superAdminOnly = () => missingPermission('super_admin')

/** @param resource the kind of resource, such as `product`. */
export const notFound = (resource: string) =>
  new ApiError('not_found', `No such ${resource.replaceAll('_', ' ')}`, { details: { resource } })

/** The change log no longer holds every change after a number. @param after the number. */
export const changesExpired = (after: number, { oldest, last }: { oldest: number; last: number }) =>
  new ApiError(
    'changes_expired',
    after > last
      ? `The last change of this store has the number ${last}: copy the products again`
      : `The changes before number ${oldest} are no longer kept: copy the products again`,
    { details: { oldest_number: oldest, last_number: last } },
  )

/** Too many requests of one plan, key or address (contract 6.2). */
export const rateLimitExceeded = (message: string, { limit, resetSeconds }: RateVerdict) =>
  new ApiError('rate_limit_exceeded', message, {
    retryAfterSeconds: resetSeconds,
    details: { limit, retry_after: resetSeconds },
  })

/** Too many failed sign-ins of one identity (contract 5.6). */
export const tooManyRequests = ({ resetSeconds }: RateVerdict) =>
  new ApiError('too_many_requests', 'Too many sign-ins failed: wait, or reset the password', {
    retryAfterSeconds: resetSeconds,
    details: { retry_after: resetSeconds },
  })
