import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { MAGIC_BYTES, pictureType } from '../../src/core/picture-type.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const ftyp = (major: string, ...further: string[]) => {
  const box = bytesOf(`\0\0\0\0ftyp${major}\0\0\0\0${further.join('')}`)
  box.writeUInt32BE(box.length)
  return Buffer.concat([box, bytesOf('\0\0\0\x20metaavifavifavif'.padEnd(60))])
}

describe('pictureType', () => {
  test.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
    'knows a real %s file by its first bytes',
    async (format) => {
      const picture = sharp({ create: { width: 40, height: 40, channels: 3, background: '#c33' } })
      const bytes = await picture.toFormat(format).toBuffer()
      expect(pictureType(bytes)).toBe(`image/${format}`)
      expect(pictureType(bytes.subarray(0, MAGIC_BYTES))).toBe(`image/${format}`)
    },
  )

  test.each([
    ['GIF87a', bytesOf('GIF87a\x01\0\x01\0'), 'image/gif'],
    ['an animated AVIF', ftyp('avis', 'avis', 'msf1'), 'image/avif'],
    ['an AVIF that calls itself HEIF first', ftyp('mif1', 'mif1', 'miaf', 'avif'), 'image/avif'],
    ['a lossless WebP', bytesOf('RIFF\n\n\n\nWEBPVP8L'), 'image/webp'],
  ] as const)('knows %s', (_, bytes, type) => {
    expect(pictureType(bytes)).toBe(type)
  })

  test.each([
    ['nothing', ''],
    ['HTML', '<!doctype html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['PDF', '%PDF-1.7\n'],
    ['TIFF, little-endian', 'II*\0\x08\0\0\0'],
    ['TIFF, big-endian', 'MM\0*\0\0\0\x08'],
    ['BMP', 'BM\x46\0\0\0\0\0\0\0'],
    ['Photoshop', '8BPS\0\x01'],
    ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['JPEG XL', '\xff\x0a'],
    ['ICO', '\0\0\x01\0'],
    ['WAV', 'RIFF\x24\0\0\0WAVEfmt '],
    ['a damaged PNG', '\x89PNG\n\x1a\n'],
    ['half a JPEG mark', '\xff\xd8'],
    ['a picture behind a space', ' \xff\xd8\xff'],
    ['an unknown GIF', 'GIF88a'],
  ])('does not know %s', (_, text) => {
    expect(pictureType(bytesOf(text))).toBeUndefined()
  })

  test.each([
    ['HEIC', ftyp('heic', 'mif1', 'heic')],
    ['HEIC that lists AVIF', ftyp('heic', 'avif')],
    ['HEIF without AVIF, followed by bytes that look like it', ftyp('mif1', 'heic')],
    ['MP4', ftyp('isom', 'avc1')],
  ])('does not know %s', (_, bytes) => {
    expect(pictureType(bytes)).toBeUndefined()
  })
})
