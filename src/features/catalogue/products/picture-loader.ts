import { findBlame } from '../../../core/blame.ts'
import { decodeDataUri } from '../../../core/data-uri.ts'
import { sha256 } from '../../../core/hash.ts'
import { LIMITS } from '../../../core/limits.ts'
import { ModelSwitched } from '../../../core/switched.ts'
import type { EmbeddedPicture, QueuePriority } from '../../../platform/embedder/embedder.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { PictureFetcher } from '../../../platform/pictures/fetch.ts'
import { isKeptPath, type KeptPictures } from './kept-pictures.ts'
import { readPrecomputed } from './precomputed.ts'
import { createPrecomputedPictures } from './precomputed-pictures.ts'
import type { PictureRow, ProductQueries } from './queries.ts'
import {
  type KnownPicture,
  type ReadyAddress,
  type ReadyContent,
  type ReadyPicture,
  toFacts,
} from './ready-picture.ts'
import type { PrecomputedPicture } from './schema.ts'
import type { StorageChange } from './storage-limit.ts'

export interface PictureLoaderDeps {
  queries: Pick<ProductQueries, 'findSameContent'>
  kept: KeptPictures
  models: Pick<ModelSet, 'of'>
  fetcher: PictureFetcher
  /** @throws ApiError `url_not_allowed` for an address that no download could begin with. */
  checkUrl(url: string): void
  /** The vector of an indexed picture. */
  findVector(storeId: string, pictureId: number): Float32Array | undefined
}

/** One picture as a client gives it. */
export type PictureSource =
  /**
   * @param precomputed the vector and the facts of the picture; it need not be read if they are of the store's model.
   * @param ofModel the hash of the model that made them.
   */
  | { url: string; precomputed?: PrecomputedPicture | undefined; ofModel?: string }
  | { upload: { bytes(): Promise<Uint8Array> } }

/** The models that a write makes vectors of. */
export interface PictureModels {
  /** The model of the store when the write began. */
  present: ServingModel
  /** The model that the store was moving to then. */
  coming: ServingModel | undefined
  /** Whether the write is for the vectors of the coming model, and fails without them. */
  needsComing: boolean
}

/** Whose picture is read, and how urgently. */
interface Reader {
  storeId: string
  priority: QueuePriority
  models: PictureModels
  /** Pixels of the longer side of its thumbnail; undefined for none. */
  thumbnail?: number | undefined
}

/** The pictures of one product, while they are prepared. */
export interface Preparation {
  reader: Reader
  /** Pictures of the product that no source has taken; one with the same content is taken out of the list. */
  free: PictureRow[]
  /** The effect of the whole write on the bytes that the store keeps. */
  change: StorageChange
  /** Embeds pictures although their content is known. */
  isAnew?: boolean
}

interface Content {
  contentHash: Buffer
  size: number
}

export type PictureLoader = ReturnType<typeof createPictureLoader>

