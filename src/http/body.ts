import { Kind, type TSchema } from '@sinclair/typebox'
import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { sizeInWords } from '../core/text.ts'
import { parseJson, parseJsonField } from './json-text.ts'
import { toNumber } from './number-text.ts'
import { UPLOAD } from './schema.ts'
import { type Problem, validationError } from './validation.ts'

interface WithRequest {
  request: Request
}

type Parsed = Promise<Record<string, unknown>>

/** Reads a route's body, and can tell for the API's document what it reads. */
export interface BodyParser {
  (context: WithRequest): Parsed
  /** Whether the body may be missing. */
  isOptional?: boolean
  /** The schema of each media type, out of the schema of the route's body. */
  contentOf(body: TSchema): Record<string, TSchema>
}

const parser = (read: (context: WithRequest) => Parsed, contentOf: BodyParser['contentOf']): BodyParser =>
  Object.assign(read, { contentOf })

/** The same for a body that may be missing altogether, which reads as an empty object. */
export function jsonOrNothing(maxBytes?: number): BodyParser {
  const json = jsonBody(maxBytes)
  return Object.assign(async (context: WithRequest) => (context.request.body === null ? {} : json(context)), {
    contentOf: json.contentOf,
    isOptional: true,
  })
}

/** Whether a route's parser is one of ours. */
export const isBodyParser = (value: unknown): value is BodyParser =>
  typeof value === 'function' && 'contentOf' in value

/** The parser of a route that takes no body: what comes all the same is not read. */
export const noBody = () => ({})

/** A parser for a route's JSON body of at most `maxBytes`. */
export function jsonBody(maxBytes: number = LIMITS.jsonBytesMax): BodyParser {
  return parser(
    async ({ request }) => {
      if (!isJson(request)) throw wrongType('application/json')
      return parseJson(await readBytes(request, maxBytes, payloadTooLarge)) as Record<string, unknown>
    },
    (body) => ({ 'application/json': body }),
  )
}

/**
 * A parser for a route's multipart body.
 *
 * Fields become values of the types that the schema asks for; an object or an array travels as JSON text, a list of
 * strings also as a comma list, or as the field several times. A field that is no such value is left as text for the
 * schema to refuse.
 */
export function formBody(schema: TSchema): BodyParser {
  return parser(
    async ({ request }) => {
      if (!isMultipart(request)) throw wrongType('multipart/form-data')
      return readForm(request, schema)
    },
    () => ({ 'multipart/form-data': schema }),
  )
}

/** A parser for a route that takes JSON or multipart; its schema is a union of both. */
export function jsonOrFormBody(maxJsonBytes: number, formSchema: TSchema): BodyParser {
  const json = jsonBody(maxJsonBytes)
  return parser(
    async (context) => {
      if (isMultipart(context.request)) return readForm(context.request, formSchema)
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
    (field) => field[Kind] === UPLOAD,
  )

/**
 * A parser for `application/x-www-form-urlencoded` (RFC 6749 §4.4.2).
 *
 * @param hint what to send instead, for those who send JSON.
 */
export function urlencodedBody(maxBytes: number, hint: string): BodyParser {
  return parser(
    async ({ request }) => {
      if (contentType(request) !== FORM) throw isJson(request) ? notJson(hint) : wrongType(FORM)
      const bytes = await readBytes(request, maxBytes, payloadTooLarge)
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
    (body) => ({ ...json.contentOf(body), ...form.contentOf(body) }),
  )
}

const FORM = 'application/x-www-form-urlencoded'

const notJson = (hint: string): ApiError =>
  new ApiError('unsupported_media_type', `Send a form, not JSON (Content-Type: ${FORM}): ${hint}`, {
    details: { expected: FORM, hint },
  })

/** A parameter may come once (RFC 6749 §3.2): of two, nobody knows which one was checked. */
function readPairs(pairs: URLSearchParams): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in fields) {
      throw new ApiError('invalid_request', 'A parameter came twice', {
        details: { oauth_error: 'invalid_request' },
      })
    }
    fields[name] = value
  }
  return { ...fields }
}

