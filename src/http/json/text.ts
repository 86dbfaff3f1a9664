import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Problem } from '../../core/problem.ts'
import { sizeInWords } from '../../core/text.ts'
import { HEAVY_BYTES, turn } from '../../core/turns.ts'
import { validationError } from '../validation.ts'
import { emptyJson, InvalidJson, UNREADABLE } from './error.ts'
import { createOutline, type Outline } from './outline.ts'
import { createScan, type Excess, JSON_DEPTH_MAX } from './scan.ts'

/*
 * Why JSON is read by hand around `JSON.parse`:
 *
 * - No step may hold the event loop for more than a few milliseconds. `JSON.parse` needs many for a picture in base64, so
 *   `scan.ts` finds the long strings first, `outline.ts` cuts them out and reads them in pieces, and what is left is small.
 *   The scan also refuses a text that would be slow to parse or to walk. `list.ts` reads a body of up to 100 MB item by item.
 * - Every `invalid_json` names line and column, which JavaScriptCore does not report. `error.ts` finds them.
 */

/**
 * Reads a body's JSON, in several turns of the event loop when it is long.
 *
 * @param piecesMax strings and signs that it may have.
 * @throws ApiError `invalid_json` with the place of the fault, or for a body that nests too deep; `payload_too_large` or
 *   `validation_error` for a body with too many pieces, and `validation_error` for a number that no double can hold.
 */
export async function parseJson(bytes: Uint8Array, piecesMax?: number): Promise<unknown> {
  const outline = await readOutline(bytes, piecesMax)
  if (outline.text.length > HEAVY_BYTES) await turn()
  let value: unknown
  try {
    value = await outline.parse()
  } catch {
    if (outline.text.length > HEAVY_BYTES) await turn()
    throw await invalidJson(outline)
  }
  return sanitize(value, '')
}

/**
 * Reads the JSON of a form field.
 *
 * @param name the name of the field, for the pointers of its problems.
 * @returns undefined if the field is not JSON or nests too deep.
 * @throws ApiError as {@link parseJson}, but never `invalid_json`.
 */
export async function parseJsonField(bytes: Uint8Array, name: string): Promise<unknown> {
  let value: unknown
  try {
    const outline = await readOutline(bytes)
    if (outline.text.length > HEAVY_BYTES) await turn()
    value = await outline.parse()
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'invalid_json') throw error
    return undefined
  }
  return sanitize(value, `/${name}`)
}

async function readOutline(bytes: Uint8Array, piecesMax?: number): Promise<Outline> {
  if (bytes.length > HEAVY_BYTES) await turn()
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8')
  const scan = createScan(bytes, undefined, piecesMax)
  while (!scan.step()) await turn()
  if (scan.excess) throw REFUSALS[scan.excess]()
  if (bytes.length > HEAVY_BYTES) await turn()
  return createOutline(bytes, scan.longStrings)
}

const tooMany = (message: string): ApiError =>
  validationError([{ in: 'body', pointer: '', code: 'too_large', message }])

const REFUSALS: Readonly<Record<Excess, () => ApiError>> = {
  depth: () =>
    new ApiError('invalid_json', `The body is nested deeper than ${JSON_DEPTH_MAX} levels`, {
      details: { max_depth: JSON_DEPTH_MAX },
    }),
  structure: () =>
    new ApiError(
      'payload_too_large',
      `Apart from its strings, the body is larger than ${sizeInWords(LIMITS.jsonStructureBytesMax)}`,
      { details: { max_bytes: LIMITS.jsonStructureBytesMax } },
    ),
  pieces: () => tooMany('holds too many values'),
  escapes: () => tooMany('holds too many backslashes'),
}

/**
 * Removes keys named `__proto__`, which would change a prototype when copied; no field of the API has that name.
 *
 * @throws ApiError `validation_error` for numbers like 1e400, which JSON.parse makes infinite.
 */
function sanitize(value: unknown, pointer: string): unknown {
  const problems: Problem[] = []
  const path: (string | number)[] = []

  function inspect(item: unknown): void {
    // An answer lists no more problems than this.
    if (problems.length >= LIMITS.validationProblemsMax) return
    if (typeof item === 'number') {
      if (!Number.isFinite(item)) problems.push(outOfRange(pointer + writePointer(path)))
    } else if (Array.isArray(item)) {
      for (let n = 0; n < item.length; n++) descend(n, item[n])
    } else if (typeof item === 'object' && item !== null) {
      const fields = item as Record<string, unknown>
      if (Object.hasOwn(fields, PROTO)) delete fields[PROTO]
      for (const key in fields) descend(key, fields[key])
    }
  }

  function descend(key: string | number, item: unknown): void {
    if (typeof item !== 'number' && typeof item !== 'object') return
    path.push(key)
    inspect(item)
    path.pop()
  }

  inspect(value)
  if (problems.length > 0) throw validationError(problems)
  return value
}

const PROTO = '__proto__'

/** Longer keys are cut in pointers, because each pointer repeats the keys above it. */
const POINTER_KEY_CHARS_MAX = 100

/** Writes a path as a JSON pointer (RFC 6901). */
const writePointer = (path: readonly (string | number)[]): string =>
  path
    .map((key) => String(key).slice(0, POINTER_KEY_CHARS_MAX).replaceAll('~', '~0').replaceAll('/', '~1'))
    .map((key) => `/${key}`)
    .join('')

const outOfRange = (pointer: string): Problem => ({
  in: 'body',
  pointer,
  code: 'type',
  message: 'must be a number within the range of a double',
  expected: 'number',
  received: 'number out of range',
})

async function invalidJson(outline: Outline): Promise<ApiError> {
  if (outline.text.trim() === '') return emptyJson()
  // No text is known that JSON.parse refuses and findFault accepts.
  return new InvalidJson((await outline.findFault()) ?? UNREADABLE)
}
