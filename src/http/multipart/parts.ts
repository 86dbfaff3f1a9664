import { LIMITS } from '../../core/limits.ts'
import { validationError } from '../validation.ts'
import { createMultipartReader, malformed } from './reader.ts'

/** One part of a multipart body; its bytes are a view of the body. */
export interface Part {
  name: string
  isFile: boolean
  bytes: Buffer
}

/**
 * Splits a `multipart/form-data` body in memory without copying it.
 *
 * @param type the Content-Type, which names the boundary.
 * @throws ApiError `invalid_request` for a malformed body; `validation_error` for too many parts, before the surplus parts
 *   are read.
 */
export function splitMultipart(body: Uint8Array, type: string): Part[] {
  const reader = createMultipartReader(type, {
    partsMax: LIMITS.formFieldsMax,
    tooManyParts: tooManyFields,
  })
  const parts: Part[] = []
  for (const event of reader.read(body)) {
    if (event.kind === 'part') {
      const { name, fileName } = event.head
      if (name === undefined) throw malformed()
      parts.push({ name, isFile: fileName !== undefined, bytes: NOTHING })
    } else if (event.kind === 'content') {
      // A body in one piece gives each content in one piece too.
      ;(parts.at(-1) as Part).bytes = event.bytes
    }
  }
  reader.finish()
  return parts
}

const NOTHING = Buffer.alloc(0)

const tooManyFields = () =>
  validationError([
    {
      in: 'body',
      pointer: '',
      code: 'too_large',
      message: `must have at most ${LIMITS.formFieldsMax} fields`,
    },
  ])
