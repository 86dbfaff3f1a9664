import type { PictureType } from '../../../core/picture-type.ts'
import { RefusedPicture } from './refusal.ts'

/**
 * Removes the parts of a picture file that cost a decoder time without showing anything: metadata, which may be
 * compressed a thousandfold, profiles of many megabytes, and every frame of an animation after the first.
 *
 * It reads only lengths and names, each byte at most once. Damaged parts stay for the decoder to judge.
 *
 * @returns the same bytes when there is nothing to remove; the pixels never change.
 * @throws RefusedPicture `image_unreadable` for a JPEG with too many scans.
 */
export function trim(bytes: Uint8Array, type: PictureType): Uint8Array {
  if (type === 'image/png') return trimPng(bytes)
  if (type === 'image/jpeg') return trimJpeg(bytes)
  if (type === 'image/webp') return trimWebp(bytes)
  // GIF and AVIF cost no more than their bytes: 600,000 frames take 0.07 s, and libheif limits items and boxes itself.
  return bytes
}

/** Print profiles with tables for many inks take two or three megabytes. */
const PROFILE_BYTES_MAX = 4 * 1024 * 1024
/** Most EXIF data that a JPEG can hold. */
const EXIF_BYTES_MAX = 64 * 1024

/** Ranges to remove from a file, in order; adjacent ranges are merged. */
class Cuts {
  /** Alternating starts and ends. */
  readonly edges: number[] = []

  add(start: number, end: number): void {
    if (this.edges.at(-1) === start) this.edges[this.edges.length - 1] = end
    else this.edges.push(start, end)
  }

  /** Copies the file without the ranges; returns the same bytes when there are none. */
  from(bytes: Uint8Array): Uint8Array {
    const { edges } = this
    if (edges.length === 0) return bytes
    const kept: Uint8Array[] = []
    for (let n = 0, at = 0; n <= edges.length; n += 2) {
      kept.push(bytes.subarray(at, edges[n] ?? bytes.length))
      at = edges[n + 1] ?? bytes.length
    }
    return new Uint8Array(Buffer.concat(kept))
  }
}

const createView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A chunk's name as a 32-bit number, which is fast to compare in files with a million chunks. */
const tag = (name: string): number => Buffer.from(name, 'latin1').readUInt32BE()

const PNG_PROFILE = tag('iCCP')
const PNG_EXIF = tag('eXIf')
/** Ancillary chunks that affect how the picture looks or cost nothing. */
const PNG_KEPT = new Set(
  ['gAMA', 'cHRM', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'bKGD', 'pHYs', 'tRNS'].map(tag),
)
const PNG_KEPT_BYTES_MAX = 1024
const PNG_KEPT_MAX = 64
/** Bit in the first letter of a chunk that a decoder may skip. */
const PNG_ANCILLARY = 0x20000000

function trimPng(bytes: Uint8Array): Uint8Array {
  const view = createView(bytes)
  const cuts = new Cuts()
  const seen = { profile: false, exif: false }
  let kept = 0
  const isKept = (name: number, length: number): boolean => {
    if (name === PNG_PROFILE && !seen.profile) {
      seen.profile = true
      return length <= PROFILE_BYTES_MAX
    }
    if (name === PNG_EXIF && !seen.exif) {
      seen.exif = true
      return length <= EXIF_BYTES_MAX
    }
    return PNG_KEPT.has(name) && length <= PNG_KEPT_BYTES_MAX && kept++ < PNG_KEPT_MAX
  }
  for (let start = 8; start + 12 <= bytes.length; ) {
    const length = view.getUint32(start)
    const end = start + 12 + length
    if (end > bytes.length) break
    const name = view.getUint32(start + 4)
    if ((name & PNG_ANCILLARY) !== 0 && !isKept(name, length)) cuts.add(start, end)
    start = end
  }
  return cuts.from(bytes)
}

export const JPEG = {
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
  scan: 0xda,
  end: 0xd9,
}
/** JFIF and Adobe headers, which describe the colours; a file usually has one of each. */
const JPEG_HEADERS_MAX = 16
/** A progressive picture has about ten. Each scan costs a pass over all pixels and takes only 30 bytes. */
const JPEG_SCANS_MAX = 100
const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1')
const PROFILE_NAME = Buffer.from('ICC_PROFILE\0', 'latin1')
/** The number of a part has one byte. */
const PROFILE_PARTS_MAX = 255

