import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import type { Pixels } from '../../../src/platform/embedder/child/picture-facts.ts'

/** A picture of soft, many-coloured noise; `seed` makes it another one. */
export function noisePicture(width: number, height: number, seed = 1): Sharp {
  let state = seed
  const next = () => {
    // Numerical Recipes' generator: the same picture everywhere.
    state = (state * 1664525 + 1013904223) >>> 0
    return state >>> 24
  }
  const grid = new Uint8Array(24 * 24 * 3).map(next)
  return sharp(grid, { raw: { width: 24, height: 24, channels: 3 } }).resize(width, height, { fit: 'fill' })
}

export const encoded = async (picture: Sharp): Promise<Uint8Array> => new Uint8Array(await picture.toBuffer())

export const encodeJpeg = (width: number, height: number, seed = 1): Promise<Uint8Array> =>
  encoded(noisePicture(width, height, seed).jpeg({ quality: 90 }))

/** The pixels of a picture as most models get them. */
export async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const small = picture.resize(224, 224, { fit: 'fill' }).removeAlpha().toColourspace('srgb')
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

/** A drawing of SVG elements on a ground. */
export const drawing = (shapes: string, { width = 200, height = 200, ground = '#ffffff' } = {}): Sharp =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`,
    ),
  ).flatten({ background: ground })

/** A black one-bit PNG of any size, in a few kilobytes: the classic decompression bomb. */
export function blackPng(width: number, height: number): Uint8Array {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint8(8, 1)
  const rows = new Uint8Array(Math.ceil(width / 8 + 1) * height)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

export const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0)

/** In how many bits two perceptual hashes differ. */
export const bitsApart = (a: string, b: string): number =>
  (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length
