import { LIMITS } from './limits.ts'
import { PLANS, type Plan } from './plans.ts'
import type { RateVerdict } from './rate-window.ts'
import { decimalSize, sizeInWords } from './text.ts'

/** One row of the error register: the HTTP status, and what the page at `/errors/<code>` tells a developer. */
export interface ErrorKind {
  status: number
  /** When it happens, in one sentence. */
  meaning: string
  /** What the caller can do about it. */
  advice: string
  /** Where one code has several: what happened in each case, and what helps. */
  reasons?: Readonly<Record<string, Reason>>
}

interface Reason {
  cause: string
  cure: string
}

const kind = (status: number, meaning: string, advice: string): ErrorKind => ({ status, meaning, advice })

/** Why a download failed, in `details.reason` of `image_download_failed`. */
export const DOWNLOAD_FAILURES = {
  dns: {
    cause: 'The host name has no address, or the name server did not answer.',
    cure: 'Check the spelling of the host, and that the machine of this service can look it up.',
  },
  connect: {
    cause: 'No connection came about, it broke off, or what answered does not speak HTTP.',
    cure: 'Check host and port, and that a firewall lets this service through.',
  },
  timeout: {
    cause: `Connecting took more than ${LIMITS.fetchConnectMs / 1000} seconds, or the whole download more than ${LIMITS.fetchTotalMs / 1000}.`,
    cure: 'Repeat later, offer a smaller picture, or send it as a file.',
  },
  tls: {
    cause: 'The certificate has expired, names another host, or was issued by nobody this service trusts.',
    cure: 'Renew the certificate, and let the server send its intermediate certificates too.',
  },
  http_status: {
    cause: 'The server answered with an error; `details.upstream_status` is its status.',
    cure: 'Open the address without signing in: it must answer 200. For 401 or 403 lift the protection against hotlinking, for 429 or 5xx repeat later.',
  },
  too_many_redirects: {
    cause: `The address redirects more than ${LIMITS.fetchRedirectsMax} times.`,
    cure: 'Send the address where the redirects end.',
  },
  blocked_address: {
    cause:
      'The host, or a redirect, leads to a private or reserved network address or to the machine of this service, or this install works offline.',
    cure: 'Use a public address, send the picture as a file, or let the operator add the network to `FETCH_ALLOW_CIDRS`.',
  },
  too_large: {
    cause: `The picture has more than ${sizeInWords(LIMITS.pictureBytesMax)}, or comes in very many small pieces.`,
    cure: 'Offer a smaller version; 1000 pixels are enough to find it.',
  },
  not_an_image: {
    cause: 'The answer is no JPEG, PNG, WebP, AVIF or GIF; often it is a page about the picture.',
    cure: 'Send the address of the picture itself, and let the server answer without compression.',
  },
} as const satisfies Record<string, Reason>

export type DownloadFailure = keyof typeof DOWNLOAD_FAILURES

/** A limit of every plan, as in "free 50, basic 5000". */
const byPlan = (limit: (plan: Plan) => number, inWords: (limit: number) => string = String): string =>
  Object.entries(PLANS)
    .map(([name, plan]) => `${name} ${Number.isFinite(limit(plan)) ? inWords(limit(plan)) : 'unlimited'}`)
    .join(', ')

/**
 * Every failure a client can be told about (spec §7 and our additions).
 *
 * The codes are a public contract, the messages are not. Add the row here before throwing it anywhere.
 */
