import { Kind, type TSchema, Type } from '@sinclair/typebox'
import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { sizeInWords } from '../core/text.ts'
import type { EmbedPriority } from '../platform/embedder/embedder.ts'
import { incomplete } from './arrival.ts'
import type { Intake } from './intake.ts'
import { parseJson } from './json/text.ts'
import { readFields, takesSeveralFiles } from './multipart/fields.ts'
import { UPLOAD } from './schema.ts'

interface WithRequest {
  request: Request
  /** Limits the bytes that are read at a time; without it, only the route's own limit applies. */
  intake?: Intake | undefined
}

type Parsed = Promise<Record<string, unknown>>

/** Reads a route's body, and describes its media types for the API's document. */
export interface BodyParser {
  (context: WithRequest): Parsed
  /** Whether a request may have no body. */
  isOptional?: boolean
  /** Describes each media type by a schema, taken from the schema of the route's body. */
  describeContent(body: TSchema): Record<string, TSchema>
}

const parser = (
  read: (context: WithRequest) => Parsed,
  describeContent: BodyParser['describeContent'],
): BodyParser =>
  // A context that is passed on as a whole makes Elysia read cookies, query and all headers first (see the map's traps).
  Object.assign(({ request, intake }: WithRequest) => read({ request, intake }), { describeContent })

/** A parser for an optional JSON body; a missing body reads as an empty object. */
export function jsonOrNothing(maxBytes?: number): BodyParser {
  const json = jsonBody(maxBytes)
  const read = async (context: WithRequest) => (context.request.body === null ? {} : json(context))
  return Object.assign(parser(read, json.describeContent), { isOptional: true })
}

/** Whether a route's parser comes from this file. */
export const isBodyParser = (value: unknown): value is BodyParser =>
  typeof value === 'function' && 'describeContent' in value

/** The parser of a route without a body: it leaves a body that is sent anyway unread. */
export const noBody = () => ({})

/** A list of short texts takes so many times its bytes while it is read, checked and answered. */
const LIST_WEIGHT = 8

/**
 * A parser for a route's JSON body of at most `maxBytes`.
 *
 * @param picture what a picture in the body is for; see {@link announced}.
 * @param piecesMax strings and signs of a body that is one long list.
 */
export function jsonBody(
  maxBytes: number = LIMITS.jsonBytesMax,
  picture?: EmbedPriority,
  piecesMax?: number,
): BodyParser {
  const weight = piecesMax === undefined ? 1 : LIST_WEIGHT
  const read = async (context: WithRequest) =>
    (await parseJson(await readBytes(context, maxBytes, payloadTooLarge, weight), piecesMax)) as Record<
      string,
      unknown
    >
  return parser(
    async (context) => {
      if (!isJson(context.request)) throw wrongType('application/json')
      // A body without a length may be a short one.
      if (!picture || !context.request.headers.has('content-length')) return read(context)
      const limits = { minBytes: LIMITS.pictureJsonBytesMin, maxBytes }
      return announced(context, picture, limits, () => read(context))
    },
    (body) => ({ 'application/json': body }),
  )
}

/** A parser for bytes of one media type: the body becomes `{bytes}`. */
export function bytesBody(type: string, maxBytes: number): BodyParser {
  return parser(
    async (context) => {
      if (contentType(context.request) !== type) throw wrongType(type)
      return { bytes: await readBytes(context, maxBytes, payloadTooLarge) }
    },
    () => ({ [type]: Type.Any({ type: 'string', format: 'binary' }) }),
  )
}

/**
 * A parser for a JSON body whose bytes are signed: the body becomes `{raw}` with the text as it was sent.
 *
 * @param schema describes the JSON in the API's document; the text is not checked against it.
 */
export function signedJsonBody(maxBytes: number, schema: TSchema): BodyParser {
  return parser(
    async (context) => {
      if (!isJson(context.request)) throw wrongType('application/json')
      return { raw: new TextDecoder().decode(await readBytes(context, maxBytes, payloadTooLarge)) }
    },
    () => ({ 'application/json': schema }),
  )
}

/**
 * A parser for a route's multipart body.
 *
 * Fields become values of the types in the schema. An object or an array is sent as JSON text; a list of strings may
 * also be sent as comma-separated text, or by repeating the field. Any other text stays as it is, for the schema to
 * refuse.
 *
 * @param picture what a picture in the form is for; see {@link announced}.
 * @param hint tells a client that sent JSON which route takes JSON.
 */
