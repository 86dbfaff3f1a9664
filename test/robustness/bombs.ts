import { crc32, deflateSync, gzipSync } from 'node:zlib'
import { blackPng, encoded, encodeJpeg, noisePicture } from '../platform/embedder/pictures.ts'
import { frames } from './samples.ts'

/** The result for a file: a vector, or one refusal of the contract. */
export type Fate =
  | 'vector'
  | 'image_unreadable'
  | 'image_unsupported_format'
  | 'image_too_small'
  | 'image_too_large'

export interface Bomb {
  bytes: Uint8Array
  /** Each of these results is right. */
  fates: readonly Fate[]
}

const UNKNOWN: readonly Fate[] = ['image_unsupported_format']
const BROKEN: readonly Fate[] = ['image_unreadable']
const LARGE: readonly Fate[] = ['image_too_large']
const SMALL: readonly Fate[] = ['image_too_small']
const FINE: readonly Fate[] = ['vector']
/** Some decoders tolerate the fault, others do not. */
const EITHER: readonly Fate[] = ['vector', 'image_unreadable']

const toBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const filled = (length: number): Uint8Array => new Uint8Array(length)

/** Repeats bytes more often than the arguments of one call allow. */
function repeated(bytes: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(bytes.length * count)
  for (let n = 0; n < count; n++) all.set(bytes, n * bytes.length)
  return all
}

const PNG_MAGIC = toBytes('\x89PNG\r\n\x1a\n')

function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const body = concat(toBytes(type), data)
  const frame = new Uint8Array(body.length + 8)
  const view = new DataView(frame.buffer)
  view.setUint32(0, data.length)
  frame.set(body, 4)
  view.setUint32(body.length + 4, crc32(body))
  return frame
}

/** A PNG that ends after its header. */
function pngHeader(width: number, height: number, bitDepth = 8, colourType = 2): Uint8Array {
  const data = new Uint8Array(13)
  const view = new DataView(data.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  data.set([bitDepth, colourType], 8)
  return concat(PNG_MAGIC, pngChunk('IHDR', data))
}

/** A PNG with further chunks right after its header. */
const pngWith = (png: Uint8Array, ...chunks: Uint8Array[]): Uint8Array =>
  concat(png.subarray(0, 33), ...chunks, png.subarray(33))

/** A JPEG whose header claims another size than its data has. */
function jpegClaiming(jpeg: Uint8Array, width: number, height: number): Uint8Array {
  const copy = Uint8Array.from(jpeg)
  const view = new DataView(copy.buffer)
  for (let at = 2; at < copy.length - 9; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1)
    if (marker < 0xc0 || marker > 0xc2) continue
    view.setUint16(at + 5, height)
    view.setUint16(at + 7, width)
    return copy
  }
  throw new Error('no frame header')
}

/** A JPEG with segments right after its start. */
const jpegWith = (jpeg: Uint8Array, ...segments: Uint8Array[]): Uint8Array =>
  concat(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2))

const segment = (marker: number, data: Uint8Array): Uint8Array =>
  concat(new Uint8Array([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data)

/** EXIF with one directory, followed by the directory at `next`. */
function exif(orientation: number, next: number): Uint8Array {
  const tiff = new DataView(new ArrayBuffer(26))
  tiff.setUint16(0, 0x4d4d)
  tiff.setUint16(2, 42)
  tiff.setUint32(4, 8)
  tiff.setUint16(8, 1)
  tiff.setUint16(10, 0x0112)
  tiff.setUint16(12, 3)
  tiff.setUint32(14, 1)
  tiff.setUint16(18, orientation)
  tiff.setUint32(22, next)
  return segment(0xe1, concat(toBytes('Exif\0\0'), new Uint8Array(tiff.buffer)))
}

/** An ICC profile of 255 segments, 16 MB in all. */
const hugeProfile = (): Uint8Array[] =>
  Array.from({ length: 255 }, (_, n) =>
    segment(0xe2, concat(toBytes('ICC_PROFILE\0'), new Uint8Array([n + 1, 255]), filled(65_000))),
  )

/** A GIF's header with the size of its canvas. */
function gifClaiming(gif: Uint8Array, width: number, height: number): Uint8Array {
  const copy = Uint8Array.from(gif)
  const view = new DataView(copy.buffer)
  view.setUint16(6, width, true)
  view.setUint16(8, height, true)
  return copy
}

/** A GIF whose first frame claims a size of its own. */
function gifWithFrame(gif: Uint8Array, width: number, height: number): Uint8Array {
  const copy = gifClaiming(gif, width, height)
  // After the graphic control extension, which is 8 bytes long.
  const at = Buffer.from(copy).indexOf(toBytes('\x21\xf9\x04')) + 8
  if (copy[at] !== 0x2c) throw new Error('no frame')
  const view = new DataView(copy.buffer)
  view.setUint16(at + 5, width, true)
  view.setUint16(at + 7, height, true)
  return copy
}

/** A lossless WebP's header: 14 bits for each side. */
function webpHeader(width: number, height: number): Uint8Array {
  const data = new DataView(new ArrayBuffer(30))
  for (const [at, text] of [
    [0, 'RIFF'],
    [8, 'WEBPVP8L'],
  ] as const) {
    new Uint8Array(data.buffer).set(toBytes(text), at)
  }
  data.setUint32(4, 22, true)
  data.setUint32(16, 9, true)
  data.setUint8(20, 0x2f)
  data.setUint32(21, (width - 1) | ((height - 1) << 14), true)
  return new Uint8Array(data.buffer)
}

const pngText = (type: string, head: string, length: number): Uint8Array =>
  pngChunk(type, concat(toBytes(head), deflateSync(filled(length))))

/** A progressive JPEG of 64 x 64 pixels with empty scans after those that draw it. */
export async function scannedOver(scans: number): Promise<Uint8Array> {
  const jpeg = await encoded(noisePicture(64, 64).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }))
  // A code for "nothing in the next 64 blocks", and a scan that consists of it.
  const code = segment(0xc4, new Uint8Array([0x10, 1, ...filled(15), 0x60]))
  const scan = concat(segment(0xda, new Uint8Array([1, 1, 0, 1, 63, 0])), new Uint8Array([0x01]))
  const end = jpeg.length - 2
  return concat(jpeg.subarray(0, end), code, repeated(scan, scans), jpeg.subarray(end))
}

