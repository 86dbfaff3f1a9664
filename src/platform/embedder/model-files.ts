import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Calibration, ModelFingerprint } from './embedder.ts'

const LogisticMap = Type.Object({ midpoint: Type.Number(), slope: Type.Number({ exclusiveMinimum: 0 }) })
const CalibrationFile = Type.Object({ image_image: LogisticMap, text_image: LogisticMap })

/**
 * Used for a model without `calibration.json`: typical cosines of OpenAI's CLIP ViT-B/32, whose text hits lie at
 * 0.24 to 0.32 and whose pictures of like products lie at 0.75 to 0.95.
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

/** Pictures and texts with the vectors they must give, made by `scripts/model/golden.ts`. */
export const GoldenFile = Type.Object({
  pictures: Type.Array(Type.Object({ name: Type.String(), file: Type.String(), vector: Type.String() }), {
    minItems: 1,
  }),
  texts: Type.Array(Type.Object({ text: Type.String(), vector: Type.String() }), { minItems: 1 }),
})
export type GoldenFile = Static<typeof GoldenFile>

/** Files that decide what a vector means; the optional ones exist in some exports only. */
const FINGERPRINTED = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/text_model_quantized.onnx',
  'onnx/vision_model_quantized.onnx',
] as const
const FINGERPRINTED_IF_THERE = [
  'onnx/text_model_quantized.onnx_data',
  'onnx/vision_model_quantized.onnx_data',
] as const

/** Raised when our own picture treatment changes so much that old and new vectors must not be compared. */
const TREATMENT_VERSION = 'pixels-1'

export interface ModelFiles {
  fingerprint: ModelFingerprint
  calibration: Calibration
  /** What the operator should know, such as a file that is missing and replaced by a default. */
  warnings: string[]
}

/**
 * Reads what the service itself needs of a model folder (layout of transformers.js); about 90 ms for the bundled model on a CPU
 * without SHA instructions, nearly all of it the hash.
 *
 * @param knownHash the fingerprint's hash, where the build has worked it out.
 * @throws Error when a file is missing or malformed.
 */
export function readModelFiles(modelDir: string, knownHash?: string): ModelFiles {
  const config = readModelConfig(modelDir)
  const warnings: string[] = []
  const calibration = readCalibration(modelDir)
  if (!calibration)
    warnings.push('calibration.json is missing: scores use a default map for OpenAI-style CLIP')
  if (!readGolden(modelDir)) warnings.push('golden.json is missing: the self-test of the model is skipped')
  return {
    fingerprint: {
      id: basename(resolve(modelDir)),
      hash: knownHash ?? hashFiles(modelDir),
      dimension: config.dimension,
    },
    calibration: calibration ?? DEFAULT_CALIBRATION,
    warnings,
  }
}

/** @returns the length of the vectors, and how many tokens the text model reads. */
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
    ...FINGERPRINTED_IF_THERE.filter((name) => existsSync(join(modelDir, name))),
  ]
  for (const name of names) {
    const bytes = readFileSync(join(modelDir, name))
    hasher.update(`\n${name} ${bytes.length}\n`)
    hasher.update(bytes)
  }
  return hasher.digest('hex')
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
