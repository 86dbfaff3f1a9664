import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  externalTensor,
  model,
  node,
  type Part,
  writeParts,
} from '../../../scripts/model/random/onnx-writer.ts'
import { makeRandomFolder } from '../../../scripts/model/random-folder.ts'
import { inspectModel } from '../../../src/platform/embedder/inspect.ts'
import { hashModel, readModelFiles } from '../../../src/platform/embedder/model-files.ts'
import { UnusableModel } from '../../../src/platform/embedder/model-layout.ts'
import { MODEL_DIR } from './bundled.ts'

const parent = mkdtempSync(join(tmpdir(), 'lookalike-inspect-'))
const whole = join(parent, 'whole')
const folder = join(parent, 'spoiled')
beforeAll(() => makeRandomFolder({ model: 'clip-b32', folder: whole, precisions: ['q8'], isSmall: true }))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const TEXT = 'onnx/text_model_quantized.onnx'
const VISION = 'onnx/vision_model_quantized.onnx'
const at = (name: string): string => join(folder, name)

function patchJson(name: string, changes: Record<string, unknown>): void {
  writeFileSync(at(name), JSON.stringify({ ...JSON.parse(readFileSync(at(name), 'utf8')), ...changes }))
}

/** A picture model of one operator. */
function writeVision({
  type = 1,
  tensors = [],
  domain = '',
  size = 64,
  batch = 'batch' as string | number,
}: Vision): void {
  const pixels = { name: 'pixel_values', type: 1, shape: [batch, 3, size, size] } as const
  const parts = model({
    nodes: [node('Odd', ['pixel_values'], ['image_embeds'], {}, domain)],
    tensors,
    inputs: [pixels],
    outputs: [{ name: 'image_embeds', type, shape: ['batch', 256] }],
    domains: { '': 17, ...(domain && { [domain]: 1 }) },
  })
  writeParts(at(VISION), parts)
}
interface Vision {
  type?: 1 | 10
  tensors?: Part[][]
  domain?: string
  size?: number
  batch?: string | number
}

const weightsAt = (location: string) => ({
  tensors: [externalTensor('weights', 1, [4], { location, offset: 0, length: 16 })],
})

describe('a folder that is refused, in one sentence that says what to do', () => {
  test.each<[string, () => void, RegExp]>([
    ['without config.json', () => rmSync(at('config.json')), /^config\.json is missing: copy all files/],
    ['without a tokenizer', () => rmSync(at('tokenizer.json')), /^tokenizer\.json is missing/],
    ['without a picture model', () => rmSync(at(VISION)), /none of these is there; copy it/],
    [
      'with both towers in one file',
      () => renameSync(at(VISION), at('onnx/model_quantized.onnx')),
      /pictures and texts are in one file/,
    ],
    [
      'with a tokenizer that was cut short',
      () => truncateSync(at('tokenizer.json'), 9000),
      /tokenizer\.json is cut short/,
    ],
    [
      'with weights that were cut short',
      () => truncateSync(at(TEXT), statSync(at(TEXT)).size - 5000),
      /no complete ONNX model \(it ends too early\): copy it again/,
    ],
    ['with weights of nothing', () => truncateSync(at(TEXT), 0), /no complete ONNX model/],
    [
      'with a pointer of Git LFS',
      () => writeFileSync(at(VISION), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'),
      /run `git lfs pull`/,
    ],
    [
      'of another family',
      () => patchJson('config.json', { model_type: 'vit' }),
      /says model_type "vit": the families are/,
    ],
    [
      'of SigLIP 2 with pictures of any shape',
      () => patchJson('config.json', { model_type: 'siglip2', vision_config: { num_patches: 256 } }),
      /NaFlex/,
    ],
    [
      'with a configuration that is no JSON',
      () => writeFileSync(at('config.json'), '{"model'),
      /config\.json is not JSON/,
    ],
    [
      'with vectors of another length',
      () => patchJson('config.json', { projection_dim: 512 }),
      /256 numbers, and the model's have 512/,
    ],
    [
      'with vectors that are too long',
      () => patchJson('config.json', { projection_dim: 4096 }),
      /64 to 1152/,
    ],
    [
      'with pictures of another size',
      () => writeVision({ size: 96 }),
      /takes pictures of 96 x 96 and preprocessor_config\.json makes 64 x 64/,
    ],
    ['with vectors in 16 bits', () => writeVision({ type: 10 }), /does not give its vector in 32 bits/],
    ['with one picture at a time', () => writeVision({ batch: 1 }), /exactly 1 at a time/],
    [
      'with an unknown filter',
      () => patchJson('preprocessor_config.json', { resample: 9 }),
      /filter 9 is unknown/,
    ],
    [
      'with an unknown step',
      () => patchJson('preprocessor_config.json', { do_pad: true }),
      /asks for do_pad/,
    ],
    ['with a text model for pictures', () => cpSync(at(TEXT), at(VISION)), /also asks for input_ids/],
    [
      'with an operator of its own',
      () => writeVision({ domain: 'evil.ops' }),
      /needs evil\.ops\.Odd.*no foreign code/,
    ],
    ['with weights at an absolute path', () => writeVision(weightsAt('/etc/passwd')), /outside its folder/],
    ['with weights above the folder', () => writeVision(weightsAt('../../secret')), /outside its folder/],
    [
      'with weights that are not there',
      () => writeVision(weightsAt('more.onnx_data')),
      /onnx\/more\.onnx_data is missing/,
    ],
    [
      'with weights behind a link that leads out',
      () => {
        writeVision(weightsAt('more.onnx_data'))
        symlinkSync('/etc/passwd', at('onnx/more.onnx_data'))
      },
      /is a link that leads out of the folder: copy the folder/,
    ],
    [
      'with too few weights in their own file',
      () => {
        writeVision(weightsAt('more.onnx_data'))
        writeFileSync(at('onnx/more.onnx_data'), 'short')
      },
      /more\.onnx_data is cut short/,
    ],
    [
      'with a file behind a link that leads out',
      () => {
        rmSync(at('tokenizer.json'))
        symlinkSync(join(whole, 'tokenizer.json'), at('tokenizer.json'))
      },
      /tokenizer\.json is a link that leads out/,
    ],
  ])('%s', (_, spoil, message) => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(whole, folder, { recursive: true })
    spoil()
    const inspect = () => inspectModel(folder)
    expect(inspect).toThrow(UnusableModel)
    expect(inspect).toThrow(message)
  })
})

