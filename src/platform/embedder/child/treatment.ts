import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readJsonFile, UnusableModel } from '../model-layout.ts'

const Side = Type.Integer({ minimum: 1, maximum: 4096 })
/** One number is for all three colours. */
const Triple = Type.Union([Type.Number(), Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })])
/** Steps that no supported family takes; a file may name them as off. */
const UNKNOWN_STEPS = [
  'do_pad',
  'do_thumbnail',
  'do_crop_margin',
  'do_convert_grayscale',
  'do_flip_channel_order',
] as const

/** The supported part of `preprocessor_config.json`; models use both forms of sizes. */
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
  /** Not of transformers: see `Treatment.shrinksOnLoad`. */
  shrink_on_load: Type.Optional(Type.Boolean()),
  /** Not of transformers: see `Treatment.addsObject`. */
  object_mean: Type.Optional(Type.Boolean()),
})
type PreprocessorFile = Static<typeof PreprocessorFile>

export interface Size {
  width: number
  height: number
}

/** The preprocessing that a model requires. */
export interface Treatment {
  /** Computes the size of the whole picture after resizing from its original size in pixels. */
  resized(width: number, height: number): Size
  /** The resampling filter by its name in sharp. */
  kernel: 'nearest' | 'lanczos3' | 'linear' | 'cubic'
  /**
   * Whether a JPEG is decoded at a reduced size that is still larger than the model's, which takes a third less time. It
   * changes vectors a little, and so belongs to the model: it stands in a file that its fingerprint covers.
   */
  shrinksOnLoad: boolean
  /**
   * Whether the vector of an indexed picture is the mean of its own and of its object's, where that is small on a plain background.
   * This costs a second decoding and inference of such pictures. It belongs to the model as `shrinksOnLoad` does.
   */
  addsObject: boolean
  /** Size of the model's input, the centre of the resized picture. */
  input: Size
  /** The model's value for each 8-bit value of red, green and blue. */
  values: readonly [Float32Array, Float32Array, Float32Array]
}

/**
 * Pillow's numbers for filters. Pillow and sharp widen a filter when they shrink a picture. transformers.js does so for
 * Lanczos only, and would alias with models that were trained with bicubic.
 */
const KERNELS: Record<number, Treatment['kernel']> = { 0: 'nearest', 1: 'lanczos3', 2: 'linear', 3: 'cubic' }

/** @throws UnusableModel when the file requires something unsupported, such as an unknown filter. */
export function readTreatment(modelDir: string): Treatment {
  const json = readJsonFile(modelDir, 'preprocessor_config.json')
  const [fault] = Value.Errors(PreprocessorFile, json)
  if (fault) {
    throw unsupported(`${fault.path.slice(1) || 'its content'} has another form (${fault.message})`)
  }
  const step = UNKNOWN_STEPS.find((name) => (json as Record<string, unknown>)[name] === true)
  if (step !== undefined) throw unsupported(`it asks for ${step}, which the program does not do`)
  return toTreatment(Value.Parse(PreprocessorFile, json))
}

const unsupported = (what: string): UnusableModel =>
  new UnusableModel(
    `preprocessor_config.json: ${what}; take the file of a clip, mobileclip, siglip or siglip2 export`,
  )

function toTreatment(file: PreprocessorFile): Treatment {
  if (file.do_resize === false) throw unsupported('pictures are not resized, so the model has no fixed size')
  const kernel = KERNELS[file.resample ?? 2]
  if (!kernel) throw unsupported(`the resampling filter ${file.resample} is unknown`)
  const resized = createResizeRule(file.size)
  return {
    kernel,
    resized,
    shrinksOnLoad: file.shrink_on_load ?? false,
    addsObject: file.object_mean ?? false,
    input: readInputSize(file),
    values: createValueTables(file),
  }
}

/** Rounds like transformers.js: to two decimals, then down. */
function createResizeRule(size: PreprocessorFile['size']): Treatment['resized'] {
  const sides = typeof size === 'number' ? { shortest_edge: size } : size
  if (sides.width !== undefined && sides.height !== undefined) {
    const fixed = { width: sides.width, height: sides.height }
    return () => fixed
  }
  const edge = sides.shortest_edge
  if (edge === undefined) throw unsupported('it names no size')
  return (width, height) => {
    const scale = Math.max(edge / width, edge / height)
    const side = (length: number) => Math.floor(Number((length * scale).toFixed(2)))
    return { width: side(width), height: side(height) }
  }
}

function readInputSize(file: PreprocessorFile): Size {
  const size = typeof file.size === 'number' ? { shortest_edge: file.size } : file.size
  if (file.do_center_crop) {
    const crop = file.crop_size ?? size.shortest_edge
    if (typeof crop === 'number') return { width: crop, height: crop }
    if (crop !== undefined) return crop
  } else if (size.width !== undefined && size.height !== undefined) {
    return { width: size.width, height: size.height }
  }
  throw unsupported('it makes pictures of varying size')
}

/**
 * Rounds to 32 bits after each step, like transformers.js. The first layer of an int8 model rounds again and many
 * values lie on its edges, so a different last bit alone can reduce a vector's cosine to 0.996.
 */
function createValueTables(file: PreprocessorFile): Treatment['values'] {
  const factor = file.do_rescale === false ? 1 : (file.rescale_factor ?? 1 / 255)
  const isNormalised = file.do_normalize ?? false
  const table = (channel: number) => {
    const mean = isNormalised ? pick(file.image_mean, channel, 0) : 0
    const deviation = isNormalised ? pick(file.image_std, channel, 1) : 1
    return Float32Array.from({ length: 256 }, (_, value) => (Math.fround(value * factor) - mean) / deviation)
  }
  return [table(0), table(1), table(2)]
}

const pick = (values: PreprocessorFile['image_mean'], channel: number, usual: number): number =>
  (typeof values === 'number' ? values : values?.[channel]) ?? usual
