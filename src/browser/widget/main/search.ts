import { readRefusal } from '../loader/client.ts'
import type { Answer, Box, Context } from '../shapes.ts'
import { listFacets } from './facets.ts'
import type { Picture } from './picture.ts'

/** A search by the picture of its source, refined by the rest. Without a source, the words alone count. */
export interface Query {
  source?: Source
  words: string
  category?: string
  crop?: Box
  /** By field, the values of which products have one. */
  facets?: Record<string, (string | number | boolean)[]>
  sort?: string
}

/** Where the picture comes from. `imageId` names the copy that the service keeps for some minutes. */
export interface Source {
  picture?: Picture
  url?: string
  productId?: string
  imageId?: string
  /** The upload that is under way. */
  upload?: Promise<Answer>
}

/** Why there are no results; each has a text of its own. */
export type Problem =
  | 'busy'
  | 'offline'
  | 'unreadable'
  | 'small'
  | 'cropSmall'
  | 'big'
  | 'notLoaded'
  | 'unavailable'
  | 'failed'

const PROBLEMS: Readonly<Record<string, Problem>> = {
  image_unreadable: 'unreadable',
  image_unsupported_format: 'unreadable',
  image_too_small: 'small',
  crop_too_small: 'cropSmall',
  image_too_large: 'big',
  payload_too_large: 'big',
  image_download_failed: 'notLoaded',
  url_not_allowed: 'notLoaded',
}

/** Names what went wrong. */
export function findProblem(error: unknown): Problem {
  const refusal = readRefusal(error)
  if (!refusal) return navigator.onLine ? 'failed' : 'offline'
  // 503 also says that the service is busy, and when to try again.
  if (refusal.status === 429 || (refusal.status === 503 && refusal.retryAfter !== undefined)) return 'busy'
  const isForbidden = refusal.code && [401, 403].includes(refusal.status)
  return PROBLEMS[refusal.code] ?? (isForbidden ? 'unavailable' : 'failed')
}

const LIMIT_MAX = 50

/** Products that one search asks for. */
function readLimit({ limit }: DOMStringMap): number {
  const count = Number(limit ?? LIMIT_MAX)
  return Number.isInteger(count) && count > 0 ? Math.min(count, LIMIT_MAX) : LIMIT_MAX
}

function isForgotten(error: unknown): boolean {
  const refusal = readRefusal(error)
  return refusal?.code === 'not_found' && refusal.details['resource'] === 'image'
}

/** Whether the service does not have the product, or takes none here. */
const isUnknown = (error: unknown): boolean => [404, 422].includes(readRefusal(error)?.status ?? 0)

/**
 * Asks the service.
 *
 * A picture is uploaded once; then its `image_id` stands for it. When the service has forgotten it, it is sent again.
 *
 * @param sending ends an upload, on which a later search of the same picture waits.
 * @throws what {@link findProblem} understands. @throws DOMException named AbortError after `signal`.
 */
export async function search(
  context: Context,
  query: Query,
  signal: AbortSignal,
  sending: AbortSignal,
): Promise<Answer> {
  const { client, tracking, options } = context
  const { source, words, category, crop, facets, sort } = query
  const fields = listFacets(options.data)
  const session = tracking.session()
  const common = {
    limit: readLimit(options.data),
    ...(session && { session_id: session }),
    ...(category && { category }),
    ...(fields.length > 0 && { facets: fields }),
    ...(facets && Object.keys(facets).length > 0 && { facet_values: facets }),
    ...(sort && { sort }),
  }
  const post = <Result = Answer>(path: string, body: object) =>
    client.call<Result>(`search/${path}`, body, { signal })
  if (!source) return post('text', { query: words, ...common })

  const refined = { ...common, ...(words && { query: words }), ...(crop && { crop }) }

  const upload = ({ jpeg }: Picture): Promise<Answer> => {
    const form = new FormData()
    form.append('image', jpeg, 'picture.jpg')
    for (const [name, value] of Object.entries(refined))
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    const answer = client
      .call<Answer>('search/upload', form, { signal: sending })
      .then((read) => {
        if (read.image_id) source.imageId = read.image_id
        return read
      })
      .finally(() => {
        delete source.upload
      })
    source.upload = answer
    return answer
  }

  const first = async (): Promise<Answer> => {
    const { picture, url, productId } = source
    if (picture) return upload(picture)
    // A part is one of the picture that the shopper sees, which need not be the product's first.
    if (productId && !(crop && url)) {
      try {
        return await post('url', { product_id: productId, ...refined })
      } catch (error) {
        if (!url || !isUnknown(error)) throw error
      }
    }
    return post('url', { image_url: url, ...refined })
  }

  // The shopper has narrowed the search before its first answer: the picture is on its way already.
  await source.upload?.catch(() => undefined)
  if (source.imageId) {
    try {
      return await post('url', { image_id: source.imageId, ...refined })
    } catch (error) {
      if (!isForgotten(error)) throw error
      delete source.imageId
    }
  }
  const answer = await first()
  if (answer.image_id) source.imageId = answer.image_id
  return answer
}
