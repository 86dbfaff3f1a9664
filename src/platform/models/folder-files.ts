import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readModelConfig } from '../embedder/model-files.ts'
import type { ModelFamily } from './shelf.ts'

const NEEDED = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/text_model_quantized.onnx',
  'onnx/vision_model_quantized.onnx',
]
const OPTIONAL = [
  ...['special_tokens_map.json', 'seen_tokens.json', 'calibration.json', 'golden.json'],
  ...['onnx/text_model_quantized.onnx_data', 'onnx/vision_model_quantized.onnx_data'],
]

/** What a look at a folder tells, without loading the model. */
export interface ModelFolder {
  family: ModelFamily
  dimension: number
  /** Every file that the program may read, below the folder. */
  files: { path: string; bytes: number }[]
}

/** @throws Error that says what is missing or wrong. */
export function inspectModel(dir: string): ModelFolder {
  const files = listModelFiles(dir).map((path) => ({ path, bytes: statSync(join(dir, path)).size }))
  return { family: readFamily(dir), dimension: readModelConfig(dir).dimension, files }
}

function listModelFiles(dir: string): string[] {
  const missing = NEEDED.find((path) => !existsSync(join(dir, path)))
  if (missing !== undefined) throw new Error(`${missing} is missing`)
  return [...NEEDED, ...OPTIONAL.filter((path) => existsSync(join(dir, path)))]
}

function readFamily(dir: string): ModelFamily {
  const { model_type: type } = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as {
    model_type?: unknown
  }
  if (type !== 'clip')
    throw new Error(`config.json is of the family ${JSON.stringify(type)}; only "clip" can be used`)
  return type
}
