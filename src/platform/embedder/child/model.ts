import { basename, dirname, resolve } from 'node:path'
import {
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  LogLevel,
  Tensor,
} from '@huggingface/transformers'
import { checkTower } from '../inspect.ts'
import {
  type ModelLayout,
  type Precision,
  readModelLayout,
  type Tower,
  UnusableModel,
} from '../model-layout.ts'
import { readSeenTokens } from '../seen-tokens.ts'
import { overflowsFast } from './processor.ts'
import { checkTokenizer, forgetFile, lowersCase } from './tokenizer.ts'
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

/** Loads the picture model with `threads` threads for each inference; reads nothing outside the folder. @throws UnusableModel */
export async function loadVisionModel(
  modelDir: string,
  input: Size,
  threads: number,
  isExact?: boolean,
): Promise<VisionModel> {
  const layout = readModelLayout(modelDir)
  const { output } = checkTower(modelDir, 'vision', layout)
  const name = useLocalModel(modelDir)
  const options = createOptions(layout.towers.vision.precision, threads, isExact)
  const model = await load(layout, 'vision', () =>
    CLIPVisionModelWithProjection.from_pretrained(name, options),
  )
  return async (pictures) => {
    const size = 3 * input.width * input.height
    const data = new Float32Array(pictures.length * size)
    for (const [i, { tensor }] of pictures.entries()) data.set(tensor, i * size)
    const shape = [pictures.length, 3, input.height, input.width]
    const outputs: unknown = await model({ pixel_values: new Tensor('float32', data, shape) })
    return splitRows(outputs, output, pictures.length, layout.dimension)
  }
}

/** Loads the text model and its tokenizer, like {@link loadVisionModel}. */
export async function loadTextModel(modelDir: string, threads: number): Promise<TextModel> {
  const layout = readModelLayout(modelDir)
  const { outline, output } = checkTower(modelDir, 'text', layout)
  const name = useLocalModel(modelDir)
  const options = createOptions(layout.towers.text.precision, threads)
  const [model, tokenizer] = await Promise.all([
    load(layout, 'text', () => CLIPTextModelWithProjection.from_pretrained(name, options)),
    AutoTokenizer.from_pretrained(name, { local_files_only: true }),
  ])
  const { fixedLength, padding } = checkTokenizer(tokenizer, outline, layout)
  forgetFile(tokenizer)
  const window = fixedLength ?? Math.min(layout.tokensMax, tokenizer.model_max_length)
  const isPadded = layout.isPadded || fixedLength !== undefined
  const isLowered = lowersCase(tokenizer, layout)
  const clean = (text: string): string => {
    const trimmed = text.normalize('NFC').trim()
    return isLowered ? trimmed.toLowerCase() : trimmed
  }

  const tokenize = (text: string): Tokens => {
    const all = tokenizer.encode(clean(text))
    const isTruncated = all.length > window
    // The library's own truncation would drop the end token, where CLIP reads its vector and which SigLIP has always seen.
    const kept = isTruncated ? [...all.slice(0, window - 1), ...all.slice(-1)] : all
    return { ids: kept.map(BigInt), isTruncated }
  }

  const embed = async (texts: readonly Tokens[]): Promise<Float32Array[]> => {
    const given = texts[0]?.ids.length ?? 0
    const length = isPadded ? window : given
    const shape = [texts.length, length]
    const ids = new BigInt64Array(texts.length * length).fill(padding)
    const mask = new BigInt64Array(ids.length)
    for (const [row, text] of texts.entries()) {
      ids.set(text.ids, row * length)
      mask.fill(1n, row * length, row * length + given)
    }
    const outputs: unknown = await model({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
    })
    return splitRows(outputs, output, texts.length, layout.dimension)
  }
  const spell = (text: string): string[] => tokenizer.tokenize(clean(text))
  const toIds = (text: string) => tokenize(text).ids
  const look = await createKnowing({ embed, spell, toIds, seen: readSeenTokens(modelDir), isPadded })
  return { tokenize, embed, look }
}

