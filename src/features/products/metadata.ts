import { LIMITS } from '../../core/limits.ts'
import { sizeInWords } from '../../core/text.ts'
import { type Problem, validationError } from '../../http/validation.ts'
import type { Metadata } from './schema.ts'

/** Checks the limits that a schema cannot say: size, number of keys, depth. @throws ApiError `validation_error`. */
export function checkMetadata(metadata: Metadata): void {
  const { keys, depth } = measure(metadata, 1)
  if (depth > LIMITS.metadataDepthMax) throw tooDeep()
  if (keys > LIMITS.metadataKeysMax) throw tooMuch(`must have at most ${LIMITS.metadataKeysMax} keys`)
  if (Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataBytesMax) {
    throw tooMuch(`must be at most ${sizeInWords(LIMITS.metadataBytesMax)} as JSON`)
  }
}

const tooDeep = () => tooMuch(`must not be nested deeper than ${LIMITS.metadataDepthMax} levels`)

const tooMuch = (message: string) =>
  validationError([{ in: 'body', pointer: '/metadata', code: 'too_large', message } satisfies Problem])

/** Keys of all objects together, and levels; it stops descending where the depth is too much already. */
function measure(value: unknown, level: number): { keys: number; depth: number } {
  if (value === null || typeof value !== 'object') return { keys: 0, depth: level - 1 }
  if (level > LIMITS.metadataDepthMax) return { keys: 0, depth: level }
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length
  let depth = level
  for (const inner of Object.values(value)) {
    const found = measure(inner, level + 1)
    keys += found.keys
    depth = Math.max(depth, found.depth)
  }
  return { keys, depth }
}

/** Merges a JSON merge patch into an object (RFC 7396). @throws ApiError `validation_error` for one nested too deep. */
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
