import { releaseStartMemory } from '../../native/start-memory.ts'
import { readModelLayout } from '../model-layout.ts'
import type { ProcessTask } from './channel.ts'
import { createPictureDecoder, type DecodedPicture, hardenDecoder } from './decoder.ts'
import { addVectors, loadVisionModel } from './model.ts'
import { answerPictures, listInputs } from './picture-answers.ts'
import { testPictures, tryOnce } from './self-test.ts'
import { readTreatment } from './treatment.ts'

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
  if (!isTested && worstCosine === null) {
    const { width, height } = treatment.input
    const { path } = readModelLayout(modelDir).towers.vision
    await tryOnce(path, () => embed([{ tensor: new Float32Array(3 * width * height) }]))
  }
  // Frees about 15 MB of garbage from loading.
  Bun.gc(true)
  channel.send({ kind: 'ready', readyMs: Math.round(performance.now()), worstCosine })
  releaseStartMemory()
  const embedAll = async (pictures: readonly DecodedPicture[]) => {
    const vectors = await embed(pictures.flatMap(listInputs))
    return pictures.map((picture) => addVectors(vectors.splice(0, listInputs(picture).length)))
  }
  await answerPictures({ decode, embed: embedAll, channel, decodersMax: Math.max(2, threads) })
}