function webpChunk(name: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(8 + data.length + (data.length & 1))
  chunk.set(toBytes(name))
  new DataView(chunk.buffer).setUint32(4, data.length, true)
  chunk.set(data, 8)
  return chunk
}

/** The header of an extended WebP. */
function webpCanvas(width: number, height: number, flags: number): Uint8Array {
  const data = new DataView(new ArrayBuffer(10))
  data.setUint8(0, flags)
  data.setUint16(4, width - 1, true)
  data.setUint16(7, height - 1, true)
  return webpChunk('VP8X', new Uint8Array(data.buffer))
}

function buildWebp(...chunks: Uint8Array[]): Uint8Array {
  const body = concat(toBytes('WEBP'), ...chunks)
  return webpChunk('RIFF', body)
}

/** An animation of 64 x 64 pixels whose frames are single ones: a decoder that looks back at each takes minutes. */
export async function tinyFrames(count: number): Promise<Uint8Array> {
  const pixel = await encoded(noisePicture(1, 1).webp({ lossless: true }))
  const frame = webpChunk('ANMF', concat(filled(16), pixel.subarray(12)))
  return buildWebp(webpCanvas(64, 64, 0x02), webpChunk('ANIM', filled(6)), repeated(frame, count))
}

const ftyp = (brand: string, ...further: string[]): Uint8Array => {
  const text = `ftyp${brand}\0\0\0\0${further.join('')}`
  return concat(new Uint8Array([0, 0, 0, text.length + 4]), toBytes(text))
}

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="9" height="9"/></svg>'

