import sharp from 'sharp'
import type { VisionModel } from '../../platform/embedder/child/model.ts'
import type { Size, Treatment } from '../../platform/embedder/child/treatment.ts'
import type { GoldenFile } from '../../platform/embedder/model-files.ts'
import { drawGoldenPictures, GOLDEN_TEXTS } from './golden-pictures.ts'

/** The vectors that the plain path gives the golden pictures and texts. */
export interface PlainVectors {
  pictures: { name: string; bytes: Uint8Array; vector: Float32Array }[]
  texts: { text: string; vector: Float32Array }[]
}

/**
 * Embeds the golden pictures and texts on a plain path: each picture is decoded as a whole, turned upright, put on white, resized and
 * normalised number by number. It shares the model with the service, and none of what makes its decoder fast.
 */
export async function embedPlainly(
  vision: VisionModel,
  readText: (text: string) => Promise<Float32Array>,
  treatment: Treatment,
): Promise<PlainVectors> {
  const plain: PlainVectors = { pictures: [], texts: [] }
  for (const { name, bytes } of await drawGoldenPictures()) {
    const [vector] = await vision([{ tensor: await makeTensor(bytes, treatment) }])
    if (!vector) throw new Error('The model gave no vector')
    plain.pictures.push({ name, bytes, vector })
  }
  for (const text of GOLDEN_TEXTS) plain.texts.push({ text, vector: await readText(text) })
  return plain
}

async function makeTensor(bytes: Uint8Array, treatment: Treatment): Promise<Float32Array> {
  const { input, kernel, values } = treatment
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height } = treatment.resized(info.width, info.height)
  const resized = await sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel, fastShrinkOnLoad: false })
    .raw({ depth: 'uchar' })
    .toBuffer()
  return cutCentre(resized, { width, height }, input, values)
}

function cutCentre(
  data: Uint8Array,
  { width, height }: Size,
  input: Size,
  values: Treatment['values'],
): Float32Array {
  const left = Math.floor((width - input.width) / 2)
  const top = Math.floor((height - input.height) / 2)
  const plane = input.width * input.height
  const tensor = new Float32Array(3 * plane)
  for (let y = 0; y < input.height; y++)
    for (let x = 0; x < input.width; x++)
      for (let channel = 0; channel < 3; channel++) {
        const value = data[3 * ((top + y) * width + left + x) + channel] as number
        tensor[channel * plane + y * input.width + x] = (values[channel] as Float32Array)[value] as number
      }
  return tensor
}

export const toGoldenFile = ({ pictures, texts }: PlainVectors): GoldenFile => ({
  pictures: pictures.map(({ name, bytes, vector }) => ({
    ...{ name, file: Buffer.from(bytes).toString('base64'), vector: encode(vector) },
  })),
  texts: texts.map(({ text, vector }) => ({ text, vector: encode(vector) })),
})

const encode = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
