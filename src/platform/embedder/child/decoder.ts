import sharp, { type Sharp, type SharpOptions } from 'sharp'
import { LIMITS } from '../../../core/limits.ts'
import { type PictureType, pictureType } from '../../../core/picture-type.ts'
import type { PictureFacts } from '../embedder.ts'
import { type PictureHeader, readJpegHeader } from './jpeg-header.ts'
import { type Pixels, palette, perceptualHash } from './picture-facts.ts'
import { RefusedPicture } from './refusal.ts'
import type { Treatment } from './treatment.ts'
import { trim } from './trim.ts'

/** A picture in the form that the model takes. */
export interface DecodedPicture {
  /** 3 planes (red, green, blue) of `treatment.input` pixels each. */
  tensor: Float32Array
  facts: PictureFacts
  /** WebP; only if it was asked for. */
  thumbnail?: Uint8Array
}

/** A picture that takes more work than the request allows. */
export class LargePicture extends Error {
  /** The work in pixels, see {@link estimateWork}. */
  readonly pixels: number

  constructor(pixels: number) {
    super(`The picture takes as much work as ${pixels} pixels`)
    this.name = 'LargePicture'
    this.pixels = pixels
  }
}

/** A baseline JPEG is decoded at reduced size, line by line: 12 megapixels take no more work than a PNG of 3. */
const BASELINE_GAIN = 4

/** Estimates the work of decoding, in fully decoded pixels. */
function estimateWork({ width, height, isProgressive }: PictureHeader, contentType: PictureType): number {
  const gain = contentType === 'image/jpeg' && !isProgressive ? BASELINE_GAIN : 1
  return Math.ceil((width * height) / gain)
}

/**
 * Hardens the decoder of this process: loaders for the five formats of the contract only, one libvips thread per
 * picture (pictures run in parallel instead), and no cache, since no pixels are used twice.
 */
export function hardenDecoder(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpeg',
      'VipsForeignLoadPng',
      'VipsForeignLoadWebp',
      'VipsForeignLoadHeif',
      'VipsForeignLoadNsgif',
    ],
  })
  sharp.concurrency(1)
  sharp.cache(false)
}

interface DecodeOptions {
  pixelsMax?: number
  thumbnail?: boolean | undefined
}

