import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** The files of a folder that the program reads, with slashes. @throws Error that names a missing one. */
export function listModelFiles(dir: string): string[] {
  const missing = NEEDED.find((path) => !existsSync(join(dir, path)))
  if (missing !== undefined) throw new Error(`${missing} is missing`)
  return [...NEEDED, ...OPTIONAL.filter((path) => existsSync(join(dir, path)))]
}

/** @throws Error for a folder without a readable `config.json`. */
export function readFamily(dir: string): ModelFamily {
  const { model_type: type } = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as {
    model_type?: unknown
  }
  if (type !== 'clip')
    throw new Error(`config.json is of the family ${JSON.stringify(type)}; only "clip" can be used`)
  return type
}
