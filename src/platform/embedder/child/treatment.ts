import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const Side = Type.Integer({ minimum: 1, maximum: 4096 })
const Triple = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })

/** The part of `preprocessor_config.json` that we honour; both spellings of sizes are in use. */
const PreprocessorFile = Type.Object({
  do_resize: Type.Optional(Type.Boolean()),
  size: Type.Union([
    Side,
    Type.Object({
      width: Type.Optional(Side),
      height: Type.Optional(Side),
      shortest_edge: Type.Optional(Side),
    }),
  ]),
  resample: Type.Optional(Type.Integer()),
  do_center_crop: Type.Optional(Type.Boolean()),
  crop_size: Type.Optional(Type.Union([Side, Type.Object({ width: Side, height: Side })])),
  do_rescale: Type.Optional(Type.Boolean()),
  rescale_factor: Type.Optional(Type.Number()),
  do_normalize: Type.Optional(Type.Boolean()),
  image_mean: Type.Optional(Triple),
  image_std: Type.Optional(Triple),
})
type PreprocessorFile = Static<typeof PreprocessorFile>

export interface Size {
  width: number
  height: number
}

/** How a model wants its pictures. */
export interface Treatment {
  /** Size of the whole picture after resizing, for its own size in pixels. */
  resized(width: number, height: number): Size
  /** The resampling filter, in sharp's words. */
  kernel: 'nearest' | 'lanczos3' | 'linear' | 'cubic'
  /** What the model is given: the middle of the resized picture. */
  input: Size
  /** The model's number for each 8-bit value of red, green and blue. */
  values: readonly [Float32Array, Float32Array, Float32Array]
}

/**
 * Pillow's numbers for filters. Pillow widens a filter while it shrinks, and so do sharp's kernels; transformers.js
 * does so for Lanczos only, and would alias where models were trained with bicubic.
 */
const KERNELS: Record<number, Treatment['kernel']> = { 0: 'nearest', 1: 'lanczos3', 2: 'linear', 3: 'cubic' }

/** @throws Error when the file asks for something we cannot do, such as an unknown filter. */
export function readTreatment(modelDir: string): Treatment {
  const json: unknown = JSON.parse(readFileSync(join(modelDir, 'preprocessor_config.json'), 'utf8'))
  return treatmentOf(Value.Parse(PreprocessorFile, json))
}

function treatmentOf(file: PreprocessorFile): Treatment {
  if (file.do_resize === false) throw new Error('A model that takes pictures of any size is not supported')
  const kernel = KERNELS[file.resample ?? 2]
  if (!kernel) throw new Error(`The resampling filter ${file.resample} is not supported`)
  const resized = resizeRule(file.size)
  return { kernel, resized, input: inputSize(file), values: valueTables(file) }
}

/** The rounding is that of transformers.js: two decimals, then down. */
function resizeRule(size: PreprocessorFile['size']): Treatment['resized'] {
  const asked = typeof size === 'number' ? { shortest_edge: size } : size
  if (asked.width !== undefined && asked.height !== undefined) {
    const fixed = { width: asked.width, height: asked.height }
    return () => fixed
  }
  const edge = asked.shortest_edge
  if (edge === undefined) throw new Error('preprocessor_config.json names no size')
  return (width, height) => {
    const scale = Math.max(edge / width, edge / height)
    const side = (length: number) => Math.floor(Number((length * scale).toFixed(2)))
    return { width: side(width), height: side(height) }
  }
}

function inputSize(file: PreprocessorFile): Size {
  const size = typeof file.size === 'number' ? { shortest_edge: file.size } : file.size
  if (file.do_center_crop) {
    const crop = file.crop_size ?? size.shortest_edge
    if (typeof crop === 'number') return { width: crop, height: crop }
    if (crop !== undefined) return crop
  } else if (size.width !== undefined && size.height !== undefined) {
    return { width: size.width, height: size.height }
  }
  throw new Error('preprocessor_config.json gives the model pictures of varying size, which is not supported')
}

/**
 * Rounded to 32 bits after each step, as transformers.js does: the first layer of an int8 model rounds again, many
 * values lie on its edges, and other last bits alone move a vector to a cosine of 0.996.
 */
function valueTables(file: PreprocessorFile): Treatment['values'] {
  const factor = file.do_rescale === false ? 1 : (file.rescale_factor ?? 1 / 255)
  const isNormalised = file.do_normalize ?? false
  const table = (channel: number) => {
    const mean = isNormalised ? (file.image_mean?.[channel] ?? 0) : 0
    const deviation = isNormalised ? (file.image_std?.[channel] ?? 1) : 1
    return Float32Array.from({ length: 256 }, (_, value) => (Math.fround(value * factor) - mean) / deviation)
  }
  return [table(0), table(1), table(2)]
}