/** Reads pictures and embeds those whose content is new. It writes nothing. */
export function createPictureLoader(deps: PictureLoaderDeps) {
  const { queries, kept, models, fetcher, checkUrl, findVector } = deps

  async function readUrl(
    { storeId, priority }: Pick<Reader, 'storeId' | 'priority'>,
    url: string,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    if (isDataUri(url)) return decodeDataUri(url, LIMITS.pictureBytesMax)
    const path = kept.toStored(url)
    return isKeptPath(path)
      ? kept.read(storeId, path, until)
      : fetcher.fetch(url, { storeId, until, isBulk: priority === 'bulk' })
  }

  /** Reads the picture at an address and uses it. Its bytes count against the budget until `use` is done. */
  async function readAndUse<Result>(
    reader: Pick<Reader, 'storeId' | 'priority'>,
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
  function findTwin(reader: Reader, contentHash: Buffer): KnownPicture | undefined {
    const { storeId } = reader
    // The index has the vectors of the present moment, and the picture may have taken long to come.
    if (models.of(storeId) !== reader.models.present) throw new ModelSwitched()
    const twin = queries.findSameContent(storeId, contentHash)
    const vector = twin && findVector(storeId, twin.id)
    return vector && { facts: twin, vector, second: findSecond(reader, contentHash) }
  }

  /** The vector of the coming model that a picture of the store with the same bytes has. */
  function findSecond(
    { storeId, models: { coming } }: Reader,
    contentHash: Buffer,
  ): Float32Array | undefined {
    const twin = coming && queries.findSameContent(storeId, contentHash, coming.row)
    return twin && coming.vectors.find(storeId, twin.id)
  }

  const takePrecomputed = createPrecomputedPictures({ kept, checkUrl })

  /**
   * Adds the thumbnail that came with a picture, drawn anew: what is kept and served is never a client's bytes. One that is none is
   * left out, and made from the picture later.
   */
  async function addThumbnail(
    { storeId, priority, models: { present }, thumbnail: side }: Reader,
    { address, content }: ReadyPicture,
    given: Uint8Array | undefined,
  ): Promise<ReadyPicture> {
    // Only what the client has claimed itself: a content that the service has read gets its thumbnail from there.
    if (!given || !side || 'own' in content || !content.added.isPrecomputed) return { address, content }
    try {
      const { facts, thumbnail } = await present.embedder.seePicture(given, {
        storeId,
        priority,
        thumbnail: side,
      })
      const isThumbnail = facts.contentType === 'image/webp' && Math.max(facts.width, facts.height) <= side
      return { address, content: { ...content, thumbnail: isThumbnail ? thumbnail : undefined } }
    } catch (error) {
      if (findBlame(error).on !== 'work') throw error
      return { address, content }
    }
  }

  /** Reads a picture, and embeds it unless its content is known. Nothing is written. */
  async function load(preparation: Preparation, source: PictureSource): Promise<ReadyPicture> {
    if ('upload' in source) return loadBytes(preparation, await source.upload.bytes())
    if (isDataUri(source.url))
      return loadBytes(preparation, await decodeDataUri(source.url, LIMITS.pictureBytesMax))
    return loadUrl(preparation, source)
  }

  async function loadBytes(preparation: Preparation, bytes: Uint8Array): Promise<ReadyPicture> {
    const contentHash = await sha256(bytes)
    preparation.change.refuseHopeless({ contentHash, bytes })
    return {
      address: { kind: 'uploaded', bytes },
      content: await embed(preparation, bytes, contentHash),
    }
  }

  async function loadUrl(
    preparation: Preparation,
    { url, precomputed, ofModel }: Extract<PictureSource, { url: string }>,
  ): Promise<ReadyPicture> {
    const { reader } = preparation
    const { model } = reader.models.present.embedder
    const vectors =
      precomputed && ofModel === model.hash ? readPrecomputed(precomputed, model.dimension) : undefined
    const taken = vectors && takePrecomputed(reader.storeId, url, vectors, (hash) => findTwin(reader, hash))
    if (taken) return addThumbnail(reader, taken, vectors?.thumbnail)
    const path = kept.toStored(url)
    const address: ReadyAddress = isKeptPath(path) ? { kind: 'retained', path } : { kind: 'final', url: path }
    const known = isKeptPath(path) && recogniseKept(preparation, path)
    if (known) return { address, content: known }
    const content = await readAndUse(reader, url, async (bytes) =>
      embed(preparation, bytes, await sha256(bytes)),
    )
    return { address, content }
  }

  /** Embeds a picture, unless its content is known. */
  async function embed(
    preparation: Preparation,
    bytes: Uint8Array,
    contentHash: Buffer,
  ): Promise<ReadyContent> {
    const { reader } = preparation
    const content = { contentHash, size: bytes.byteLength }
    const known = recognise(preparation, content)
    if (known)
      return lacksSecond(reader, known) ? { ...known, second: await embedSecond(reader, bytes) } : known
    const second = embedSecond(reader, bytes)
    try {
      const [own, coming] = await Promise.all([embedPresent(reader, bytes), second])
      return toAdded(content, { ...own, second: coming })
    } finally {
      // The bytes stay counted until both are done with them.
      await second.catch(() => {})
    }
  }

  const lacksSecond = ({ models: { coming } }: Reader, known: ReadyContent): boolean =>
    coming !== undefined && known.second === undefined && (!('own' in known) || known.own.isAwaited)

  const embedPresent = (
    { models: { present }, storeId, priority, thumbnail }: Reader,
    bytes: Uint8Array,
  ): Promise<EmbeddedPicture> => present.embedder.embedPicture(bytes, { storeId, priority, thumbnail })

  /**
   * The vector of the model that the store is moving to. A write does not wait for one that does not answer: the move
   * makes the vector later.
   */
  async function embedSecond(
    { models: { coming, needsComing }, storeId, priority }: Reader,
    bytes: Uint8Array,
  ): Promise<Float32Array | undefined> {
    if (!coming || (!needsComing && coming.embedder.status().state !== 'ready')) return undefined
    try {
      return (await coming.embedder.embedPicture(bytes, { storeId, priority })).vector
    } catch (error) {
      if (needsComing) throw error
      return undefined
    }
  }

  /** A picture whose vector is known already; undefined for a new content. */
  function recognise({ reader, free, isAnew }: Preparation, content: Content): ReadyContent | undefined {
    if (isAnew) return undefined
    const { contentHash } = content
    const own = take(free, (picture) => !picture.isPrecomputed && picture.contentHash.equals(contentHash))
    if (own) return { own, second: own.isAwaited ? findSecond(reader, contentHash) : undefined }
    const twin = findTwin(reader, contentHash)
    return twin && toAdded(content, twin)
  }

  /** The same for a kept picture, without reading its file: thousands of items of a job may name one large picture. */
  function recogniseKept(preparation: Preparation, path: string): ReadyContent | undefined {
    const found = kept.findOwn(preparation.reader.storeId, path)
    return found && recognise(preparation, { contentHash: found.contentHash, size: found.bytes })
  }

  /**
   * Makes the vector that a picture of the product lacks of the coming model. Where another picture is at its address now,
   * that one takes its place.
   */
  async function complete(preparation: Preparation, own: PictureRow): Promise<ReadyPicture> {
    const { reader } = preparation
    const address = { kind: 'final', url: own.imageUrl } as const
    const known = isKeptPath(own.imageUrl) ? findSecond(reader, own.contentHash) : undefined
    if (known) return { address, content: { own, second: known } }
    return readAndUse(reader, kept.toPublicUrl(own.imageUrl), async (bytes) => {
      const contentHash = await sha256(bytes)
      if (own.contentHash.equals(contentHash)) {
        const second = findSecond(reader, contentHash) ?? (await embedSecond(reader, bytes))
        return { address, content: { own, second } }
      }
      preparation.free.push(own)
      return { address, content: await embed(preparation, bytes, contentHash) }
    })
  }

  return {
    load,
    complete,

    /**
     * Reads and uses the picture at an address, in a `data:` URI, or at the address of a picture that the store keeps.
     *
     * @param priority of the download.
     * @throws ApiError of the fetcher, `image_unreadable` or `image_too_large`.
     */
    withUrl: <Result>(
      storeId: string,
      url: string,
      use: (bytes: Uint8Array) => Promise<Result>,
      priority: QueuePriority = 'search',
    ) => readAndUse({ storeId, priority }, url, use),
  }
}

const isDataUri = (url: string): boolean => /^data:/i.test(url)

const toAdded = (
  { contentHash, size }: Content,
  { facts, vector, second, thumbnail }: KnownPicture,
): ReadyContent => ({
  added: { ...toFacts(facts), contentHash, bytes: size },
  vector,
  second,
  thumbnail,
})

/** Takes the first item that fits out of a list. */
export function take<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(fits)
  return index < 0 ? undefined : items.splice(index, 1)[0]
}
