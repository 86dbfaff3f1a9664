import sharp, { type Sharp, type SharpOptions } from 'sharp'
import { LIMITS } from '../../../core/limits.ts'
import { type PictureType, pictureType } from '../../../core/picture-type.ts'
import type { Box, PictureExtras, SeenFacts } from '../embedder.ts'
import { SMALL_PIXELS } from '../picture-size.ts'
import { findBackground, findObject, findRegions, sampleGrid } from './background.ts'
import { drawPreview, drawThumbnail } from './copies.ts'
import { applyCrop, type Rectangle, toBox, toStored, toStoredSize, turnUpright } from './crop.ts'
import { type PictureHeader, readJpegHeader } from './jpeg-header.ts'
import { palette } from './palette.ts'
import { type Pixels, perceptualHash } from './picture-facts.ts'
import { RefusedPicture } from './refusal.ts'
import type { Size, Treatment } from './treatment.ts'
import { trim } from './trim.ts'

/** A picture in the form that the model takes. */
export interface DecodedPicture {
  /** 3 planes (red, green, blue) of `treatment.input` pixels each. */
  tensor: Float32Array
  /** The same of its object, whose vector is to be added. */
  objectTensor?: Float32Array
  facts: SeenFacts
  /** WebP; only if it was asked for. */
  thumbnail?: Uint8Array
  /** Only if it was asked for. A small picture's is still being drawn; the promise never rejects. */
  preview?: Promise<Uint8Array | undefined>
  /** The part that tensor and facts are of, if one was asked for. */
  crop?: Box
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
function estimateWork({ header, contentType }: Source, cut: Rectangle | undefined, input: Size): number {
  const { width, height, isProgressive } = header
  const isReduced = contentType === 'image/jpeg' && (!cut || isResizedFirst(cut, input))
  return Math.ceil((width * height) / (isReduced && !isProgressive ? BASELINE_GAIN : 1))
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

interface DecodeOptions extends PictureExtras {
  pixelsMax?: number
  /** The picture is for the index, so that a model may add the object's vector. */
  isIndexed?: boolean
}

/** A file and what is known of it. */
interface Source {
  bytes: Uint8Array
  contentType: PictureType
  header: PictureHeader
}

/**
 * Creates a function that decodes pictures into tensors. Calls may overlap; the work runs in the thread pool.
 *
 * A picture is decoded once, at the size of the model: tensor, hash, palette and object come from the same pixels.
 * `background.ts` finds a plain background and what stands on it. A crop is cut out of the stored picture and turned
 * afterwards, because a decoder holds a whole picture in memory to turn it. `trim.ts` runs before any decoder, because
 * a small file may cost far more than its bytes.
 *
 * Two flags in a model's `preprocessor_config.json` are this project's own, and the fingerprint of the model covers
 * them: `shrink_on_load` lets the decoder reduce while it reads, and `object_mean` makes an indexed vector the mean of
 * the picture's and its object's.
 */
export function createPictureDecoder(treatment: Treatment) {
  const { input } = treatment

  /** @throws RefusedPicture; LargePicture for more work than `pixelsMax` pixels. */
  return async (file: Uint8Array, options: DecodeOptions = {}): Promise<DecodedPicture> => {
    const { pixelsMax = Number.POSITIVE_INFINITY, crop, thumbnail, isIndexed } = options
    const source = await openPicture(file)
    const { header, contentType } = source
    const cut = crop && applyCrop(crop, header)
    const work = estimateWork(source, cut, input)
    if (work > pixelsMax) throw new LargePicture(work)
    const preview = options.preview ? startPreview(source, work) : undefined
    const pixels = await readPixels(source, treatment, cut)
    const grid = sampleGrid(pixels)
    const background = findBackground(grid)
    const isWholeWanted = cut !== undefined && options.regions === true
    const whole = isWholeWanted ? sampleGrid(await readPixels(source, treatment)) : grid
    const wholeBackground = isWholeWanted ? findBackground(whole) : background
    const object = cut && !isWholeWanted ? null : findObject(whole, wholeBackground)
    const isMean = isIndexed && treatment.addsObject && !options.isOnlySeen
    const added = isMean && !cut ? selectObject(object, header) : undefined
    const { width, height } = header
    const drawn = thumbnail && (await drawThumbnail(pixels, cut ?? header, thumbnail))
    return {
      tensor: toTensor(pixels, treatment),
      ...(added && { objectTensor: toTensor(await readPixels(source, treatment, added), treatment) }),
      facts: {
        ...{
          width,
          height,
          contentType,
          phash: perceptualHash(pixels),
          palette: palette(grid, background),
          object,
        },
        ...(options.regions && { regions: findRegions(whole, wholeBackground) }),
      },
      ...(drawn && { thumbnail: drawn }),
      ...(preview && { preview: preview() }),
      ...(cut && { crop: toBox(cut, header) }),
    }
  }
}

/** @throws RefusedPicture if it is not a picture, or exceeds the limits in size. */
async function openPicture(file: Uint8Array): Promise<Source> {
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
  refuseSize(header.width, header.height)
  return { bytes, contentType, header }
}

/**
 * Draws the preview of a small picture beside everything else. A large one takes memory twice, so it waits for the
 * first decoding; so does a damaged one, whose fault the decoding reports.
 */
function startPreview({ bytes, header }: Source, work: number): () => Promise<Uint8Array | undefined> {
  const draw = () =>
    drawPreview(bytes, header, () => pipeline(bytes, header).autoOrient()).catch(() => undefined)
  if (work > SMALL_PIXELS) return draw
  const drawing = draw()
  return () => drawing
}

/**
 * A larger object, as a share of the picture, gains nothing by a second inference: the model sees it well enough, and the mean even
 * costs a little. Measured with lookalike-clip-v1 and `scripts/bench/weights.ts` (nDCG@10, kind by words without names and same product):
 * objects on a ninth of the picture 58.1 to 81.8 and 81.5 to 93.7; the full-size drawings 90.2 and 96.3 without, 90.3 and 95.8
 * with this limit, 88.9 and 95.3 with 0.4, 87.0 and 96.3 with 0.6.
 */
const ADDED_OBJECT_MAX = 0.25

function selectObject(object: Box | null, picture: Size): Rectangle | undefined {
  if (!object || object.width * object.height > ADDED_OBJECT_MAX) return undefined
  const cut = { ...object, unit: 'relative' as const }
  const least = Math.min(object.width * picture.width, object.height * picture.height)
  // A pixel more than the least, because the corners are rounded.
  return least > LIMITS.pictureSideMin ? applyCrop(cut, picture) : undefined
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
    const metadata = await sharp(bytes, options).metadata()
    const { autoOrient, isProgressive = false, hasAlpha = false, orientation = 1 } = metadata
    return { ...autoOrient, isProgressive, hasAlpha, orientation }
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

/** Decodes the picture, or a part of the upright one, at the size that the model wants. @throws RefusedPicture */
async function readPixels(source: Source, treatment: Treatment, cut?: Rectangle): Promise<Pixels> {
  const { bytes, header } = source
  try {
    const picture = cut ? cutOut(source, treatment, cut) : resizeWhole(source, treatment)
    const { data, info } = await picture
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    if (info.channels !== 3) throw new Error(`The decoder gave ${info.channels} channels`)
    const pixels = { width: info.width, height: info.height, data }
    return cut ? turnUpright(pixels, header.orientation) : pixels
  } catch (error) {
    // The libraries read more of a header than we do, and may find the damage there.
    await readHeader(bytes)
    throw unreadable(isCutOff(error) ? 'the file ends too early' : 'the pixels are damaged')
  }
}

function resizeWhole({ bytes, header }: Source, treatment: Treatment): Sharp {
  const { kernel, shrinksOnLoad: fastShrinkOnLoad } = treatment
  const size = treatment.resized(header.width, header.height)
  return pipeline(bytes, header)
    .autoOrient()
    .resize({ ...size, fit: 'fill', kernel, fastShrinkOnLoad })
}

/**
 * Cuts a part out of the stored picture; the caller turns it. A large part of a JPEG is cut out of a picture that was
 * shrunk while it was read: at 12 megapixels that takes 40 ms instead of 100.
 */
function cutOut({ bytes, header, contentType }: Source, treatment: Treatment, cut: Rectangle): Sharp {
  const { orientation } = header
  const { kernel, shrinksOnLoad: fastShrinkOnLoad } = treatment
  const size = toStoredSize(treatment.resized(cut.width, cut.height), orientation)
  const part = toStored(cut, header, orientation)
  const picture = pipeline(bytes, header)
  if (contentType !== 'image/jpeg' || !isResizedFirst(cut, treatment.input)) {
    return picture.extract(part).resize({ ...size, fit: 'fill', kernel })
  }
  const stored = toStoredSize(header, orientation)
  const whole = {
    width: Math.max(size.width, Math.round((stored.width * size.width) / part.width)),
    height: Math.max(size.height, Math.round((stored.height * size.height) / part.height)),
  }
  const left = Math.round((part.left * whole.width) / stored.width)
  const top = Math.round((part.top * whole.height) / stored.height)
  return picture.resize({ ...whole, fit: 'fill', kernel, fastShrinkOnLoad }).extract({
    ...size,
    left: Math.min(left, whole.width - size.width),
    top: Math.min(top, whole.height - size.height),
  })
}

/** Whether a part has so many pixels that a JPEG can be shrunk while it is read: from four times the model's on. */
const isResizedFirst = (cut: Rectangle, input: Size): boolean =>
  Math.min(cut.width, cut.height) >= SHRUNK_FROM * Math.max(input.width, input.height)

const SHRUNK_FROM = 4

/** Puts the stored picture on white. sharp converts CMYK, 16 bits and embedded profiles to sRGB. */
function pipeline(bytes: Uint8Array, { hasAlpha }: PictureHeader): Sharp {
  const image = sharp(bytes, SAFE)
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
