import { LIMITS } from '../../../core/limits.ts'
import { readTime } from '../../../core/moments.ts'
import type { Problem } from '../../../core/problem.ts'
import { sizeInWords } from '../../../core/text.ts'
import { validationError } from '../../../http/validation.ts'
import type { Metadata } from './schema.ts'

/** Checks what no schema can state: size, number of keys, depth, dates. @throws ApiError `validation_error`. */
export function checkMetadata(metadata: Metadata): void {
  const problems = DATES.flatMap((key) => findProblem(metadata[key], `/metadata/${key}`))
  if (problems.length > 0) throw validationError(problems)
  const { keys, depth, chars } = measure(metadata, 1)
  if (depth > LIMITS.metadataDepthMax) throw tooDeep()
  if (keys > LIMITS.metadataKeysMax) throw tooMuch(`must have at most ${LIMITS.metadataKeysMax} keys`)
  // Counting characters first spares writing megabytes as JSON.
  if (chars > LIMITS.metadataBytesMax || countJsonBytes(metadata) > LIMITS.metadataBytesMax) {
    throw tooMuch(`must be at most ${sizeInWords(LIMITS.metadataBytesMax)} as JSON`)
  }
}

const DATES = ['sale_price_from', 'sale_price_until']

/** An empty text is no date, as forms send it. */
function findProblem(value: unknown, pointer: string): Problem[] {
  if (typeof value !== 'string' || value === '' || readTime(value) !== undefined) return []
  const message = 'must be a date or a time of ISO 8601, such as 2030-01-31 or 2030-01-31T18:00:00Z'
  return [{ in: 'body', pointer, code: 'format', message }]
}

const countJsonBytes = (metadata: Metadata): number => Buffer.byteLength(JSON.stringify(metadata))

const tooDeep = () => tooMuch(`must not be nested deeper than ${LIMITS.metadataDepthMax} levels`)

const tooMuch = (message: string) =>
  validationError([{ in: 'body', pointer: '/metadata', code: 'too_large', message } satisfies Problem])

interface Measure {
  /** The number of keys in all objects. */
  keys: number
  /** The number of levels. */
  depth: number
  /** The number of characters in all texts and keys, plus one for each other value: never more than the bytes as JSON. */
  chars: number
}

/** Measures a value, down to the first level that is too deep. */
function measure(value: unknown, level: number): Measure {
  const found: Measure = { keys: 0, depth: level - 1, chars: typeof value === 'string' ? value.length : 1 }
  if (value === null || typeof value !== 'object') return found
  found.depth = level
  if (level > LIMITS.metadataDepthMax) return found
  const add = (inner: Measure): void => {
    found.keys += inner.keys
    found.chars += inner.chars
    found.depth = Math.max(found.depth, inner.depth)
  }
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) add(measure(value[n], level + 1))
    return found
  }
  const fields = value as Record<string, unknown>
  for (const key in fields) {
    found.keys++
    found.chars += key.length
    add(measure(fields[key], level + 1))
  }
  return found
}

/** Merges a JSON merge patch into an object (RFC 7396). @throws ApiError `validation_error` for a patch nested too deep. */
export function mergePatch(target: Metadata, patch: Metadata): Metadata {
  if (measure(patch, 1).depth > LIMITS.metadataDepthMax) throw tooDeep()
  return merge(target, patch)
}

function merge(target: Metadata, patch: Metadata): Metadata {
  const merged: Metadata = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = isPlain(value) ? merge(isPlain(merged[key]) ? merged[key] : {}, value) : value
  }
  return merged
}

const isPlain = (value: unknown): value is Metadata =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
