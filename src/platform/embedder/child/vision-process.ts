import { releaseStartMemory } from '../../native/start-memory.ts'
import type { EmbedPriority } from '../embedder.ts'
import type { EmbedRequest } from '../messages.ts'
import { SMALL_PIXELS } from '../picture-size.ts'
import { type Channel, nextTurn, type ProcessTask, toBytes } from './channel.ts'
import { createPictureDecoder, type DecodedPicture, hardenDecoder, LargePicture } from './decoder.ts'
import { addVectors, loadVisionModel, type VisionModel } from './model.ts'
import { RefusedPicture } from './refusal.ts'
import { testPictures } from './self-test.ts'
import { readTreatment } from './treatment.ts'

interface Encoded extends Omit<EmbedRequest, 'kind'> {
  bytes: Uint8Array
}
interface Decoded {
  id: number
  picture: DecodedPicture
}

/**
 * Pictures in one inference, an object that is added to its picture counted as one more. Batches of 4 save 8 % CPU time over single pictures, batches of 2 save 4 %. But a
 * shopper's picture waits for the running batch, and each additional picture takes 23 MB permanently.
 */
const BATCH_MAX = 2

/**
 * Threads of one inference. A second one takes 14 % more CPU time for 15 % less time, and the other core has pictures to
 * decode.
 */
const INFERENCE_THREADS = 1

/** Embeds pictures until the pipe closes, searches first; decodes ahead while the model runs. */
export async function runVisionProcess(task: ProcessTask & { threads: number }): Promise<void> {
  const { modelDir, isTested, threads, channel } = task
  hardenDecoder()
  const treatment = readTreatment(modelDir)
  const decode = createPictureDecoder(treatment)
  const embed = await loadVisionModel(modelDir, treatment.input, INFERENCE_THREADS)
  const embedOne = async (bytes: Uint8Array) => {
    const [vector] = await embed([await decode(bytes)])
    return vector ?? new Float32Array()
  }
  const worstCosine = isTested ? null : await testPictures(modelDir, embedOne)
  // Frees about 15 MB of garbage from loading.
  Bun.gc(true)
  channel.send({ kind: 'ready', readyMs: Math.round(performance.now()), worstCosine })
  releaseStartMemory()
  await answerPictures({ decode, embed, channel, decodersMax: Math.max(2, threads) })
}

interface Parts {
  decode: ReturnType<typeof createPictureDecoder>
  embed: VisionModel
  channel: Channel
  decodersMax: number
}

async function answerPictures({ decode, embed, channel, decodersMax }: Parts): Promise<void> {
  const encoded: Record<EmbedPriority, Encoded[]> = { search: [], index: [] }
  const decoded: Record<EmbedPriority, Decoded[]> = { search: [], index: [] }
  const decoding: Record<EmbedPriority, number> = { search: 0, index: 0 }
  let isRunning = false
  let searchesInRow = 0

  /**
   * Starts decoding. A search never waits for a decoder, while small pictures for indexing may occupy all of them. The
   * service limits the number of larger pictures it sends.
   */
  const decodeMore = () => {
    for (const next of encoded.search.splice(0)) void decodeSmall(next)
    while (encoded.index.length > 0 && decoding.search + decoding.index < decodersMax) {
      const next = encoded.index.shift()
      if (next) void decodeSmall(next)
    }
  }
  const decodeSmall = async (next: Encoded) => {
    decoding[next.priority]++
    await decodeOne(next)
    decoding[next.priority]--
    decodeMore()
    void run()
  }

  const decodeOne = async ({ id, bytes, priority, ...asked }: Encoded) => {
    channel.send({ kind: 'begun', id })
    try {
      const isIndexed = priority === 'index'
      decoded[priority].push({ id, picture: await decode(bytes, { ...asked, isIndexed }) })
    } catch (error) {
      if (error instanceof LargePicture) channel.send({ kind: 'large', id, pixels: error.pixels })
      else refuse(channel, id, error)
    }
  }

  const run = async () => {
    if (isRunning) return
    isRunning = true
    for (let batch = await take(); batch.length > 0; batch = await take()) await answer(batch)
    isRunning = false
    // A picture may have become ready since the last call of take.
    if (decoded.search.length + decoded.index.length > 0) void run()
  }

  /** Takes the next batch. It never mixes searches with indexing, and waits for a search that is almost decoded. */
  const take = async (): Promise<Decoded[]> => {
    await nextTurn()
    for (let turns = 0; turns < HOLD_TURNS_MAX && isWorthWaiting(); turns++) await Bun.sleep(1)
    const isIndexDue = searchesInRow >= SEARCHES_IN_ROW_MAX && decoded.index.length > 0
    const batch = isIndexDue ? [] : takeBatch(decoded.search)
    searchesInRow = batch.length > 0 ? searchesInRow + 1 : 0
    return batch.length > 0 ? batch : takeBatch(decoded.index)
  }
  const isWorthWaiting = () =>
    decoded.search.length === 0 && (decoding.search > 0 || channel.hasPartialRequest())

  const answer = async (batch: readonly Decoded[]) => {
    try {
      const vectors = await embed(batch.flatMap(({ picture }) => listInputs(picture)))
      for (const { id, picture } of batch) {
        const own = vectors.splice(0, listInputs(picture).length)
        void send(id, picture, addVectors(own)).catch((error) => refuse(channel, id, error))
      }
    } catch (error) {
      for (const { id } of batch) refuse(channel, id, error)
    }
  }

  /** Waits for the preview, which may still be drawn on another core; nothing else waits for it. */
  const send = async (id: number, { facts, crop, ...picture }: DecodedPicture, vector: Float32Array) => {
    const { thumbnail = new Uint8Array() } = picture
    const preview = (await picture.preview) ?? new Uint8Array()
    const sizes = {
      ...(thumbnail.length > 0 && { thumbnailBytes: thumbnail.length }),
      ...(preview.length > 0 && { previewBytes: preview.length }),
    }
    const body = Buffer.concat([toBytes(vector), thumbnail, preview])
    channel.send({ kind: 'embedded', id, facts, ...sizes, ...(crop && { crop }) }, body)
  }

  await channel.read((request, bytes) => {
    const picture = { ...request, bytes }
    if (request.pixelsMax > SMALL_PIXELS) {
      void decodeOne(picture).then(run)
      return
    }
    encoded[request.priority].push(picture)
    decodeMore()
  })
}

/** The inputs of the model for a picture. */
const listInputs = ({ tensor, objectTensor }: DecodedPicture): { tensor: Float32Array }[] =>
  objectTensor ? [{ tensor }, { tensor: objectTensor }] : [{ tensor }]

/** Takes the next pictures that together fit into one inference. */
function takeBatch(waiting: Decoded[]): Decoded[] {
  let count = 0
  let inputs = 0
  for (const { picture } of waiting) {
    inputs += listInputs(picture).length
    if (count > 0 && inputs > BATCH_MAX) break
    count++
  }
  return waiting.splice(0, count)
}

/** Search batches in a row before an indexing batch runs, so that decoded pictures are answered in time. */
const SEARCHES_IN_ROW_MAX = 16

/** Milliseconds that indexing waits for a search picture that is still being read or decoded. */
const HOLD_TURNS_MAX = 20

function refuse(channel: Channel, id: number, error: unknown): void {
  if (error instanceof RefusedPicture) {
    const { code, message, details } = error
    channel.send({ kind: 'refused', id, code, message, details })
  } else {
    channel.send({ kind: 'refused', id, code: 'internal_error', message: String(error), details: {} })
  }
}
