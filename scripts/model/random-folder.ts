/**
 * Makes a model folder with the layout, the operators and the size of a published export of transformers.js, and random weights.
 *
 * Such a folder shows whether the program can load and run a family, how much memory it takes and how fast it is. What it says of
 * pictures and texts has no meaning.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Precision } from './random/graph.ts'
import {
  makeClipTokenizer,
  makeGemmaTokenizer,
  makeUnigramTokenizer,
  type TokenizerFiles,
} from './random/tokenizers.ts'
import {
  writeClipText,
  writeClipVision,
  writeMobileText,
  writeMobileVision,
  writeSiglipText,
  writeSiglipVision,
} from './random/towers.ts'

export const RANDOM_MODELS = [
  'clip-b32',
  'clip-b16',
  'mobileclip-s0',
  'siglip-b16',
  'siglip2-b16',
  'marqo-fashionsiglip',
] as const
export type RandomModel = (typeof RANDOM_MODELS)[number]
export type { Precision }

export interface RandomFolder {
  model: RandomModel
  folder: string
  precisions: readonly Precision[]
  /** Few layers and narrow ones, for quick tests. */
  isSmall?: boolean
  seed?: number
}

const SUFFIXES: Record<Precision, string> = { fp32: '', fp16: '_fp16', q8: '_quantized' }
const SMALL = { width: 64, layers: 2, heads: 2, inner: 128 }
const BASE = { width: 768, layers: 12, heads: 12, inner: 3072 }

/** Makes the folder; files of an earlier run are replaced. */
export function makeRandomFolder({
  model,
  folder,
  precisions,
  isSmall = false,
  seed = 1,
}: RandomFolder): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const { files, write } = RECIPES[model](isSmall)
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), JSON.stringify(content, null, name === 'tokenizer.json' ? 0 : 2))
  }
  for (const precision of precisions) {
    const path = (tower: string) => join(folder, 'onnx', `${tower}_model${SUFFIXES[precision]}.onnx`)
    // The same seed for each precision gives the same weights but for their rounding.
    write.text(path('text'), precision, seed * 100_003)
    write.vision(path('vision'), precision, seed * 100_019)
  }
}

type WriteTower = (path: string, precision: Precision, seed: number) => void

interface Recipe {
  files: Record<string, unknown>
  write: { text: WriteTower; vision: WriteTower }
}

const OPENAI = { mean: [0.48145466, 0.4578275, 0.40821073], std: [0.26862954, 0.26130258, 0.27577711] }

const describeFiles = (
  config: unknown,
  preprocessor: unknown,
  { tokenizer, config: own }: TokenizerFiles,
) => ({
  'config.json': config,
  'preprocessor_config.json': preprocessor,
  'tokenizer.json': tokenizer,
  'tokenizer_config.json': own,
})

function makeClip(patch: number, isSmall: boolean): Recipe {
  const dimension = isSmall ? 256 : 512
  const size = isSmall ? 64 : 224
  const [window, words] = [77, isSmall ? 2000 : 49_408]
  const vision = isSmall ? SMALL : BASE
  const text = isSmall ? SMALL : { width: 512, layers: 12, heads: 8, inner: 2048 }
  const config = {
    architectures: ['CLIPModel'],
    model_type: 'clip',
    projection_dim: dimension,
    text_config: {
      model_type: 'clip_text_model',
      hidden_size: text.width,
      max_position_embeddings: window,
      vocab_size: words,
    },
    vision_config: {
      model_type: 'clip_vision_model',
      hidden_size: vision.width,
      patch_size: patch,
      image_size: size,
    },
  }
  const preprocessor = {
    crop_size: { height: size, width: size },
    do_center_crop: true,
    do_convert_rgb: true,
    do_normalize: true,
    do_rescale: true,
    do_resize: true,
    image_mean: OPENAI.mean,
    image_std: OPENAI.std,
    image_processor_type: 'CLIPFeatureExtractor',
    resample: 3,
    rescale_factor: 0.00392156862745098,
    // A bare number makes transformers.js bound the longer side; transformers and this program bound the shorter one.
    size: { shortest_edge: size },
  }
  return {
    files: describeFiles(config, preprocessor, makeClipTokenizer(words, window, '<|endoftext|>')),
    write: {
      text: (path, precision, seed) =>
        writeClipText(path, precision, seed, { ...text, dimension, words, window }),
      vision: (path, precision, seed) =>
        writeClipVision(path, precision, seed, { ...vision, dimension, size, patch }),
    },
  }
}