export const ERRORS = {
  invalid_json: kind(400, 'The body is not valid JSON.', 'Look at the line and column in `details`.'),
  invalid_request: kind(400, 'A parameter is missing or malformed.', 'Compare the call with the API page.'),
  unsupported_grant_type: kind(
    400,
    'The token endpoint knows one grant.',
    'Send `grant_type=client_credentials`.',
  ),
  credential_ambiguous: kind(400, 'Two credentials came at once.', 'Send exactly one, in a header.'),
  invalid_cursor: kind(400, 'The cursor is not one of ours.', 'Start again without `cursor`.'),

  unauthorized: kind(
    401,
    'The credentials are missing or not valid.',
    'Get a token at `POST /oauth/token` (backends) or `POST /oauth/login` (people) and send it as `Authorization: Bearer …`, or send an API key.',
  ),
  token_expired: kind(
    401,
    'The access token has expired.',
    'Exchange it at `POST /oauth/refresh` within five minutes after it expired, or get a new one at `POST /oauth/token` or `POST /oauth/login`; then repeat the call. `expires_in` tells how long a token lasts.',
  ),
  requires_2fa: kind(401, 'The account asks for a second factor.', 'Repeat the login with `totp_code`.'),
  invalid_2fa: kind(401, 'The code did not verify.', 'Use the code that the authenticator shows now.'),
  active_tenant_required: kind(
    401,
    'The user belongs to several stores.',
    'Name the store in `X-Service-Active-Tenant`.',
  ),
  api_key_expired: kind(401, 'The API key has expired.', 'Make a new key or rotate it.'),

  product_limit_exceeded: kind(
    402,
    'The plan holds no more products.',
    `Delete products or choose a larger plan. Products by plan: ${byPlan(({ productsMax }) => productsMax)}.`,
  ),
  storage_limit_exceeded: kind(
    402,
    'The plan holds no more bytes of pictures that were sent as files or `data:` URIs.',
    `Delete such products (their room is free after about a minute), send smaller pictures, name pictures by their address, or choose a larger plan. Storage by plan: ${byPlan(({ storageBytesMax }) => storageBytesMax, decimalSize)}.`,
  ),

  permission_denied: kind(
    403,
    'A required permission is missing.',
    '`details.required` names it; ask an owner of the store for it.',
  ),
  not_a_member: kind(
    403,
    'The user is no member of that store.',
    'Check the slug, or ask for an invitation.',
  ),
  origin_not_allowed: kind(
    403,
    'The widget key does not list this origin.',
    'Add the exact origin to the key.',
  ),
  origin_missing: kind(403, 'A widget call came without Origin.', 'Serve the page over http or https.'),
  ip_not_allowed: kind(403, 'The address is not on the store’s list.', 'Call from a listed address.'),
  account_not_verified: kind(403, 'The e-mail address is not verified.', 'Open the link in the mail.'),

  not_found: kind(
    404,
    'There is no such thing in this store.',
    'Check the id; `details.resource` names the kind.',
  ),
  method_not_allowed: kind(
    405,
    'The path exists, the method does not.',
    'The `Allow` header lists the methods.',
  ),

  conflict: kind(
    409,
    'The request does not fit the present state.',
    '`message` says what stands against it; change that, then repeat.',
  ),
  idempotency_in_progress: kind(409, 'The first call with this key still runs.', 'Wait and repeat.'),
  invite_exists: kind(409, 'That person is already invited.', 'Cancel the invitation to send a new one.'),
  already_on_plan: kind(409, 'The store is on that plan already.', 'Nothing needs to be done.'),
  would_lock_out: kind(409, 'The change would lock you out.', 'Add your own address first, or send `force`.'),

  gone: kind(410, 'The endpoint was replaced.', 'Use the path in `replacement`.'),

  payload_too_large: kind(
    413,
    'The body is too large.',
    `Send less; \`details.max_bytes\` is the limit of this endpoint. JSON without a picture may have ${sizeInWords(LIMITS.jsonBytesMax)}, on routes without sign-in ${sizeInWords(LIMITS.openBodyBytesMax)}.`,
  ),
  image_too_large: kind(
    413,
    'The picture is too large.',
    `Send at most ${sizeInWords(LIMITS.pictureBytesMax)} and ${LIMITS.picturePixelsMax / 1e6} megapixels.`,
  ),

  unsupported_media_type: kind(
    415,
    'The body has the wrong type.',
    'Send the `Content-Type` named in the message.',
  ),

  validation_error: kind(
    422,
    'The request does not match the schema.',
    'Each item of `details.errors` names one problem: `pointer` is the field, `message` what it must be.',
  ),
  image_source_invalid: kind(
    422,
    'Exactly one picture must be given.',
    'Send exactly one of the fields in `details.allowed`, once.',
  ),
  image_download_failed: {
    ...kind(
      422,
      'The picture could not be downloaded.',
      'Look up `details.reason` below; where the address cannot be opened to this service, send the picture as a file.',
    ),
    reasons: DOWNLOAD_FAILURES,
  },
  image_unreadable: kind(422, 'The picture is damaged.', 'Open and save it again, or send another.'),
  image_unsupported_format: kind(
    422,
    'The file is no picture we read.',
    'Send JPEG, PNG, WebP, AVIF or GIF.',
  ),
  image_too_small: kind(
    422,
    'The picture is too small.',
    `Its shorter side needs at least ${LIMITS.pictureSideMin} pixels.`,
  ),
  crop_too_small: kind(
    422,
    'The cropped part is too small.',
    `Its shorter side needs at least ${LIMITS.pictureSideMin} pixels.`,
  ),
  filter_operator_unknown: kind(
    422,
    'The filter operator is unknown.',
    '`details.allowed` lists the operators.',
  ),
  filter_type_mismatch: kind(422, 'The operator does not fit the value.', 'Compare numbers with numbers.'),
  too_many_queries: kind(422, 'A batch holds at most 20 queries.', 'Send it in several batches.'),
  idempotency_key_reused: kind(
    422,
    'The key was used for another request.',
    'Use a new key for each request.',
  ),
  url_not_allowed: kind(
    422,
    'The address is not allowed.',
    'Use an absolute public `https` or `http` address on the usual port, without a user name.',
  ),

  rate_limit_exceeded: kind(
    429,
    'The request budget is used up.',
    `Wait for \`Retry-After\` seconds. \`message\` says whose budget it is: of a network address; of the plan, which a larger one raises; or, for calls about an account or the security of a store, of a login (${LIMITS.personRequestsPerMinute} a minute) or of the machine grant of a store whose plan has limits (${LIMITS.machineSecurityRequestsPerMinute}). \`RateLimit-Policy\` names the last three \`plan\`, \`person\` and \`security\`. Requests a minute by plan: ${byPlan(({ requestsPerMinute }) => requestsPerMinute)}.`,
  ),
  too_many_requests: kind(429, 'Too many failed sign-ins.', 'Wait for `details.retry_after` seconds.'),

  internal_error: kind(
    500,
    'Something went wrong here.',
    'Report it with the request id (`details.request_id`); repeating may help.',
  ),

  overloaded: kind(
    503,
    'There is too much to do at once, or the service stops.',
    'Repeat after `Retry-After` seconds, with fewer requests at a time.',
  ),
  model_not_ready: kind(503, 'The model is not ready.', 'See `/health/ready`; it may still be starting.'),
  storage_full: kind(503, 'The disk is full.', 'Free some space; reading still works.'),
  storage_failed: kind(
    503,
    'The disk or the database of this service has a fault.',
    'Repeat later; its operator finds the fault in the log and at `/health/ready`.',
  ),
  read_only: kind(503, 'The service takes no writes now.', 'Repeat later.'),
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
  /** Path that took over a retired one; sent beside `error` (spec §9). */
  replacement?: string
  /** For the log only. */
  cause?: unknown
}

/** A failure we foresaw. Anything else that gets thrown is a bug here and is answered with 500. */
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

/** One value for every refused credential, so that "does not exist" and "is wrong" read alike (spec §5.4.5). */
export const signInFirst = () => new ApiError('unauthorized', 'The credentials are missing or not valid')

export const missingPermission = (permission: string) =>
  new ApiError('permission_denied', `Missing required permission: ${permission}`, {
    details: { required: permission },
  })

/** @param resource the kind of thing, such as `product`. */
export const notFound = (resource: string) =>
  new ApiError('not_found', `There is no such ${resource}`, { details: { resource } })

/** Too many requests of one plan, key or address (spec §7). */
export const rateLimitExceeded = (message: string, { limit, resetSeconds }: RateVerdict) =>
  new ApiError('rate_limit_exceeded', message, {
    retryAfterSeconds: resetSeconds,
    details: { limit, retry_after: resetSeconds },
  })

/** Too many failed sign-ins of one identity (spec §7). */
export const tooManyRequests = ({ resetSeconds }: RateVerdict) =>
  new ApiError('too_many_requests', 'Too many failed sign-ins: wait, or ask for a new password', {
    retryAfterSeconds: resetSeconds,
    details: { retry_after: resetSeconds },
  })