/** Says what is wrong with a model that onnxruntime does not load, which writes for programmers. */
async function load<T>(layout: ModelLayout, tower: Tower, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const { path } = layout.towers[tower]
    const [, operator] =
      /(?:No Op registered for|implementation for|unregistered op:?|operator) ?'?"?(\w+)/i.exec(reason) ?? []
    throw new UnusableModel(
      operator
        ? `${path} needs the operator ${operator}, which the runtime does not know: take an export made for an older version of ONNX`
        : `${path} cannot be loaded: take another export, or copy it again (${reason.replace(/\s+/g, ' ').slice(0, 300)})`,
    )
  }
}

/** Points transformers.js, which finds models by name, at the model's parent folder, and disables remote models. */
function useLocalModel(modelDir: string): string {
  const path = resolve(modelDir)
  env.allowRemoteModels = false
  env.localModelPath = `${dirname(path)}/`
  // What it would print is thrown as well, and with a failed inference it prints the picture's numbers.
  env.logLevel = LogLevel.NONE
  return basename(path)
}

/**
 * Spinning is off: on a busy machine, threads that spin took twice as long as a single thread.
 *
 * `x64quantprecision` changes vectors on x86-64 processors without VNNI, and only there. Their fast int8 multiplication adds pairs in
 * 16 bits, which overflow: the golden pictures came out with cosines of 0.74 to 0.95. With it, onnxruntime multiplies unsigned by
 * unsigned, which cannot overflow, and gives the vectors of other processors. It takes a third longer on Zen 3. With VNNI the
 * vectors are the same bit for bit, and it takes 1.2 to 1.7 times as long, so it is left out there.
 * Source: `kOrtSessionOptionsAvx2PrecisionMode` in onnxruntime's session options.
 *
 * `mlas.disable_kleidiai` keeps ARM processors with SME from Arm's own int8 multiplication. With it, the golden words came out with a cosine
 * of 0.37 (QEMU 7.2, `-cpu max`); every other ARM processor that QEMU knows gives the right vectors, and so does this one without it.
 * Source: `kOrtSessionOptionsMlasDisableKleidiAi` in the same file.
 *
 * @param isExact what a measurement of both ways sets.
 */
const createOptions = (dtype: Precision, threads: number, isExact = overflowsFast()) => ({
  dtype,
  local_files_only: true,
  // A configuration may ask for another device, or for files that onnxruntime finds by itself.
  device: 'cpu' as const,
  use_external_data_format: false,
  session_options: {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    extra: {
      session: { intra_op: { allow_spinning: '0' }, x64quantprecision: isExact ? '1' : '0' },
      mlas: { disable_kleidiai: '1' },
    },
  },
})

function splitRows(output: unknown, name: string, count: number, dimension: number): Float32Array[] {
  const tensor = (output as Record<string, unknown>)[name]
  if (!(tensor instanceof Tensor) || !(tensor.data instanceof Float32Array)) {
    throw new UnusableModel(`The model gave no ${name}: take an export with its projection`)
  }
  const { data } = tensor
  if (data.length !== count * dimension) {
    throw new UnusableModel(
      `The model gave ${data.length / count} numbers and not ${dimension}: its files belong to different models`,
    )
  }
  return Array.from({ length: count }, (_, i) => normalise(data.slice(i * dimension, (i + 1) * dimension)))
}

/** The mean of vectors of length 1, again of length 1. @throws Error for vectors that cancel each other out. */
export function addVectors([first = new Float32Array(), ...others]: readonly Float32Array[]): Float32Array {
  if (others.length === 0) return first
  return normalise(first.map((value, n) => others.reduce((sum, other) => sum + (other[n] ?? 0), value)))
}

/** Scales a vector to length 1 in place, because not every exported model does. */
function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  if (!(length > 0 && Number.isFinite(length))) {
    throw new UnusableModel(
      'The model gave a vector without a direction, so its weights are damaged: copy its files again',
    )
  }
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}