function makeMobile(isSmall: boolean): Recipe {
  const dimension = isSmall ? 256 : 512
  const size = isSmall ? 64 : 256
  const [window, words] = [77, isSmall ? 2000 : 49_408]
  const text = isSmall ? SMALL : { width: 512, layers: 6, heads: 8, inner: 2048 }
  const vision = isSmall
    ? { widths: [16, 32, 64, 64], blocks: [1, 1, 1, 1] }
    : { widths: [64, 128, 256, 512], blocks: [2, 6, 10, 2] }
  const preprocessor = {
    crop_size: { height: size, width: size },
    do_center_crop: true,
    do_convert_rgb: true,
    do_normalize: false,
    do_rescale: true,
    do_resize: true,
    image_mean: [0, 0, 0],
    image_std: [1, 1, 1],
    image_processor_type: 'CLIPFeatureExtractor',
    resample: 2,
    rescale_factor: 0.00392156862745098,
    size: { shortest_edge: size },
  }
  return {
    // No more than this can be relied on: the model is none of transformers.
    files: describeFiles({ model_type: 'clip' }, preprocessor, makeClipTokenizer(words, window, '!')),
    write: {
      text: (path, precision, seed) =>
        writeMobileText(path, precision, seed, { ...text, dimension, words, window }),
      vision: (path, precision, seed) =>
        writeMobileVision(path, precision, seed, { ...vision, dimension, size, ratio: 3 }),
    },
  }
}

const SIGLIP_PREPROCESSOR = {
  do_normalize: true,
  do_rescale: true,
  do_resize: true,
  image_mean: [0.5, 0.5, 0.5],
  image_std: [0.5, 0.5, 0.5],
  image_processor_type: 'SiglipImageProcessor',
  processor_class: 'SiglipProcessor',
  rescale_factor: 0.00392156862745098,
}

function makeSiglip(kind: 'siglip' | 'siglip2' | 'marqo', isSmall: boolean): Recipe {
  const tower = isSmall ? SMALL : BASE
  const size = isSmall ? 64 : 224
  const window = 64
  const isGemma = kind === 'siglip2'
  const words = isGemma ? (isSmall ? 3000 : 256_000) : isSmall ? 2000 : 32_000
  const small = isSmall ? { hidden_size: tower.width, intermediate_size: tower.inner } : {}
  const described = {
    architectures: ['SiglipModel'],
    model_type: 'siglip',
    text_config: { ...small, model_type: 'siglip_text_model', vocab_size: words },
    vision_config: { ...small, model_type: 'siglip_vision_model', patch_size: 16 },
  }
  const isMarqo = kind === 'marqo'
  const preprocessor = {
    ...SIGLIP_PREPROCESSOR,
    resample: isGemma ? 2 : 3,
    size: { height: size, width: size },
  }
  const tokenizer = isGemma
    ? makeGemmaTokenizer(words)
    : makeUnigramTokenizer(words, window, isMarqo ? 100 : 0)
  const text = {
    ...tower,
    dimension: tower.width,
    words,
    window,
    output: isMarqo ? 'text_embeds' : 'pooler_output',
  }
  const vision = {
    ...tower,
    dimension: tower.width,
    size,
    patch: 16,
    output: isMarqo ? 'image_embeds' : 'pooler_output',
  }
  return {
    files: describeFiles(isMarqo ? { model_type: 'siglip' } : described, preprocessor, tokenizer),
    write: {
      text: (path, precision, seed) => writeSiglipText(path, precision, seed, text),
      vision: (path, precision, seed) => writeSiglipVision(path, precision, seed, vision),
    },
  }
}

const RECIPES: Record<RandomModel, (isSmall: boolean) => Recipe> = {
  'clip-b32': (isSmall) => makeClip(32, isSmall),
  'clip-b16': (isSmall) => makeClip(16, isSmall),
  'mobileclip-s0': makeMobile,
  'siglip-b16': (isSmall) => makeSiglip('siglip', isSmall),
  'siglip2-b16': (isSmall) => makeSiglip('siglip2', isSmall),
  'marqo-fashionsiglip': (isSmall) => makeSiglip('marqo', isSmall),
}

const HELP = `Makes a model folder of true layout and size with random weights.

Usage: bun scripts/model/random-folder.ts MODEL FOLDER [--precision fp32,fp16,q8] [--small] [--seed N]

  MODEL        ${RANDOM_MODELS.join(', ')}
  --precision  which files to make (default q8)
  --small      few layers and narrow ones

Example:
  bun scripts/model/random-folder.ts siglip-b16 /tmp/siglip-b16 --precision q8,fp16

Exit codes: 0 success, 2 wrong usage.`

function main(args: string[]): number {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      precision: { type: 'string', default: 'q8' },
      small: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const model = RANDOM_MODELS.find((name) => name === positionals[0])
  const folder = positionals[1]
  const precisions = values.precision.split(',').filter((name): name is Precision => name in SUFFIXES)
  if (!model || !folder || precisions.length === 0 || positionals.length > 2) {
    console.error(HELP)
    return 2
  }
  makeRandomFolder({ model, folder, precisions, isSmall: values.small, seed: Number(values.seed) })
  console.log(`${model} is in ${folder}`)
  return 0
}

if (import.meta.main) process.exitCode = main(Bun.argv.slice(2))
