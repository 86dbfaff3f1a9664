import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type OnnxOutline, readOnnxOutline, UnreadableOnnx } from './onnx-outline.ts'

export type ModelFamily = 'clip' | 'mobileclip' | 'siglip' | 'siglip2'
export type Tower = 'text' | 'vision'
export type Precision = 'q8' | 'fp32' | 'fp16'

export interface TowerFile {
  precision: Precision
  /** Below the model's folder. */
  path: string
}

/** What a model folder holds, as far as its small files and the outlines of its weights tell. */
export interface ModelLayout {
  family: ModelFamily
  towers: Record<Tower, TowerFile>
  /** Length of the vectors. */
  dimension: number
  /** Tokens in the text model's window. */
  tokensMax: number
  /** Every text is filled up to the window, because the text model attends to the padding or takes no shorter text. */
  isPadded: boolean
}

/** The folder cannot be used as a model. The message is one sentence that says why, and what to do. */
export class UnusableModel extends Error {}

const Count = Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 }))
const TowerConfig = Type.Optional(
  Type.Object({
    hidden_size: Count,
    projection_size: Count,
    max_position_embeddings: Count,
    vocab_size: Count,
    num_patches: Count,
  }),
)
const ConfigFile = Type.Object({
  model_type: Type.String(),
  projection_dim: Type.Optional(Type.Integer({ minimum: 1, maximum: 8192 })),
  text_config: TowerConfig,
  vision_config: TowerConfig,
})
type ConfigFile = Static<typeof ConfigFile>

const SUFFIXES: Record<Precision, string> = { q8: '_quantized', fp32: '', fp16: '_fp16' }

/**
 * Which file is taken if several are there. 8 bits take a quarter of the memory and less than half the time. 16 bits come last: a
 * processor computes with 32, so they save disk alone.
 */
const PREFERRED: readonly Precision[] = ['q8', 'fp32', 'fp16']
/** The convolutions of MobileCLIP lose their accuracy in 8 bits; its export warns of it. */
const PREFERRED_MOBILE_VISION: readonly Precision[] = ['fp32', 'fp16', 'q8']

/** What configurations leave out where it is the usual number. */
const CLIP_WIDTH = 512
const SIGLIP_WIDTH = 768
const SIGLIP_WINDOW = 64
const CLIP_WINDOW = 77
/** The vocabularies of SigLIP have 32,000 pieces or, for many languages, 250,000; SigLIP 2 has Gemma's. */
const GEMMA_TOKENS = 256_000

/** @throws UnusableModel; Error for a file that is missing or no JSON. */
export function readModelLayout(modelDir: string): ModelLayout {
  const config = readConfig(modelDir)
  const family = tellFamily(modelDir, config)
  const towers = {
    text: findTower(modelDir, 'text', PREFERRED),
    vision: findTower(modelDir, 'vision', family === 'mobileclip' ? PREFERRED_MOBILE_VISION : PREFERRED),
  }
  const isSiglip = family === 'siglip' || family === 'siglip2'
  const window = config.text_config?.max_position_embeddings ?? (isSiglip ? SIGLIP_WINDOW : CLIP_WINDOW)
  return {
    family,
    towers,
    dimension: readDimension(modelDir, config, isSiglip, towers),
    tokensMax: Math.max(3, window),
    // CLIP's text model attends only to earlier tokens, so padding would change nothing. An export whose configuration says nothing
    // is not made from transformers' CLIP, and may attend to all.
    isPadded: family !== 'clip' || isBare(config),
  }
}

/** The vector's name among a tower's outputs: what projects both towers into one space, or what SigLIP pools. */
export const OUTPUTS: Record<Tower, readonly string[]> = {
  text: ['text_embeds', 'pooler_output'],
  vision: ['image_embeds', 'pooler_output'],
}

export function readJsonFile(modelDir: string, name: string): unknown {
  const path = join(modelDir, name)
  if (!existsSync(path)) {
    throw new UnusableModel(`${name} is missing: copy all files of the export, its small ones too`)
  }
  const text = readFileSync(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new UnusableModel(
      isGitPointer(text.slice(0, 100))
        ? pointerMessage(name)
        : `${name} is not JSON: it is cut short or damaged, so copy it again`,
    )
  }
}

/** Git LFS leaves such a text where a large file should be. */
export const isGitPointer = (start: string): boolean => start.startsWith('version https://git-lfs')
export const pointerMessage = (name: string): string =>
  `${name} is only the pointer that Git LFS leaves: run \`git lfs pull\` in the folder, or download the file itself`

