/** The media types of the formats we read (JPEG, PNG, WebP, AVIF, GIF). */
export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/avif' | 'image/gif'

/** Bytes from the start of a file that `pictureType` looks at, at most. */
export const MAGIC_BYTES = 64

const AVIF_BRANDS = ['avif', 'avis']
/** Brands that say only "some picture in HEIF"; the list of further brands then tells which. */
const HEIF_BRANDS = ['mif1', 'msf1', 'miaf']

/**
 * Tells the format by the first bytes alone; names and declared types are not believed.
 *
 * @param bytes the file or its beginning; with fewer than `MAGIC_BYTES` an AVIF file may be missed.
 * @returns `undefined` for everything else, such as SVG, PDF, TIFF, BMP, HEIC or HTML.
 */
export const pictureType = (bytes: Uint8Array): PictureType | undefined => {
  const text = String.fromCharCode(...bytes.subarray(0, MAGIC_BYTES))
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif'
  if (/^RIFF.{4}WEBPVP8[ LX]/s.test(text)) return 'image/webp'
  return isAvif(text) ? 'image/avif' : undefined
}

const isAvif = (text: string): boolean => {
  if (text.slice(4, 8) !== 'ftyp') return false
  const major = text.slice(8, 12)
  if (AVIF_BRANDS.includes(major)) return true
  return HEIF_BRANDS.includes(major) && furtherBrands(text).some((brand) => AVIF_BRANDS.includes(brand))
}

/** Compatible brands of an `ftyp` box (ISO/IEC 14496-12): four bytes each, from the 16th on to the end of the box. */
const furtherBrands = (text: string): string[] => {
  const boxBytes = [...text.slice(0, 4)].reduce((sum, byte) => sum * 256 + byte.charCodeAt(0), 0)
  return text.slice(16, boxBytes).match(/.{4}/gs) ?? []
}
