import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Calibration, ModelFingerprint } from './embedder.ts'

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
 * For a model without `calibration.json`: typical cosines of OpenAI's CLIP ViT-B/32. Its text hits score 0.24 to 0.32,
 * and its pictures of similar products 0.75 to 0.95.
 */
export const DEFAULT_CALIBRATION: Calibration = {
  image_image: { midpoint: 0.75, slope: 16 },
  text_image: { midpoint: 0.24, slope: 60 },
}

const ConfigFile = Type.Object({
  model_type: Type.Literal('clip'),
  projection_dim: Type.Integer({ minimum: 1, maximum: 8192 }),
  text_config: Type.Optional(
    Type.Object({ max_position_embeddings: Type.Optional(Type.Integer({ minimum: 3 })) }),
  ),
})

/** Pictures and texts with their expected vectors, written by `scripts/model/golden.ts`. */
export const GoldenFile = Type.Object({
  pictures: Type.Array(Type.Object({ name: Type.String(), file: Type.String(), vector: Type.String() }), {
    minItems: 1,
  }),
  texts: Type.Array(Type.Object({ text: Type.String(), vector: Type.String() }), { minItems: 1 }),
})
export type GoldenFile = Static<typeof GoldenFile>

/** Files that determine the meaning of a vector. Only some exports have the optional ones. */
const FINGERPRINTED = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/text_model_quantized.onnx',
  'onnx/vision_model_quantized.onnx',
] as const
const FINGERPRINTED_IF_PRESENT = [
  'onnx/text_model_quantized.onnx_data',
  'onnx/vision_model_quantized.onnx_data',
] as const

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
  const config = readModelConfig(modelDir)
  const warnings: string[] = []
  const calibration = readCalibration(modelDir)
  if (!calibration)
    warnings.push('calibration.json is missing: scores use a default map for OpenAI-style CLIP')
  if (!readGolden(modelDir)) warnings.push('golden.json is missing: the model’s self-test is skipped')
  return {
    fingerprint: {
      id: basename(resolve(modelDir)),
      hash: knownHash ?? hashFiles(modelDir),
      dimension: config.dimension,
    },
    calibration: calibration ?? DEFAULT_CALIBRATION,
    hasCalibration: calibration !== undefined,
    warnings,
  }
}

/** @returns the length of the vectors and the number of tokens in the text model's window. */
export function readModelConfig(modelDir: string): { dimension: number; tokensMax: number } {
  const config = Value.Parse(ConfigFile, readJson(join(modelDir, 'config.json')))
  return {
    dimension: config.projection_dim,
    tokensMax: config.text_config?.max_position_embeddings ?? 77,
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

function hashFiles(modelDir: string): string {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(TREATMENT_VERSION)
  const names = [
    ...FINGERPRINTED,
    ...FINGERPRINTED_IF_PRESENT.filter((name) => existsSync(join(modelDir, name))),
  ]
  for (const name of names) {
    const bytes = readFileSync(join(modelDir, name))
    hasher.update(`\n${name} ${bytes.length}\n`)
    hasher.update(bytes)
  }
  return hasher.digest('hex')
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
