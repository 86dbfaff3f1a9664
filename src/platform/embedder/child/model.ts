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
import { readSeenTokens } from '../seen-tokens.ts'
import type { Size } from './treatment.ts'
import { createKnowing, type Knowing } from './unknown-words.ts'

/** The tokens of a text, including the start and end tokens. */
export interface Tokens {
  ids: bigint[]
  isTruncated: boolean
}

/** Computes vectors of length 1 for pictures, in the same order; see `DecodedPicture.tensor`. */
export type VisionModel = (pictures: readonly { tensor: Float32Array }[]) => Promise<Float32Array[]>

export interface TextModel {
  /** Truncates a text to the model's window but keeps the end token, since CLIP reads its vector there. */
  tokenize(text: string): Tokens
  /** Computes vectors of length 1 for texts that all have the same number of tokens. */
  embed(texts: readonly Tokens[]): Promise<Float32Array[]>
  /** Which words of a text the model knows. */
  look: Knowing
}

/** Loads the picture model with `threads` threads for each inference; reads nothing outside the folder. */
export async function loadVisionModel(modelDir: string, input: Size, threads: number): Promise<VisionModel> {
  const model = await CLIPVisionModelWithProjection.from_pretrained(useLocalModel(modelDir), options(threads))
  return async (pictures) => {
    const size = 3 * input.width * input.height
    const data = new Float32Array(pictures.length * size)
    for (const [i, { tensor }] of pictures.entries()) data.set(tensor, i * size)
    const shape = [pictures.length, 3, input.height, input.width]
    const output: unknown = await model({ pixel_values: new Tensor('float32', data, shape) })
    return splitRows(output, 'image_embeds', pictures.length)
  }
}

/** Loads the text model and its tokenizer, like {@link loadVisionModel}. */
export async function loadTextModel(modelDir: string, threads: number): Promise<TextModel> {
  const name = useLocalModel(modelDir)
  const [model, tokenizer] = await Promise.all([
    CLIPTextModelWithProjection.from_pretrained(name, options(threads)),
    AutoTokenizer.from_pretrained(name, { local_files_only: true }),
  ])
  const window = Math.min(readModelConfig(modelDir).tokensMax, tokenizer.model_max_length)

  const tokenize = (text: string): Tokens => {
    const all = tokenizer.encode(text.normalize('NFC').trim())
    const isTruncated = all.length > window
    // The library's own truncation would drop the end token.
    const kept = isTruncated ? [...all.slice(0, window - 1), ...all.slice(-1)] : all
    return { ids: kept.map(BigInt), isTruncated }
  }

  // No padding: CLIP's text model attends only to earlier tokens, so padding would cost time and change nothing.
  const embed = async (texts: readonly Tokens[]): Promise<Float32Array[]> => {
    const shape = [texts.length, texts[0]?.ids.length ?? 0]
    const ids = BigInt64Array.from(texts.flatMap((text) => text.ids))
    const output: unknown = await model({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    })
    return splitRows(output, 'text_embeds', texts.length)
  }
  const spell = (text: string): string[] => tokenizer.tokenize(text.normalize('NFC').trim())
  const toIds = (text: string) => tokenize(text).ids
  const look = await createKnowing({ embed, spell, toIds, seen: readSeenTokens(modelDir) })
  return { tokenize, embed, look }
}

/** Points transformers.js, which finds models by name, at the model's parent folder, and disables remote models. */
function useLocalModel(modelDir: string): string {
  const path = resolve(modelDir)
  env.allowRemoteModels = false
  env.localModelPath = `${dirname(path)}/`
  env.logLevel = LogLevel.ERROR
  return basename(path)
}

/**
 * Spinning is off: on a busy machine, threads that spin took twice as long as a single thread.
 *
 * `x64quantprecision` matters on x86-64 processors without VNNI (AMD before Zen 4, Intel before Ice Lake), and only there. Their
 * fast int8 multiplication adds pairs in 16 bits, which overflow: the golden pictures came out with cosines of 0.74 to 0.95. With it,
 * onnxruntime multiplies unsigned by unsigned, which cannot overflow, takes a third longer, and gives the vectors of other processors.
 * Source: `kOrtSessionOptionsAvx2PrecisionMode` in onnxruntime's session options.
 */
const options = (threads: number) => ({
  dtype: 'q8' as const,
  local_files_only: true,
  session_options: {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    extra: { session: { intra_op: { allow_spinning: '0' }, x64quantprecision: '1' } },
  },
})

function splitRows(output: unknown, name: string, count: number): Float32Array[] {
  const tensor = (output as Record<string, unknown>)[name]
  if (!(tensor instanceof Tensor) || !(tensor.data instanceof Float32Array)) {
    throw new Error(`The model gave no ${name}`)
  }
  const { data } = tensor
  const length = data.length / count
  return Array.from({ length: count }, (_, i) => normalise(data.slice(i * length, (i + 1) * length)))
}

/** The mean of vectors of length 1, again of length 1. @throws Error for vectors that cancel each other out. */
export function addVectors([first = new Float32Array(), ...others]: readonly Float32Array[]): Float32Array {
  if (others.length === 0) return first
  return normalise(first.map((value, n) => others.reduce((sum, other) => sum + (other[n] ?? 0), value)))
}

/** Scales a vector to length 1 in place, because not every exported model does. */
function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('The model gave a vector without a direction')
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}
