import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { perceptualHash } from '../../../../src/platform/embedder/child/picture-facts.ts'
import { bitsApart, noisePicture, pixelsOf } from '../pictures.ts'

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