/** Creates a function that decodes pictures into tensors. Calls may overlap; the work runs in the thread pool. */
export function createPictureDecoder(treatment: Treatment) {
  /** @throws RefusedPicture; LargePicture for more work than `pixelsMax` pixels. */
  return async (
    file: Uint8Array,
    { pixelsMax = Number.POSITIVE_INFINITY, thumbnail = false }: DecodeOptions = {},
  ): Promise<DecodedPicture> => {
    const contentType = pictureType(file)
    if (!contentType) {
      throw new RefusedPicture(
        'image_unsupported_format',
        'The file is not a JPEG, PNG, WebP, AVIF or GIF picture',
        { allowed: ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'] },
      )
    }
    const bytes = trim(file, contentType)
    const known = contentType === 'image/jpeg' ? readJpegHeader(bytes) : undefined
    const header = known ?? (await readHeader(bytes))
    const { width, height } = header
    refuseSize(width, height)
    const work = estimateWork(header, contentType)
    if (work > pixelsMax) throw new LargePicture(work)
    const pixels = await resizedPixels(bytes, treatment, header).catch(async (error) => {
      // The libraries read more of a header than we do, and may find the damage there.
      if (known) await readHeader(bytes)
      throw error
    })
    return {
      tensor: toTensor(pixels, treatment),
      facts: { width, height, contentType, phash: perceptualHash(pixels), palette: palette(pixels) },
      ...(thumbnail && { thumbnail: await drawThumbnail(pixels, header) }),
    }
  }
}

/**
 * Reads the first frame only. `error` refuses truncated and invalid files, and accepts flaws that every browser
 * accepts, such as a few stray bytes before a JPEG marker.
 */
const SAFE: SharpOptions = {
  limitInputPixels: LIMITS.picturePixelsMax,
  failOn: 'error',
  pages: 1,
  sequentialRead: true,
}

async function readHeader(bytes: Uint8Array): Promise<PictureHeader> {
  try {
    // This reads no pixels, so the size limit is checked later, when the error can name the size.
    const options = { ...SAFE, limitInputPixels: false as const }
    const { autoOrient, isProgressive = false, hasAlpha = false } = await sharp(bytes, options).metadata()
    return { ...autoOrient, isProgressive, hasAlpha }
  } catch (error) {
    throw unreadable(isCutOff(error) ? 'the file ends too early' : 'the header is damaged')
  }
}

function refuseSize(width: number, height: number): void {
  if (width * height > LIMITS.picturePixelsMax) {
    throw new RefusedPicture(
      'image_too_large',
      `The picture has ${width} x ${height} pixels; at most ${LIMITS.picturePixelsMax} are decoded`,
      { width, height, max_pixels: LIMITS.picturePixelsMax },
    )
  }
  if (Math.min(width, height) < LIMITS.pictureSideMin) {
    throw new RefusedPicture(
      'image_too_small',
      `The picture has ${width} x ${height} pixels; its shorter side needs at least ${LIMITS.pictureSideMin}`,
      { width, height, min_side: LIMITS.pictureSideMin },
    )
  }
}

async function resizedPixels(
  bytes: Uint8Array,
  treatment: Treatment,
  header: PictureHeader,
): Promise<Pixels> {
  const { width, height } = treatment.resized(header.width, header.height)
  try {
    const { data, info } = await pipeline(bytes, header)
      .resize({
        width,
        height,
        fit: 'fill',
        kernel: treatment.kernel,
        fastShrinkOnLoad: treatment.shrinksOnLoad,
      })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    if (info.channels !== 3) throw new Error(`The decoder gave ${info.channels} channels`)
    return { width: info.width, height: info.height, data }
  } catch (error) {
    throw unreadable(isCutOff(error) ? 'the file ends too early' : 'the pixels are damaged')
  }
}

/** Makes the pixels that the model gets small, in the proportions of the picture. */
function drawThumbnail(pixels: Pixels, { width, height }: PictureHeader): Promise<Uint8Array> {
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return sharp(pixels.data, { raw: { width: pixels.width, height: pixels.height, channels: 3 } })
    .resize({ width: side(width), height: side(height), fit: 'fill' })
    .webp({ quality: 75 })
    .toBuffer()
}

const THUMBNAIL_SIDE = 128

/** Rotates the picture upright and puts it on white. sharp converts CMYK, 16 bits and embedded profiles to sRGB. */
function pipeline(bytes: Uint8Array, { hasAlpha }: PictureHeader): Sharp {
  const image = sharp(bytes, SAFE).autoOrient()
  return hasAlpha ? image.flatten({ background: '#ffffff' }) : image
}

/** Replaces the messages of libvips, which vary by version and name internals. */
const unreadable = (cause: string): RefusedPicture =>
  new RefusedPicture('image_unreadable', 'The picture is damaged or cut off and cannot be decoded', { cause })

/** The decoders of JPEG, AVIF and GIF report missing bytes like this; those of PNG and WebP do not report them. */
const isCutOff = (error: unknown): boolean =>
  /premature end|unexpected end/i.test(error instanceof Error ? error.message : '')

/** Converts the centre of the picture to planes of numbers. Padding of a small picture is black, as in transformers. */
function toTensor(pixels: Pixels, { input, values }: Treatment): Float32Array {
  const [reds, greens, blues] = values
  const plane = input.width * input.height
  const tensor = new Float32Array(3 * plane)
  const left = Math.floor((pixels.width - input.width) / 2)
  const top = Math.floor((pixels.height - input.height) / 2)
  for (let y = 0, to = 0; y < input.height; y++) {
    const row = y + top
    const isRowInside = row >= 0 && row < pixels.height
    for (let x = 0; x < input.width; x++, to++) {
      const column = x + left
      const isInside = isRowInside && column >= 0 && column < pixels.width
      const from = (row * pixels.width + column) * 3
      tensor[to] = reds[isInside ? (pixels.data[from] ?? 0) : 0] ?? 0
      tensor[plane + to] = greens[isInside ? (pixels.data[from + 1] ?? 0) : 0] ?? 0
      tensor[2 * plane + to] = blues[isInside ? (pixels.data[from + 2] ?? 0) : 0] ?? 0
    }
  }
  return tensor
}
