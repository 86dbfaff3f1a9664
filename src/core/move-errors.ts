import { ApiError } from './errors.ts'

/** A store that is on another node now. @param url the base address of that node. */
export const storeNotHere = (slug: string, url: string) =>
  new ApiError('store_not_here', `The store ${slug} has moved to ${url}: send its requests there`, {
    details: { url },
    headers: { 'x-lookalike-node': url },
  })

/** A write for a store that accepts none for a few seconds, because it is moving. */
export const storePaused = () =>
  new ApiError('read_only', 'The store is moving to another node and accepts no writes: try again', {
    retryAfterSeconds: 2,
  })
