import type { ShareLimits } from '../../../core/shares.ts'
import type { ItemContent } from './item.ts'
import type { LeasedItem } from './item-queries.ts'

/** The scarce resource of an item: servers that answer, or memory for pictures that have arrived. */
export type Kind = 'fetched' | 'here'

/** An item with what is needed to choose it. */
export interface Prepared {
  item: LeasedItem
  kind: Kind
  /** Pictures that are worked on at a time. */
  weight: number
  /** Of the pictures to download, that of the first one first. */
  hosts: readonly string[]
}

/** The weight of all that one store has in progress, and so the heaviest item. */
const WEIGHT_MAX = 20
/**
 * Pictures of items in progress. Items that download wait for servers most of the time, which costs no memory, and pass a
 * gate of their own; so they hold up nobody who downloads nothing. The pictures of the others are here: with those of the
 * downloads they are about as many as the queue of the model takes from jobs.
 */
export const SHARES: Readonly<Record<Kind, ShareLimits>> = {
  fetched: { max: 400, perOwnerMax: 20, firstMax: 8, extraMax: 40 },
  here: { max: 48, perOwnerMax: WEIGHT_MAX, firstMax: 4, extraMax: 20 },
}
/** Pictures that a product loads at a time. */
const PICTURES_MAX = 4
/** So many bytes of pictures within an item weigh as much as a picture. */
const BYTES_PER_WEIGHT = 512 * 1024

export function prepare(item: LeasedItem): Prepared {
  if (item.kind === 'delete') return { item, kind: 'here', weight: 1, hosts: [] }
  if (item.content === null) {
    // It holds its pictures itself, and lies in memory more than once while they are decoded.
    const weight = PICTURES_MAX + Math.floor((item.part?.bytes ?? 0) / BYTES_PER_WEIGHT)
    return { item, kind: 'here', weight: Math.min(weight, WEIGHT_MAX), hosts: [] }
  }
  const {
    image_url,
    additional_image_urls = [],
    given: precomputed,
  } = JSON.parse(item.content) as Partial<ItemContent>
  const known = new Set(precomputed?.pictures.map((picture) => picture.image_url))
  const urls = [image_url ?? '', ...additional_image_urls].filter((url) => !known.has(url))
  const weight = Math.min(Math.max(1, urls.length), PICTURES_MAX)
  const hosts = [...new Set(urls.map(findHost))].filter((host) => host !== '')
  return { item, kind: hosts.length > 0 ? 'fetched' : 'here', weight, hosts }
}

/** The host of a URL as its download names it; empty if it is not such a URL. */
const findHost = (url: string): string =>
  /^ *https?:\/\/[^/?#]/i.test(url) && URL.canParse(url) ? new URL(url).hostname : ''
