import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { LIMITS } from '../../../core/limits.ts'
import { pictureType } from '../../../core/picture-type.ts'
import type { PictureFacts } from '../embedder.ts'
import { type Pixels, palette, perceptualHash } from './picture-facts.ts'
import { RefusedPicture } from './refusal.ts'
import type { Treatment } from './treatment.ts'
import { trim } from './trim.ts'

/** A picture as the model takes it. */
export interface DecodedPicture {
  /** 3 planes (red, green, blue) of `treatment.input` pixels each. */
  tensor: Float32Array
  facts: PictureFacts
}

/** A picture that is more work than is to be done now. */
export class LargePicture extends Error {
  /** As if all of them had to be decoded, see {@link workOf}. */
  readonly pixels: number

  constructor(pixels: number) {
    super(`The picture is as much work as ${pixels} pixels`)
    this.name = 'LargePicture'
    this.pixels = pixels
  }
}

/** An ordinary JPEG is decoded small, line by line: a photograph of 12 megapixels is no more work than a PNG of 3. */
const BASELINE_GAIN = 4

function workOf({ format, isProgressive, autoOrient }: Metadata): number {
  const gain = format === 'jpeg' && !isProgressive ? BASELINE_GAIN : 1
  return Math.ceil((autoOrient.width * autoOrient.height) / gain)
}

/**
 * Hardens the decoder of this process: only the five formats of the contract have loaders, one libvips thread per
 * picture (pictures run beside each other instead), and no cache of pixels nobody will ask for again.
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

/** Turns encoded pictures into tensors. Calls may overlap; the work runs on threads of the pool. */
export function pictureDecoder(treatment: Treatment) {
  /** @throws RefusedPicture, or LargePicture for one that is more work than `pixelsMax` pixels. */
  return async (
    file: Uint8Array,
    { pixelsMax = Number.POSITIVE_INFINITY }: { pixelsMax?: number } = {},
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
    const metadata = await readHeader(bytes)
    const { width, height } = metadata.autoOrient
    refuseSize(width, height)
    const work = workOf(metadata)
    if (work > pixelsMax) throw new LargePicture(work)
    const pixels = await resizedPixels(bytes, treatment, metadata)
    return {
      tensor: tensorOf(pixels, treatment),
      facts: { width, height, contentType, phash: perceptualHash(pixels), palette: palette(pixels) },
    }
  }
}

/**
 * First frame only. `error` refuses what is cut off or wrong, and lets pass what every browser shows with a shrug,
 * such as a few stray bytes before a JPEG marker.
 */
const SAFE: SharpOptions = {
  limitInputPixels: LIMITS.picturePixelsMax,
  failOn: 'error',
  pages: 1,
  sequentialRead: true,
}

async function readHeader(bytes: Uint8Array): Promise<Metadata> {
  try {
    // Reads no pixels, so the limit can wait until the size is known and can be told.
    return await sharp(bytes, { ...SAFE, limitInputPixels: false }).metadata()
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

async function resizedPixels(bytes: Uint8Array, treatment: Treatment, metadata: Metadata): Promise<Pixels> {
  const { width, height } = treatment.resized(metadata.autoOrient.width, metadata.autoOrient.height)
  try {
    const { data, info } = await pipeline(bytes, metadata)
      .resize({ width, height, fit: 'fill', kernel: treatment.kernel, fastShrinkOnLoad: false })
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

/** Upright, on white. sharp itself turns CMYK, 16 bits and embedded profiles into sRGB. */
function pipeline(bytes: Uint8Array, metadata: Metadata): Sharp {
  const image = sharp(bytes, SAFE).autoOrient()
  return metadata.hasAlpha ? image.flatten({ background: '#ffffff' }) : image
}

/** In our own words: those of libvips change with its version and name its insides. */
const unreadable = (cause: string): RefusedPicture =>
  new RefusedPicture('image_unreadable', 'The picture is damaged or cut off and cannot be decoded', { cause })

/** How the decoders of JPEG, AVIF and GIF say that bytes are missing; those of PNG and WebP do not tell. */
const isCutOff = (error: unknown): boolean =>
  /premature end|unexpected end/i.test(error instanceof Error ? error.message : '')

/** The middle of the picture as planes of numbers; what a small picture leaves free is black, as in transformers. */
function tensorOf(pixels: Pixels, { input, values }: Treatment): Float32Array {
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
