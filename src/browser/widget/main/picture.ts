import { isHeic, readDimensions } from './picture-header.ts'

/** Why a picture cannot be sent; each has a text of its own. */
export type PictureFault = 'unreadable' | 'heic' | 'small' | 'big'

export class PictureError extends Error {
  readonly fault: PictureFault
  constructor(fault: PictureFault) {
    super(fault)
    this.fault = fault
  }
}

/** A picture as it is sent: turned upright, on white, without anything that the camera wrote beside the pixels. */
export interface Picture {
  jpeg: Blob
  /** The same pixels, for the preview. */
  canvas: HTMLCanvasElement
}

const PIXELS_MAX = 30_000_000
/** A file of more bytes is not read at all. */
const BYTES_MAX = 60 * 1024 * 1024
const SIDE_MAX = 768
/** The service refuses pictures with a shorter side. */
export const SIDE_MIN = 32
const QUALITY = 0.85

/** Draws a picture on white, in another size. */
function drawScaled(
  picture: CanvasImageSource,
  { width, height }: { width: number; height: number },
  scale: number,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const drawing = canvas.getContext('2d')
  if (!drawing) throw new PictureError('unreadable')
  drawing.fillStyle = '#fff'
  drawing.fillRect(0, 0, canvas.width, canvas.height)
  drawing.imageSmoothingQuality = 'high'
  drawing.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas
}

/**
 * Reads a picture and shrinks it.
 *
 * @throws PictureError that says why it cannot be sent.
 */
export async function preparePicture(file: Blob): Promise<Picture> {
  if (file.size > BYTES_MAX) throw new PictureError('big')
  // The header comes first: decoding a giant can end the page.
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => new ArrayBuffer(0)))
  const heic = isHeic(bytes)
  const dimensions = readDimensions(bytes)
  if (!dimensions) throw new PictureError(heic ? 'heic' : 'unreadable')
  const { width, height } = dimensions
  if (width * height > PIXELS_MAX) throw new PictureError('big')
  const short = Math.min(width, height)
  if (short < SIDE_MIN) throw new PictureError('small')
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => {
    throw new PictureError(heic ? 'heic' : 'unreadable')
  })
  // A narrow strip may stay longer, or its short side would be too small to search with.
  const scale = Math.min(1, Math.max(SIDE_MAX / Math.max(width, height), SIDE_MIN / short))
  const canvas = drawScaled(bitmap, bitmap, scale)
  bitmap.close()
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!jpeg) throw new PictureError('unreadable')
  return { jpeg, canvas }
}

/** Loads a picture of another address for the preview; the page's policy may forbid it, and then there is none. */
export async function loadPreview(url: string): Promise<HTMLCanvasElement | undefined> {
  const image = new Image()
  image.referrerPolicy = 'no-referrer'
  image.src = url
  try {
    await image.decode()
    const { naturalWidth: width, naturalHeight: height } = image
    return drawScaled(image, { width, height }, Math.min(1, SIDE_MAX / Math.max(width, height)))
  } catch {
    return undefined
  }
}