describe('a folder that is accepted', () => {
  test('tells its family and all files that the program reads', () => {
    const { family, dimension, files, bytes } = inspectModel(MODEL_DIR)
    expect({ family, dimension }).toEqual({ family: 'clip', dimension: 512 })
    expect(files.map(({ path }) => path)).toContain('calibration.json')
    expect(bytes).toBe(files.reduce((sum, { path }) => sum + statSync(join(MODEL_DIR, path)).size, 0))
  })

  test('may have weights in a file of their own, which the fingerprint covers', () => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(whole, folder, { recursive: true })
    writeVision(weightsAt('more.onnx_data'))
    writeFileSync(at('onnx/more.onnx_data'), 'sixteen letters!')
    expect(inspectModel(folder).files.map(({ path }) => path)).toContain('onnx/more.onnx_data')
    const before = readModelFiles(folder).fingerprint.hash
    writeFileSync(at('onnx/more.onnx_data'), 'other 16 letters')
    expect(readModelFiles(folder).fingerprint.hash).not.toBe(before)
  })
})

describe('the fingerprint', () => {
  test('of the bundled model stays, or every install would embed its catalogue again', () => {
    expect(readModelFiles(MODEL_DIR).fingerprint.hash).toBe(
      '7ce2f00947e48c35d40182f3549aa7cdcf025cc031e03f2a8fb826b395749843',
    )
  })

  test('is the same when it is computed between other work', async () => {
    expect(await hashModel(whole)).toBe(readModelFiles(whole).fingerprint.hash)
  })

  test('says which precision is read: a file of more bits changes nothing, without one of 8 bits it counts', () => {
    rmSync(folder, { recursive: true, force: true })
    makeRandomFolder({ model: 'clip-b32', folder, precisions: ['q8', 'fp32', 'fp16'], isSmall: true })
    const { hash } = readModelFiles(folder).fingerprint
    expect(hash).toBe(readModelFiles(whole).fingerprint.hash)
    rmSync(at(VISION))
    expect(inspectModel(folder).towers).toMatchObject({
      text: { precision: 'q8' },
      vision: { precision: 'fp32' },
    })
    expect(readModelFiles(folder).fingerprint.hash).not.toBe(hash)
  })
})
