/** Media types of the supported formats (JPEG, PNG, WebP, AVIF, GIF). */
export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/avif' | 'image/gif'

/** Number of leading bytes that `pictureType` needs. */
export const MAGIC_BYTES = 64

const AVIF_BRANDS = ['avif', 'avis']
/** Generic HEIF brands; the list of compatible brands then names the format. */
const HEIF_BRANDS = ['mif1', 'msf1', 'miaf']

/**
 * Detects the format from the first bytes alone; file names and declared types are ignored.
 *
 * @param bytes the file or its beginning; an AVIF file may go undetected with fewer than `MAGIC_BYTES`.
 * @returns undefined for every other format, such as SVG, PDF, TIFF, BMP, HEIC or HTML.
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
  return (
    HEIF_BRANDS.includes(major) && readCompatibleBrands(text).some((brand) => AVIF_BRANDS.includes(brand))
  )
}

/** Compatible brands of an `ftyp` box (ISO/IEC 14496-12): four bytes each, from offset 16 to the end of the box. */
const readCompatibleBrands = (text: string): string[] => {
  const boxBytes = [...text.slice(0, 4)].reduce((sum, byte) => sum * 256 + byte.charCodeAt(0), 0)
  return text.slice(16, boxBytes).match(/.{4}/gs) ?? []
}
