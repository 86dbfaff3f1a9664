import pLimit from 'p-limit'
import type { CallerStore } from '../../../core/actor.ts'
import type { ByteBudget } from '../../../core/byte-budget.ts'
import { decodeDataUri } from '../../../core/data-uri.ts'
import { ApiError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { Embedder, QueuePriority } from '../../../platform/embedder/embedder.ts'
import type { PictureFetcher } from '../../../platform/pictures/fetch.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base } from '../../module.ts'
import { KEPT_PREFIX } from './kept-address.ts'
import { readPrecomputed } from './precomputed.ts'
import { createPrecomputedPictures, type KnownPicture, toFacts } from './precomputed-pictures.ts'
import type { PictureRow, PictureToSave, ProductQueries, ProductRow } from './queries.ts'
import type { PrecomputedPicture } from './schema.ts'
import type { StorageChange, StorageLimit } from './storage-limit.ts'
import { createSweeper, type SweeperDeps, UNUSED_AFTER_MS } from './sweeper.ts'

export interface PictureDeps extends Pick<Base, 'clock' | 'ids' | 'baseUrl'> {
  queries: Pick<ProductQueries, 'findSameContent' | 'keepPicture' | 'findKeptPicture' | 'holdPicture'> &
    SweeperDeps['queries']
  storage: StorageLimit
  embedder: Pick<Embedder, 'embedPicture' | 'model'>
  fetcher: PictureFetcher
  /** @throws ApiError `url_not_allowed` for an address that no download could begin with. */
  checkUrl(url: string): void
  files: PictureFiles
  /** Bounds the kept pictures that are read at a time, together with the downloads. */
  budget: Pick<ByteBudget, 'take'>
  /** The vector of an indexed picture. */
  findVector(storeId: string, pictureId: number): Float32Array | undefined
  atomically: SweeperDeps['atomically']
  withoutFsync: SweeperDeps['withoutFsync']
  writeTogether: WriteTogether
}

/** One picture as a client gives it. */
export type PictureSource =
  /** @param precomputed the vector and the facts of the picture, of the model in use; it need not be read then. */
  { url: string; precomputed?: PrecomputedPicture | undefined } | { upload: { bytes(): Promise<Uint8Array> } }

/** A picture that arrived as bytes. */
interface Arrived {
  bytes: Uint8Array
  contentHash: Buffer
  contentType: string
}

/** How the pictures of a product are read. */
export interface PreparingOptions {
  /** Downloads pictures again although their addresses are known. */
  refresh: boolean
  /** `bulk` gives way to everything else, downloads included. */
  priority: Exclude<QueuePriority, 'search'>
}

/** Whose picture is read, and how urgently. */
interface Reader {
  storeId: string
  priority: QueuePriority
}

/** Pictures of one product that are downloaded and embedded at the same time; each may hold 10 MiB. */
const LOADING_MAX = 4

export type ProductPictures = ReturnType<typeof productPictures>

/** Turns the pictures that clients give into pictures that a product can be saved with. */
export function productPictures(deps: PictureDeps) {
  const { queries, storage, embedder, fetcher, checkUrl, files, budget, findVector } = deps
  const { baseUrl, atomically, withoutFsync, writeTogether, clock, ids } = deps

  /** Keeps a file from being written and deleted at the same time. */
  const fileLocked = createKeyedLock()

  /** An address in the form that is saved: the address of a kept picture without the base URL. */
  const toStored = (url: string): string =>
    url.startsWith(baseUrl() + KEPT_PREFIX) ? url.slice(baseUrl().length) : url

  /** Keeps a picture that arrived as bytes. @returns its path. @throws ApiError `storage_limit_exceeded`. */
  async function keep(storeId: string, arrived: Arrived, change: StorageChange): Promise<string> {
    const { bytes, contentHash, contentType } = arrived
    const picture = { address: ids.secret(16), storeId, contentHash, contentType, bytes: bytes.byteLength }
    const address = await writeTogether({
      write() {
        change.add(arrived)
        return queries.keepPicture({ ...picture, now: clock.now() })
      },
      // The commit of the product that uses the picture comes later, and brings this one to the disk.
      isUnsynced: true,
    })
    const name = contentHash.toString('hex')
    await fileLocked(name, () => files.write(name, bytes))
    return KEPT_PREFIX + address
  }

  async function readKept(storeId: string, path: string, until: Promise<unknown>): Promise<Uint8Array> {
    const kept = queries.findKeptPicture(path.slice(KEPT_PREFIX.length))
    if (kept?.storeId !== storeId) throw noKeptPicture()
    return readKeptFile(storeId, kept, until)
  }

  async function readKeptFile(
    storeId: string,
    kept: { contentHash: Buffer; bytes: number },
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    const room = budget.take(storeId, kept.bytes)
    const release = () => room.release()
    until.then(release, release)
    const bytes = await files.read(kept.contentHash.toString('hex'))
    if (!bytes) throw noKeptPicture()
    return bytes
  }

  /** Keeps a kept picture from being swept before the product that uses it is saved. */
  async function hold(path: string): Promise<string> {
    const isThere = await writeTogether({
      write: () => queries.holdPicture(path.slice(KEPT_PREFIX.length), clock.now()),
      isUnsynced: true,
    })
    if (!isThere) throw noKeptPicture()
    return path
  }

  const isDataUri = (url: string): boolean => /^data:/i.test(url)

  async function readUrl(
    { storeId, priority }: Reader,
    url: string,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    if (isDataUri(url)) return decodeDataUri(url, LIMITS.pictureBytesMax)
    const path = toStored(url)
    return path.startsWith(KEPT_PREFIX)
      ? readKept(storeId, path, until)
      : fetcher.fetch(url, { storeId, until, isBulk: priority === 'bulk' })
  }

  /** Reads the picture at an address and uses it. Its bytes count against the budget until `use` is done. */
  async function readAndUse<Result>(
    reader: Reader,
    url: string,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    const done = Promise.withResolvers<void>()
    try {
      return await use(await readUrl(reader, url, done.promise))
    } finally {
      done.resolve()
    }
  }

  /** The vector of a picture of the store with the same bytes. */
  function findTwin(storeId: string, contentHash: Buffer): KnownPicture | undefined {
    const twin = queries.findSameContent(storeId, contentHash)
    const vector = twin && findVector(storeId, twin.id)
    return vector && { facts: twin, vector }
  }

  const takePrecomputed = createPrecomputedPictures({
    ...{ queries, toStored, hold, keep, readKeptFile, findTwin, checkUrl },
  })

  /**
   * Reads a picture, and embeds it unless its content is known.
   *
   * @param free pictures of the product that no source has taken; one with the same content is taken out of the list.
   * @param change the effect of the whole write on the bytes that the store keeps.
   * @returns a function that writes the picture; nothing is written before it is called.
   */
  async function load(
    reader: Reader,
    source: PictureSource,
    free: PictureRow[],
    change: StorageChange,
  ): Promise<() => Promise<PictureToSave>> {
    if ('url' in source && !isDataUri(source.url)) {
      const precomputed = source.precomputed && readPrecomputed(source.precomputed, embedder.model.dimension)
      const taken = precomputed && takePrecomputed(reader.storeId, source.url, precomputed, change)
      if (taken) return taken
      const url = toStored(source.url)
      const saveAddress = async () => (url.startsWith(KEPT_PREFIX) ? hold(url) : url)
      const known = url.startsWith(KEPT_PREFIX) && recogniseKept(reader.storeId, url, free, saveAddress)
      if (known) return known
      return readAndUse(reader, source.url, (bytes) => embed(reader, bytes, free, saveAddress))
    }
    const bytes =
      'url' in source ? await decodeDataUri(source.url, LIMITS.pictureBytesMax) : await source.upload.bytes()
    const saveAddress = (content: Omit<Arrived, 'bytes'>) =>
      keep(reader.storeId, { bytes, ...content }, change)
    return embed(reader, bytes, free, saveAddress, (contentHash) =>
      change.refuseHopeless({ contentHash, bytes }),
    )
  }

  /**
   * Embeds a picture, unless its content is known.
   *
   * @param saveAddress gives the address to save; called last.
   * @param check may refuse the content before it is embedded.
   * @returns a function that writes the picture. It holds no bytes: those of a download are gone once they are embedded.
   */
  async function embed(
    { storeId, priority }: Reader,
    bytes: Uint8Array,
    free: PictureRow[],
    saveAddress: (content: Omit<Arrived, 'bytes'>) => Promise<string>,
    check: (contentHash: Buffer) => void = () => undefined,
  ): Promise<() => Promise<PictureToSave>> {
    const size = bytes.byteLength
    const contentHash = await sha256(bytes)
    check(contentHash)
    const known = recognise(storeId, { contentHash, size }, free, saveAddress)
    if (known) return known
    const embedded = await embedder.embedPicture(bytes, { priority, storeId })
    return () => add({ contentHash, size }, embedded, saveAddress)
  }

  /** The function that writes a picture whose vector is known already; undefined for a new content. */
  function recognise(
    storeId: string,
    content: { contentHash: Buffer; size: number },
    free: PictureRow[],
    saveAddress: (content: Omit<Arrived, 'bytes'>) => Promise<string>,
  ): (() => Promise<PictureToSave>) | undefined {
    const { contentHash } = content
    const own = take(free, (picture) => !picture.isPrecomputed && picture.contentHash.equals(contentHash))
    if (own) {
      const { contentType } = own
      return async () => ({ kept: { ...own, imageUrl: await saveAddress({ contentHash, contentType }) } })
    }
    const twin = findTwin(storeId, contentHash)
    return twin && (() => add(content, twin, saveAddress))
  }

  /** The same for a kept picture, without reading its file: thousands of items of a job may name one large picture. */
  function recogniseKept(
    storeId: string,
    path: string,
    free: PictureRow[],
    saveAddress: () => Promise<string>,
  ): (() => Promise<PictureToSave>) | undefined {
    const kept = queries.findKeptPicture(path.slice(KEPT_PREFIX.length))
    if (kept?.storeId !== storeId) return undefined
    const { contentHash, bytes: size } = kept
    return recognise(storeId, { contentHash, size }, free, saveAddress)
  }

  async function add(
    { contentHash, size }: { contentHash: Buffer; size: number },
    { facts, vector }: KnownPicture,
    saveAddress: (content: Omit<Arrived, 'bytes'>) => Promise<string>,
  ): Promise<PictureToSave> {
    const { contentType } = facts
    const imageUrl = await saveAddress({ contentHash, contentType })
    return { added: { ...toFacts(facts), imageUrl, contentHash, bytes: size }, vector }
  }

  return {
    /**
     * Prepares the pictures of one product, in their order. A picture whose address or content the product already has
     * is neither downloaded nor embedded again.
     *
     * @throws ApiError of the fetcher and of the embedder, `storage_limit_exceeded`; nothing is saved then.
     */
    async prepare(
      store: CallerStore,
      sources: PictureSource[],
      product: ProductRow | undefined,
      { refresh, priority }: PreparingOptions,
    ): Promise<PictureToSave[]> {
      const storeId = store.id
      const present = product?.pictures ?? []
      const free = present.filter(({ hasVector }) => hasVector)
      // Pictures that no source has taken leave, and so do those whose vectors are of another model.
      const listLeaving = () =>
        [...free, ...present.filter(({ hasVector }) => !hasVector)].map(({ id }) => id)
      const change = storage.startChange(
        store,
        present.map(({ id }) => id),
        listLeaving,
      )
      // Known addresses come first, so that a new address with the same content cannot take their picture.
      const planned = sources.map((source) => {
        const isKnown = ({ imageUrl }: PictureRow) => 'url' in source && imageUrl === toStored(source.url)
        return { source, known: refresh ? undefined : take(free, isKnown) }
      })
      const limited = pLimit(LOADING_MAX)
      const loaded = await limited
        .map(planned, async ({ source, known }) =>
          known
            ? async (): Promise<PictureToSave> => ({ kept: known })
            : load({ storeId, priority }, refresh ? withoutPrecomputed(source) : source, free, change),
        )
        .finally(limited.clearQueue)
      // Nothing is written before every picture is known to be good.
      const start = clock.monotonic()
      const pictures = await Promise.all(loaded.map((finish) => finish()))
      // On a slow disk the first pictures might be swept before the last one is written.
      if (clock.monotonic() - start > UNUSED_AFTER_MS / 2) {
        await Promise.all(
          pictures
            .map(getImageUrl)
            .filter((url) => url.startsWith(KEPT_PREFIX))
            .map(hold),
        )
      }
      return pictures
    },

    /**
     * Reads and uses the picture at an address, in a `data:` URI, or at the address of a picture that the store keeps.
     *
     * @throws ApiError of the fetcher, `image_unreadable` or `image_too_large`.
     */
    withUrl: <Result>(storeId: string, url: string, use: (bytes: Uint8Array) => Promise<Result>) =>
      readAndUse({ storeId, priority: 'search' }, url, use),

    /** The public form of a saved address. */
    toPublicUrl: (url: string): string => (url.startsWith(KEPT_PREFIX) ? baseUrl() + url : url),

    /** The file of a kept picture, for anyone who knows its address. */
    async open(address: string): Promise<{ file: Blob; contentType: string } | undefined> {
      const kept = queries.findKeptPicture(address)
      const file = kept && (await files.file(kept.contentHash.toString('hex')))
      return file && { file, contentType: kept.contentType }
    },

    /** Deletes the pictures that no product has used for a minute; see {@link createSweeper}. */
    sweep: createSweeper({ queries, files, fileLocked, atomically, withoutFsync, clock }),
  }
}

/** The address that a picture is saved with. */
export const getImageUrl = (picture: PictureToSave): string =>
  'kept' in picture ? picture.kept.imageUrl : picture.added.imageUrl

const withoutPrecomputed = (source: PictureSource): PictureSource =>
  'url' in source ? { url: source.url } : source

const noKeptPicture = () =>
  new ApiError('image_download_failed', 'No picture is kept at this address', {
    details: { reason: 'http_status', upstream_status: 404 },
  })

/** Takes the first item that fits out of a list. */
function take<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(fits)
  return index < 0 ? undefined : items.splice(index, 1)[0]
}
