import { ModelSwitched } from '../../../core/switched.ts'
import type { EmbeddedPicture, QueuePriority } from '../../../platform/embedder/embedder.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { ProductQueries } from './queries.ts'
import type { KnownPicture, ReadyContent } from './ready-picture.ts'

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
export interface Reader {
  storeId: string
  priority: QueuePriority
  models: PictureModels
  /** Pixels of the longer side of its thumbnail; undefined for none. */
  thumbnail?: number | undefined
}

export interface PictureVectorsDeps {
  queries: Pick<ProductQueries, 'findSameContent'>
  models: Pick<ModelSet, 'of'>
  /** The vector of an indexed picture. */
  findVector(storeId: string, pictureId: number): Float32Array | undefined
}

/** Finds and makes the vectors of pictures: of the model of their store, and of the one that it is moving to. */
export function createPictureVectors({ queries, models, findVector }: PictureVectorsDeps) {
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

  /** A new picture with the vectors of both models. */
  async function embedBoth(
    reader: Reader,
    bytes: Uint8Array,
  ): Promise<EmbeddedPicture & Pick<KnownPicture, 'second'>> {
    const second = embedSecond(reader, bytes)
    try {
      const [own, coming] = await Promise.all([embedPresent(reader, bytes), second])
      return { ...own, second: coming }
    } finally {
      // The bytes stay counted until both are done with them.
      await second.catch(() => {})
    }
  }

  return { findTwin, findSecond, lacksSecond, embedBoth, embedSecond }
}
