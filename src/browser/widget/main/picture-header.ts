/** Reads the size of a picture from its first bytes, before anything decodes it. */

interface Dimensions {
  /** In pixels as stored, before the orientation of the camera is applied. */
  width: number
  height: number
}

const text = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

/** Whether the bytes are of the HEIF family, which most browsers cannot open; AVIF belongs to it as well, and they can. */
export const isHeic = (bytes: Uint8Array): boolean =>
  text(bytes, 4, 4) === 'ftyp' && !/avif|avis/.test(text(bytes, 8, 4))

/** @returns undefined unless it is a picture of a known format. */
export function readDimensions(bytes: Uint8Array): Dimensions | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (view.getUint16(0) === 0xffd8) return readJpeg(view)
    if (text(bytes, 1, 3) === 'PNG') return { width: view.getUint32(16), height: view.getUint32(20) }
    if (text(bytes, 0, 4) === 'GIF8')
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP')
      return readWebp(view, text(bytes, 12, 4))
    if (text(bytes, 4, 4) === 'ftyp') return readHeif(bytes, view)
    if (text(bytes, 0, 2) === 'BM')
      return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
  } catch {
    // The file ends inside of its header.
  }
  return undefined
}

/** Walks the segments to the first frame. */
function readJpeg(view: DataView): Dimensions | undefined {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    // SOF0 to SOF15, without the three markers among them that are none: DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    // A scan or the end before any frame.
    if (marker === 0xda || marker === 0xd9) return undefined
    at += 2 + view.getUint16(at + 2)
  }
}

function readWebp(view: DataView, kind: string): Dimensions | undefined {
  if (kind === 'VP8X') {
    const read = (at: number) => 1 + view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
    return { width: read(24), height: read(27) }
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
  }
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  return undefined
}

/** How far into a file its list of properties is looked for. */
const HEIF_BYTES = 256 * 1024

/** Takes the largest of the sizes that the file names: the others are of its tiles and thumbnails. */
function readHeif(bytes: Uint8Array, view: DataView): Dimensions | undefined {
  let largest: Dimensions | undefined
  const end = Math.min(bytes.length - 16, HEIF_BYTES)
  for (let at = 8; at < end; at++) {
    if (view.getUint32(at) !== 0x69737065) continue
    const found = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (!largest || found.width * found.height > largest.width * largest.height) largest = found
  }
  return largest
}