function trimJpeg(bytes: Uint8Array): Uint8Array {
  const cuts = new Cuts()
  const whole = new Cuts()
  const profile = { parts: 0, bytes: 0 }
  let headers = 0
  let scans = 0
  let hasExif = false
  const has = (name: Uint8Array, at: number) => {
    for (let n = 0; n < name.length; n++) if (bytes[at + n] !== name[n]) return false
    return true
  }
  const cut = (start: number, end: number) => {
    cuts.add(start, end)
    whole.add(start, end)
  }
  visitSegments(bytes, (marker, start, end) => {
    if (marker === JPEG.scan && ++scans > JPEG_SCANS_MAX) throw tooManyScans()
    // After the first scan metadata costs no more than its bytes, and in a damaged file it may be part of the picture.
    if (scans > 0 || ((marker < JPEG.app0 || marker > JPEG.app15) && marker !== JPEG.comment)) return
    const isHeader = marker === JPEG.app0 || marker === JPEG.app14
    if (isHeader && headers++ < JPEG_HEADERS_MAX) return
    if (marker === JPEG.app1 && !hasExif && has(EXIF_NAME, start + 4)) {
      hasExif = true
    } else if (marker === JPEG.app2 && has(PROFILE_NAME, start + 4)) {
      profile.parts++
      profile.bytes += end - start
      whole.add(start, end)
    } else {
      cut(start, end)
    }
  })
  const isProfileSound = profile.bytes <= PROFILE_BYTES_MAX && profile.parts <= PROFILE_PARTS_MAX
  return (isProfileSound ? cuts : whole).from(bytes)
}

/**
 * Visits the segments of a JPEG, including those between scans, until `visit` returns false. Like libjpeg, it skips bytes
 * that are not markers.
 */
export function visitSegments(
  bytes: Uint8Array,
  visit: (marker: number, start: number, end: number) => unknown,
): void {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) {
      at++
      continue
    }
    const marker = bytes[at + 1] ?? 0
    if (marker === JPEG.end) return
    const hasLength = marker !== 0xff && marker > 0x01 && !(marker >= 0xd0 && marker <= 0xd8)
    if (!hasLength) {
      at += marker === 0xff ? 1 : 2
      continue
    }
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) return
    if (visit(marker, at, end) === false) return
    at = end
  }
}

const tooManyScans = (): RefusedPicture =>
  new RefusedPicture('image_unreadable', 'The picture has too many scans', {
    cause: `the file has more than ${JPEG_SCANS_MAX} scans`,
  })

const VP8X = tag('VP8X')
const ANMF = tag('ANMF')
/** First chunk of a frame; decoders skip a frame without one. */
const WEBP_PICTURES = new Set(['ALPH', 'VP8 ', 'VP8L'].map(tag))
/** Chunks that are kept once, with their largest size in bytes. */
const WEBP_KEPT = new Map([
  [VP8X, 10],
  [tag('ANIM'), 64],
  [tag('ICCP'), PROFILE_BYTES_MAX],
  [tag('EXIF'), EXIF_BYTES_MAX],
  ...[ANMF, ...WEBP_PICTURES].map((name) => [name, Number.POSITIVE_INFINITY] as const),
])
/** Flags of the VP8X header for the additional chunks of the file. */
const WEBP_FLAGS = { profile: 0x20, exif: 0x08, xmp: 0x04 }
const WEBP_FLAGS_AT = 20

/** Only the extended format has chunks other than one picture. */
function trimWebp(bytes: Uint8Array): Uint8Array {
  const view = createView(bytes)
  if (bytes.length < 30 || view.getUint32(12) !== VP8X) return bytes
  const cuts = new Cuts()
  const kept = new Set<number>()
  // Bytes after the declared length are not part of the file.
  const limit = Math.min(bytes.length, 8 + view.getUint32(4, true))
  let start = 12
  while (start + 8 <= limit) {
    const name = view.getUint32(start)
    const length = view.getUint32(start + 4, true)
    const end = start + 8 + length + (length & 1)
    if (end > limit) break
    const isWanted = !kept.has(name) && length <= (WEBP_KEPT.get(name) ?? -1)
    const isWhole = name !== ANMF || (length >= 20 && WEBP_PICTURES.has(view.getUint32(start + 24)))
    if (isWanted && isWhole) kept.add(name)
    else cuts.add(start, end)
    start = end
  }
  // The rest of an animation that is cut off in a later frame is useless, like that frame.
  if (kept.has(ANMF) && start < bytes.length) cuts.add(start, bytes.length)
  const trimmed = cuts.from(bytes)
  if (trimmed === bytes) return bytes
  const out = createView(trimmed)
  out.setUint32(4, trimmed.length - 8, true)
  const { profile, exif, xmp } = WEBP_FLAGS
  const gone = (kept.has(tag('ICCP')) ? 0 : profile) | (kept.has(tag('EXIF')) ? 0 : exif) | xmp
  out.setUint8(WEBP_FLAGS_AT, out.getUint8(WEBP_FLAGS_AT) & ~gone)
  return trimmed
}
