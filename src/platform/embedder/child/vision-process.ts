import type { EmbedPriority } from '../embedder.ts'
import type { EmbedRequest } from '../messages.ts'
import { bytesOf, type Channel, nextTurn, type ProcessTask } from './channel.ts'
import { type DecodedPicture, hardenDecoder, pictureDecoder } from './decoder.ts'
import { loadVisionModel, type VisionModel } from './model.ts'
import { RefusedPicture } from './refusal.ts'
import { pictureSelfTest } from './self-test.ts'
import { readTreatment } from './treatment.ts'

interface Encoded {
  id: number
  bytes: Uint8Array
  priority: EmbedPriority
}
interface Decoded {
  id: number
  picture: DecodedPicture
}

/**
 * Pictures of one inference. Batches of 4 save 8 % CPU time over single pictures, 2 save 4 %; but a shopper's picture
 * waits for the batch that runs, and each further picture holds 23 MB for good.
 */
const BATCH_MAX = 2

/** Answers pictures until the pipe closes, searches first; decodes ahead while the model works. */
export async function runVisionProcess(task: ProcessTask & { threads: number }): Promise<void> {
  const { modelDir, isTested, threads, channel } = task
  hardenDecoder()
  const treatment = readTreatment(modelDir)
  const decode = pictureDecoder(treatment)
  const embed = await loadVisionModel(modelDir, treatment.input, threads)
  const embedOne = async (bytes: Uint8Array) => {
    const [vector] = await embed([await decode(bytes)])
    return vector ?? new Float32Array()
  }
  const worstCosine = isTested ? null : await pictureSelfTest(modelDir, embedOne)
  // What loading left behind: about 15 MB.
  Bun.gc(true)
  channel.send({ kind: 'ready', readyMs: Math.round(performance.now()), worstCosine })
  await answerPictures({ decode, embed, channel, decodersMax: Math.max(2, threads) })
}

interface Parts {
  decode(bytes: Uint8Array): Promise<DecodedPicture>
  embed: VisionModel
  channel: Channel
  decodersMax: number
}

async function answerPictures({ decode, embed, channel, decodersMax }: Parts): Promise<void> {
  const encoded: Record<EmbedPriority, Encoded[]> = { search: [], index: [] }
  const decoded: Record<EmbedPriority, Decoded[]> = { search: [], index: [] }
  const decoding: Record<EmbedPriority, number> = { search: 0, index: 0 }
  let isRunning = false

  /** A search never waits for a decoder: pictures to index may hold all of them, and be giants. */
  const decodeMore = () => {
    while (encoded.search.length > 0) startNext('search')
    while (encoded.index.length > 0 && decoding.search + decoding.index < decodersMax) startNext('index')
  }
  const startNext = (priority: EmbedPriority) => {
    const next = encoded[priority].shift()
    if (next) void decodeOne(next)
  }

  const decodeOne = async ({ id, bytes, priority }: Encoded) => {
    decoding[priority]++
    try {
      decoded[priority].push({ id, picture: await decode(bytes) })
    } catch (error) {
      refuse(channel, id, error)
    }
    decoding[priority]--
    decodeMore()
    void run()
  }

  const run = async () => {
    if (isRunning) return
    isRunning = true
    for (let batch = await take(); batch.length > 0; batch = await take()) await answer(batch)
    isRunning = false
    // A picture may have become ready between the last look and this line.
    if (decoded.search.length + decoded.index.length > 0) void run()
  }

  /** A search is never mixed with pictures to index, and a search that is nearly there holds the next batch back. */
  const take = async (): Promise<Decoded[]> => {
    await nextTurn()
    for (let turns = 0; turns < HOLD_TURNS_MAX && isWorthWaiting(); turns++) await Bun.sleep(1)
    const batch = decoded.search.splice(0, BATCH_MAX)
    return batch.length > 0 ? batch : decoded.index.splice(0, BATCH_MAX)
  }
  const isWorthWaiting = () =>
    decoded.search.length === 0 && (decoding.search > 0 || channel.hasPartialRequest())

  const answer = async (batch: readonly Decoded[]) => {
    try {
      const vectors = await embed(batch.map(({ picture }) => picture))
      for (const [i, { id, picture }] of batch.entries()) {
        const vector = vectors[i]
        if (vector) channel.send({ kind: 'embedded', id, facts: picture.facts }, bytesOf(vector))
      }
    } catch (error) {
      for (const { id } of batch) refuse(channel, id, error)
    }
  }

  await channel.read(({ id, priority }: EmbedRequest, bytes) => {
    encoded[priority].push({ id, bytes, priority })
    decodeMore()
  })
}

/** Milliseconds that indexing gives way to a search picture which is still being read or decoded. */
const HOLD_TURNS_MAX = 20

function refuse(channel: Channel, id: number, error: unknown): void {
  if (error instanceof RefusedPicture) {
    const { code, message, details } = error
    channel.send({ kind: 'refused', id, code, message, details })
  } else {
    channel.send({ kind: 'refused', id, code: 'internal_error', message: String(error), details: {} })
  }
}
