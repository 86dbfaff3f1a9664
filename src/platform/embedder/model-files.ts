import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { turn } from '../../core/turns.ts'
import type { Calibration, ModelFingerprint } from './embedder.ts'
import { type ModelFamily, type ModelLayout, readModelLayout } from './model-layout.ts'
import { readOnnxOutline, UnreadableOnnx } from './onnx-outline.ts'

const LogisticMap = Type.Object({ midpoint: Type.Number(), slope: Type.Number({ exclusiveMinimum: 0 }) })
const FinalMap = Type.Object({ ...LogisticMap.properties, knee: Type.Optional(Type.Number()) })
export const CalibrationFile = Type.Object({
  image_image: LogisticMap,
  text_image: LogisticMap,
  final: Type.Optional(
    Type.Partial(Type.Object({ text: FinalMap, picture: FinalMap, hybrid: FinalMap, fusion: FinalMap })),
  ),
  languages: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]{2}$' }), { maxItems: 100 })),
})

/**
 * For a model of CLIP's kind without `calibration.json`: typical cosines of OpenAI's CLIP ViT-B/32. Its text hits score 0.24 to 0.32,
 * and its pictures of similar products 0.75 to 0.95.
 */
export const DEFAULT_CALIBRATION: Calibration = {
  image_image: { midpoint: 0.75, slope: 16 },
  text_image: { midpoint: 0.24, slope: 60 },
}

/**
 * For one of SigLIP's kind: it was trained with a bias, so its texts score around 0. Its published scale and bias give a pair that
 * belongs together more likely than not a cosine of 0.11 (SigLIP) or 0.15 (SigLIP 2).
 */
const SIGLIP_CALIBRATION: Calibration = {
  image_image: DEFAULT_CALIBRATION.image_image,
  text_image: { midpoint: 0.08, slope: 80 },
}

const DEFAULT_CALIBRATIONS: Record<ModelFamily, Calibration> = {
  clip: DEFAULT_CALIBRATION,
  mobileclip: DEFAULT_CALIBRATION,
  siglip: SIGLIP_CALIBRATION,
  siglip2: SIGLIP_CALIBRATION,
}
const DEFAULT_NAMES: Record<ModelFamily, string> = {
  clip: 'OpenAI-style CLIP',
  mobileclip: 'OpenAI-style CLIP',
  siglip: 'SigLIP',
  siglip2: 'SigLIP',
}

/** Pictures and texts with their expected vectors, made by `model add`. */
export const GoldenFile = Type.Object({
  pictures: Type.Array(Type.Object({ name: Type.String(), file: Type.String(), vector: Type.String() }), {
    minItems: 1,
  }),
  texts: Type.Array(Type.Object({ text: Type.String(), vector: Type.String() }), { minItems: 1 }),
})
export type GoldenFile = Static<typeof GoldenFile>

/** Small files that determine the meaning of a vector, in the order in which the fingerprint takes them. */
const FINGERPRINTED = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
] as const

const HASHED_AT_ONCE = 4 * 1024 * 1024

/** Increase this when a change in our preprocessing makes old and new vectors incomparable. */
const TREATMENT_VERSION = 'pixels-1'

export interface ModelFiles {
  fingerprint: ModelFingerprint
  calibration: Calibration
  /** Whether the folder has a calibration of its own. */
  hasCalibration: boolean
  /** Messages for the operator, such as a missing file that a default replaces. */
  warnings: string[]
}

/**
 * Reads the files of a model folder (layout of transformers.js) that the service itself needs. This takes about 90 ms
 * for the bundled model on a CPU without SHA instructions, nearly all of it for the hash.
 *
 * @param knownHash the fingerprint's hash, if the build has computed it.
 * @throws Error when a file is missing or malformed.
 */
export function readModelFiles(modelDir: string, knownHash?: string): ModelFiles {
  const layout = readModelLayout(modelDir)
  const warnings: string[] = []
  const calibration = readCalibration(modelDir)
  if (!calibration)
    warnings.push(`calibration.json is missing: scores use a default map for ${DEFAULT_NAMES[layout.family]}`)
  if (!readGolden(modelDir)) warnings.push('golden.json is missing: the model’s self-test is skipped')
  return {
    fingerprint: {
      id: basename(resolve(modelDir)),
      hash: knownHash ?? hashNow(modelDir, layout),
      dimension: layout.dimension,
    },
    calibration: calibration ?? DEFAULT_CALIBRATIONS[layout.family],
    hasCalibration: calibration !== undefined,
    warnings,
  }
}

/** @returns undefined when the model has no `golden.json`. */
export function readGolden(modelDir: string): GoldenFile | undefined {
  const path = join(modelDir, 'golden.json')
  return existsSync(path) ? Value.Parse(GoldenFile, readJson(path)) : undefined
}

function readCalibration(modelDir: string): Calibration | undefined {
  const path = join(modelDir, 'calibration.json')
  return existsSync(path) ? Value.Parse(CalibrationFile, readJson(path)) : undefined
}

/**
 * Lists the files that determine the meaning of a vector, below the model's folder. The names of the weights tell their precision.
 * `calibration.json`, `golden.json` and `seen_tokens.json` change no vector.
 */
export function listFingerprinted(modelDir: string, { towers }: ModelLayout): string[] {
  const { text, vision } = towers
  return [
    ...FINGERPRINTED,
    text.path,
    vision.path,
    ...listExternal(modelDir, text.path),
    ...listExternal(modelDir, vision.path),
  ]
}

/** Files beside a tower that hold its numbers. */
function listExternal(modelDir: string, path: string): string[] {
  const usual = `${path}_data`
  const named = readExternalNames(join(modelDir, path)).map((name) => `${dirname(path)}/${name}`)
  return [...new Set([...(existsSync(join(modelDir, usual)) ? [usual] : []), ...named])]
}

/** @returns nothing for a file that is no model; what loads it says so. */
function readExternalNames(path: string): string[] {
  try {
    return [...new Set(readOnnxOutline(path).external.map(({ location }) => location))].sort()
  } catch (error) {
    if (error instanceof UnreadableOnnx) return []
    throw error
  }
}

/**
 * Computes the hash of {@link readModelFiles} between other work, for a model of hundreds of megabytes in a running service.
 *
 * @throws Error when a file is missing.
 */
export async function hashModel(modelDir: string): Promise<string> {
  const steps = hashFiles(modelDir, readModelLayout(modelDir))
  let step = steps.next()
  for (; !step.done; step = steps.next()) await turn()
  return step.value
}

function hashNow(modelDir: string, layout: ModelLayout): string {
  const steps = hashFiles(modelDir, layout)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Pauses after each piece. */
function* hashFiles(modelDir: string, layout: ModelLayout): Generator<undefined, string> {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(TREATMENT_VERSION)
  const piece = Buffer.allocUnsafe(HASHED_AT_ONCE)
  for (const name of listFingerprinted(modelDir, layout)) {
    const file = openSync(join(modelDir, name), 'r')
    try {
      hasher.update(`\n${name} ${fstatSync(file).size}\n`)
      for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
        hasher.update(piece.subarray(0, length))
        yield
      }
    } finally {
      closeSync(file)
    }
  }
  return hasher.digest('hex')
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
