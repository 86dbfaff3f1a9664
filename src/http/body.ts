import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type ParseError, parse as parseTolerantly, printParseErrorCode } from 'jsonc-parser'
import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'

interface WithRequest {
  request: Request
}

type Parsed = Promise<Record<string, unknown>>

/** The parser of a route that takes no body: what comes all the same is not read. */
export const noBody = () => ({})

/** A parser for a route's JSON body of at most `maxBytes`. */
export function jsonBody(maxBytes: number = LIMITS.jsonBytesMax) {
  return async ({ request }: WithRequest): Parsed => {
    if (!isJson(request)) throw wrongType('application/json')
    return parseJson(await readBytes(request, maxBytes, payloadTooLarge)) as Record<string, unknown>
  }
}

/**
 * A parser for a route's multipart body.
 *
 * Fields become values of the types that the schema asks for; an object or an array travels as JSON text, a list of
 * strings also as a comma list. A field that is no such value is left as text for the schema to refuse.
 */
export function formBody(schema: TSchema) {
  return async ({ request }: WithRequest): Parsed => {
    if (!isMultipart(request)) throw wrongType('multipart/form-data')
    return readForm(request, schema)
  }
}

/** A parser for a route that takes JSON or multipart. */
export function jsonOrFormBody(maxJsonBytes: number, formSchema: TSchema) {
  const json = jsonBody(maxJsonBytes)
  return async (context: WithRequest): Parsed => {
    if (isMultipart(context.request)) return readForm(context.request, formSchema)
    if (!isJson(context.request)) throw wrongType('application/json or multipart/form-data')
    return json(context)
  }
}

/** A parser for `application/x-www-form-urlencoded` (RFC 6749 §4.4.2). */
export function urlencodedBody(maxBytes: number) {
  return async ({ request }: WithRequest): Parsed => {
    if (contentType(request) !== 'application/x-www-form-urlencoded') {
      throw wrongType('application/x-www-form-urlencoded')
    }
    const bytes = await readBytes(request, maxBytes, payloadTooLarge)
    return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)))
  }
}

const contentType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const isJson = (request: Request): boolean =>
  /^application\/(?:json|[\w.-]+\+json)$/.test(contentType(request))

const isMultipart = (request: Request): boolean => contentType(request) === 'multipart/form-data'

const wrongType = (expected: string): ApiError =>
  new ApiError('unsupported_media_type', `Send the body as Content-Type: ${expected}`, {
    details: { expected },
  })

const payloadTooLarge = (maxBytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${maxBytes} bytes`, {
    details: { max_bytes: maxBytes },
    headers: { connection: 'close' },
  })

const pictureTooLarge = (): ApiError =>
  new ApiError('image_too_large', 'The picture is larger than 10 MiB', {
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

function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  try {
    // A key named __proto__ would be copied onto a prototype further on; no field of ours has that name.
    if (text.includes('__proto__') || text.includes('\\u005f')) {
      return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value))
    }
    return JSON.parse(text)
  } catch {
    throw invalidJson(text)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8')
  }
}

/** JavaScriptCore does not tell where it stopped, so a tolerant parser finds the place. */
function invalidJson(text: string): ApiError {
  if (text.trim() === '')
    return new ApiError('invalid_json', 'The body is empty', { details: { line: 1, column: 1 } })
  const errors: ParseError[] = []
  parseTolerantly(text, errors, { disallowComments: true })
  const { offset, error } = errors[0] ?? { offset: text.length, error: undefined }
  const before = text.slice(0, offset).split('\n')
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  const reason = error === undefined ? 'it ends too early' : printParseErrorCode(error)
  return new ApiError('invalid_json', `The body is not valid JSON: ${reason} at line ${place.line}`, {
    details: place,
  })
}

async function readForm(request: Request, schema: TSchema): Parsed {
  const bytes = await readBytes(request, LIMITS.multipartBytesMax, pictureTooLarge)
  const form = await parseForm(request, bytes)
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of form.entries()) {
    const field = schema['properties']?.[name] as TSchema | undefined
    if (typeof value !== 'string' && value.size > LIMITS.pictureBytesMax) throw pictureTooLarge()
    fields[name] = typeof value === 'string' && field ? fromText(value, field) : value
  }
  return { ...fields }
}

type Form = Awaited<ReturnType<Response['formData']>>

async function parseForm(request: Request, bytes: Uint8Array): Promise<Form> {
  try {
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
  } catch {
    throw new ApiError('invalid_request', 'The multipart body is malformed')
  }
}

function fromText(text: string, schema: TSchema): unknown {
  if (schema['type'] === 'object' || schema['type'] === 'array') {
    try {
      return JSON.parse(text)
    } catch {
      return schema['type'] === 'array' ? text.split(',').map((item) => item.trim()) : text
    }
  }
  return text.trim() === '' ? undefined : Value.Convert(schema, text)
}
