import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import sharp from 'sharp'
import {
  applyCrop,
  toBox,
  toStored,
  toStoredSize,
  turnUpright,
} from '../../../../src/platform/embedder/child/crop.ts'
import { noisePicture } from '../pictures.ts'

const picture = { width: 400, height: 200 }
const relative = (x: number, y: number, width: number, height: number, padding?: number) =>
  ({ x, y, width, height, unit: 'relative', ...(padding !== undefined && { padding }) }) as const
const pixel = (x: number, y: number, width: number, height: number) =>
  ({ x, y, width, height, unit: 'pixel' }) as const

describe('a crop', () => {
  test('is a rectangle of pixels', () => {
    expect(applyCrop(relative(0.25, 0.5, 0.5, 0.25), picture)).toEqual({
      left: 100,
      top: 100,
      width: 200,
      height: 50,
    })
    expect(applyCrop(pixel(10, 20, 40, 50), picture)).toEqual({ left: 10, top: 20, width: 40, height: 50 })
  })

  test('grows by its padding on each side, at most by half', () => {
    expect(applyCrop(relative(0.4, 0.4, 0.2, 0.2, 0.1), picture)).toEqual({
      left: 152,
      top: 76,
      width: 96,
      height: 48,
    })
    const most = applyCrop(relative(0.4, 0.4, 0.2, 0.2, 0.5), picture)
    expect(most).toEqual({ left: 120, top: 60, width: 160, height: 80 })
    expect(applyCrop(relative(0.4, 0.4, 0.2, 0.2, 99), picture)).toEqual(most)
    expect(applyCrop(relative(0.4, 0.4, 0.2, 0.2, -1), picture)).toEqual({
      left: 160,
      top: 80,
      width: 80,
      height: 40,
    })
  })

  test('ends where the picture ends, and says so', () => {
    const whole = applyCrop(relative(-1, -1, 9, 9), picture)
    expect(whole).toEqual({ left: 0, top: 0, width: 400, height: 200 })
    expect(toBox(whole, picture)).toEqual({ x: 0, y: 0, width: 1, height: 1 })
    const corner = applyCrop(pixel(350, 150, 1e308, 1e308), picture)
    expect(toBox(corner, picture)).toEqual({ x: 0.875, y: 0.75, width: 0.125, height: 0.25 })
  })

  test.each([
    ['31 pixels high', pixel(0, 0, 100, 31)],
    ['32 pixels, of which one lies outside', pixel(369, 0, 32, 100)],
    ['beside the picture', relative(1, 0, 0.5, 0.5)],
    ['far away', relative(1e308, 1e308, 1e308, 1e308)],
    ['far away on the other side', relative(-1e308, -1e308, 1, 1)],
    ['without a size', relative(0.5, 0.5, 0, 0, 0.5)],
    ['of a negative size', relative(0.9, 0.9, -0.8, -0.8)],
    ['whose size is no number', relative(0, 0, Number.NaN, 1)],
    ['from one end of the numbers to the other', relative(-Number.MAX_VALUE, 0, Number.POSITIVE_INFINITY, 1)],
  ])('is refused: %s', (_, crop) => {
    expect(() => applyCrop(crop, picture)).toThrow(
      expect.objectContaining({ code: 'crop_too_small', details: { width: 400, height: 200, min_side: 32 } }),
    )
  })

  test('of any numbers is refused or lies within the picture', () => {
    const number = fc.oneof(fc.double(), fc.double({ min: -2, max: 2 }), fc.integer({ min: -9, max: 500 }))
    const crops = fc.record({
      ...{ x: number, y: number, width: number, height: number, padding: number },
      unit: fc.constantFrom('relative' as const, 'pixel' as const),
    })
    fc.assert(
      fc.property(crops, (crop) => {
        let cut: ReturnType<typeof applyCrop>
        try {
          cut = applyCrop(crop, picture)
        } catch (error) {
          expect(error).toMatchObject({ code: 'crop_too_small' })
          return
        }
        expect(Math.min(cut.left, cut.top)).toBeGreaterThanOrEqual(0)
        expect(Math.min(cut.width, cut.height)).toBeGreaterThanOrEqual(32)
        expect(cut.left + cut.width).toBeLessThanOrEqual(400)
        expect(cut.top + cut.height).toBeLessThanOrEqual(200)
        expect(Object.values(cut).every(Number.isInteger)).toBe(true)
      }),
    )
  })
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'orientation %i of EXIF: a part of the stored picture, turned, is that part of the upright one',
  async (orientation) => {
    const stored = await noisePicture(60, 40).jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer()
    const upright = sharp(stored).autoOrient()
    const size = (await sharp(stored).metadata()).autoOrient
    const part = { left: 5, top: 9, width: 17, height: 22 }
    const expected = await sharp(await upright.png().toBuffer())
      .extract(part)
      .raw()
      .toBuffer()
    const { data, info } = await sharp(stored)
      .extract(toStored(part, size, orientation))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(toStoredSize(part, orientation)).toEqual({ width: info.width, height: info.height })
    const turned = turnUpright({ width: info.width, height: info.height, data }, orientation)
    expect({ width: turned.width, height: turned.height }).toEqual({ width: 17, height: 22 })
    expect(Buffer.from(turned.data).equals(expected)).toBe(true)
  },
)
