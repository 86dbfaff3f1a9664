import { OperatorError } from '../../core/operator-error.ts'
import type { HubFile } from './hub.ts'

const MB = 1_000_000
/** The largest tokenizer of a family takes 34 MB. */
const TEXT_BYTES_MAX = 64 * MB
/** Weights of a large model in full precision. */
const WEIGHTS_BYTES_MAX = 4_000 * MB

/** In the order of download: small files first, because they decide whether the model is usable. */
const SMALL_FILES = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer_config.json',
  'tokenizer.json',
] as const

const TOWERS = ['text', 'vision'] as const
/** 8 bits first, then full precision; half precision is the slowest on processors. */
const PRECISIONS = ['_quantized', '', '_fp16'] as const
/** The picture models of MobileCLIP lose their accuracy in 8 bits. */
const PRECISIONS_OF_MOBILE_VISION = ['', '_fp16', '_quantized'] as const

/** The files of an export that has the usual 8-bit weights. */
export const USUAL_FILES: readonly string[] = [
  ...SMALL_FILES,
  ...TOWERS.map((tower) => weightsOf(tower, '_quantized')),
]

function weightsOf(tower: (typeof TOWERS)[number], precision: (typeof PRECISIONS)[number]): string {
  return `onnx/${tower}_model${precision}.onnx`
}

/**
 * Chooses the files of a model from a listing. Names come from this layout alone; any other name in the listing is nobody's.
 *
 * @throws OperatorError for a repository that is no export of the layout.
 */
export function chooseFiles(listed: ReadonlyMap<string, HubFile>, repository: string): HubFile[] {
  const small = SMALL_FILES.map((path) => {
    const file = listed.get(path)
    if (!file)
      throw new OperatorError(`${repository} has no ${path}, so it is no model that can be used here.`)
    return file
  })
  const weights = TOWERS.flatMap((tower) => {
    const isMobile = tower === 'vision' && /mobileclip/i.test(repository)
    const precisions = isMobile ? PRECISIONS_OF_MOBILE_VISION : PRECISIONS
    const precision = precisions.find((one) => listed.has(weightsOf(tower, one)))
    if (precision === undefined) {
      throw new OperatorError(
        `${repository} has no ${weightsOf(tower, '_quantized')}: it takes an export for transformers.js with separate models for texts and pictures.`,
      )
    }
    const path = weightsOf(tower, precision)
    return [path, `${path}_data`].flatMap((one) => listed.get(one) ?? [])
  })
  const files = [...small, ...weights]
  for (const { path, bytes } of files) {
    const most = path.startsWith('onnx/') ? WEIGHTS_BYTES_MAX : TEXT_BYTES_MAX
    if (bytes > most) throw tooLarge(path, bytes, most)
  }
  return files
}

export const tooLarge = (path: string, bytes: number, most: number) =>
  new OperatorError(
    `${path} has ${Math.ceil(bytes / MB)} MB according to the server, and at most ${Math.ceil(most / MB)} MB are loaded of such a file.`,
  )
