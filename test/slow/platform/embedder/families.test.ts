import '../../../../scripts/model/silent.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  RawImage,
  SiglipTextModel,
  SiglipVisionModel,
} from '@huggingface/transformers'
import sharp from 'sharp'
import { model, node, writeParts } from '../../../../scripts/model/random/onnx-writer.ts'
import {
  makeRandomFolder,
  type Precision,
  type RandomModel,
} from '../../../../scripts/model/random-folder.ts'
import { createPictureDecoder } from '../../../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../../../src/platform/embedder/child/model.ts'
import { tryOnce } from '../../../../src/platform/embedder/child/self-test.ts'
import { readTreatment } from '../../../../src/platform/embedder/child/treatment.ts'
import { inspectModel } from '../../../../src/platform/embedder/inspect.ts'
import { cosine } from '../../../platform/embedder/pictures.ts'

const parent = mkdtempSync(join(tmpdir(), 'lookalike-families-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const TEXTS = ['red running shoes', 'a', 'blue sofa with wooden legs, 3 seats']
const LONG = Array.from({ length: 90 }, (_, i) => (i % 2 ? 'red' : 'shoes')).join(' ')

interface Family {
  model: RandomModel
  family: string
  dimension: number
  precisions: readonly Precision[]
  /** How the model's own page calls the tokenizer of transformers.js. */
  padding: { padding: true } | { padding: 'max_length'; max_length: number }
}

const CLIP = { padding: 'max_length', max_length: 77 } as const
const SIGLIP = { padding: 'max_length', max_length: 64 } as const
const ALL = ['fp32', 'fp16', 'q8'] as const

const FAMILIES: Family[] = [
  { model: 'clip-b32', family: 'clip', dimension: 256, precisions: ALL, padding: { padding: true } },
  { model: 'mobileclip-s0', family: 'mobileclip', dimension: 256, precisions: ['fp32', 'q8'], padding: CLIP },
  { model: 'siglip-b16', family: 'siglip', dimension: 64, precisions: ALL, padding: SIGLIP },
  { model: 'siglip2-b16', family: 'siglip2', dimension: 64, precisions: ['q8'], padding: SIGLIP },
  { model: 'marqo-fashionsiglip', family: 'siglip', dimension: 64, precisions: ['q8'], padding: SIGLIP },
]

const listCases = () =>
  FAMILIES.flatMap((family) => family.precisions.map((precision) => ({ ...family, precision })))

/** The reference gives vectors of any length. */
function likeness(ours: Float32Array, reference: Float32Array): number {
  expect(reference.length).toBe(ours.length)
  return cosine(ours, reference) / Math.hypot(...reference)
}

/** A picture of stripes that no crop can move without being seen. */
async function drawPicture(width: number, height: number) {
  const data = new Uint8ClampedArray(width * height * 3)
  for (let i = 0; i < data.length; i++) data[i] = (i * i * 31 + (i >> 5) * 17) & 255
  const png = await sharp(Buffer.from(data.buffer), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
  return { png, image: new RawImage(data, width, height, 3) }
}

describe.each(listCases())('$model in $precision', ({ model, precision, family, dimension, padding }) => {
  const name = `${model}-${precision}`
  const folder = join(parent, name)
  const isSiglip = family.startsWith('siglip')
  beforeAll(() => makeRandomFolder({ model, folder, precisions: [precision], isSmall: true }))

  const useReference = () => {
    env.allowRemoteModels = false
    env.localModelPath = `${parent}/`
    return {
      dtype: precision,
      session_options: { extra: { session: { x64quantprecision: '1' } } },
    }
  }

  test('is recognised', () => {
    expect(inspectModel(folder)).toMatchObject({
      family,
      dimension,
      towers: { text: { precision }, vision: { precision } },
    })
  })

  test('embeds texts as transformers.js does', async () => {
    const ours = await loadTextModel(folder, 1)
    const options = useReference()
    const Model = isSiglip ? SiglipTextModel : CLIPTextModelWithProjection
    const [reference, tokenizer] = await Promise.all([
      Model.from_pretrained(name, options),
      AutoTokenizer.from_pretrained(name),
    ])
    const actual: Float32Array[] = []
    for (const text of TEXTS) {
      // One by one: in 8 bits every batch has a scale of its own.
      const outputs = await reference(tokenizer([text], { ...padding, truncation: true } as never))
      const [vector = new Float32Array()] = await ours.embed([ours.tokenize(text)])
      expect(vector.length).toBe(dimension)
      expect(likeness(vector, (outputs.text_embeds ?? outputs.pooler_output).data)).toBeGreaterThan(0.999)
      actual.push(vector)
    }
    // The texts differ, so that the comparison says something.
    expect(cosine(actual[0] as Float32Array, actual[2] as Float32Array)).toBeLessThan(0.95)

    const long = ours.tokenize(LONG)
    expect(long.isTruncated).toBe(true)
    expect(long.ids.length).toBe(isSiglip ? 64 : 77)
    // The library's own truncation would lose the token that ends every text.
    expect(long.ids.at(-1)).toBe(ours.tokenize('red').ids.at(-1))
    expect(ours.tokenize('Red SHOES')).toEqual(ours.tokenize('red shoes'))
    expect(await ours.look('zzxqj shoes')).toMatchObject({ unknownShare: 0 })
  })

  test('embeds pictures as transformers.js does', async () => {
    const treatment = readTreatment(folder)
    const decode = createPictureDecoder(treatment)
    const embed = await loadVisionModel(folder, treatment.input, 1)
    const options = useReference()
    const Model = isSiglip ? SiglipVisionModel : CLIPVisionModelWithProjection
    const [reference, processor] = await Promise.all([
      Model.from_pretrained(name, options),
      AutoProcessor.from_pretrained(name),
    ])
    // Of the model's size, so that the filters do not differ; with a side that the centre crop cuts where there is one.
    const isCropped = !isSiglip
    const { png, image } = await drawPicture(64, isCropped ? 90 : 64)
    const outputs = await reference(await processor(image))
    const [vector] = await embed([await decode(png)])
    expect(
      likeness(vector as Float32Array, (outputs.image_embeds ?? outputs.pooler_output).data),
    ).toBeGreaterThan(0.999)
    const other = await drawPicture(80, 64)
    const [different] = await embed([await decode(other.png)])
    expect(cosine(vector as Float32Array, different as Float32Array)).toBeLessThan(0.9999)
  })
})

describe('a folder that only loading shows to be unusable', () => {
  const folder = join(parent, 'spoiled')
  const vision = join(folder, 'onnx/vision_model.onnx')
  const tryVision = async () => {
    const { input } = readTreatment(folder)
    const embed = await loadVisionModel(folder, input, 1)
    const tensor = new Float32Array(3 * input.width * input.height)
    await tryOnce('onnx/vision_model.onnx', () => embed([{ tensor }]))
  }
  beforeEach(() => makeRandomFolder({ model: 'clip-b32', folder, precisions: ['fp32'], isSmall: true }))

  test('has weights that are no numbers', () => {
    const bytes = readFileSync(vision)
    bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 8000)
    writeFileSync(vision, bytes)
    expect(tryVision()).rejects.toThrow(/weights are damaged: copy its files again/)
  })

  test('makes pictures of another size than the weights take', () => {
    const path = join(folder, 'preprocessor_config.json')
    const file = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...file, size: 128, crop_size: 128 }))
    expect(tryVision()).rejects.toThrow(/does not fit the other files of the folder/)
  })

  test('needs an operator that the runtime does not know', () => {
    const pixels = { name: 'pixel_values', type: 1, shape: ['batch', 3, 64, 64] } as const
    const [inputs, outputs] = [[pixels], [{ name: 'image_embeds', type: 1, shape: ['batch', 256] } as const]]
    writeParts(
      vision,
      model({ nodes: [node('Odd', ['pixel_values'], ['image_embeds'])], tensors: [], inputs, outputs }),
    )
    expect(tryVision()).rejects.toThrow(/needs the operator Odd, which the runtime does not know/)
  })

  test('has a tokenizer of another model', () => {
    const other = join(parent, 'other')
    makeRandomFolder({ model: 'siglip2-b16', folder: other, precisions: [], isSmall: true })
    for (const name of ['tokenizer.json', 'tokenizer_config.json'])
      copyFileSync(join(other, name), join(folder, name))
    expect(loadTextModel(folder, 1)).rejects.toThrow(
      /has 3000 tokens and .* knows 2000: they belong to different/,
    )
  })
})
