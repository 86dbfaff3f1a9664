import sharp, { type Sharp } from 'sharp'
import { PREVIEW_BYTES_MAX, THUMBNAIL_BYTES_MAX } from '../messages.ts'
import type { Pixels } from './picture-facts.ts'
import type { Size } from './treatment.ts'

/**
 * Makes the pixels that the model gets small, in the proportions of the picture. At 192 pixels this takes 2.6 ms of CPU and gives
 * 4.3 KB; an effort of 4 takes 4.7 ms and saves a sixth of it.
 *
 * @param longest pixels of the longer side; a smaller picture keeps its size.
 * @returns undefined where it fails, because no picture is refused for that.
 */
export async function drawThumbnail(
  pixels: Pixels,
  { width, height }: Size,
  longest: number,
): Promise<Uint8Array | undefined> {
  const scale = Math.min(1, longest / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  const raw = { width: pixels.width, height: pixels.height, channels: 3 } as const
  const drawn = await sharp(pixels.data, { raw })
    .resize({ width: side(width), height: side(height), fit: 'fill' })
    .webp({ quality: 70, effort: 1 })
    .toBuffer()
    .catch(() => undefined)
  return drawn && drawn.length <= THUMBNAIL_BYTES_MAX ? drawn : undefined
}

const PREVIEW_SIDE = 768
/** A file that is small already is its own preview, which costs nothing and loses nothing. */
const PREVIEW_FILE_BYTES_MAX = 128 * 1024

/**
 * Makes a copy of a picture that can be embedded again.
 *
 * JPEG: at 768 x 576 pixels it takes 57 KB at this quality and about 6 ms less than a WebP of the least effort, which takes half the
 * bytes. The linear filter takes half the time of Lanczos.
 *
 * @param file what `picture` decodes, without what `trim` removes.
 */
export async function drawPreview(
  file: Uint8Array,
  { width, height }: Size,
  picture: () => Sharp,
): Promise<Uint8Array> {
  const isSmall = Math.max(width, height) <= PREVIEW_SIDE
  if (isSmall && file.length <= PREVIEW_FILE_BYTES_MAX) return file
  const draw = (quality: number) =>
    picture()
      .resize({
        ...{ width: PREVIEW_SIDE, height: PREVIEW_SIDE, fit: 'inside', withoutEnlargement: true },
        kernel: 'linear',
      })
      .toColourspace('srgb')
      .jpeg({ quality })
      .toBuffer()
  const bytes = await draw(85)
  // Noise of the full size stays below; this is for a library that some day packs worse.
  return bytes.length <= PREVIEW_BYTES_MAX ? bytes : draw(30)
}
