import { describe, expect, test } from 'bun:test'
import type { Sharp } from 'sharp'
import { findBackground, sampleGrid } from '../../../../src/platform/embedder/child/background.ts'
import { palette } from '../../../../src/platform/embedder/child/palette.ts'
import { drawing, noisePicture, pixelsOf } from '../pictures.ts'

async function paletteOf(picture: Sharp): Promise<{ hex: string; share: number }[]> {
  const grid = sampleGrid(await pixelsOf(picture))
  return palette(grid, findBackground(grid))
}
const hexes = (colours: { hex: string }[]) => colours.map(({ hex }) => hex)
const twoColours =
  '<rect x="40" y="40" width="120" height="80" fill="#cc0000"/><rect x="40" y="120" width="120" height="40" fill="#0033aa"/>'

describe('the palette of a picture on a plain ground', () => {
  test.each(['#ffffff', '#223344', '#e8c23a', '#808080'])(
    'names the colours by share, and leaves the ground %s out',
    async (ground) => {
      const colours = await paletteOf(drawing(twoColours, { ground }))
      expect(hexes(colours).slice(0, 2)).toEqual(['#cc0000', '#0033aa'])
      expect(colours[0]?.share).toBeCloseTo(0.66, 1)
      expect(hexes(colours)).not.toContain(ground)
    },
  )

  test('leaves out a shadow on it', async () => {
    const shadow =
      '<defs><radialGradient id="s"><stop offset="0" stop-color="#909090"/><stop offset="1" stop-color="#f4f4f4"/></radialGradient></defs><ellipse cx="100" cy="150" rx="98" ry="48" fill="url(#s)"/>'
    const object = '<circle cx="100" cy="100" r="52" fill="#118844"/>'
    const colours = await paletteOf(drawing(shadow + object, { ground: '#f4f4f4' }))
    expect(colours[0]).toMatchObject({ hex: '#118844' })
    expect(colours[0]?.share).toBeGreaterThan(0.9)
  })

  test("what the subject encloses counts, though it has the ground's colour", async () => {
    const ring = '<circle cx="100" cy="100" r="60" fill="#ffffff" stroke="#cc0000" stroke-width="30"/>'
    expect(hexes(await paletteOf(drawing(ring)))).toEqual(['#cc0000', '#fffefe'])
  })

  test('a product that nearly vanishes in the ground has its colour', async () => {
    const colours = await paletteOf(drawing('<circle cx="100" cy="100" r="10" fill="#f4f4f4"/>'))
    expect(colours[0]?.hex).toMatch(/^#f[ef]/)
  })

  test('a product of which only the shades stand out has the colour of the ground', async () => {
    const folds = [60, 100, 140].map((x) => `<rect x="${x}" y="40" width="14" height="120" fill="#cfcfcf"/>`)
    expect((await paletteOf(drawing(folds.join(''))))[0]?.hex).toMatch(/^#[ef][0-9a-f]/)
    // Black bars are a product of black bars.
    const bars = folds.map((fold) => fold.replace('#cfcfcf', '#101010'))
    expect((await paletteOf(drawing(bars.join(''))))[0]?.hex).toBe('#111111')
  })
})

describe('the palette of other pictures', () => {
  const halves =
    '<rect width="200" height="100" fill="#5a7a3a"/><rect y="100" width="200" height="100" fill="#b09060"/>'

  test('begins with what is in the middle, even if it takes less room', async () => {
    const colours = await paletteOf(drawing(`${halves}<circle cx="100" cy="100" r="56" fill="#2020c0"/>`))
    // The disc takes a quarter of the picture; each half of the background takes more.
    expect(hexes(colours)[0]).toBe('#2020c0')
    expect(hexes(colours)).toContain('#5a7a3a')
  })

  test('white counts', async () => {
    const shapes = `${halves}<circle cx="100" cy="100" r="70" fill="#fff"/>`
    expect(hexes(await paletteOf(drawing(shapes)))).toContain('#ffffff')
  })

  test('has at most five colours, whose shares sum to at most 1', async () => {
    const colours = await paletteOf(noisePicture(200, 200))
    expect(colours.length).toBeGreaterThan(0)
    expect(colours.length).toBeLessThanOrEqual(5)
    expect(colours.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1)
  })
})