const contentType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const isJson = (request: Request): boolean =>
  /^application\/(?:json|[\w.-]+\+json)$/.test(contentType(request))

/** Whether a request's body says that it is a form with files. */
export const isMultipart = (request: Request): boolean => contentType(request) === 'multipart/form-data'

const wrongType = (expected: string): ApiError =>
  new ApiError('unsupported_media_type', `Send the body as Content-Type: ${expected}`, {
    details: { expected },
  })

const payloadTooLarge = (maxBytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${sizeInWords(maxBytes)}`, {
    details: { max_bytes: maxBytes },
    headers: { connection: 'close' },
  })

const pictureTooLarge = (): ApiError =>
  new ApiError('image_too_large', `The picture is larger than ${sizeInWords(LIMITS.pictureBytesMax)}`, {
    details: { max_bytes: LIMITS.pictureBytesMax },
    headers: { connection: 'close' },
  })

/** Reads a body without ever holding more than `maxBytes` of it. */
async function readBytes(
  request: Request,
  maxBytes: number,
  tooLarge: (max: number) => ApiError,
): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
    return request.bytes()
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

async function readForm(request: Request, schema: TSchema): Parsed {
  const bytes = await readBytes(request, LIMITS.multipartBytesMax, pictureTooLarge)
  const form = await parseForm(request, bytes)
  const fields: Record<string, unknown> = {}
  const repeated: Problem[] = []
  for (const name of new Set(form.keys())) {
    if (name === '__proto__') continue
    const values = form.getAll(name)
    if (values.some((value) => typeof value !== 'string' && value.size > LIMITS.pictureBytesMax)) {
      throw pictureTooLarge()
    }
    const field = schema['properties']?.[name] as TSchema | undefined
    if (field && values.length > 1 && field['type'] !== 'array') {
      if (field[Kind] === UPLOAD) throw severalPictures(name, values.length)
      repeated.push({ in: 'body', pointer: `/${name}`, code: 'repeated', message: 'must come only once' })
    }
    fields[name] = field ? fieldOf(values, field) : values.at(-1)
  }
  if (repeated.length > 0) throw validationError(repeated)
  return fields
}

const severalPictures = (name: string, count: number): ApiError =>
  new ApiError('image_source_invalid', `Send one picture; ${name} came ${count} times`, {
    details: { given: Array.from({ length: Math.min(count, 2) }, () => name), allowed: [name] },
  })

type Form = Awaited<ReturnType<Response['formData']>>
type FormValue = ReturnType<Form['getAll']>[number]

/** The value of a form's field; several texts of a list become one list. */
function fieldOf(values: FormValue[], schema: TSchema): unknown {
  const read = values
    .map((value) => (typeof value === 'string' ? fromText(value, schema) : value))
    .filter((value) => value !== undefined)
  if (read.length < 2) return read[0]
  return read.every(Array.isArray) ? read.flat() : read.find((value) => !Array.isArray(value))
}

async function parseForm(request: Request, bytes: Uint8Array): Promise<Form> {
  try {
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
  } catch {
    throw new ApiError('invalid_request', 'The multipart body is malformed')
  }
}

/** The value that a form's text stands for; the text itself when it stands for none of that type. */
function fromText(text: string, schema: TSchema): unknown {
  const { type } = schema
  if (type === 'object' || type === 'array') return fromJsonText(text, type)
  if (type === 'string' || schema[Kind] === UPLOAD) return text
  if (type === 'integer' || type === 'number') return toNumber(text, type)
  if (type === 'boolean') return BOOLEANS[text.trim().toLowerCase()] ?? text
  return text
}

const BOOLEANS: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  '1': true,
  false: false,
  '0': false,
})

function fromJsonText(text: string, type: 'object' | 'array'): unknown {
  if (text.trim() === '') return undefined
  if (type === 'array' && !/^\s*[[{]/.test(text)) return text.split(',').map((item) => item.trim())
  return parseJsonField(text) ?? text
}
