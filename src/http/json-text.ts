import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'
import { ApiError } from '../core/errors.ts'

/** Deeper than any body that means something, and shallow enough for every function that walks one. */
const DEPTH_MAX = 64

/**
 * Reads a body's JSON.
 *
 * @throws ApiError `invalid_json` with the place, or when it nests too deep to be walked.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  const value = parseText(text, () => invalidJson(text))
  if (!isShallow(value, DEPTH_MAX)) throw tooDeep()
  return value
}

/** Reads the JSON of a form's field; undefined when it is none. */
export function parseJsonField(text: string): unknown {
  try {
    const value = parseText(text, (cause) => new Error('not JSON', { cause }))
    return isShallow(value, DEPTH_MAX) ? value : undefined
  } catch {
    return undefined
  }
}

/** @param refusal makes the error for a text that is no JSON. */
function parseText(text: string, refusal: (cause: unknown) => Error): unknown {
  try {
    // A key named __proto__ would be copied onto a prototype further on; no field of ours has that name.
    if (text.includes('__proto__') || text.includes('\\u005f')) {
      return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value))
    }
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : refusal(error)
  }
}

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1)))

const tooDeep = (): ApiError =>
  new ApiError('invalid_json', `The body nests deeper than ${DEPTH_MAX} levels`, {
    details: { max_depth: DEPTH_MAX },
  })

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
  const { offset, error } = firstError(text) ?? { offset: text.length, error: undefined }
  const before = text.slice(0, offset).split('\n')
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  const reason = error === undefined ? 'it cannot be read' : inWords(printParseErrorCode(error))
  const where = `line ${place.line}, column ${place.column}`
  return new ApiError('invalid_json', `The body is not valid JSON: ${reason} at ${where}`, { details: place })
}

interface Place {
  offset: number
  error: ParseErrorCode
}

function firstError(text: string): Place | undefined {
  let place: Place | undefined
  try {
    visit(
      text,
      {
        onError(error, offset) {
          place = { offset, error }
          throw new Error('the first one is enough')
        },
      },
      { disallowComments: true },
    )
  } catch (error) {
    // The parser calls itself for every level.
    if (error instanceof RangeError) throw tooDeep()
  }
  return place
}

/** `PropertyNameExpected` becomes "property name expected". */
const inWords = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
