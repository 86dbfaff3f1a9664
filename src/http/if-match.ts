import { createHash } from 'node:crypto'
import { ApiError } from '../core/errors.ts'

/** Describes the header for the API's description, at the routes that take it. */
export const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the answer that the change starts from. If somebody has changed it since, nothing is written: `409 conflict`.',
  schema: { type: 'string' },
} as const

/** Describes the failure of a route that takes `If-Match`. */
export const CHANGED_SINCE = [
  'conflict',
  'Somebody has changed it since the answer whose `ETag` stands in `If-Match`.',
] as const

const CHARACTERS = 22

/** Reads which version a change starts from; null for one that overwrites whatever is there. */
export const readIfMatch = ({ headers }: Request): string | null => headers.get('if-match')

/** Answers with something, and names its version for a change that starts from it. */
export function withVersion<Shown>(
  set: { headers: Record<string, string | number | undefined> },
  shown: Shown,
  tagOf: (shown: Shown) => string,
): Shown {
  set.headers['etag'] = tagOf(shown)
  return shown
}

/** Makes the `ETag` of a state. @param state what differs after every change that a form could overwrite. */
export const versionTag = (state: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, CHARACTERS)}"`

/**
 * Refuses a change that starts from a former state. It is called where the state cannot change before the write.
 *
 * @param ifMatch the header; a request without one overwrites whatever is there.
 * @throws ApiError `conflict`, with the present tag in `details.etag`.
 */
export function demandVersion(ifMatch: string | null, current: string): void {
  if (ifMatch === null) return
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (tags.includes('*') || tags.includes(current)) return
  throw new ApiError('conflict', 'Somebody has changed this since you read it; read it again', {
    details: { etag: current },
  })
}
