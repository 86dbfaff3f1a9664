import { describe, expect, test } from 'bun:test'
import sharp, { type Sharp } from 'sharp'
import {
  type Pixels,
  palette,
  perceptualHash,
} from '../../../../src/platform/embedder/child/picture-facts.ts'
import { bitsApart, noisePicture } from '../pictures.ts'

async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const small = picture.resize(224, 224, { fit: 'fill' }).removeAlpha().toColourspace('srgb')
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

describe('the perceptual hash', () => {
  test('a smaller, harder compressed or brighter copy differs in few bits', async () => {
    const original = noisePicture(600, 500)
    const hash = perceptualHash(await pixelsOf(original.clone()))
    const png = await original.png().toBuffer()
    const copies = [
      sharp(await sharp(png).resize(200).jpeg({ quality: 30 }).toBuffer()),
      sharp(await sharp(png).webp({ quality: 40 }).toBuffer()),
      sharp(png).linear(0.9, 20),
    ]
    for (const copy of copies) {
      expect(bitsApart(perceptualHash(await pixelsOf(copy)), hash)).toBeLessThanOrEqual(6)
    }
  })

  test('other pictures differ in many', async () => {
    const hashes = await Promise.all(
      [1, 2, 3, 4].map(async (seed) => perceptualHash(await pixelsOf(noisePicture(300, 300, seed)))),
    )
    for (const [i, a] of hashes.entries()) {
      for (const b of hashes.slice(i + 1)) expect(bitsApart(a, b)).toBeGreaterThan(16)
    }
  })

  test('is 16 hex digits, for a flat picture too', async () => {
    const flat = { create: { width: 40, height: 40, channels: 3 as const, background: '#777' } }
    expect(perceptualHash(await pixelsOf(sharp(flat)))).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('the palette', () => {
  const drawn = (shapes: string) =>
    pixelsOf(
      sharp(
        Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">${shapes}</svg>`),
      ).flatten({
        background: '#ffffff',
      }),
    )

  test('names the colours by share, and leaves the white ground out', async () => {
    const colours = palette(
      await drawn(
        '<rect x="40" y="40" width="120" height="80" fill="#cc0000"/><rect x="40" y="120" width="120" height="40" fill="#0033aa"/>',
      ),
    )
    expect(colours.slice(0, 2).map(({ hex }) => hex)).toEqual(['#cc0000', '#0033aa'])
    expect(colours[0]?.share).toBeCloseTo(0.66, 1)
    expect(colours.some(({ hex }) => hex === '#ffffff')).toBe(false)
  })

  test('white counts in a picture that has no white ground', async () => {
    const colours = palette(
      await drawn(
        '<rect width="200" height="200" fill="#224422"/><circle cx="100" cy="100" r="70" fill="#fff"/>',
      ),
    )
    expect(colours.map(({ hex }) => hex)).toContain('#ffffff')
  })

  test('a white product on a white ground is white', async () => {
    expect(palette(await drawn('<circle cx="100" cy="100" r="10" fill="#f4f4f4"/>'))[0]?.hex).toMatch(
      /^#f[ef]/,
    )
  })

  test('has at most five colours, whose shares sum to at most 1', async () => {
    const colours = palette(await pixelsOf(noisePicture(200, 200)))
    expect(colours.length).toBeLessThanOrEqual(5)
    expect(colours.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1)
  })
})
