import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { readJpegHeader } from '../../../../src/platform/embedder/child/jpeg-header.ts'
import { encoded, noisePicture } from '../pictures.ts'

const noise = (seed = 1) => noisePicture(301, 203, seed)

/** The header as libvips reads it; undefined for a file that it refuses. */
async function readWithSharp(bytes: Uint8Array) {
  try {
    const metadata = await sharp(bytes, { failOn: 'error' }).metadata()
    const { autoOrient, isProgressive, hasAlpha, orientation = 1 } = metadata
    return { ...autoOrient, isProgressive, hasAlpha, orientation }
  } catch {
    return undefined
  }
}

describe('the header of an ordinary JPEG is the one that libvips reads', () => {
  test.each([
    ['baseline', () => noise().jpeg()],
    ['progressive', () => noise().jpeg({ progressive: true })],
    ['4:4:4', () => noise().jpeg({ chromaSubsampling: '4:4:4' })],
    ['optimized', () => noise().jpeg({ mozjpeg: true })],
    ['grey', () => noise().greyscale().jpeg()],
    ['inks', () => noise().toColourspace('cmyk').jpeg()],
    ['with a colour profile', () => noise().withIccProfile('p3').jpeg()],
  ])('%s', async (_, make) => {
    const bytes = await encoded(make())
    expect(readJpegHeader(bytes)).toEqual((await readWithSharp(bytes)) as never)
    expect(readJpegHeader(bytes)).toMatchObject({ width: 301, height: 203, hasAlpha: false })
  })

  test('unknown with EXIF, which may turn the picture, and without the first scan', async () => {
    const turned = await encoded(noise().withMetadata({ orientation: 6 }).jpeg())
    expect(readJpegHeader(turned)).toBeUndefined()
    const whole = await encoded(noise().jpeg())
    const scan = Buffer.from(whole).indexOf(Buffer.of(0xff, 0xda))
    for (let end = 0; end <= scan; end++) expect(readJpegHeader(whole.subarray(0, end))).toBeUndefined()
    expect(readJpegHeader(new Uint8Array())).toBeUndefined()
  })

  test('never another one, whatever bytes are changed', async () => {
    let state = 7
    const below = (limit: number) => {
      state = (state * 1664525 + 1013904223) >>> 0
      return state % limit
    }
    const files = [await encoded(noise().jpeg()), await encoded(noise().jpeg({ progressive: true }))]
    let compared = 0
    for (let n = 0; n < 600; n++) {
      const bytes = (files[n % 2] as Uint8Array).slice(0, 5_000)
      // The header lies in the first bytes.
      for (let changes = 1 + below(3); changes > 0; changes--) bytes[2 + below(700)] = below(256)
      const own = readJpegHeader(bytes)
      const theirs = own && (await readWithSharp(bytes))
      if (!theirs) continue
      compared++
      expect({ n, ...own }).toEqual({ n, ...(theirs as NonNullable<typeof own>) })
    }
    expect(compared).toBeGreaterThan(100)
  }, 60_000)
})