export function formBody(
  schema: TSchema,
  picture: EmbedPriority,
  { maxBytes = LIMITS.multipartBytesMax, hint }: { maxBytes?: number; hint?: string } = {},
): BodyParser {
  return parser(
    async (context) => {
      if (!isMultipart(context.request))
        throw wrongType('multipart/form-data', isJson(context.request) ? hint : undefined)
      return readForm(context, schema, picture, maxBytes)
    },
    () => ({ 'multipart/form-data': schema }),
  )
}

/**
 * A parser for a route that takes JSON or multipart; the schema of its body is a union of both.
 *
 * @param picture what a picture in the body is for; see {@link announced}.
 */
export function jsonOrFormBody(
  maxJsonBytes: number,
  formSchema: TSchema,
  picture: EmbedPriority,
): BodyParser {
  const json = jsonBody(maxJsonBytes, picture)
  return parser(
    async (context) => {
      if (isMultipart(context.request))
        return readForm(context, formSchema, picture, LIMITS.multipartBytesMax)
      if (!isJson(context.request)) throw wrongType('application/json or multipart/form-data')
      return json(context)
    },
    (body) => ({
      'application/json':
        ((body['anyOf'] ?? [body]) as TSchema[]).find((schema) => !hasUpload(schema)) ?? body,
      'multipart/form-data': formSchema,
    }),
  )
}

const hasUpload = (schema: TSchema): boolean =>
  Object.values((schema['properties'] ?? {}) as Record<string, TSchema>).some(
    (field) => field[Kind] === UPLOAD || (field['items'] as TSchema | undefined)?.[Kind] === UPLOAD,
  )

/**
 * A parser for `application/x-www-form-urlencoded` (RFC 6749 §4.4.2).
 *
 * @param hint tells a client that sent JSON what to send instead.
 */
export function urlencodedBody(maxBytes: number, hint: string): BodyParser {
  return parser(
    async (context) => {
      const { request } = context
      if (contentType(request) !== FORM) throw isJson(request) ? notJson(hint) : wrongType(FORM)
      const bytes = await readBytes(context, maxBytes, payloadTooLarge)
      return readPairs(new URLSearchParams(new TextDecoder().decode(bytes)))
    },
    (body) => ({ [FORM]: body }),
  )
}

/** A parser for a route that takes JSON or, from a page's form, `application/x-www-form-urlencoded`. */
export function jsonOrUrlencodedBody(maxBytes: number = LIMITS.jsonBytesMax): BodyParser {
  const json = jsonBody(maxBytes)
  const form = urlencodedBody(maxBytes, '')
  return parser(
    async (context) => {
      if (contentType(context.request) === FORM) return form(context)
      if (!isJson(context.request)) throw wrongType(`application/json or ${FORM}`)
      return json(context)
    },
    (body) => ({ ...json.describeContent(body), ...form.describeContent(body) }),
  )
}

const FORM = 'application/x-www-form-urlencoded'

const notJson = (hint: string): ApiError =>
  new ApiError('unsupported_media_type', `Send a form, not JSON (Content-Type: ${FORM}): ${hint}`, {
    details: { expected: FORM, hint },
  })

/** A parameter may be sent only once (RFC 6749 §3.2): of two values, nobody knows which one was checked. */
function readPairs(pairs: URLSearchParams): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in fields) {
      throw new ApiError('invalid_request', 'A parameter was sent more than once', {
        details: { oauth_error: 'invalid_request' },
      })
    }
    fields[name] = value
  }
  return { ...fields }
}

const contentType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Whether a request says that its body is JSON. */
export const isJson = (request: Request): boolean =>
  /^application\/(?:json|[\w.-]+\+json)$/.test(contentType(request))

/** @throws ApiError `unsupported_media_type` for a request whose body does not claim to be JSON. */
export function requireJson(request: Request): void {
  if (!isJson(request)) throw wrongType('application/json')
}

/** Whether a request's body is a form that may hold files. */
export const isMultipart = (request: Request): boolean => contentType(request) === 'multipart/form-data'

export const wrongType = (expected: string, hint?: string): ApiError =>
  new ApiError(
    'unsupported_media_type',
    `Send the body as Content-Type: ${expected}${hint ? `, ${hint}` : ''}`,
    {
      details: { expected },
    },
  )

