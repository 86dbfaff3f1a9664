import { systemClock } from '../../../core/clock.ts'
import type { EmbedPriority } from '../embedder.ts'
import type { EmbedRequest } from '../messages.ts'
import { SMALL_PIXELS } from '../picture-size.ts'
import { type Channel, nextTurn, toBytes } from './channel.ts'
import { type createPictureDecoder, type DecodedPicture, LargePicture } from './decoder.ts'
import { RefusedPicture } from './refusal.ts'

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
 * For so long after a search by picture, pictures to index go through the model one by one: a shopper who searches does so again, and
 * waits for half as long. A job beside such searches takes the 4 % more.
 */
const SEARCHED_MS = 5_000

interface Parts {
  decode: ReturnType<typeof createPictureDecoder>
  /** Computes the vectors of pictures, in the same order. */
  embed(pictures: readonly DecodedPicture[]): Promise<Float32Array[]>
  channel: Channel
  decodersMax: number
  /** Time in ms. */
  monotonic?(): number
}

/** Answers what the channel brings, searches first, until it ends. */
export async function answerPictures(parts: Parts): Promise<void> {
  const { decode, embed, channel, decodersMax, monotonic = systemClock.monotonic } = parts
  const encoded: Record<EmbedPriority, Encoded[]> = { search: [], index: [] }
  const decoded: Record<EmbedPriority, Decoded[]> = { search: [], index: [] }
  const decoding: Record<EmbedPriority, number> = { search: 0, index: 0 }
  let isRunning = false
  let searchesInRow = 0
  let searchedAt = Number.NEGATIVE_INFINITY

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
      const picture = await decode(bytes, { ...asked, isIndexed })
      if (asked.isOnlySeen) await send(id, picture, new Float32Array())
      else decoded[priority].push({ id, picture })
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
    const batch = isIndexDue ? [] : takeBatch(decoded.search, BATCH_MAX)
    searchesInRow = batch.length > 0 ? searchesInRow + 1 : 0
    const isSearched = monotonic() - searchedAt < SEARCHED_MS
    return batch.length > 0 ? batch : takeBatch(decoded.index, isSearched ? 1 : BATCH_MAX)
  }
  const isWorthWaiting = () =>
    decoded.search.length === 0 && (decoding.search > 0 || channel.hasPartialRequest())

  const answer = async (batch: readonly Decoded[]) => {
    try {
      const vectors = await embed(batch.map(({ picture }) => picture))
      for (const [n, { id, picture }] of batch.entries()) {
        void send(id, picture, vectors[n] as Float32Array).catch((error) => refuse(channel, id, error))
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
    if (request.priority === 'search') searchedAt = monotonic()
    if (request.pixelsMax > SMALL_PIXELS) {
      void decodeOne(picture).then(run)
      return
    }
    encoded[request.priority].push(picture)
    decodeMore()
  })
}

/** The inputs of the model for a picture. */
export const listInputs = ({ tensor, objectTensor }: DecodedPicture): { tensor: Float32Array }[] =>
  objectTensor ? [{ tensor }, { tensor: objectTensor }] : [{ tensor }]

/** Takes the next pictures that together fit into one inference of so many inputs, and at least one. */
function takeBatch(waiting: Decoded[], inputsMax: number): Decoded[] {
  let count = 0
  let inputs = 0
  for (const { picture } of waiting) {
    inputs += listInputs(picture).length
    if (count > 0 && inputs > inputsMax) break
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
