import type { SearchResponse } from '#generated/api.ts'
import { call } from './client.ts'

/** What somebody looks for: words, a picture, or both. */
export interface Query {
  words: string
  picture: Blob | null
}

export interface SearchSettings {
  limit?: number
  threshold?: number
  explain?: boolean
  cutoff?: 'none' | 'auto'
  /** Whether the search counts as one of the store's. */
  analytics?: boolean
}

/**
 * Searches as the person. Not counted unless asked for: a merchant who plays must not become the numbers.
 *
 * @param imageId of the same picture, if an answer has named one: it is not sent and embedded again.
 * @throws CallError
 */
export async function search(
  { words, picture }: Query,
  settings: SearchSettings,
  signal: AbortSignal,
  imageId?: string,
): Promise<SearchResponse> {
  const common = { analytics: false, ...settings }
  if (!picture) return call('POST /v1/search/text', { body: { query: words, ...common }, signal })
  if (words !== '' && imageId !== undefined)
    return call('POST /v1/search/hybrid', { body: { image_id: imageId, query: words, ...common }, signal })
  const form = new FormData()
  if (imageId !== undefined) form.set('image_id', imageId)
  else form.set('image', picture, 'picture')
  for (const [name, value] of Object.entries(common)) form.set(name, String(value))
  const answer = await call('POST /v1/search', { form, signal })
  const known = answer.query_image?.image_id
  return words === '' || known === undefined ? answer : search({ words, picture }, settings, signal, known)
}
