import '../../model/silent.ts'
import { availableParallelism } from 'node:os'
import { selectTop } from '../../../src/core/select.ts'
import { createPictureDecoder, hardenDecoder } from '../../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../../src/platform/embedder/child/treatment.ts'
import { createVectorArena } from '../../../src/platform/vectors/arena.ts'
import { MODEL_DIR } from './options.ts'
import { DIMENSION, generateVectors } from './vectors.ts'

/** The parts of the service with nothing around them, in this process. */
export type Bare = Awaited<ReturnType<typeof loadBare>>

export async function loadBare(threads = availableParallelism(), modelDir = MODEL_DIR) {
  hardenDecoder()
  const treatment = readTreatment(modelDir)
  const decode = createPictureDecoder(treatment)
  const vision = await loadVisionModel(modelDir, treatment.input, threads)
  const words = await loadTextModel(modelDir, 1)
  return {
    decode,
    /** The vectors of decoded pictures, in one run of the model. */
    vision,
    words: async (text: string) => (await words.embed([words.tokenize(text)]))[0],
  }
}

/** A scan of so many vectors, the best 20 of it, on one thread. */
export function createBareScan(products: number): (vector: Float32Array | undefined) => void {
  const arena = createVectorArena(DIMENSION)
  let key = 0
  for (const vector of generateVectors(products)) arena.put('bench', ++key, vector)
  const segment = arena.segment('bench')
  return (vector) => {
    if (!segment || !vector) throw new Error('There is nothing to scan')
    selectTop(segment.scanAll(vector), 20)
  }
}

/** Calls per second over some time, `lanes` at a time. */
export async function measureRate(
  lanes: number,
  ms: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> {
  const begin = performance.now()
  let count = 0
  const lane = async (first: number) => {
    for (let n = first; performance.now() < begin + ms; n += lanes) {
      await work(n)
      count++
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  return (count / (performance.now() - begin)) * 1_000
}

const RATE_MS = 1_000
const DECODED = 16

/** Pictures a second of decoding and inference, each alone on all cores, one after the other; and CPU ms a picture. */
export async function measureLimit(
  bare: Bare,
  pictures: readonly Uint8Array[],
): Promise<{ rate: number; cpuMs: number }> {
  const cpuOf = async (measure: () => Promise<number>) => {
    const [before, begin] = [process.cpuUsage(), performance.now()]
    const rate = await measure()
    const { user, system } = process.cpuUsage(before)
    return { rate, cpuMs: (user + system) / (rate * (performance.now() - begin)) }
  }
  const decoding = await cpuOf(() =>
    measureRate(navigator.hardwareConcurrency, RATE_MS, (n) =>
      bare.decode(pictures[n % pictures.length] as Uint8Array),
    ),
  )
  const decoded = await Promise.all(pictures.slice(0, DECODED).map((bytes) => bare.decode(bytes)))
  const pair = (n: number) => [0, 1].map((k) => decoded[(2 * n + k) % decoded.length]) as typeof decoded
  const inference = await cpuOf(async () => 2 * (await measureRate(1, RATE_MS, (n) => bare.vision(pair(n)))))
  return {
    rate: 1 / (1 / decoding.rate + 1 / inference.rate),
    cpuMs: decoding.cpuMs + inference.cpuMs,
  }
}

/** How long a call takes, in ms. */
export async function time(work: () => unknown): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
