import { isUtf8 } from 'node:buffer'
import { Kind, type TSchema } from '@sinclair/typebox'
import { ApiError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Problem } from '../../core/problem.ts'
import { HEAVY_BYTES, turn } from '../../core/turns.ts'
import { parseJsonField } from '../json/text.ts'
import { isSpace, OPEN_LIST, OPEN_OBJECT } from '../json/tokens.ts'
import { toNumber } from '../number-text.ts'
import { UPLOAD, UploadedFile } from '../schema.ts'
import { validationError } from '../validation.ts'
import { type Part, splitMultipart } from './parts.ts'

/**
 * Reads the fields of a multipart body as values of the types in a schema.
 *
 * @throws ApiError `invalid_request` for a malformed body, `validation_error` for too many or repeated fields,
 *   `image_source_invalid` for two pictures, and the error of `pictureTooLarge`.
 */
export async function readFields(
  body: Uint8Array,
  type: string,
  schema: TSchema,
  pictureTooLarge: () => ApiError,
): Promise<Record<string, unknown>> {
  if (body.length > HEAVY_BYTES) await turn()
  const parts = splitMultipart(body, type)
  if (parts.some(({ isFile, bytes }) => isFile && bytes.length > LIMITS.pictureBytesMax)) {
    throw pictureTooLarge()
  }
  const fields: Record<string, unknown> = {}
  const repeated: Problem[] = []
  for (const [name, values] of groupByName(parts)) {
    const field = findFieldSchema(schema, name)
    if (field && values.length > 1 && field['type'] !== 'array') {
      if (field[Kind] === UPLOAD) throw severalPictures(name, values.length)
      repeated.push({ in: 'body', pointer: `/${name}`, code: 'repeated', message: 'must be sent only once' })
    }
    fields[name] = field ? await readField(values, field) : await readPlainValue(values.at(-1) as Part)
  }
  if (repeated.length > 0) throw validationError(repeated)
  return fields
}

function groupByName(parts: readonly Part[]): Map<string, Part[]> {
  const grouped = new Map<string, Part[]>()
  for (const part of parts) {
    // Assigning to this name would change a prototype later.
    if (part.name === '__proto__') continue
    const others = grouped.get(part.name)
    if (others) others.push(part)
    else grouped.set(part.name, [part])
  }
  return grouped
}

function findFieldSchema(schema: TSchema, name: string): TSchema | undefined {
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

const severalPictures = (name: string, count: number): ApiError =>
  new ApiError('image_source_invalid', `Send one picture; ${name} was sent ${count} times`, {
    details: { given: Array.from({ length: Math.min(count, 2) }, () => name), allowed: [name] },
  })

const isListOfFiles = (schema: TSchema): boolean =>
  (schema['items'] as TSchema | undefined)?.[Kind] === UPLOAD

/** Whether a form may hold several files in one field. */
export const takesSeveralFiles = (schema: TSchema): boolean =>
  Object.values((schema['properties'] ?? {}) as Record<string, TSchema>).some(isListOfFiles)

/** Reads the value of a field; several texts or files of a list field become one list. */
async function readField(parts: readonly Part[], schema: TSchema): Promise<unknown> {
  const isList = isListOfFiles(schema)
  const read: unknown[] = []
  for (const part of parts) {
    const file = part.isFile ? new UploadedFile(part.bytes) : undefined
    const value = file ? (isList ? [file] : file) : await readValue(part, schema)
    if (value !== undefined) read.push(value)
  }
  if (read.length < 2) return read[0]
  return read.every(Array.isArray) ? read.flat() : read.find((value) => !Array.isArray(value))
}

const readPlainValue = async (part: Part): Promise<unknown> =>
  part.isFile ? new UploadedFile(part.bytes) : readText(part)

async function readText({ name, bytes }: Part): Promise<string> {
  if (bytes.length > HEAVY_BYTES) await turn()
  if (isUtf8(bytes)) return bytes.toString()
  throw new ApiError('invalid_request', 'A field of the form is not valid UTF-8', {
    details: { field: name },
  })
}

/** Numbers and booleans are short; a longer text is neither. */
const WORD_CHARS_MAX = 1_000

/** Reads the text of a field as a value of the schema's type; returns the text itself if it is no such value. */
async function readValue(part: Part, schema: TSchema): Promise<unknown> {
  const { type } = schema
  if (type === 'object' || type === 'array') return readJsonValue(part, schema)
  const text = await readText(part)
  if (text.length > WORD_CHARS_MAX) return text
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

async function readJsonValue(part: Part, schema: TSchema): Promise<unknown> {
  const { bytes, name } = part
  let blanks = 0
  while (blanks < bytes.length && isSpace(bytes[blanks])) blanks++
  const first = bytes[blanks]
  if (first === undefined) return undefined
  if (schema['type'] === 'object' || first === OPEN_LIST || first === OPEN_OBJECT) {
    return (await parseJsonField(bytes, name)) ?? readText(part)
  }
  const text = (await readText(part)).trim()
  if (text === '') return undefined
  // One item more than the schema allows is enough to be refused.
  const itemsMax = Math.min(schema['maxItems'] ?? LIMITS.jsonPiecesMax, LIMITS.jsonPiecesMax) + 1
  return text.split(',', itemsMax).map((item) => item.trim())
}
