import { ApiError } from '../../../core/errors.ts'
import type { PictureFacts } from '../../../platform/embedder/embedder.ts'
import { KEPT_PREFIX } from './kept-address.ts'
import type { PrecomputedContent } from './precomputed.ts'
import type { KeptPicture, PictureToSave, ProductQueries } from './queries.ts'
import type { StorageChange } from './storage-limit.ts'

/** What is saved of a picture's content. */
export interface KnownPicture {
  facts: PictureFacts
  vector: Float32Array
}

type KeptContent = Pick<KeptPicture, 'contentHash' | 'contentType'> & { bytes: number }

export interface PrecomputedPictureDeps {
  queries: Pick<ProductQueries, 'findKeptPicture'>
  /** An address in the form that is saved. */
  toStored(url: string): string
  /** @throws ApiError `url_not_allowed` for an address that no download could begin with. */
  checkUrl(url: string): void
  /** Keeps a kept picture from being swept. */
  hold(path: string): Promise<string>
  /** Keeps a picture for a store. @returns its path. @throws ApiError `storage_limit_exceeded`. */
  keep(
    storeId: string,
    picture: Omit<KeptContent, 'bytes'> & { bytes: Uint8Array },
    change: StorageChange,
  ): Promise<string>
  /** Reads a kept file, which counts against the budget of the store until `until` settles. */
  readKeptFile(storeId: string, kept: KeptContent, until: Promise<unknown>): Promise<Uint8Array>
  /** A picture of the store with the same bytes, which the service has read itself. */
  findTwin(storeId: string, contentHash: Buffer): KnownPicture | undefined
}

/** Takes pictures with the vectors and the facts that came with them, without reading them. */
export function createPrecomputedPictures(deps: PrecomputedPictureDeps) {
  const { queries, toStored, checkUrl, hold, keep, readKeptFile, findTwin } = deps

  /** Keeps another store's picture for this one, too. */
  async function copyKept(storeId: string, kept: KeptContent, change: StorageChange): Promise<string> {
    const done = Promise.withResolvers<void>()
    try {
      const bytes = await readKeptFile(storeId, kept, done.promise)
      return await keep(storeId, { ...kept, bytes }, change)
    } finally {
      done.resolve()
    }
  }

  /**
   * Takes one picture.
   *
   * A kept picture must be there. Its content is known to the service, so its own vector goes first, and the precomputed one
   * counts only for the same content. A picture of another store becomes this store's own: whoever knows the address may
   * read it.
   *
   * @returns a function that writes the picture; undefined for one that has to be read.
   * @throws ApiError for an address where no picture can be.
   */
  return (
    storeId: string,
    url: string,
    { picture, vector }: PrecomputedContent,
    change: StorageChange,
  ): (() => Promise<PictureToSave>) | undefined => {
    const path = toStored(url)
    const isHere = path.startsWith(KEPT_PREFIX)
    const found = queries.findKeptPicture(isHere ? path.slice(KEPT_PREFIX.length) : findAddress(url))
    const isSame = found?.contentHash.equals(picture.contentHash)
    if (!isHere && !isSame) {
      checkUrl(url)
      return async () => ({ added: { ...picture, imageUrl: url }, vector })
    }
    if (!isSame && found?.storeId === storeId) return undefined
    if (!found || !isSame) throw noPicture()
    const kept = found
    const isOwn = kept.storeId === storeId
    const { contentHash, contentType, bytes } = kept
    const twin = findTwin(storeId, contentHash)
    const known = twin ? { facts: toFacts(twin.facts), vector: twin.vector } : { facts: picture, vector }
    return async () => {
      const imageUrl = isOwn ? await hold(KEPT_PREFIX + kept.address) : await copyKept(storeId, kept, change)
      return { added: { ...known.facts, contentHash, contentType, bytes, imageUrl }, vector: known.vector }
    }
  }
}

/**
 * What may be the address of a kept picture within a URL: the service may have had another base URL at the export. Addresses
 * are random, so one that is known here is the same one.
 */
const findAddress = (url: string): string => /\/pictures\/([\w-]{22})$/.exec(url)?.[1] ?? ''

/** The facts alone: the row of a picture has more. */
export const toFacts = ({ width, height, contentType, phash, palette }: PictureFacts): PictureFacts => ({
  ...{ width, height, contentType, phash, palette },
})

const noPicture = () =>
  new ApiError(
    'image_download_failed',
    'No picture is kept at this address: an uploaded picture lies with the install that made the export',
    { details: { reason: 'http_status', upstream_status: 404 } },
  )
