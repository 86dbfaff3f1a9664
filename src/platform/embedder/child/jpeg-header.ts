import { JPEG, visitSegments } from './trim.ts'

/** The facts of a picture that the decoder needs before it decodes. */
export interface PictureHeader {
  /** Pixels after EXIF rotation. */
  width: number
  height: number
  isProgressive: boolean
  hasAlpha: boolean
  /** How the stored picture must be turned, 1 to 8 as EXIF counts. */
  orientation: number
}

/** Frames with Huffman coding: baseline, extended, progressive. Nothing else is usual. */
const FRAMES = { first: 0xc0, progressive: 0xc2 }
/** Markers of the same range that start no frame. */
const TABLES = [0xc4, 0xc8, 0xcc]
const LAST_FRAME = 0xcf
const FRAME_BYTES_MIN = 10

/**
 * Reads the header of an ordinary JPEG, which spares the decoder a first read of the file: while the model runs, that read
 * would wait for the thread that the model holds.
 *
 * @returns undefined for every other one, also a damaged one: with EXIF, which may turn it, with another coding or
 *   precision, with more than one frame, or without a scan.
 */
export function readJpegHeader(bytes: Uint8Array): PictureHeader | undefined {
  let header: PictureHeader | undefined
  let hasScan = false
  let isOrdinary = true
  visitSegments(bytes, (marker, start, end) => {
    if (marker === JPEG.scan) hasScan = true
    else if (marker === JPEG.app1) isOrdinary = false
    else if (marker >= FRAMES.first && marker <= LAST_FRAME && !TABLES.includes(marker)) {
      const isUsual = marker <= FRAMES.progressive && bytes[start + 4] === 8 && end - start >= FRAME_BYTES_MIN
      isOrdinary &&= isUsual && header === undefined
      header = {
        height: readUint16(bytes, start + 5),
        width: readUint16(bytes, start + 7),
        isProgressive: marker === FRAMES.progressive,
        hasAlpha: false,
        orientation: 1,
      }
    }
    return isOrdinary && !hasScan
  })
  return isOrdinary && hasScan && header && header.width > 0 && header.height > 0 ? header : undefined
}

const readUint16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