export const payloadTooLarge = (maxBytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${sizeInWords(maxBytes)}`, {
    details: { max_bytes: maxBytes },
    headers: { connection: 'close' },
  })

const pictureTooLarge = (maxBytes: number): ApiError =>
  new ApiError('image_too_large', `The picture is larger than ${sizeInWords(maxBytes)}`, {
    details: { max_bytes: maxBytes },
    headers: { connection: 'close' },
  })

/** With more chunks, each of a 15 MiB body holds less than 800 bytes: the client only wants to keep the service busy. */
const CHUNKS_MAX = 20_000

/** Reads a body once the budget has space for it, and never holds more than `maxBytes` of it. */
/** @param weight bytes of memory that one byte of the body takes until its request is over. */
async function readBytes(
  { request, intake }: WithRequest,
  maxBytes: number,
  tooLarge: (max: number) => ApiError,
  weight = 1,
): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes)
  const length = announced === null ? maxBytes : Number(announced)
  if (!intake || length <= LIMITS.bodyBytesUncounted)
    return announced === null ? readChunks(request.body ?? [], maxBytes, tooLarge) : request.bytes()
  const arrival = intake.follow(request)
  const reservation = intake.admit(request, weight * length, arrival)
  const bytes =
    announced === null
      ? await readChunks(arrival.pieces(), maxBytes, tooLarge)
      : await readKnown(arrival.pieces(), length)
  reservation.shrinkTo(weight * bytes.length)
  return bytes
}

/** Reads a body of an announced length in place, so that it is never in memory twice. */
async function readKnown(pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
  const whole = new Uint8Array(bytes)
  let length = 0
  for await (const piece of pieces) {
    if (length + piece.length > bytes) throw incomplete()
    whole.set(piece, length)
    length += piece.length
  }
  if (length < bytes) throw incomplete()
  return whole
}

async function readChunks(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge: (max: number) => ApiError,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of pieces) {
    length += chunk.byteLength
    if (length > maxBytes) throw tooLarge(maxBytes)
    if (chunks.push(chunk) > CHUNKS_MAX) throw tooManyChunks()
  }
  return Buffer.concat(chunks, length)
}

const tooManyChunks = (): ApiError =>
  new ApiError('payload_too_large', `The body was sent in more than ${CHUNKS_MAX} pieces`, {
    details: { max_pieces: CHUNKS_MAX },
    headers: { connection: 'close' },
  })

function readForm(context: WithRequest, schema: TSchema, picture: EmbedPriority, maxBytes: number): Parsed {
  const limits = { minBytes: LIMITS.bodyBytesUncounted, maxBytes }
  // The limit of an ordinary form is that of a picture plus some space for other fields.
  const tooLarge = () => pictureTooLarge(Math.min(maxBytes, LIMITS.pictureBytesMax))
  // In a form with several pictures, none of them need be too large.
  const bodyTooLarge = takesSeveralFiles(schema) ? payloadTooLarge : tooLarge
  return announced(context, picture, limits, async () => {
    const bytes = await readBytes(context, maxBytes, bodyTooLarge)
    return readFields(bytes, context.request.headers.get('content-type') ?? '', schema, tooLarge)
  })
}

/**
 * Reads a body that may hold a picture, after asking the model's queue whether it would take the picture: a refused body is
 * neither read nor parsed. The picture counts as announced until the body is parsed.
 *
 * @param limits the queue is not asked for a body below `minBytes`, which costs too little or is too short for a picture.
 * @throws ApiError `overloaded`, after a pause: clients that repeat a refused request at once would otherwise take the time
 *   that the model needs.
 */
async function announced<Value>(
  { request, intake }: WithRequest,
  picture: EmbedPriority,
  { minBytes, maxBytes }: { minBytes: number; maxBytes: number },
  read: () => Promise<Value>,
): Promise<Value> {
  const length = Number(request.headers.get('content-length') ?? maxBytes)
  if (!intake || length <= minBytes || length > maxBytes) return read()
  let end: () => void
  try {
    end = intake.announce(request, length, picture)
  } catch (error) {
    await Bun.sleep(REFUSAL_PAUSE_MS)
    throw error
  }
  try {
    return await read()
  } finally {
    end()
  }
}

/** Long enough that a hundred clients in a loop cost a fraction of a core, and well below 50 ms. */
const REFUSAL_PAUSE_MS = 25
