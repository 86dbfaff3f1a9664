import '../model/silent.ts'
import { join } from 'node:path'
import {
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  RawImage,
} from '@huggingface/transformers'
import { bundledModelName } from '../../src/platform/native/model-folder.ts'

const MODELS = join(import.meta.dirname, '../../models')
const MODEL = bundledModelName

/** Both halves of the bundled model; every vector has length 1. */
export interface Eyes {
  text(query: string): Promise<Float32Array>
  picture(file: string): Promise<Float32Array>
}

/** Loads the bundled int8 model from the models folder, never from a network. */
export async function loadBundledModel(): Promise<Eyes> {
  env.allowRemoteModels = false
  env.localModelPath = MODELS
  const options = {
    dtype: 'q8',
    local_files_only: true,
    // Processors without VNNI overflow otherwise.
    session_options: { extra: { session: { x64quantprecision: '1' } } },
  } as const
  const tokenizer = await AutoTokenizer.from_pretrained(MODEL, { local_files_only: true })
  const processor = await AutoProcessor.from_pretrained(MODEL, { local_files_only: true })
  const textModel = await CLIPTextModelWithProjection.from_pretrained(MODEL, options)
  const visionModel = await CLIPVisionModelWithProjection.from_pretrained(MODEL, options)
  return {
    async text(query) {
      const { text_embeds } = await textModel(tokenizer([query]))
      return Float32Array.from(text_embeds.data)
    },
    async picture(file) {
      const { image_embeds } = await visionModel(await processor(await RawImage.read(file)))
      return Float32Array.from(image_embeds.data)
    },
  }
}

/** A ranked name with its cosine. */
export interface Ranked {
  readonly name: string
  readonly cosine: number
}

/** Ranks all candidates, best first. */
export function rank(query: Float32Array, candidates: ReadonlyMap<string, Float32Array>): Ranked[] {
  const cosine = (other: Float32Array): number => other.reduce((sum, x, i) => sum + x * (query[i] ?? 0), 0)
  return [...candidates]
    .map(([name, vector]) => ({ name, cosine: cosine(vector) }))
    .sort((a, b) => b.cosine - a.cosine)
}
