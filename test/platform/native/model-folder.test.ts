import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bundledModelDir, bundledModelName } from '../../../src/platform/native/model-folder.ts'

test('from sources the bundled model is the one of the checkout', () => {
  expect(basename(bundledModelDir())).toBe(bundledModelName)
  expect(existsSync(join(bundledModelDir(), 'onnx/vision_model_quantized.onnx'))).toBe(true)
})
