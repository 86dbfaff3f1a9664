import pLimit from 'p-limit'
import type { CallerStore } from '../../../core/actor.ts'
import type { ByteBudget } from '../../../core/byte-budget.ts'
import type { Clock } from '../../../core/clock.ts'
import { decodeDataUri } from '../../../core/data-uri.ts'
import { ApiError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import type { Ids } from '../../../core/ids.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { EmbeddedPicture, Embedder } from '../../../platform/embedder/embedder.ts'
import type { PictureFetcher } from '../../../platform/pictures/fetch.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { PictureRow, PictureToSave, ProductQueries, ProductRow } from './queries.ts'
import type { StorageChange, StorageLimit } from './storage-limit.ts'
import { createSweeper, type SweeperDeps, UNUSED_AFTER_MS } from './sweeper.ts'

export interface PictureDeps {
  queries: Pick<ProductQueries, 'sameContent' | 'keepPicture' | 'keptPicture' | 'holdPicture'> &
    SweeperDeps['queries']
  storage: StorageLimit
  embedder: Pick<Embedder, 'embedPicture'>
  fetcher: PictureFetcher
  files: PictureFiles
  /** Where a kept picture that is read takes its room, as a download does. */
  budget: Pick<ByteBudget, 'take'>
  /** Vector of a picture that is indexed already. */
  vectorOf(storeId: string, pictureId: number): Float32Array | undefined
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

/** Pictures of one product that are downloaded and embedded side by side; each may hold 10 MiB. */
const LOADING_MAX = 4

export type ProductPictures = ReturnType<typeof productPictures>

/** Turns what clients give as pictures into pictures that can be saved with a product. */
export function productPictures(deps: PictureDeps) {
  const { queries, storage, embedder, fetcher, files, budget, vectorOf } = deps
  const { baseUrl, clock, ids } = deps

  /** A file is not deleted while it is written, nor the other way round. */
  const fileLocked = createKeyedLock()

  /** The form of an address that lies in the database: our own ones without the base. */
  const stored = (url: string): string =>
    url.startsWith(baseUrl() + KEPT_PREFIX) ? url.slice(baseUrl().length) : url

  /** Keeps a picture that arrived as bytes; returns its address. @throws ApiError `storage_limit_exceeded`. */
  async function keep(storeId: string, arrived: Arrived, change: StorageChange): Promise<string> {
    const { bytes, contentHash, contentType } = arrived
    change.add(arrived)
    const address = queries.keepPicture({
      address: ids.secret(16),
      storeId,
      contentHash,
      contentType,
      bytes: bytes.byteLength,
      now: clock.now(),
    })
    const name = contentHash.toString('hex')
    await fileLocked(name, () => files.write(name, bytes))
    return KEPT_PREFIX + address
  }

  async function readKept(storeId: string, path: string, until: Promise<unknown>): Promise<Uint8Array> {
    const kept = queries.keptPicture(path.slice(KEPT_PREFIX.length))
    if (kept?.storeId !== storeId) throw nothingThere()
    const room = budget.take(storeId, LIMITS.pictureBytesMax)
    const release = () => room.release()
    until.then(release, release)
    const bytes = await files.read(kept.contentHash.toString('hex'))
    if (!bytes) throw nothingThere()
    room.shrinkTo(bytes.length)
    return bytes
  }

  /** Keeps a picture at an address of ours from being swept before the product that names it is saved. */
  function hold(path: string): string {
    const isThere = queries.holdPicture(path.slice(KEPT_PREFIX.length), clock.now())
    if (!isThere) throw nothingThere()
    return path
  }

  const isDataUri = (url: string): boolean => /^data:/i.test(url)

  async function readUrl(storeId: string, url: string, until: Promise<unknown>): Promise<Uint8Array> {
    if (isDataUri(url)) return decodeDataUri(url, LIMITS.pictureBytesMax)
    const path = stored(url)
    return path.startsWith(KEPT_PREFIX)
      ? readKept(storeId, path, until)
      : fetcher.fetch(url, { storeId, until })
  }

  /** Reads the picture behind an address and uses it; until that is over its bytes count as being in flight. */
  async function withUrl<Result>(
    storeId: string,
    url: string,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    const done = Promise.withResolvers<void>()
    try {
      return await use(await readUrl(storeId, url, done.promise))
    } finally {
      done.resolve()
    }
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
   * @param change what the whole write does to the store's room.
   */
  async function load(
    storeId: string,
    source: PictureSource,
    free: PictureRow[],
    change: StorageChange,
  ): Promise<() => Promise<PictureToSave>> {
    if ('url' in source && !isDataUri(source.url)) {
      const url = stored(source.url)
      const address = async () => (url.startsWith(KEPT_PREFIX) ? hold(url) : url)
      return withUrl(storeId, source.url, (bytes) => embedded(storeId, bytes, free, address))
    }
    const bytes =
      'url' in source ? await decodeDataUri(source.url, LIMITS.pictureBytesMax) : await source.upload.bytes()
    const address = (content: Omit<Arrived, 'bytes'>) => keep(storeId, { bytes, ...content }, change)
    return embedded(storeId, bytes, free, address, (contentHash) =>
      change.refuseHopeless({ contentHash, bytes }),
    )
  }

  /**
   * The function that comes back holds no bytes: those of a download are gone once they are embedded.
   *
   * @param check may refuse the content before it is embedded.
   */
  async function embedded(
    storeId: string,
    bytes: Uint8Array,
    free: PictureRow[],
    address: (content: Omit<Arrived, 'bytes'>) => Promise<string>,
    check: (contentHash: Buffer) => void = () => undefined,
  ): Promise<() => Promise<PictureToSave>> {
    const size = bytes.byteLength
    const contentHash = await sha256(bytes)
    check(contentHash)
    const own = take(free, (picture) => picture.contentHash.equals(contentHash))
    if (own) {
      const { contentType } = own
      return async () => ({ kept: { ...own, imageUrl: await address({ contentHash, contentType }) } })
    }
    const { facts, vector } =
      twinOf(storeId, contentHash) ?? (await embedder.embedPicture(bytes, { priority: 'index', storeId }))
    const { width, height, contentType, phash, palette } = facts
    return async () => ({
      added: {
        imageUrl: await address({ contentHash, contentType }),
        contentHash,
        bytes: size,
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
     * @throws ApiError of the fetcher and of the embedder, `storage_limit_exceeded`; nothing is saved then.
     */
    async prepare(
      store: CallerStore,
      sources: PictureSource[],
      product: ProductRow | undefined,
      refresh: boolean,
    ): Promise<PictureToSave[]> {
      const storeId = store.id
      const present = product?.pictures ?? []
      const free = present.filter(({ hasVector }) => hasVector)
      // All that is neither taken nor of the model in use gives way to the new ones.
      const leaving = () => [...free, ...present.filter(({ hasVector }) => !hasVector)].map(({ id }) => id)
      const change = storage.change(
        store,
        present.map(({ id }) => id),
        leaving,
      )
      // Known addresses first, so that a new address with old content cannot take their picture.
      const planned = sources.map((source) => {
        const isKnown = ({ imageUrl }: PictureRow) => 'url' in source && imageUrl === stored(source.url)
        return { source, known: refresh ? undefined : take(free, isKnown) }
      })
      const sideBySide = pLimit(LOADING_MAX)
      const loaded = await sideBySide
        .map(planned, async ({ source, known }) =>
          known ? async (): Promise<PictureToSave> => ({ kept: known }) : load(storeId, source, free, change),
        )
        .finally(sideBySide.clearQueue)
      // Only now that every picture is good is anything written.
      const start = clock.monotonic()
      const pictures = await Promise.all(loaded.map((finish) => finish()))
      // A disk that is slower than the sweeper is patient.
      if (clock.monotonic() - start > UNUSED_AFTER_MS / 2) {
        for (const url of pictures.map(urlOf)) if (url.startsWith(KEPT_PREFIX)) hold(url)
      }
      return pictures
    },

    /**
     * Uses the bytes behind an address, a `data:` URI or an address of ours that belongs to the store.
     *
     * @throws ApiError of the fetcher, `image_unreadable` or `image_too_large`.
     */
    withUrl,

    /** The public form of an address in the database. */
    publicUrl: (url: string): string => (url.startsWith(KEPT_PREFIX) ? baseUrl() + url : url),

    /** The file behind an address of ours, for anyone who knows it. */
    async open(address: string): Promise<{ file: Blob; contentType: string } | undefined> {
      const kept = queries.keptPicture(address)
      const file = kept && (await files.file(kept.contentHash.toString('hex')))
      return file && { file, contentType: kept.contentType }
    },

    /** Deletes the pictures that no product has used for a minute; see {@link createSweeper}. */
    sweep: createSweeper({ queries, files, fileLocked, clock }),
  }
}

const urlOf = (picture: PictureToSave): string =>
  'kept' in picture ? picture.kept.imageUrl : picture.added.imageUrl

const nothingThere = () =>
  new ApiError('image_download_failed', 'This address of ours holds no picture', {
    details: { reason: 'http_status', upstream_status: 404 },
  })

/** Takes the first item that fits out of a list. */
function take<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(fits)
  return index < 0 ? undefined : items.splice(index, 1)[0]
}
