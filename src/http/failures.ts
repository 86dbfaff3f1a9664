import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { named } from './openapi/named.ts'

/** The body of every failure (contract 7.1), with the details that some codes add. */
export const ErrorBody = named(
  'Error',
  t.Object({
    error: t.String({ description: 'Stable code; `/errors/<code>` explains it.' }),
    message: t.String({ description: 'For people; may change.' }),
    details: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description: 'Depends on the code. `help` is always there: the path of the page about the code.',
      }),
    ),
    replacement: t.Optional(t.String({ description: 'The path that replaces a retired one.' })),
  }),
)

/** The body of a failure for clients that ask for `application/problem+json` (RFC 9457). */
export const Problem = named(
  'Problem',
  t.Object({
    type: t.String({ description: 'Address of the page that explains the code.' }),
    title: t.String({ description: 'The code in words.' }),
    status: Type.Integer(),
    detail: t.String({ description: 'The same as `message`.' }),
    ...ErrorBody.properties,
  }),
)

/** A code, alone or with the words that describe it at one route; by default the register describes it. */
type Failure = ErrorCode | readonly [code: ErrorCode, words: string]

type CodeOf<Item extends Failure> = Item extends readonly [infer Code extends ErrorCode, string]
  ? Code
  : Item extends ErrorCode
    ? Item
    : never

type StatusOf<Item extends Failure> = (typeof ERRORS)[CodeOf<Item>]['status']

/** Response schemas by status, as a route declares them. */
type Failures<Item extends Failure> = Record<StatusOf<Item>, typeof ErrorBody>

/**
 * Keeps Elysia from compiling a check of the answers of a status at the first request of a route. Failures are thrown, and
 * `errors.ts` writes their bodies, so no such check would ever run. Elysia takes a schema without TypeBox's mark for a check
 * that is compiled already, and leaves out one that is not to validate.
 */
const UNCHECKED = { schema: { noValidate: true } }

const codesBySchema = new WeakMap<object, readonly ErrorCode[]>()

/**
 * Declares the failures of a route: for each status a schema and a description that lists its codes.
 *
 * A code may be repeated; words given here replace those of the register.
 */
export function failures<const Items extends readonly Failure[]>(...items: Items): Failures<Items[number]> {
  const words = new Map<ErrorCode, string>()
  for (const item of items) {
    if (typeof item === 'string') words.set(item, words.get(item) ?? ERRORS[item].meaning)
    else words.set(item[0], item[1])
  }
  const byStatus = Map.groupBy(words.keys(), (code) => ERRORS[code].status)
  const schemas = [...byStatus].map(([status, codes]) => {
    const description = codes.map((code) => `- \`${code}\`: ${words.get(code)}`).join('\n')
    const schema = { type: 'object', properties: ErrorBody.properties, description, ...UNCHECKED }
    codesBySchema.set(schema, codes)
    return [status, schema]
  })
  return Object.fromEntries(schemas) as Failures<Items[number]>
}

/** Lists the codes of a response schema; undefined for a schema that {@link failures} did not make. */
export const listCodes = (schema: object): readonly ErrorCode[] | undefined => codesBySchema.get(schema)

/** Failures of every route that reads from the database. */
export const READING = ['internal_error', 'overloaded', 'storage_failed'] as const

/** Failures of every route that writes. */
export const WRITING = [...READING, 'storage_full', 'read_only'] as const

/** Failures of a route behind `forCaller`. */
export const FOR_CALLER = [
  'credential_ambiguous',
  'unauthorized',
  'token_expired',
  'api_key_expired',
  'not_a_member',
  'store_not_here',
  'ip_not_allowed',
  'rate_limit_exceeded',
] as const

/** Failures of a route behind `forStore` or `forStoreSecurity`. */
export const FOR_STORE = [
  ...FOR_CALLER,
  'active_tenant_required',
  'permission_denied',
  'store_suspended',
] as const

/** Failures of a route behind `forPerson`. */
export const FOR_PERSON = [...FOR_STORE] as const

/** Failures of a route behind `forSuperAdmin`. */
export const FOR_SUPER_ADMIN = [
  ...FOR_CALLER,
  ['permission_denied', 'Only a super-admin who has signed in may do this.'],
] as const

/** Failures of a route that another node calls with a code. */
export const WITH_NODE_CODE = [
  ['unauthorized', 'The code is wrong, was used, or has expired; the message says which.'],
  'rate_limit_exceeded',
  'tls_required',
] as const

/** Failures of a route that takes a JSON body. */
export const JSON_BODY = [
  'invalid_json',
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
  'validation_error',
] as const

/** Failures of a route that takes a form. */
export const FORM_BODY = [
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
  'validation_error',
] as const

/** Failures of a route that takes a picture as a file. */
const PICTURE = [
  'image_source_invalid',
  'image_too_large',
  'image_too_small',
  'image_unreadable',
  'image_unsupported_format',
  'model_not_ready',
] as const

/** Failures of a route that takes a picture by its URL, too. */
export const PICTURE_URL = [...PICTURE, 'image_download_failed', 'url_not_allowed'] as const

/** Failures for the `detail.responses` of a route whose answers Elysia does not check. */
export const documentedFailures = (declared: Record<number, { description?: string }>) =>
  Object.fromEntries(
    Object.entries(declared).map(([status, { description = '' }]) => [status, { description }]),
  )

/** For the `detail.responses` of a route that refuses nothing: what the server itself answers to any request. */
export const NO_BODY = { 431: { description: 'The headers have more than 16 KiB. The answer has no body.' } }
