import { basename, dirname, resolve } from 'node:path'
import {
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  LogLevel,
  Tensor,
} from '@huggingface/transformers'
import { readModelConfig } from '../model-files.ts'
import type { DecodedPicture } from './decoder.ts'
import type { Size } from './treatment.ts'
import { type UnknownWords, unknownWords } from './unknown-words.ts'

/** The tokens of a text, begin and end included. */
export interface Tokens {
  ids: bigint[]
  isTruncated: boolean
}

/** Vectors of pictures, in the order given, each of length 1. */
export type VisionModel = (pictures: readonly DecodedPicture[]) => Promise<Float32Array[]>

export interface TextModel {
  /** Cuts what the model's window does not hold, but keeps the end token: CLIP's vector is read there. */
  tokenize(text: string): Tokens
  /** Vectors of texts of one and the same number of tokens, each of length 1. */
  embed(texts: readonly Tokens[]): Promise<Float32Array[]>
  /** Whether the model knows none of the text's words; see {@link unknownWords}. */
  isUnknown: UnknownWords
}

/** Loads the picture model with `threads` threads; nothing but the folder is read. */
export async function loadVisionModel(modelDir: string, input: Size, threads: number): Promise<VisionModel> {
  const model = await CLIPVisionModelWithProjection.from_pretrained(localName(modelDir), options(threads))
  return async (pictures) => {
    const size = 3 * input.width * input.height
    const data = new Float32Array(pictures.length * size)
    for (const [i, picture] of pictures.entries()) data.set(picture.tensor, i * size)
    const shape = [pictures.length, 3, input.height, input.width]
    const output: unknown = await model({ pixel_values: new Tensor('float32', data, shape) })
    return rowsOf(output, 'image_embeds', pictures.length)
  }
}

/** Loads the text model and its tokenizer; like {@link loadVisionModel}. */
export async function loadTextModel(modelDir: string, threads: number): Promise<TextModel> {
  const name = localName(modelDir)
  const [model, tokenizer] = await Promise.all([
    CLIPTextModelWithProjection.from_pretrained(name, options(threads)),
    AutoTokenizer.from_pretrained(name, { local_files_only: true }),
  ])
  const window = Math.min(readModelConfig(modelDir).tokensMax, tokenizer.model_max_length)

  const tokenize = (text: string): Tokens => {
    const all = tokenizer.encode(text.normalize('NFC').trim())
    const isTruncated = all.length > window
    // The library would cut the end token off.
    const kept = isTruncated ? [...all.slice(0, window - 1), ...all.slice(-1)] : all
    return { ids: kept.map(BigInt), isTruncated }
  }

  // Real tokens only: CLIP's text model looks back, never ahead, so padding changes nothing but the time it takes.
  const embed = async (texts: readonly Tokens[]): Promise<Float32Array[]> => {
    const shape = [texts.length, texts[0]?.ids.length ?? 0]
    const ids = BigInt64Array.from(texts.flatMap((text) => text.ids))
    const output: unknown = await model({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    })
    return rowsOf(output, 'text_embeds', texts.length)
  }
  const spell = (text: string): string[] => tokenizer.tokenize(text.normalize('NFC').trim())
  const isUnknown = await unknownWords({ embed, spell, idsOf: (text) => tokenize(text).ids })
  return { tokenize, embed, isUnknown }
}

/** transformers.js finds a model by name below one folder; remote models are off, whatever the name. */
function localName(modelDir: string): string {
  const path = resolve(modelDir)
  env.allowRemoteModels = false
  env.localModelPath = `${dirname(path)}/`
  env.logLevel = LogLevel.ERROR
  return basename(path)
}

/** Threads that spin while they wait took twice as long as one thread on a busy machine. */
const options = (threads: number) => ({
  dtype: 'q8' as const,
  local_files_only: true,
  session_options: {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  },
})

function rowsOf(output: unknown, name: string, count: number): Float32Array[] {
  const tensor = (output as Record<string, unknown>)[name]
  if (!(tensor instanceof Tensor) || !(tensor.data instanceof Float32Array)) {
    throw new Error(`The model gave no ${name}`)
  }
  const { data } = tensor
  const length = data.length / count
  return Array.from({ length: count }, (_, i) => unitVector(data.slice(i * length, (i + 1) * length)))
}

/** Scales to length 1 in place; exports of other tools leave that to the caller. */
function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('The model gave a vector without a direction')
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}
