import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import { createKeyedLock } from '../../core/keyed-lock.ts'
import { LIMITS } from '../../core/limits.ts'
import type { EmbeddedPicture, Embedder } from '../../platform/embedder/embedder.ts'
import type { PictureFetcher } from '../../platform/pictures/fetch.ts'
import type { PictureFiles } from '../../platform/pictures/kept.ts'
import type { PictureRow, PictureToSave, ProductQueries, ProductRow } from './queries.ts'

export interface PictureDeps {
  queries: Pick<
    ProductQueries,
    'sameContent' | 'keepPicture' | 'keptPicture' | 'holdPicture' | 'isKept' | 'forgetUnusedPictures'
  >
  embedder: Pick<Embedder, 'embedPicture'>
  fetcher: PictureFetcher
  files: PictureFiles
  /** Vector of a picture that is indexed already. */
  vectorOf(storeId: string, pictureId: number): Float32Array | undefined
  decodeDataUri(uri: string, maxBytes: number): Uint8Array
  /** `BASE_URL`, known once the service listens. */
  baseUrl(): string
  clock: Clock
  ids: Ids
}

/** What a client gave for one picture. */
export type PictureSource = { url: string } | { upload: { bytes(): Promise<Uint8Array> } }

/** A picture that came as bytes. */
interface Arrived {
  bytes: Uint8Array
  contentHash: Buffer
  contentType: string
}

/** Where a kept picture is served: an address of ours, relative to the base URL. */
const KEPT_PREFIX = '/pictures/'

/** A kept picture that no product uses is deleted after this time, so that one on its way in is never lost. */
const UNUSED_AFTER_MS = 3_600_000

/** Pictures of one product that are downloaded and embedded side by side; each may hold 10 MiB. */
const LOADING_MAX = 4

export type ProductPictures = ReturnType<typeof productPictures>

