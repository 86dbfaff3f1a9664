import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles } from '../../scripts/build/parts.ts'
import { findTarget, nameThisMachine } from '../../scripts/build/targets.ts'
import { makeRandomFolder } from '../../scripts/model/random-folder.ts'

const NODE_MODULES = join(import.meta.dir, '../../node_modules')

const work = mkdtempSync(join(tmpdir(), 'lookalike-bundled-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const listModel = (folder: string) =>
  listFiles(findTarget(nameThisMachine()), NODE_MODULES, folder).model.map(({ name }) => name)

test('an executable gets the files of a model that the program reads, and no others', () => {
  const folder = join(work, 'their-siglip')
  makeRandomFolder({ model: 'siglip-b16', folder, precisions: ['fp16'], isSmall: true })
  writeFileSync(join(folder, 'flax_model.msgpack'), 'weights of another runtime')
  writeFileSync(join(folder, 'calibration.json'), '{}')
  expect(listModel(folder).toSorted()).toEqual(
    [
      'calibration.json',
      'config.json',
      'onnx/text_model_fp16.onnx',
      'onnx/vision_model_fp16.onnx',
      'preprocessor_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ].map((name) => `their-siglip/${name}`),
  )
  rmSync(join(folder, 'onnx/vision_model_fp16.onnx'))
  expect(() => listModel(folder)).toThrow('onnx/vision_model_fp16.onnx: none of these is there')
})
