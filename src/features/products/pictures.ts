import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Embedder } from '../../platform/embedder/embedder.ts'
import type { PictureFetcher } from '../../platform/pictures/fetch.ts'
import type { PictureFiles } from '../../platform/pictures/kept.ts'
import type { PictureRow, PictureToSave, ProductQueries, ProductRow } from './queries.ts'

export interface PictureDeps {
  queries: Pick<ProductQueries, 'sameContent' | 'keepPicture' | 'keptPicture' | 'forgetUnusedPictures'>
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
export type PictureSource = { url: string } | { upload: Uint8Array }

/** Where a kept picture is served: an address of ours, relative to the base URL. */
const KEPT_PREFIX = '/pictures/'

/** A kept picture that no product uses is deleted after this time, so that one on its way in is never lost. */
const UNUSED_AFTER_MS = 3_600_000

export type ProductPictures = ReturnType<typeof productPictures>

/** Turns what clients give as pictures into pictures that can be saved with a product. */
export function productPictures(deps: PictureDeps) {
  const { queries, embedder, fetcher, files, vectorOf, decodeDataUri, baseUrl, clock, ids } = deps

  /** The form of an address that lies in the database: our own ones without the base. */
  const stored = (url: string): string =>
    url.startsWith(baseUrl() + KEPT_PREFIX) ? url.slice(baseUrl().length) : url

  async function keep(
    storeId: string,
    bytes: Uint8Array,
    contentHash: Buffer,
    contentType: string,
  ): Promise<string> {
    const picture = { address: ids.secret(16), storeId, contentHash, contentType, now: clock.now() }
    const address = queries.keepPicture(picture)
    await files.write(contentHash.toString('hex'), bytes)
    return KEPT_PREFIX + address
  }

  async function readKept(storeId: string, path: string): Promise<Uint8Array> {
    const kept = queries.keptPicture(path.slice(KEPT_PREFIX.length))
    const bytes = kept?.storeId === storeId ? await files.read(kept.contentHash.toString('hex')) : undefined
    if (!bytes) {
      throw new ApiError('image_download_failed', 'This address of ours holds no picture', {
        details: { reason: 'http_status', upstream_status: 404 },
      })
    }
    return bytes
  }

  async function bytesOf(
    storeId: string,
    source: PictureSource,
  ): Promise<{ bytes: Uint8Array; arrived: boolean }> {
    if ('upload' in source) return { bytes: source.upload, arrived: true }
    if (/^data:/i.test(source.url)) {
      return { bytes: decodeDataUri(source.url, LIMITS.pictureBytesMax), arrived: true }
    }
    const url = stored(source.url)
    if (url.startsWith(KEPT_PREFIX)) return { bytes: await readKept(storeId, url), arrived: false }
    return { bytes: await fetcher.fetch(url), arrived: false }
  }

  async function load(storeId: string, source: PictureSource, known: PictureRow[]): Promise<PictureToSave> {
    const { bytes, arrived } = await bytesOf(storeId, source)
    const contentHash = createHash('sha256').update(bytes).digest()
    const locate = async (contentType: string): Promise<string> =>
      arrived ? keep(storeId, bytes, contentHash, contentType) : stored((source as { url: string }).url)

    const own = known.find((picture) => picture.contentHash.equals(contentHash))
    if (own) return { kept: { ...own, imageUrl: await locate(own.contentType) } }
    const twin = queries.sameContent(storeId, contentHash)
    const vector = twin && vectorOf(storeId, twin.id)
    if (twin && vector) {
      const { id: _id, ...facts } = twin
      return { added: { ...facts, imageUrl: await locate(twin.contentType) }, vector }
    }
    const embedded = await embedder.embedPicture(bytes, 'index')
    const imageUrl = await locate(embedded.facts.contentType)
    return {
      added: { ...embedded.facts, imageUrl, contentHash, bytes: bytes.byteLength },
      vector: embedded.vector,
    }
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
      const free = [...(product?.pictures ?? [])]
      const take = (index: number) => (index < 0 ? undefined : free.splice(index, 1)[0])
      // Known addresses first, so that a new address with old content cannot take their picture.
      const planned = sources.map((source) => {
        if (refresh || !('url' in source)) return source
        const known = take(free.findIndex(({ imageUrl }) => imageUrl === stored(source.url)))
        return known ? { known } : source
      })
      const prepared: PictureToSave[] = []
      for (const plan of planned) {
        if ('known' in plan) {
          prepared.push({ kept: plan.known })
          continue
        }
        const picture = await load(storeId, plan, free)
        if ('kept' in picture) take(free.findIndex(({ id }) => id === picture.kept.id))
        prepared.push(picture)
      }
      return prepared
    },

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
        await files.remove(contentHash.toString('hex'))
      }
    },
  }
}