/** Files of other kinds than their names claim. */
const strangers = (): Record<string, Uint8Array> => ({
  'an empty file': filled(0),
  'one byte': filled(1),
  'a megabyte of zeros': filled(1_000_000),
  SVG: toBytes(SVG),
  'SVG that reads a file': toBytes(
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${SVG.replace('<rect', '<text>&x;</text><rect')}`,
  ),
  'SVG, compressed': new Uint8Array(gzipSync(SVG)),
  'SVG after a byte order mark': concat(new Uint8Array([0xef, 0xbb, 0xbf]), toBytes(SVG)),
  PDF: toBytes('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>'),
  PostScript: toBytes('%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99 99\n(/etc/passwd) (r) file'),
  MVG: toBytes("push graphic-context\nviewbox 0 0 640 480\nimage over 0,0 0,0 'https://127.0.0.1/x.jpg'\n"),
  'HTML, as in a picture with a wrong name': toBytes('<!doctype html><title>404</title><p>Not here'),
  PHP: toBytes('<?php system($_GET["c"]); ?>'),
  BMP: concat(toBytes('BM'), filled(200)),
  PSD: concat(toBytes('8BPS\0\x01'), filled(200)),
  'TIFF, little end first': concat(toBytes('II*\0\x08\0\0\0'), filled(200)),
  'TIFF, big end first': concat(toBytes('MM\0*\0\0\0\x08'), filled(200)),
  HEIC: concat(ftyp('heic', 'mif1', 'heic'), filled(200)),
  'HEIF of no known brand': concat(ftyp('mif1', 'mif1', 'heix'), filled(200)),
  MP4: concat(ftyp('isom', 'isom', 'mp41'), filled(200)),
  'JPEG 2000': concat(new Uint8Array([0, 0, 0, 12]), toBytes('jP  \r\n\x87\n'), filled(99)),
  'JPEG XL': concat(new Uint8Array([0xff, 0x0a]), filled(99)),
  ICO: concat(new Uint8Array([0, 0, 1, 0, 1, 0]), filled(99)),
  Netpbm: concat(toBytes('P6\n64 64\n255\n'), filled(64 * 64 * 3)),
  OpenEXR: concat(new Uint8Array([0x76, 0x2f, 0x31, 0x01]), filled(99)),
  Radiance: toBytes('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 64 +X 64\n'),
  FITS: toBytes('SIMPLE  =                    T'.padEnd(2880)),
  VIPS: concat(new Uint8Array([0x08, 0xf2, 0xa6, 0xb6]), filled(200)),
  ZIP: concat(toBytes('PK\x03\x04'), filled(99)),
  'an ELF program': concat(toBytes('\x7fELF'), filled(99)),
  'a table': toBytes('1,2,3\n4,5,6\n'),
  'WebP in words only': toBytes('RIFF\0\0\0\0WEBP'),
})

/** Small and strange shapes, huge claims, and much content in few bytes. */
async function pictures(): Promise<Record<string, Bomb>> {
  const jpeg = await encodeJpeg(120, 90)
  const png = await encoded(noisePicture(120, 90).png())
  const gif = await encoded(frames(2).gif())
  const avif = await encoded(noisePicture(120, 90).avif({ effort: 1 }))
  const webp = await encoded(noisePicture(120, 90).webp())
  return {
    '16384 x 16384 black pixels': { bytes: blackPng(16_384, 16_384), fates: LARGE },
    '7000 x 7100 black pixels, just allowed': { bytes: blackPng(7_000, 7_100), fates: FINE },
    '65535 x 1': { bytes: blackPng(65_535, 1), fates: SMALL },
    '1 x 65535': { bytes: blackPng(1, 65_535), fates: SMALL },
    '500000 x 32': { bytes: blackPng(500_000, 32), fates: EITHER },
    '1 x 1': { bytes: blackPng(1, 1), fates: SMALL },
    '31 x 32': { bytes: blackPng(31, 32), fates: SMALL },
    '32 x 31': { bytes: blackPng(32, 31), fates: SMALL },
    '32 x 32': { bytes: blackPng(32, 32), fates: FINE },
    'PNG: 20000 x 20000 and nothing else': { bytes: pngHeader(20_000, 20_000), fates: [...LARGE, ...BROKEN] },
    'PNG: 100 x 100 and nothing else': { bytes: pngHeader(100, 100), fates: BROKEN },
    'PNG: largest sizes there are': {
      bytes: pngHeader(0x7fffffff, 0x7fffffff, 16, 6),
      fates: [...LARGE, ...BROKEN],
    },
    'PNG: 0 x 0': { bytes: pngHeader(0, 0), fates: BROKEN },
    'PNG: depth and colour that do not exist': { bytes: pngHeader(64, 64, 77, 99), fates: BROKEN },
    'PNG: magic alone': { bytes: PNG_MAGIC, fates: BROKEN },
    'PNG: 100 MB of text in 100 KB': {
      bytes: pngWith(png, pngChunk('zTXt', concat(toBytes('Comment\0\0'), deflateSync(filled(1e8))))),
      fates: EITHER,
    },
    'PNG: 10 GB of text in 10 MB': {
      bytes: pngWith(png, ...Array<Uint8Array>(100).fill(pngText('zTXt', 'Comment\0\0', 1e8))),
      fates: FINE,
    },
    'PNG: 10 GB of international text in 10 MB': {
      bytes: pngWith(png, ...Array<Uint8Array>(100).fill(pngText('iTXt', 'Comment\0\x01\0\0\0', 1e8))),
      fates: FINE,
    },
    'PNG: 100 MB of profile in 100 KB': {
      bytes: pngWith(png, pngChunk('iCCP', concat(toBytes('icc\0\0'), deflateSync(filled(1e8))))),
      fates: EITHER,
    },
    'PNG: 50,000 texts': {
      bytes: pngWith(png, ...Array<Uint8Array>(50_000).fill(pngChunk('tEXt', toBytes('a\0b')))),
      fates: EITHER,
    },
    'PNG: a chunk of 2 GB': {
      bytes: pngWith(png, new Uint8Array([0x7f, 0xff, 0xff, 0xff, 0x74, 0x45, 0x58, 0x74])),
      fates: BROKEN,
    },
    'PNG and ZIP in one file': { bytes: concat(png, toBytes('PK\x03\x04'), filled(99)), fates: FINE },
    'PNG whose data are a ZIP': {
      bytes: concat(PNG_MAGIC, toBytes('PK\x03\x04'), filled(99)),
      fates: BROKEN,
    },
    'JPEG: claims 65500 x 65500': { bytes: jpegClaiming(jpeg, 65_500, 65_500), fates: LARGE },
    'JPEG: claims 7000 x 7000': { bytes: jpegClaiming(jpeg, 7_000, 7_000), fates: EITHER },
    'JPEG: claims no height': { bytes: jpegClaiming(jpeg, 120, 0), fates: BROKEN },
    'JPEG: 16 MB of profile': { bytes: jpegWith(jpeg, ...hugeProfile()), fates: EITHER },
    'JPEG: turned by EXIF': { bytes: jpegWith(jpeg, exif(6, 0)), fates: FINE },
    'JPEG: turned to side 99': { bytes: jpegWith(jpeg, exif(99, 0)), fates: FINE },
    'JPEG: EXIF that leads back to itself': { bytes: jpegWith(jpeg, exif(3, 8)), fates: FINE },
    'JPEG: EXIF that leads out of the file': { bytes: jpegWith(jpeg, exif(3, 0xfffffff0)), fates: FINE },
    'JPEG: 5,000 comments': {
      bytes: jpegWith(jpeg, ...Array<Uint8Array>(5_000).fill(segment(0xfe, filled(500)))),
      fates: FINE,
    },
    'JPEG: magic, then PDF': { bytes: concat(jpeg.subarray(0, 3), toBytes('%PDF-1.7')), fates: BROKEN },
    'JPEG with a ZIP behind it': { bytes: concat(jpeg, toBytes('PK\x03\x04'), filled(999)), fates: FINE },
    'JPEG: drawn 300,000 times': { bytes: await scannedOver(300_000), fates: BROKEN },
    'JPEG: 400,000 remarks of an editor': {
      bytes: jpegWith(jpeg, repeated(segment(0xed, toBytes('Photoshop 3.0\0')), 400_000)),
      fates: FINE,
    },
    'JPEG: CMYK': { bytes: await encoded(noisePicture(99, 99).toColourspace('cmyk').jpeg()), fates: FINE },
    'GIF: 200 frames': { bytes: await encoded(frames(200).gif()), fates: FINE },
    // Old programs wrote the size of the screen there, so decoders use the sizes of the frames.
    'GIF: canvas of 65535 x 65535': { bytes: gifClaiming(gif, 65_535, 65_535), fates: [...FINE, ...LARGE] },
    'GIF: a frame of 65535 x 65535': {
      bytes: gifWithFrame(gif, 65_535, 65_535),
      fates: [...LARGE, ...BROKEN],
    },
    'GIF: canvas smaller than its frame': { bytes: gifClaiming(gif, 2, 2), fates: [...SMALL, ...EITHER] },
    'GIF that is a script': {
      bytes: toBytes('GIF89a/*\x01\x01\0\0\0*/=1;alert(1)//'),
      fates: [...BROKEN, ...SMALL, ...LARGE],
    },
    'WebP: 200 frames': { bytes: await encoded(frames(200).webp()), fates: FINE },
    'WebP: 200,000 frames of one pixel': { bytes: await tinyFrames(200_000), fates: FINE },
    'WebP: 9 MB of remarks': {
      bytes: buildWebp(webpCanvas(120, 90, 0x04), webp.subarray(12), webpChunk('XMP ', filled(9_000_000))),
      fates: FINE,
    },
    'WebP: 16384 x 16384 and nothing else': {
      bytes: webpHeader(16_384, 16_384),
      fates: [...LARGE, ...BROKEN],
    },
    'WebP: 100 x 100 and nothing else': { bytes: webpHeader(100, 100), fates: BROKEN },
    'WebP: wrong length of the file': { bytes: webpWithLength(webp), fates: EITHER },
    'AVIF: brand alone': { bytes: ftyp('avif', 'mif1', 'avif'), fates: BROKEN },
    'AVIF that is HEIC inside': { bytes: concat(ftyp('avif', 'heic'), filled(500)), fates: BROKEN },
    'AVIF: half of it': { bytes: avif.subarray(0, avif.length >> 1), fates: BROKEN },
  }
}

function webpWithLength(webp: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(webp)
  new DataView(copy.buffer).setUint32(4, 0xffffffff, true)
  return copy
}

/** All bombs by name. */
export async function bombs(): Promise<Map<string, Bomb>> {
  const others = Object.entries(strangers()).map(
    ([name, bytes]) => [name, { bytes, fates: UNKNOWN }] as const,
  )
  return new Map([...others, ...Object.entries(await pictures())])
}
