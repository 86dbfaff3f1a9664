import type { PictureType } from '../../../core/picture-type.ts'
import { RefusedPicture } from './refusal.ts'

/**
 * A picture file without what costs a decoder time and shows nothing: remarks, which may be compressed a thousandfold,
 * profiles of many megabytes, and all frames of an animation but the first.
 *
 * Reads lengths and names only, each byte at most once. What is damaged is left as it is for the decoder to judge.
 *
 * @returns the same bytes when there is nothing to cut; the pixels are the same in any case.
 * @throws RefusedPicture `image_unreadable` for a JPEG that draws itself over and over.
 */
export function trim(bytes: Uint8Array, type: PictureType): Uint8Array {
  if (type === 'image/png') return trimPng(bytes)
  if (type === 'image/jpeg') return trimJpeg(bytes)
  if (type === 'image/webp') return trimWebp(bytes)
  // GIF and AVIF cost no more than their bytes: 600,000 frames take 0.07 s, and libheif bounds items and boxes itself.
  return bytes
}

/** Print profiles with tables for many inks have two or three megabytes. */
const PROFILE_BYTES_MAX = 4 * 1024 * 1024
/** A JPEG cannot hold more EXIF. */
const EXIF_BYTES_MAX = 64 * 1024

/** Stretches of a file to be left out, in their order; neighbours are one. */
class Cuts {
  /** Start and end in turn. */
  readonly edges: number[] = []

  add(start: number, end: number): void {
    if (this.edges.at(-1) === start) this.edges[this.edges.length - 1] = end
    else this.edges.push(start, end)
  }

  /** The file without them; the same bytes where there are none. */
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

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The name of a chunk as the number that its four letters are: files can have a million of them. */
const tag = (name: string): number => Buffer.from(name, 'latin1').readUInt32BE()

const PNG_PROFILE = tag('iCCP')
const PNG_EXIF = tag('eXIf')
/** Chunks beside the picture itself that change how it looks, or that cost nothing. */
const PNG_KEPT = new Set(
  ['gAMA', 'cHRM', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'bKGD', 'pHYs', 'tRNS'].map(tag),
)
const PNG_KEPT_BYTES_MAX = 1024
const PNG_KEPT_MAX = 64
/** Set in the first letter of a chunk that a decoder may pass over. */
const PNG_ANCILLARY = 0x20000000

function trimPng(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
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

const JPEG = {
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
  scan: 0xda,
  end: 0xd9,
}
/** Of JFIF and Adobe headers, which tell of colours, one each is usual. */
const JPEG_HEADERS_MAX = 16
/** Ten draw a progressive picture. Each costs a pass over all of its pixels, and takes 30 bytes. */
const JPEG_SCANS_MAX = 100
const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1')
const PROFILE_NAME = Buffer.from('ICC_PROFILE\0', 'latin1')
/** Each names its number in one byte. */
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
  eachSegment(bytes, (marker, start, end) => {
    if (marker === JPEG.scan && ++scans > JPEG_SCANS_MAX) throw tooManyScans()
    // Behind the first scan a remark costs no more than its bytes, and in a damaged file it may be part of the picture.
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

/** Visits the segments of a JPEG, those between its scans too, as libjpeg finds them: it skips what is no marker. */
function eachSegment(bytes: Uint8Array, visit: (marker: number, start: number, end: number) => void): void {
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
    visit(marker, at, end)
    at = end
  }
}

const tooManyScans = (): RefusedPicture =>
  new RefusedPicture('image_unreadable', 'The picture is drawn over and over', {
    cause: `the file has more than ${JPEG_SCANS_MAX} scans`,
  })

const VP8X = tag('VP8X')
const ANMF = tag('ANMF')
/** What a frame begins with; decoders pass over one that does not. */
const WEBP_PICTURES = new Set(['ALPH', 'VP8 ', 'VP8L'].map(tag))
/** What is kept once, up to so many bytes. */
const WEBP_KEPT = new Map([
  [VP8X, 10],
  [tag('ANIM'), 64],
  [tag('ICCP'), PROFILE_BYTES_MAX],
  [tag('EXIF'), EXIF_BYTES_MAX],
  ...[ANMF, ...WEBP_PICTURES].map((name) => [name, Number.POSITIVE_INFINITY] as const),
])
/** In the flags of the canvas: what the file has beside its picture. */
const WEBP_FLAGS = { profile: 0x20, exif: 0x08, xmp: 0x04 }
const WEBP_FLAGS_AT = 20

/** Only the extended form holds anything beside one picture. */
function trimWebp(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
  if (bytes.length < 30 || view.getUint32(12) !== VP8X) return bytes
  const cuts = new Cuts()
  const kept = new Set<number>()
  // What lies behind the length that the file gives itself is not part of it.
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
  // An animation that is cut off in a later frame needs the rest of it as little as the frame.
  if (kept.has(ANMF) && start < bytes.length) cuts.add(start, bytes.length)
  const trimmed = cuts.from(bytes)
  if (trimmed === bytes) return bytes
  const out = viewOf(trimmed)
  out.setUint32(4, trimmed.length - 8, true)
  const { profile, exif, xmp } = WEBP_FLAGS
  const gone = (kept.has(tag('ICCP')) ? 0 : profile) | (kept.has(tag('EXIF')) ? 0 : exif) | xmp
  out.setUint8(WEBP_FLAGS_AT, out.getUint8(WEBP_FLAGS_AT) & ~gone)
  return trimmed
}
