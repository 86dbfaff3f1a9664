import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { readTreatment } from './child/treatment.ts'
import { listFingerprinted } from './model-files.ts'
import {
  isGitPointer,
  type ModelLayout,
  OUTPUTS,
  pointerMessage,
  readJsonFile,
  readModelLayout,
  readOutline,
  readStart,
  type Tower,
  type TowerFile,
  UnusableModel,
} from './model-layout.ts'
import type { OnnxOutline, OutlinePort } from './onnx-outline.ts'

export interface InspectedModel extends ModelLayout {
  /** Every file that the program may read, below the folder; nothing else needs to be copied. */
  files: { path: string; bytes: number }[]
  /** All of them together. */
  bytes: number
}

/** Files that are read if they are there, beside those of the fingerprint. */
const OPTIONAL = [
  'special_tokens_map.json',
  'calibration.json',
  'golden.json',
  'seen_tokens.json',
  'MODEL_CARD.md',
]

/** Lengths of vectors of published models. */
const DIMENSION_MAX = 1152
const DIMENSION_MIN = 64

/** Operators that onnxruntime brings along. Any other domain needs a library of its own, which nothing loads here. */
const OPERATOR_DOMAINS: ReadonlySet<string> = new Set([
  '',
  'ai.onnx.ml',
  'com.microsoft',
  'com.microsoft.experimental',
  'com.microsoft.nchwc',
])

/** Values of `TensorProto.DataType`. */
const [FLOAT, INT64] = [1, 7]

/**
 * Checks a model folder without loading it: the files and their sizes, the configuration, what the weights take and give, and that
 * nothing leads out of the folder. A folder that passes can still fail to load, because of an operator or numbers that are damaged.
 *
 * @throws UnusableModel with one sentence that says what is wrong and what to do.
 */
