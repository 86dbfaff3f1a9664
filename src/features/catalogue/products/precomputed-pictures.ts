import { ApiError } from '../../../core/errors.ts'
import { KEPT_PREFIX } from './kept-address.ts'
import { isKeptPath, type KeptPictures, toAddress } from './kept-pictures.ts'
import type { PrecomputedContent } from './precomputed.ts'
import { type KnownPicture, type ReadyPicture, toFacts } from './ready-picture.ts'

export interface PrecomputedPicturesDeps {
  kept: Pick<KeptPictures, 'find' | 'toStored'>
  /** @throws ApiError `url_not_allowed` for an address that no download could begin with. */
  checkUrl(url: string): void
}

/**
 * Takes pictures with the vectors and the facts that came with them, without reading them.
 *
 * A kept picture must be there. Its content is known to the service, so its own vector goes first, and the precomputed one
 * counts only for the same content. A picture of another store becomes this store's own: whoever knows the address may
 * read it.
 *
 * @returns takes one picture, with what finds a picture of the store with the same bytes, which the service has read itself;
 *   undefined for one that has to be read. Throws an ApiError for an address where no picture can be.
 */
export function createPrecomputedPictures({ kept, checkUrl }: PrecomputedPicturesDeps) {
  return (
    storeId: string,
    url: string,
    { picture, vector }: PrecomputedContent,
    findTwin: (contentHash: Buffer) => KnownPicture | undefined,
  ): ReadyPicture | undefined => {
    const path = kept.toStored(url)
    const isHere = isKeptPath(path)
    const found = kept.find(isHere ? toAddress(path) : findAddress(url))
    const isSame = found?.contentHash.equals(picture.contentHash)
    if (!isHere && !isSame) {
      checkUrl(url)
      return { address: { kind: 'final', url }, content: { added: picture, vector } }
    }
    if (!isSame && found?.storeId === storeId) return undefined
    if (!found || !isSame) throw noPicture()
    const { contentHash, contentType, bytes } = found
    const twin = findTwin(contentHash)
    const facts = twin ? toFacts(twin.facts) : picture
    return {
      address:
        found.storeId === storeId
          ? { kind: 'retained', path: KEPT_PREFIX + found.address }
          : { kind: 'copied', kept: found },
      content: {
        added: { ...facts, contentHash, contentType, bytes },
        vector: twin?.vector ?? vector,
        second: twin?.second,
      },
    }
  }
}

/**
 * The address of a kept picture that a URL may end with: the service may have had another base URL at the export. Addresses
 * are random, so one that is known here is the same one.
 */
const findAddress = (url: string): string => /\/pictures\/([\w-]{22})$/.exec(url)?.[1] ?? ''

const noPicture = () =>
  new ApiError(
    'image_download_failed',
    'No picture is kept at this address: an uploaded picture lies with the install that made the export',
    { details: { reason: 'http_status', upstream_status: 404 } },
  )