function readConfig(modelDir: string): ConfigFile {
  const json = readJsonFile(modelDir, 'config.json')
  const [fault] = Value.Errors(ConfigFile, json)
  if (!fault) return Value.Parse(ConfigFile, json)
  throw new UnusableModel(
    `config.json has no usable ${fault.path.slice(1) || 'content'} (${fault.message}): take the file of the transformers.js export`,
  )
}

function tellFamily(modelDir: string, config: ConfigFile): ModelFamily {
  const { model_type: type, text_config: text, vision_config: vision } = config
  if (type === 'mobileclip') return 'mobileclip'
  if (type === 'clip') return takesPlainPixels(modelDir) ? 'mobileclip' : 'clip'
  if (type === 'siglip' || type === 'siglip2') {
    if (vision?.num_patches !== undefined) {
      throw new UnusableModel(
        'The model is a NaFlex variant of SigLIP 2, which takes pictures of any shape: take one of fixed size, such as siglip2-base-patch16-224',
      )
    }
    const isGemma = (text?.vocab_size ?? 0) >= GEMMA_TOKENS || namesGemma(modelDir)
    return type === 'siglip2' || isGemma ? 'siglip2' : 'siglip'
  }
  throw new UnusableModel(
    `config.json says model_type "${type.slice(0, 40)}": the families are clip (MobileCLIP too), siglip and siglip2, in the layout of transformers.js`,
  )
}

const isBare = (config: ConfigFile): boolean =>
  config.text_config === undefined && config.projection_dim === undefined

/** The fixed-size variants of SigLIP 2 say `siglip` in their configuration, and have another tokenizer. */
function namesGemma(modelDir: string): boolean {
  const { tokenizer_class: name } = readJsonFile(modelDir, 'tokenizer_config.json') as {
    tokenizer_class?: unknown
  }
  return typeof name === 'string' && /^(Gemma|Siglip2)/.test(name)
}

/** MobileCLIP alone takes pixels from 0 to 1 as they are; its configuration does not name it. */
function takesPlainPixels(modelDir: string): boolean {
  const json = readJsonFile(modelDir, 'preprocessor_config.json') as {
    do_normalize?: unknown
    image_mean?: unknown
  }
  const means = Array.isArray(json.image_mean) ? json.image_mean : [json.image_mean]
  return json.do_normalize !== true || means.every((mean) => mean === 0)
}

function findTower(modelDir: string, tower: Tower, preferred: readonly Precision[]): TowerFile {
  const paths = preferred.map((precision) => ({
    precision,
    path: `onnx/${tower}_model${SUFFIXES[precision]}.onnx`,
  }))
  const found = paths.find(({ path }) => existsSync(join(modelDir, path)))
  if (found) return found
  const hint =
    existsSync(join(modelDir, 'onnx/model_quantized.onnx')) || existsSync(join(modelDir, 'onnx/model.onnx'))
      ? 'its pictures and texts are in one file, and the program needs an export with both apart'
      : 'copy it from the export, with the folder `onnx`'
  throw new UnusableModel(`${paths.map(({ path }) => path).join(', ')}: none of these is there; ${hint}`)
}

/** The configuration, or else the towers' outlines; a child that loads the model checks it. */
function readDimension(
  modelDir: string,
  config: ConfigFile,
  isSiglip: boolean,
  { text, vision }: ModelLayout['towers'],
): number {
  if (config.projection_dim !== undefined) return config.projection_dim
  const named = readOutputWidth(modelDir, 'vision', vision) ?? readOutputWidth(modelDir, 'text', text)
  if (named !== undefined) return named
  return isSiglip ? (config.vision_config?.hidden_size ?? SIGLIP_WIDTH) : CLIP_WIDTH
}

function readOutputWidth(modelDir: string, tower: Tower, { path }: TowerFile): number | undefined {
  const { outputs } = readOutline(modelDir, path)
  return outputs.find(({ name }) => OUTPUTS[tower].includes(name))?.shape.at(-1)
}

/** The bytes of a tower's weights; 0 where they are missing, which whoever loads them says. */
export function measureTower(modelDir: string, { path }: TowerFile): number {
  const size = (name: string) => statSync(join(modelDir, name), { throwIfNoEntry: false })?.size ?? 0
  return size(path) + size(`${path}_data`)
}

/** Reads a tower's outline. @throws UnusableModel */
export function readOutline(modelDir: string, path: string): OnnxOutline {
  const full = join(modelDir, path)
  try {
    return readOnnxOutline(full)
  } catch (error) {
    if (!(error instanceof UnreadableOnnx)) throw error
    if (isGitPointer(readStart(full))) throw new UnusableModel(pointerMessage(path))
    throw new UnusableModel(`${path} is no complete ONNX model (${error.message}): copy it again`)
  }
}

/** The first bytes of a file, or those from a place on. */
export function readStart(path: string, from = 0): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(128)
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}