export function inspectModel(modelDir: string): InspectedModel {
  const layout = readModelLayout(modelDir)
  if (layout.dimension < DIMENSION_MIN || layout.dimension > DIMENSION_MAX) {
    throw new UnusableModel(
      `The model's vectors have ${layout.dimension} numbers: models with ${DIMENSION_MIN} to ${DIMENSION_MAX} are supported`,
    )
  }
  for (const tower of ['text', 'vision'] as const) checkTower(modelDir, tower, layout)
  readJsonFile(modelDir, 'tokenizer_config.json')
  checkEnds(modelDir, 'tokenizer.json')
  const optional = OPTIONAL.filter((name) => exists(join(modelDir, name)))
  const files = [...listFingerprinted(modelDir, layout), ...optional].map((path) => ({
    path,
    bytes: measureInside(modelDir, path),
  }))
  return { ...layout, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/**
 * Checks one tower before onnxruntime opens its file, which would follow every path that the file names.
 *
 * @returns the outline of the file, and the name of the output that is the vector.
 * @throws UnusableModel
 */
export function checkTower(
  modelDir: string,
  tower: Tower,
  layout: ModelLayout,
): { outline: OnnxOutline; output: string } {
  const file = layout.towers[tower]
  const outline = readOutline(modelDir, file.path)
  checkOperators(file, outline)
  checkExternal(modelDir, file, outline)
  if (tower === 'text') checkTextInputs(file, outline)
  else checkPictureInputs(modelDir, file, outline)
  const output = OUTPUTS[tower].find((name) => outline.outputs.some((port) => port.name === name))
  if (output === undefined) {
    const names = outline.outputs.map(({ name }) => name.slice(0, 40)).slice(0, 5)
    throw new UnusableModel(
      `${file.path} gives ${names.join(', ') || 'nothing'} and not ${OUTPUTS[tower].join(' or ')}: take an export with its projection, for feature extraction`,
    )
  }
  const port = outline.outputs.find(({ name }) => name === output)
  if (port && port.type !== FLOAT) {
    throw new UnusableModel(
      `${file.path} does not give its vector in 32 bits: take an export that keeps the types of inputs and outputs`,
    )
  }
  const width = port?.shape.at(-1)
  if (width !== undefined && width !== layout.dimension) {
    throw new UnusableModel(
      `${file.path} gives vectors of ${width} numbers, and the model's have ${layout.dimension}: its files belong to different models`,
    )
  }
  return { outline, output }
}

function checkOperators({ path }: TowerFile, { operators }: OnnxOutline): void {
  for (const operator of operators) {
    const [domain = '', name = ''] = operator.split(':')
    if (OPERATOR_DOMAINS.has(domain)) continue
    throw new UnusableModel(
      `${path} needs ${domain.slice(0, 60)}.${name.slice(0, 60)}, an operator of its own, and the program loads no foreign code: take an export with standard operators`,
    )
  }
}

function checkExternal(modelDir: string, { path }: TowerFile, { external }: OnnxOutline): void {
  const sizes = new Map<string, number>()
  for (const { location, offset, length } of external) {
    // Exports name a file beside the model. A path could lead anywhere.
    if (!/^[\w-][\w.-]{0,200}$/.test(location)) {
      throw new UnusableModel(
        `${path} has weights at "${location.slice(0, 80)}", outside its folder: take an export whose files lie together`,
      )
    }
    const beside = `${dirname(path)}/${location}`
    const size = sizes.get(beside) ?? measureInside(modelDir, beside)
    sizes.set(beside, size)
    if (!(offset >= 0 && offset + (length ?? 0) <= size)) {
      throw new UnusableModel(`${beside} is cut short or belongs to another export: copy it again`)
    }
  }
}

function checkTextInputs({ path }: TowerFile, { inputs }: OnnxOutline): void {
  const known = ['input_ids', 'attention_mask', 'token_type_ids']
  refuseInputs(path, inputs, known)
  const ids = inputs.find(({ name }) => name === 'input_ids')
  if (ids === undefined || ids.type !== INT64 || ids.shape.length !== 2) {
    throw new UnusableModel(
      `${path} does not take input_ids as rows of 64-bit numbers: take a text model of a transformers.js export`,
    )
  }
}

function checkPictureInputs(modelDir: string, { path }: TowerFile, { inputs }: OnnxOutline): void {
  if (inputs.some(({ name }) => name === 'pixel_attention_mask' || name === 'spatial_shapes')) {
    throw new UnusableModel(
      'The model is a NaFlex variant of SigLIP 2, which takes pictures of any shape: take one of fixed size, such as siglip2-base-patch16-224',
    )
  }
  refuseInputs(path, inputs, ['pixel_values'])
  const pixels = inputs.find(({ name }) => name === 'pixel_values')
  if (pixels === undefined || pixels.type !== FLOAT || pixels.shape.length !== 4) {
    throw new UnusableModel(
      `${path} does not take pixel_values as 32-bit pictures: take a vision model of a transformers.js export`,
    )
  }
  const { width, height } = readTreatment(modelDir).input
  const [, , rows = height, columns = width] = pixels.shape
  if (rows !== height || columns !== width) {
    throw new UnusableModel(
      `${path} takes pictures of ${columns} x ${rows} and preprocessor_config.json makes ${width} x ${height}: take both from the same export`,
    )
  }
}

function refuseInputs(path: string, inputs: readonly OutlinePort[], known: readonly string[]): void {
  const fixed = inputs.find(({ shape }) => shape[0] !== undefined)
  if (fixed) {
    throw new UnusableModel(
      `${path} takes exactly ${fixed.shape[0]} at a time: take an export whose batch size may vary`,
    )
  }
  const other = inputs.find(({ name }) => !known.includes(name))
  if (other === undefined) return
  throw new UnusableModel(
    `${path} also asks for ${other.name.slice(0, 60)}: take an export with the text model and the vision model apart`,
  )
}

/** A JSON file of tens of megabytes is not parsed here; one that was cut short does not end with its brace. */
function checkEnds(modelDir: string, name: string): void {
  const path = join(modelDir, name)
  measureInside(modelDir, name)
  const start = readStart(path)
  if (isGitPointer(start)) throw new UnusableModel(pointerMessage(name))
  const { size } = statSync(path)
  if (
    start.trimStart().startsWith('{') &&
    readStart(path, Math.max(0, size - 64))
      .trimEnd()
      .endsWith('}')
  )
    return
  throw new UnusableModel(`${name} is cut short or damaged: copy it again`)
}

/** @returns the size of a file that lies in the folder, links followed. @throws UnusableModel */
function measureInside(modelDir: string, name: string): number {
  const path = join(modelDir, name)
  if (!exists(path))
    throw new UnusableModel(`${name} is missing: copy all files of the export, its small ones too`)
  const place = relative(realpathSync(modelDir), realpathSync(path))
  if (place === '..' || place.startsWith(`..${sep}`)) {
    throw new UnusableModel(
      `${name} is a link that leads out of the folder: copy the folder with its files first (cp -rL), and give that copy`,
    )
  }
  const stat = statSync(path)
  if (!stat.isFile()) throw new UnusableModel(`${name} is no file: copy the export again`)
  if (stat.size === 0) throw new UnusableModel(`${name} is empty: copy it again`)
  return stat.size
}

/** Whether something lies there, even a link that leads nowhere. */
function exists(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (!entry?.isSymbolicLink()) return entry !== undefined
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
