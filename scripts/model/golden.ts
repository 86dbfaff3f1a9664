/**
 * Writes the `golden.json` of a model folder: small drawings and texts with their expected vectors.
 *
 *     bun scripts/model/golden.ts [model folder]
 *
 * The vectors come from a reference path that shares no code with ours: the plain picture (upright, on white, 8-bit
 * sRGB) goes through the AutoProcessor, tokenizer and model of transformers.js. The script draws the pictures, which
 * cover every format and trait that the decoder must treat. Run it again only for another model, because another kind of
 * CPU changes the vectors slightly (see `GOLDEN_COSINE_MIN`).
 */
import './silent.ts'
import { basename, dirname, join, resolve } from 'node:path'
import {
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  RawImage,
} from '@huggingface/transformers'
import sharp from 'sharp'
import { drawGoldenPictures, GOLDEN_TEXTS } from '../../src/commands/model-proof/golden-pictures.ts'
import type { GoldenFile } from '../../src/platform/embedder/model-files.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'

const modelDir = resolve(process.argv[2] ?? bundledModelDir())
env.allowRemoteModels = false
env.localModelPath = `${dirname(modelDir)}/`
const name = basename(modelDir)

const processor = await AutoProcessor.from_pretrained(name)
/** Processors without VNNI overflow otherwise, and would write wrong vectors. */
const options = { dtype: 'q8', session_options: { extra: { session: { x64quantprecision: '1' } } } } as const
const visionModel = await CLIPVisionModelWithProjection.from_pretrained(name, options)
const textModel = await CLIPTextModelWithProjection.from_pretrained(name, options)
const tokenizer = await AutoTokenizer.from_pretrained(name)

const golden: GoldenFile = { pictures: [], texts: [] }
for (const picture of await drawGoldenPictures()) {
  const vector = encode(await embedPicture(picture.bytes))
  golden.pictures.push({ name: picture.name, file: Buffer.from(picture.bytes).toString('base64'), vector })
}
for (const text of GOLDEN_TEXTS) {
  const { text_embeds } = await textModel(tokenizer(text))
  golden.texts.push({ text, vector: encode(text_embeds.data) })
}
const json = `${JSON.stringify(golden, null, 1)}\n`
await Bun.write(join(modelDir, 'golden.json'), json)
console.log(`${golden.pictures.length} pictures, ${golden.texts.length} texts, ${json.length} bytes`)

async function embedPicture(bytes: Uint8Array): Promise<Float32Array> {
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const image = new RawImage(new Uint8ClampedArray(data), info.width, info.height, 3)
  const { image_embeds } = await visionModel(await processor(image))
  return image_embeds.data
}

function encode(vector: Float32Array): string {
  const length = Math.hypot(...vector)
  return Buffer.from(vector.map((value) => value / length).buffer).toString('base64')
}