/** Turns what clients give as pictures into pictures that can be saved with a product. */
export function productPictures(deps: PictureDeps) {
  const { queries, embedder, fetcher, files, vectorOf, decodeDataUri, baseUrl, clock, ids } = deps

  /** A file is not deleted while it is written, nor the other way round. */
  const fileLocked = createKeyedLock()

  /** The form of an address that lies in the database: our own ones without the base. */
  const stored = (url: string): string =>
    url.startsWith(baseUrl() + KEPT_PREFIX) ? url.slice(baseUrl().length) : url

  /** Keeps a picture that arrived as bytes; returns its address. */
  async function keep(storeId: string, arrived: Arrived): Promise<string> {
    const { bytes, contentHash, contentType } = arrived
    const picture = { address: ids.secret(16), storeId, contentHash, contentType, now: clock.now() }
    const address = queries.keepPicture(picture)
    const name = contentHash.toString('hex')
    await fileLocked(name, () => files.write(name, bytes))
    return KEPT_PREFIX + address
  }

  async function readKept(storeId: string, path: string): Promise<Uint8Array> {
    const kept = queries.keptPicture(path.slice(KEPT_PREFIX.length))
    const bytes = kept?.storeId === storeId ? await files.read(kept.contentHash.toString('hex')) : undefined
    if (!bytes) throw nothingThere()
    return bytes
  }

  /** Keeps a picture at an address of ours from being swept before the product that names it is saved. */
  function hold(path: string): string {
    const isThere = queries.holdPicture(path.slice(KEPT_PREFIX.length), clock.now())
    if (!isThere) throw nothingThere()
    return path
  }

  const isDataUri = (url: string): boolean => /^data:/i.test(url)

  async function readUrl(storeId: string, url: string): Promise<Uint8Array> {
    if (isDataUri(url)) return decodeDataUri(url, LIMITS.pictureBytesMax)
    const path = stored(url)
    return path.startsWith(KEPT_PREFIX) ? readKept(storeId, path) : fetcher.fetch(url)
  }

  /** The vector of a picture of the store with the same bytes. */
  function twinOf(storeId: string, contentHash: Buffer): EmbeddedPicture | undefined {
    const twin = queries.sameContent(storeId, contentHash)
    const vector = twin && vectorOf(storeId, twin.id)
    return vector && { facts: twin, vector }
  }

  /**
   * Reads a picture and embeds it, unless its content is known. Nothing is written before the function that comes back
   * is called.
   *
   * @param free pictures of the product that no source has taken; one with the same content is taken out of it.
   */
  async function load(
    storeId: string,
    source: PictureSource,
    free: PictureRow[],
  ): Promise<() => Promise<PictureToSave>> {
    const bytes = 'url' in source ? await readUrl(storeId, source.url) : await source.upload.bytes()
    const contentHash = createHash('sha256').update(bytes).digest()
    const address = async (contentType: string): Promise<string> => {
      if (!('url' in source) || isDataUri(source.url))
        return keep(storeId, { bytes, contentHash, contentType })
      const url = stored(source.url)
      return url.startsWith(KEPT_PREFIX) ? hold(url) : url
    }

    const own = take(free, (picture) => picture.contentHash.equals(contentHash))
    if (own) return async () => ({ kept: { ...own, imageUrl: await address(own.contentType) } })
    const { facts, vector } =
      twinOf(storeId, contentHash) ?? (await embedder.embedPicture(bytes, { priority: 'index', storeId }))
    const { width, height, contentType, phash, palette } = facts
    return async () => ({
      added: {
        imageUrl: await address(contentType),
        contentHash,
        bytes: bytes.byteLength,
        width,
        height,
        contentType,
        phash,
        palette,
      },
      vector,
    })
  }

  return {
    /**
     * Gets the pictures of one product ready, in their order. A picture whose address or content the product has
     * already is neither downloaded nor embedded again.
     *
     * @param refresh downloads again although the address is known.
     * @throws ApiError of the fetcher and of the embedder; nothing is saved then.
     */
    async prepare(
      storeId: string,
      sources: PictureSource[],
      product: ProductRow | undefined,
      refresh: boolean,
    ): Promise<PictureToSave[]> {
      const free = product?.pictures.filter(({ hasVector }) => hasVector) ?? []
      // Known addresses first, so that a new address with old content cannot take their picture.
      const planned = sources.map((source) => {
        const isKnown = ({ imageUrl }: PictureRow) => 'url' in source && imageUrl === stored(source.url)
        return { source, known: refresh ? undefined : take(free, isKnown) }
      })
      const sideBySide = pLimit(LOADING_MAX)
      const loaded = await sideBySide
        .map(planned, async ({ source, known }) =>
          known ? async (): Promise<PictureToSave> => ({ kept: known }) : load(storeId, source, free),
        )
        .finally(sideBySide.clearQueue)
      // Only now that every picture is good is anything written.
      return Promise.all(loaded.map((finish) => finish()))
    },

    /**
     * The bytes behind an address, a `data:` URI or an address of ours that belongs to the store.
     *
     * @throws ApiError of the fetcher, `image_unreadable` or `image_too_large`.
     */
    read: readUrl,

    /** The public form of an address in the database. */
    publicUrl: (url: string): string => (url.startsWith(KEPT_PREFIX) ? baseUrl() + url : url),

    /** The bytes behind an address of ours, for anyone who knows it. */
    async open(address: string): Promise<{ bytes: Uint8Array; contentType: string } | undefined> {
      const kept = queries.keptPicture(address)
      const bytes = kept && (await files.read(kept.contentHash.toString('hex')))
      return bytes && kept ? { bytes, contentType: kept.contentType } : undefined
    },

    /** Deletes the files of pictures that no product has used for an hour. */
    async sweep(): Promise<void> {
      for (const contentHash of queries.forgetUnusedPictures(clock.now() - UNUSED_AFTER_MS)) {
        const name = contentHash.toString('hex')
        await fileLocked(name, async () => {
          // The same picture may have arrived again while others were deleted.
          if (!queries.isKept(contentHash)) await files.remove(name)
        })
      }
    },
  }
}

const nothingThere = () =>
  new ApiError('image_download_failed', 'This address of ours holds no picture', {
    details: { reason: 'http_status', upstream_status: 404 },
  })

/** Takes the first item that fits out of a list. */
function take<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(fits)
  return index < 0 ? undefined : items.splice(index, 1)[0]
}
